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
  @exclusivity(unchecked) private var changes: ChangeCursor?
  private let store: String?
  private let filter: ChangeCondition?
  private let objects: ObjectReader?
  private let values: ChangeValues?
  /// The condition that transactions are tested for after they are read; `nil` if SQL tests all of it.
  private let tested: ChangeCondition?
  private let valueSearch: ValueSearch?
  @exclusivity(unchecked) private var testedChanges: ChangeCursor?
  /// The number of transactions that remain, where they are tested; `nil` for all.
  @exclusivity(unchecked) private var rest: Int?
  @exclusivity(unchecked) private var lastEntity: HistoryEntity?

  /// Prepares to read the transactions that a query selects.
  ///
  /// - Throws: ``HistoryError`` if the query names something that the store does not have, and
  ///   ``/StoreFormat/StoreError``.
  package convenience init(
    snapshot: StoreSnapshot, query: HistoryQuery = HistoryQuery(), schema: HistorySchema? = nil
  ) throws {
    try self.init(
      snapshot, query, schema, query.recordedValues.map { try ChangeValues($0, snapshot) })
  }

  /// Prepares to read with values that other readers of the snapshot use, one after the other.
  init(
    _ snapshot: StoreSnapshot, _ query: HistoryQuery, _ schema: HistorySchema?,
    _ values: ChangeValues?
  ) throws {
    let schema = try schema ?? HistorySchema(snapshot)
    self.schema = schema
    self.snapshot = snapshot
    var selection = try query.selection(in: schema, of: snapshot)
    if query.change.values.isEmpty {
      tested = nil
    } else {
      tested = try query.change.namingRelatives(in: schema, of: snapshot)
      selection.limit = nil
      selection.limitKeepsNewest = false
      rest = query.limit
    }
    valueSearch = tested == nil ? nil : query.valueSearch
    store = snapshot.metadata.storeIdentifier
    filter =
      query.keepsOnlyMatchingChanges && !query.change.isEmpty
      ? try query.change.namingRelatives(in: schema, of: snapshot) : nil
    objects = query.readsPresentObjects ? try snapshot.objects() : nil
    self.values = values
    transactions = try snapshot.transactions(selection)
  }

  /// The number of changes that were read of the transactions that the query selects.
  package var readChangeCount: Int64 { changes?.count ?? 0 }

  /// Whether all transactions were read, so that an error of ``nextTransaction()`` is that of a check.
  package var isAtEnd: Bool { transactions.isAtEnd }

  /// Goes to the next transaction and returns it without its changes; `nil` after the last one.
  ///
  /// - Throws: ``/StoreFormat/StoreError``, also after the last transaction if an index of the
  ///   store lists other rows than its table has.
  package func nextTransaction() throws -> HistoryTransaction? {
    try snapshot.checkIsOpen()
    repeat {
      guard rest != 0 else {
        try transactions.finish()
        return nil
      }
      guard try transactions.next() else { return nil }
    } while try !passesTest()
    rest = rest.map { $0 - 1 }
    startValues()
    return transaction
  }

  /// The current transaction without its changes.
  private var transaction: HistoryTransaction {
    HistoryTransaction(
      store: store, number: transactions.number, timestamp: transactions.timestamp,
      author: transactions.author, bundle: transactions.bundle, process: transactions.process,
      context: transactions.context, queryGeneration: transactions.queryGeneration,
      extra: transactions.extra, isPartial: filter != nil)
  }

  /// Releases the values of the current transaction, which may be large, until ``transactionAgain()``.
  package func releaseTransaction() { transactions.releaseContent() }

  /// Reads the current transaction again, without its changes.
  package func transactionAgain() throws -> HistoryTransaction {
    try transactions.readContent()
    return transaction
  }

  private func startValues() {
    values?.start(
      TransactionPosition(number: transactions.number, timestamp: transactions.timestamp))
  }

  /// Returns whether a change of the current transaction meets the conditions on values.
  private func passesTest() throws -> Bool {
    guard let tested else { return true }
    let rows = try testedChanges ?? transactions.changes(isOwn: true)
    testedChanges = rows
    startValues()
    var knowledge = ValueKnowledge.irrelevant
    while try rows.next() {
      let change = try changeWithValues(at: rows)
      if tested.matches(change) {
        valueSearch?.take(transactions.number, .known)
        return true
      }
      if valueSearch != nil { knowledge = max(knowledge, tested.knowledge(of: change)) }
    }
    valueSearch?.take(transactions.number, knowledge)
    return false
  }

  private func changeWithValues(at row: ChangeCursor) throws -> HistoryChange {
    var change = change(at: row)
    (change.values, change.valueSource) = try recordedValues(of: row)
    return change
  }

  private func matches(_ condition: ChangeCondition, _ row: ChangeCursor) throws -> Bool {
    condition.matches(
      try condition.values.isEmpty ? change(at: row) : changeWithValues(at: row))
  }

  /// Goes to the next change of the current transaction; `nil` after the last one.
  package func nextChange() throws -> HistoryChange? {
    guard let row = try nextRow() else { return nil }
    var change = change(at: row)
    if readsRecordedValues { (change.values, change.valueSource) = try recordedValues(of: row) }
    return change
  }

  /// Whether the query asks for values, and the current transaction may have some.
  package var readsRecordedValues: Bool { values?.mayHaveValues ?? false }

  /// Returns the values before and after a change, by name, and where they come from; empty if they are not
  /// known.
  ///
  /// - Throws: ``/StoreFormat/StoreError``.
  package func recordedValues(
    of row: ChangeCursor
  ) throws -> (values: [RecordedValue], source: ValueSource) {
    guard let values, values.mayHaveValues else { return ([], .program) }
    return try values.values(of: row, entity)
  }

  /// Where the values of the last change were found; `nil` if none were read.
  var valuePlace: ValuePlace? { values?.place }

  /// Goes to the next change of the current transaction and returns its row; `nil` after the last
  /// one.
  ///
  /// A row costs a fraction of a ``HistoryChange`` and is valid until the next step;
  /// ``change(at:)`` makes a value of it.
  package func nextRow() throws -> ChangeCursor? {
    let rows = try rows()
    return try next(rows) ? rows : nil
  }

  /// Returns the cursor that ``nextRow()`` returns, whose loops ``next(_:)`` makes cheaper.
  package func rows() throws -> ChangeCursor {
    if let changes { return changes }
    let rows = try transactions.changes()
    changes = rows
    return rows
  }

  /// Moves ``rows()`` to the next change of the current transaction; returns `false` after the last one.
  package func next(_ rows: ChangeCursor) throws -> Bool {
    while try rows.next() {
      guard let filter else { return true }
      if try matches(filter, rows) { return true }
    }
    return false
  }

  /// Counts the changes of the current transaction without reading their content.
  ///
  /// It reads them independently of ``nextChange()``.
  func countChanges() throws -> ChangeSummary {
    var summary = ChangeSummary()
    guard filter == nil else {
      while let change = try nextChange() { summary.add(change.kind, of: change.entity) }
      return summary
    }
    let kinds = try transactions.changes(.kinds)
    while try kinds.next() { summary.add(kinds.kind, of: kinds.entityNumber.map(entity)) }
    return summary
  }

  /// Returns the next transaction with its changes, or `nil` after the last one.
  ///
  /// - Throws: ``/StoreFormat/StoreError``, also after the last transaction if an index of the
  ///   store lists other rows than its table has.
  public func next() throws -> HistoryTransaction? {
    guard var transaction = try nextTransaction() else { return nil }
    while let change = try nextChange() { transaction.changes.append(change) }
    return transaction
  }

  /// Returns the value of a row, without ``recordedValues(of:)``.
  package func change(at changes: ChangeCursor) -> HistoryChange {
    HistoryChange(
      number: changes.number, kind: changes.kind, entity: changes.entityNumber.map(entity),
      primaryKey: changes.primaryKey, mask: changes.mask, tombstone: changes.tombstone,
      extra: changes.extra)
  }

  /// Whether the query asks for the present state of objects.
  package var readsPresentObjects: Bool { objects != nil }

  /// Returns the object of a change as it is now, without the counts of its to-many relationships;
  /// `nil` for a delete, for an object that is gone, and if the query does not ask for it.
  ///
  /// It is of the same snapshot as the history, and need not be as it was at the time of the
  /// change.
  package func presentObject(of change: HistoryChange) throws -> PresentObject? {
    guard let objects, change.kind != .delete, let number = change.entity?.number,
      let primaryKey = change.primaryKey
    else { return nil }
    let object = try objects.object(
      entityNumber: number, primaryKey: primaryKey, countsRelated: false)
    // A key that was used twice may name a row of another object.
    return object?.entityNumber == number ? object : nil
  }

  /// Returns the entity with a number.
  package func entity(_ number: Int64) -> HistoryEntity {
    // Changes of one entity are often adjacent.
    if let lastEntity, lastEntity.number == number { return lastEntity }
    let entity = schema.entity(number: number)
    lastEntity = entity
    return entity
  }
}
