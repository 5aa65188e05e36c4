import StoreEditing
import StoreFormat

/// Reads the net effect of the changes in a part of a history, object by object.
///
/// Objects are sorted by the number of their entity and then by their primary key. Each occurs
/// once, and only if its changes had an effect.
///
/// Memory does not grow with the history. Objects are folded in a table of limited size. If there
/// are more, it keeps those that come first, and the same changes are read again for the next ones,
/// in one snapshot.
public final class NetChangeReader {
  /// The number of objects that are folded at a time by default, in about thirty bytes each.
  public static let usualCapacity = 1 << 20

  /// The number of changes that were read, known after the first ``next()``.
  package private(set) var changeCount = 0
  /// The number of them that were left out because their rows name no object, or a kind that no
  /// framework writes; known after the first ``next()``.
  package private(set) var skippedChangeCount = 0
  /// The places in the range where history is missing.
  public let gaps: [HistoryGap]
  /// The entities of the history.
  package let schema: HistorySchema

  /// The selection of the store; `nil` if it has nothing of the range.
  private let stored: (snapshot: StoreSnapshot, selection: TransactionSelection)?
  /// Which changes of the store are folded; `nil` for all of the selected transactions.
  private let condition: ChangeSelection?
  private let archived: ArchivedChanges?
  private let capacity: Int
  private let tombstones: TombstoneLookup?
  private let readsTombstones: Bool
  /// The tombstones and values of archived transactions, for the objects in the table.
  private var archivedDetails = ArchivedDetails()
  /// Finds the values that were recorded beside the store; `nil` if the query does not ask for
  /// them.
  private let values: NetValues?

  private var isWide = false
  /// Looks up objects in the finished table.
  private var folded: ((UInt32, (Int64) -> HistoryEntity) -> FoldedChange)?
  private var order: [UInt32] = []
  private var position = 0
  /// The last object that has been read; `nil` before the first.
  private var floor: NetChangeRow.Object?
  private var isAtEnd = false
  private var lastEntity: HistoryEntity?

  /// Prepares to read from a store.
  ///
  /// - Parameters:
  ///   - snapshot: The store.
  ///   - query: Which changes to fold: of the transactions that it selects those that meet its
  ///     condition on changes. Its order and limits are ignored.
  ///   - schema: The entities of the store; `nil` to read them.
  ///   - readsTombstones: Whether to look up tombstones.
  ///   - capacity: The number of objects that are folded at a time.
  /// - Throws: ``HistoryError`` if the query names something that the store does not have, and
  ///   ``/StoreFormat/StoreError``.
  public convenience init(
    snapshot: StoreSnapshot, query: HistoryQuery, schema: HistorySchema? = nil,
    readsTombstones: Bool = true, capacity: Int = NetChangeReader.usualCapacity
  ) throws {
    try self.init(
      HistoryTimeline(snapshot), query: query, schema: schema ?? HistorySchema(snapshot),
      readsTombstones: readsTombstones, capacity: capacity)
  }

  /// Prepares to read from a timeline; see
  /// ``init(snapshot:query:schema:readsTombstones:capacity:)``.
  ///
  /// - Throws: ``HistoryError``, ``/StoreFormat/StoreError``, and what the archive throws.
  package init(
    _ timeline: HistoryTimeline, query: HistoryQuery, schema: HistorySchema,
    readsTombstones: Bool = true, capacity: Int = NetChangeReader.usualCapacity
  ) throws {
    self.schema = schema
    self.capacity = capacity
    self.readsTombstones = readsTombstones
    let pieces = try timeline.pieces(after: query.after, until: query.until)
    gaps = try timeline.gaps(after: query.after, until: query.until)
    archived = try ArchivedChanges(timeline, query, schema, pieces)
    guard pieces.contains(.store), let snapshot = timeline.snapshot else {
      (stored, condition, tombstones, values) = (nil, nil, nil, nil)
      return
    }
    var selection = TransactionSelection(
      after: query.after, until: query.until,
      texts: [.author: query.author, .bundle: query.bundle, .process: query.process])
    // Testing each change is faster than letting SQLite find the transactions first.
    condition = try query.change.selection(in: schema, of: snapshot)
    selection.checksCompleteness = query.checksCompleteness
    stored = (snapshot, selection)
    _ = try snapshot.historyTables()
    tombstones = readsTombstones ? try snapshot.tombstones() : nil
    let archive = query.omitsRecordedValues || !readsTombstones ? nil : timeline.archive
    values =
      query.recordedValues == nil && archive == nil
      ? nil
      : try NetValues(query.recordedValues, snapshot, archive: archive, query, schema)
  }

  /// Returns the net effect on the next object; `nil` after the last one.
  public func next() throws -> NetChange? {
    while true {
      while position < order.count, let found = folded?(order[position], entity) {
        position += 1
        if found.change.kind != nil {
          return try complete(found.change, found.object, hasTombstone: found.hasTombstone)
        }
      }
      guard !isAtEnd else { return nil }
      try readBatch()
    }
  }

  /// Adds what the table does not keep: the tombstone of a deleted object, and the values of an updated one.
  private func complete(
    _ found: NetChange, _ object: NetChangeRow.Object, hasTombstone: Bool
  ) throws -> NetChange {
    var change = found
    if let number = found.deletion?.change, hasTombstone, found.effect.existedBefore {
      if let archived = archivedDetails.deletion(of: object, change: number) {
        change = found.ended(by: archived.deletion, of: archived.entity)
      } else if let tombstone = try tombstones?.tombstone(ofChange: number) {
        change = found.ended(
          by: NetChange.Deletion(change: number, tombstone: tombstone), of: found.entity)
      }
    }
    change.values = try values(of: change, object)
    return change
  }

  private func values(
    of change: NetChange, _ object: NetChangeRow.Object
  ) throws -> [RecordedValue] {
    guard change.kind == .update else { return [] }
    let archived = archivedDetails.values(of: object)
    guard let values, change.firstTransaction <= change.lastTransaction else { return archived }
    return try values.values(
      of: change.entity, change.primaryKey, in: change.firstTransaction...change.lastTransaction,
      after: archived)
  }

  private func entity(_ number: Int64) -> HistoryEntity {
    if let lastEntity, lastEntity.number == number { return lastEntity }
    let entity = archived?.numbers.foreign(number) ?? schema.entity(number: number)
    lastEntity = entity
    return entity
  }

  // MARK: - Reading the changes

  /// Folds the next objects.
  private func readBatch() throws {
    // Frees the memory of the objects before.
    folded = nil
    order = []
    position = 0
    if !isWide {
      if try readBatch(UInt32.self) { return }
      isWide = true
    }
    _ = try readBatch(Int64.self)
  }

  /// Folds the next objects in a table of some width; returns `false` if a number does not fit into
  /// it.
  private func readBatch<Number: FixedWidthInteger & Sendable>(_: Number.Type) throws -> Bool {
    archivedDetails = ArchivedDetails()
    let transactions = try stored.map { snapshot, selection in
      try snapshot.transactions(selection, onlyPositions: true)
    }
    let changes = try transactions?.changes()
    var table = NetChangeTable<Number>(
      capacity: capacity, expectedCount: Int(clamping: changes?.expectedCount ?? 0))
    var ceiling: NetChangeRow.Object?
    var counts = Counts()
    guard try foldArchived(into: &table, &ceiling, &counts) else { return false }
    if let transactions, let changes {
      guard try fold(transactions, changes, into: &table, &ceiling, &counts) else { return false }
    }
    if floor == nil {
      changeCount = counts.all
      skippedChangeCount = counts.skipped
    }
    order = table.finish()
    folded = { [table] in table.change(at: $0, entity: $1) }
    isAtEnd = ceiling == nil
    floor = ceiling
    return true
  }

  private struct Counts {
    var all = 0
    /// Changes that name no object, or whose kind is unknown.
    var skipped = 0
  }

  /// Folds the changes of the archive; returns `false` if a number does not fit into the table.
  private func foldArchived<Number: FixedWidthInteger & Sendable>(
    into table: inout NetChangeTable<Number>, _ ceiling: inout NetChangeRow.Object?,
    _ counts: inout Counts
  ) throws -> Bool {
    try archived?.restart()
    while let change = try archived?.next() {
      counts.all += 1
      guard let row = archived?.row(change) else {
        counts.skipped += 1
        continue
      }
      if let floor, !(floor < row.object) { continue }
      if let ceiling, ceiling < row.object { continue }
      let earlier = change.values.isEmpty ? TouchedColumns.none : table.columns(of: row.object)
      guard let effect = table.fold(row) else { return false }
      // The tombstone of an object that was inserted in the same range is not shown.
      if readsTombstones, row.hasTombstone, effect.existedBefore {
        archivedDetails.addTombstone(change, row.object)
      }
      archivedDetails.addValues(change, row.object, after: earlier)
      while table.isFull || archivedDetails.isFull, table.canShrink {
        ceiling = table.shrink()
        if let ceiling { archivedDetails.removeAll(after: ceiling) }
      }
    }
    return true
  }

  /// Folds the changes of the store; returns `false` if a number does not fit into the table.
  private func fold<Number: FixedWidthInteger & Sendable>(
    _ transactions: TransactionCursor, _ changes: ChangeCursor,
    into table: inout NetChangeTable<Number>, _ ceiling: inout NetChangeRow.Object?,
    _ counts: inout Counts
  ) throws -> Bool {
    while let change = try next(transactions, changes) {
      if let condition, !condition.matches(change) { continue }
      counts.all += 1
      guard let kind = change.kind, let entityNumber = change.entityNumber,
        let primaryKey = change.primaryKey
      else {
        counts.skipped += 1
        continue
      }
      let object = NetChangeRow.Object(entityNumber: entityNumber, primaryKey: primaryKey)
      if let floor, !(floor < object) { continue }
      if let ceiling, ceiling < object { continue }
      let row = NetChangeRow(
        object: object, kind: kind, transaction: transactions.number, change: change.number,
        mask: kind == .update ? change.mask : nil,
        hasTombstone: kind == .delete && change.hasTombstone)
      guard table.fold(row) != nil else { return false }
      while table.isFull {
        ceiling = table.shrink()
        if let ceiling { archivedDetails.removeAll(after: ceiling) }
      }
    }
    return true
  }

  /// Goes to the next change of any transaction; returns `nil` after the last one.
  @inline(__always)
  private func next(
    _ transactions: TransactionCursor, _ changes: ChangeCursor
  ) throws -> ChangeCursor? {
    while try !changes.next() {
      guard try transactions.next() else { return nil }
    }
    return changes
  }
}
