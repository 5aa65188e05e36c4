import StoreEditing
import StoreFormat

/// Reads the transactions of a store one after the other.
///
/// `StoreSnapshot.history(after:until:matching:recordedValues:)` returns one:
///
/// ```swift
/// let store = try StoreFile(path: "default.store")
/// try store.read { snapshot in
///   let history = try snapshot.history(after: "yesterday")
///   while let transaction = try history.next() { print(transaction.number) }
/// }
/// ```
///
/// Memory does not grow with the number of transactions.
public final class HistoryReader {
  /// The entities of the store.
  package let schema: HistorySchema

  private let snapshot: StoreSnapshot
  private let transactions: TransactionCursor
  private let changeCursor: (ChangeDetail) throws -> ChangeCursor
  @exclusivity(unchecked) private var changes: ChangeCursor?
  @exclusivity(unchecked) private var kinds: ChangeCursor?
  private let store: String?
  private let filter: ChangeCondition?
  private let objects: ObjectReader?
  private let values: TransactionValues?
  @exclusivity(unchecked) private var lastEntity: HistoryEntity?
  @exclusivity(unchecked) private var current: Int64?
  /// Whether the current transaction is the first one.
  @exclusivity(unchecked) private var isAtFirst = false

  /// Prepares to read what a query selects.
  ///
  /// - Throws: ``HistoryError`` where the query names what the store does not have, and
  ///   ``/StoreFormat/StoreError``.
  package convenience init(
    snapshot: StoreSnapshot, query: HistoryQuery = HistoryQuery(), schema: HistorySchema? = nil
  ) throws {
    try self.init(snapshot: snapshot, query: query, schema: schema, rows: nil)
  }

  /// Prepares to read a part of the history as its rows lie in the file, which is twice as fast.
  ///
  /// ``nextChange()`` then throws ``/StoreFormat/RowsOutOfOrder`` where they do not lie in order;
  /// whoever reads this way keeps what was read until the end is reached, and may have to read anew
  /// without.
  ///
  /// - Parameters:
  ///   - snapshot: The store.
  ///   - query: What to read, oldest first.
  ///   - schema: The entities of the store.
  ///   - rows: Where the changes of the query's range lie; see
  ///     ``/StoreFormat/StoreSnapshot/changeRows(ofTransactions:)``.
  package init(
    snapshot: StoreSnapshot, query: HistoryQuery, schema: HistorySchema?,
    rows: ChangeRowSpan?
  ) throws {
    let schema = try schema ?? HistorySchema(snapshot)
    self.schema = schema
    self.snapshot = snapshot
    let selection = try query.selection(in: schema, of: snapshot)
    store = snapshot.metadata.storeIdentifier
    filter =
      query.keepsOnlyMatchingChanges && !query.change.isEmpty
      ? try query.change.namingRelatives(in: schema, of: snapshot) : nil
    objects = query.readsPresentObjects ? try snapshot.objects() : nil
    values = query.recordedValues.map(TransactionValues.init)
    transactions = try snapshot.transactions(selection)
    changeCursor = { detail in try snapshot.changes(selection, detail: detail, among: rows) }
  }

  /// How many changes were read so far of the transactions that the query selects.
  package var readChangeCount: Int64 { changes?.count ?? 0 }

  /// Goes to the next transaction and returns it without its changes; `nil` after the last one.
  ///
  /// - Throws: ``/StoreFormat/StoreError``, also where what was read contradicts an index of the store:
  ///   transactions or changes may then be missing.
  package func nextTransaction() throws -> HistoryTransaction? {
    try snapshot.checkIsOpen()
    guard try transactions.next() else {
      try changes?.finish()
      try kinds?.finish()
      return nil
    }
    isAtFirst = current == nil
    current = transactions.number
    try changes?.start(transaction: transactions.number)
    try kinds?.start(transaction: transactions.number)
    values?.start(
      TransactionPosition(number: transactions.number, timestamp: transactions.timestamp))
    return HistoryTransaction(
      store: store, number: transactions.number, timestamp: transactions.timestamp,
      author: transactions.author, bundle: transactions.bundle, process: transactions.process,
      context: transactions.context, queryGeneration: transactions.queryGeneration,
      extra: transactions.extra, isPartial: filter != nil)
  }

  /// Goes to the next change of the current transaction; `nil` after the last one.
  package func nextChange() throws -> HistoryChange? {
    guard let row = try nextRow() else { return nil }
    var change = change(at: row)
    if values != nil { change.values = try recordedValues(of: row) }
    return change
  }

  /// Whether the query asks for recorded values.
  package var readsRecordedValues: Bool { values != nil }

  /// What an update whose row was lent changed values from and to, by name; empty where that was not
  /// recorded.
  ///
  /// - Throws: ``/StoreFormat/StoreError``.
  package func recordedValues(of row: ChangeCursor) throws -> [RecordedValue] {
    guard let values, row.kind == .update else { return [] }
    return try values.values(ofChange: row.number, primaryKey: row.primaryKey)
  }

  /// Goes to the next change of the current transaction and lends its row; `nil` after the last one.
  ///
  /// A row costs a fraction of a ``HistoryChange`` and is gone with the next step;
  /// ``change(at:)`` makes a value of it.
  package func nextRow() throws -> ChangeCursor? {
    let changes = try changes ?? started(.everything)
    while try changes.next() {
      if let filter, !filter.matches(change(at: changes)) { continue }
      return changes
    }
    return nil
  }

  /// Counts the changes of the current transaction without reading what they hold.
  ///
  /// It goes over them by itself: what ``nextChange()`` has given or will give does not matter.
  package func countChanges() throws -> ChangeSummary {
    var summary = ChangeSummary()
    guard filter == nil else {
      while let change = try nextChange() { summary.add(change.kind, of: change.entity) }
      return summary
    }
    let kinds = try kinds ?? started(.kinds)
    var tally = EntityTally()
    while try kinds.next() {
      // A file that names ever new entities is counted entity by entity.
      if !tally.add(kinds.kind, of: kinds.entityNumber) {
        summary.add(kinds.kind, of: kinds.entityNumber.map(entity))
      }
    }
    for entry in tally.entries {
      let entity = entry.number.map(entity)
      summary.add(.insert, of: entity, count: entry.inserts)
      summary.add(.update, of: entity, count: entry.updates)
      summary.add(.delete, of: entity, count: entry.deletes)
      summary.add(nil, of: entity, count: entry.others)
    }
    return summary
  }

  /// Opens the cursor over changes when it is first needed.
  private func started(_ detail: ChangeDetail) throws -> ChangeCursor {
    let cursor = try changeCursor(detail)
    if !isAtFirst { cursor.skipEarlierTransactions() }
    if let current { try cursor.start(transaction: current) }
    switch detail {
    case .everything: changes = cursor
    case .kinds, .sizes: kinds = cursor
    }
    return cursor
  }

  /// Returns the next transaction with its changes, or `nil` after the last one.
  ///
  /// - Throws: ``/StoreFormat/StoreError``, also where the rows that were read contradict an index of the
  ///   store: transactions or changes may then be missing.
  public func next() throws -> HistoryTransaction? {
    guard var transaction = try nextTransaction() else { return nil }
    while let change = try nextChange() { transaction.changes.append(change) }
    return transaction
  }

  /// The value of a row that was lent, without what ``recordedValues(of:)`` tells.
  package func change(at changes: ChangeCursor) -> HistoryChange {
    HistoryChange(
      number: changes.number, kind: changes.kind, entity: changes.entityNumber.map(entity),
      primaryKey: changes.primaryKey, mask: changes.mask, tombstone: changes.tombstone,
      extra: changes.extra)
  }

  /// Whether the query asks for what the objects of changes are now.
  package var readsPresentObjects: Bool { objects != nil }

  /// What the object of a change is now, without the counts of its to-many relationships; nil for a
  /// delete, where the object is not in the store any more, and where the query does not ask for it.
  ///
  /// It is of the same snapshot as the history, and says nothing of what the object was at the time
  /// of the change.
  package func presentObject(of change: HistoryChange) throws -> PresentObject? {
    guard let objects, change.kind != .delete, let number = change.entity?.number,
      let primaryKey = change.primaryKey
    else { return nil }
    let object = try objects.object(
      entityNumber: number, primaryKey: primaryKey, countsRelated: false)
    // Where a key was given twice, the row is that of another object.
    return object?.entityNumber == number ? object : nil
  }

  /// The entity with a number.
  package func entity(_ number: Int64) -> HistoryEntity {
    // Changes of one entity tend to stand together.
    if let lastEntity, lastEntity.number == number { return lastEntity }
    let entity = schema.entity(number: number)
    lastEntity = entity
    return entity
  }
}
