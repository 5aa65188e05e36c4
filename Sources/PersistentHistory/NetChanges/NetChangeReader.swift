import StoreEditing
import StoreFormat

/// Reads what the changes in a part of a history come to, object by object.
///
/// The objects come in the order of their entities' numbers and then of their primary keys, each
/// once, and those to which nothing happened in the end not at all.
///
/// Memory does not grow with the history. Objects are folded in a table of limited size; where there
/// are more, it keeps those that come first, gives them, and reads the same changes again for the
/// next ones. All of it happens in one snapshot.
public final class NetChangeReader {
  /// How many objects are folded at a time, in some thirty bytes each, unless told otherwise.
  public static let usualCapacity = 1 << 20

  /// How many changes were read.
  package private(set) var changeCount = 0
  /// How many of them were left out, for their rows name no object or a kind that no framework
  /// writes.
  ///
  /// Both numbers are known after the first ``next()``.
  package private(set) var skippedChangeCount = 0
  /// The places in the range where history is missing.
  public let gaps: [HistoryGap]
  /// The entities of the history.
  package let schema: HistorySchema

  /// What is asked of the store; nil where it keeps nothing of the range.
  private let stored: (snapshot: StoreSnapshot, selection: TransactionSelection)?
  private let archived: ArchivedChanges?
  private let capacity: Int
  private let tombstones: TombstoneLookup?
  private let readsTombstones: Bool
  /// What objects left behind that were deleted in archived transactions, of those in the table.
  private var archivedDeletions = ArchivedDeletions()
  /// What values were recorded in archived transactions, of those in the table.
  private var archivedValues = ArchivedValues()
  /// Finds those that were recorded beside the store; nil where nobody wants them.
  private let values: NetValues?

  private var isWide = false
  private var readsRowsAsTheyLie = true
  /// Looks up objects in the table that has been folded.
  private var outline: ((UInt32) -> NetChangeOutline)?
  private var order: [UInt32] = []
  private var position = 0
  /// The last object of all that has been read; nil before the first.
  private var floor: NetChangeRow.Object?
  private var isAtEnd = false
  private var lastEntity: HistoryEntity?

  /// Prepares to read from a store.
  ///
  /// - Parameters:
  ///   - snapshot: The store.
  ///   - query: Which changes to fold: those of the transactions that it selects, and of these the
  ///     ones that meet its condition on changes. Its order and limits do not count.
  ///   - schema: The entities of the store; nil to read them.
  ///   - readsTombstones: Whether to look up what deleted objects left behind.
  ///   - capacity: How many objects are folded at a time.
  /// - Throws: ``HistoryError`` where the query names what the store does not have, and
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
      (stored, tombstones, values) = (nil, nil, nil)
      return
    }
    var selection = TransactionSelection(
      after: query.after, until: query.until,
      texts: [.author: query.author, .bundle: query.bundle, .process: query.process],
      change: try query.change.selection(in: schema, of: snapshot))
    selection.checksCompleteness = query.checksCompleteness
    stored = (snapshot, selection)
    _ = try snapshot.historyTables()
    tombstones = readsTombstones ? try snapshot.tombstones() : nil
    values = query.recordedValues.map { NetValues($0, snapshot, query, schema) }
  }

  /// What happened to the next object; `nil` after the last one.
  public func next() throws -> NetChange? {
    while true {
      while position < order.count, let outline = outline?(order[position]) {
        position += 1
        if outline.effect.kind != nil { return try change(outline) }
      }
      guard !isAtEnd else { return nil }
      try readBatch()
    }
  }

  private func change(_ outline: NetChangeOutline) throws -> NetChange {
    let archived = archivedDeletions[outline]
    let deletion =
      try archived?.deletion
      ?? outline.deletion.map { number in
        let isWanted = outline.hasTombstone && outline.effect.existedBefore
        return NetChange.Deletion(
          change: number,
          tombstone: isWanted ? try tombstones?.tombstone(ofChange: number) ?? [] : [])
      }
    let entity = archived?.entity ?? entity(outline.object.entityNumber)
    return NetChange(
      entity: entity, primaryKey: outline.object.primaryKey,
      effect: outline.effect, columns: outline.columns, deletion: deletion,
      firstTransaction: outline.firstTransaction, lastTransaction: outline.lastTransaction,
      changeCount: outline.changeCount, values: try values(of: entity, outline))
  }

  private func values(
    of entity: HistoryEntity, _ outline: NetChangeOutline
  ) throws -> [RecordedValue] {
    guard outline.effect.kind == .update else { return [] }
    let archived = archivedValues[outline.object]
    guard let values, outline.firstTransaction <= outline.lastTransaction else { return archived }
    return try values.values(
      of: entity, outline.object.primaryKey,
      in: outline.firstTransaction...outline.lastTransaction, behind: archived)
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
    // The memory of the objects before is needed for those that come now.
    outline = nil
    order = []
    position = 0
    if !isWide {
      if try readBatch(UInt32.self) { return }
      isWide = true
    }
    _ = try readBatch(Int64.self)
  }

  /// Folds the next objects in a table of some width; false where a number does not fit into it.
  private func readBatch<Number: FixedWidthInteger & Sendable>(
    _ numbers: Number.Type
  ) throws -> Bool {
    do {
      return try fold(numbers)
    } catch is RowsOutOfOrder {
      readsRowsAsTheyLie = false
      return try fold(numbers)
    }
  }

  private func fold<Number: FixedWidthInteger & Sendable>(_: Number.Type) throws -> Bool {
    archivedDeletions = ArchivedDeletions()
    archivedValues = ArchivedValues()
    let changes = try stored.map { snapshot, selection in
      try snapshot.changeOutlines(
        selection,
        after: floor.map {
          ChangeSelection.Object(entityNumber: $0.entityNumber, primaryKey: $0.primaryKey)
        }, asRowsLie: readsRowsAsTheyLie)
    }
    var table = NetChangeTable<Number>(
      capacity: capacity, expectedCount: changes?.expectedCount ?? 0)
    var ceiling: NetChangeRow.Object?
    var count = 0
    var skipped = 0
    try archived?.restart()
    while let change = try archived?.next() {
      count += 1
      guard let row = archived?.row(change) else {
        skipped += 1
        continue
      }
      if let floor, !(floor < row.object) { continue }
      if let ceiling, ceiling < row.object { continue }
      guard let effect = table.fold(row) else { return false }
      // What came and went in the same range leaves nothing to show.
      if readsTombstones, row.hasTombstone, effect.existedBefore {
        archivedDeletions.add(change, row.object)
      }
      archivedValues.add(change, row.object)
      if table.isFull || archivedDeletions.isFull || archivedValues.isFull, table.canShrink {
        let last = table.shrink()
        archivedDeletions.removeAll(behind: last)
        archivedValues.removeAll(behind: last)
        ceiling = last
      }
    }
    while let changes, let change = try changes.next() {
      count += 1
      guard let kind = change.kind, let entityNumber = change.entityNumber,
        let primaryKey = change.primaryKey
      else {
        skipped += 1
        continue
      }
      let object = NetChangeRow.Object(entityNumber: entityNumber, primaryKey: primaryKey)
      if let ceiling, ceiling < object { continue }
      let row = NetChangeRow(
        object: object, kind: kind, transaction: change.transaction, change: change.number,
        mask: kind == .update ? changes.mask : nil,
        hasTombstone: kind == .delete && changes.hasTombstone)
      guard table.fold(row) != nil else { return false }
      if table.isFull {
        let last = table.shrink()
        archivedDeletions.removeAll(behind: last)
        archivedValues.removeAll(behind: last)
        ceiling = last
      }
    }
    if floor == nil {
      changeCount = count
      skippedChangeCount = skipped
    }
    order = table.finish()
    outline = { [table] in table.outline(at: $0) }
    isAtEnd = ceiling == nil
    floor = ceiling
    return true
  }
}
