import StoreFormat

/// Reads the transactions of a store one after the other, each with its changes.
///
/// Memory does not grow with the number of transactions, and not with that of a transaction's
/// changes either where they are read one by one:
///
/// ```swift
/// let store = try StoreFile(path: "default.store")
/// try store.read { snapshot in
///   let reader = try HistoryReader(snapshot: snapshot, query: HistoryQuery(author: .init(anyOf: ["widget"])))
///   while let transaction = try reader.nextTransaction() {
///     while let change = try reader.nextChange() { … }
///   }
/// }
/// ```
public final class HistoryReader {
  /// The entities of the store.
  public let schema: HistorySchema

  private let transactions: TransactionCursor
  private let changes: ChangeCursor
  private let store: String?
  private let filter: ChangeCondition?
  private var lastEntity: HistoryEntity?

  /// Prepares to read what a query selects.
  ///
  /// - Throws: ``HistoryError`` where the query names what the store does not have, and
  ///   ``StoreFormat/StoreError``.
  public init(
    snapshot: StoreSnapshot, query: HistoryQuery = HistoryQuery(), schema: HistorySchema? = nil
  ) throws {
    let schema = try schema ?? HistorySchema(snapshot)
    self.schema = schema
    let selection = TransactionSelection(
      after: query.after, until: query.until,
      texts: [.author: query.author, .bundle: query.bundle, .process: query.process],
      change: try query.change.selection(in: schema, of: snapshot), order: query.order,
      limit: query.limit, limitKeepsNewest: query.limitKeepsNewest)
    store = snapshot.metadata.storeIdentifier
    filter = query.keepsOnlyMatchingChanges && !query.change.isEmpty ? query.change : nil
    transactions = try snapshot.transactions(selection)
    changes = try snapshot.changes(selection)
  }

  /// Goes to the next transaction and gives it without its changes; nil behind the last one.
  public func nextTransaction() throws -> HistoryTransaction? {
    guard try transactions.next() else { return nil }
    try changes.start(transaction: transactions.number)
    return HistoryTransaction(
      store: store, number: transactions.number, timestamp: transactions.timestamp,
      author: transactions.author, bundle: transactions.bundle, process: transactions.process,
      context: transactions.context, queryGeneration: transactions.queryGeneration,
      extra: transactions.extra, isPartial: filter != nil)
  }

  /// Goes to the next change of the current transaction; nil behind the last one.
  public func nextChange() throws -> HistoryChange? {
    while try changes.next() {
      let change = currentChange()
      if let filter, !filter.matches(change) { continue }
      return change
    }
    return nil
  }

  /// Goes to the next transaction and gives it with all its changes; nil behind the last one.
  public func next() throws -> HistoryTransaction? {
    guard var transaction = try nextTransaction() else { return nil }
    while let change = try nextChange() { transaction.changes.append(change) }
    return transaction
  }

  private func currentChange() -> HistoryChange {
    let kind = changes.kind
    return HistoryChange(
      number: changes.number, kind: kind, entity: changes.entityNumber.map(entity),
      primaryKey: changes.primaryKey, mask: changes.mask, tombstone: changes.tombstone,
      extra: changes.extra)
  }

  /// Changes of one entity tend to stand together, so the last one is remembered.
  private func entity(_ number: Int64) -> HistoryEntity {
    if let lastEntity, lastEntity.number == number { return lastEntity }
    let entity = schema.entity(number: number)
    lastEntity = entity
    return entity
  }
}
