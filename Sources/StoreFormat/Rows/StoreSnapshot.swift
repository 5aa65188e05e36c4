import GRDB

/// A store as it was at one moment, for as long as ``StoreFile/read(_:)`` runs.
public final class StoreSnapshot {
  /// Where the store's files are.
  package let location: StoreLocation
  /// What the store says of itself.
  package let metadata: StoreMetadata
  /// Which layout it has.
  package let layout: StoreLayout
  /// The numbers that stand for entities.
  package let entities: EntityNumbering

  package let database: Database
  private var hasEnded = false
  private var cachedModel: ModelCache?
  /// Where changes can be read past SQLite; looked for when first asked for.
  private(set) lazy var changePages =
    layout.history == nil ? nil : try? ChangePages(database, path: location.path)
  private var cachedObjects: ObjectReader?

  package init(database: Database, location: StoreLocation) throws {
    self.database = database
    self.location = location
    layout = try StoreLayout(database: database, path: location.path)
    metadata = try StoreMetadata(database: database, layout: layout)
    entities = try EntityNumbering(database: database, layout: layout, path: location.path)
  }

  /// Ends the snapshot: its transaction is over, and the connection may serve another thread.
  func end() { hasEnded = true }

  /// Fails where the snapshot has left the closure that it was made for.
  package func checkIsOpen() throws(StoreError) {
    if hasEnded { throw .endedSnapshot(path: location.path) }
  }

  /// The model cache; read when first asked for.
  package func modelCache() throws -> ModelCache {
    try checkIsOpen()
    if let cachedModel { return cachedModel }
    let cache = try ModelCache(PackedModel(database: database, layout: layout))
    cachedModel = cache
    return cache
  }

  /// Whether there is a model cache that can be unpacked; what it says is not looked at, which for a
  /// large model takes longer than to read the last few transactions.
  package func modelCacheCondition() throws -> ModelCache.Condition {
    try cachedModel?.condition ?? PackedModel(database: database, layout: layout).condition
  }

  /// The reader of objects as they are now; prepared when first asked for.
  package func objects() throws -> ObjectReader {
    try checkIsOpen()
    if let cachedObjects { return cachedObjects }
    let reader = try ObjectReader(self)
    cachedObjects = reader
    return reader
  }

  /// The history tables.
  ///
  /// - Throws: ``StoreError/withoutHistory(path:)`` in a store that has none.
  package func historyTables() throws(StoreError) -> HistoryTables {
    try checkIsOpen()
    guard let tables = layout.history else { throw .withoutHistory(path: location.path) }
    return tables
  }

  /// SQLite's count of the changes that other connections have made, as of this snapshot.
  func dataVersion() throws -> Int64 {
    try Int64.fetchOne(database, sql: "PRAGMA data_version") ?? 0
  }

  /// Steps through transactions.
  ///
  /// - Throws: ``StoreError/withoutHistory(path:)`` in a store without history tables.
  package func transactions(_ selection: TransactionSelection) throws -> TransactionCursor {
    let isWhole =
      selection.isComplete && selection.checksCompleteness && selection.range == .min ... .max
    return try TransactionCursor(
      database, tables: historyTables(), selection: selection, path: location.path,
      expectedCount: isWhole ? { [database] in try Self.transactionCount(database) } : nil)
  }

  /// Steps through the changes of the transactions that a selection names.
  ///
  /// The transactions must be asked for in the order of the selection.
  ///
  /// - Parameters:
  ///   - selection: The transactions.
  ///   - detail: What is to be read of each change.
  ///   - rows: What ``changeRows(ofTransactions:)`` said of the range, to read the rows as they lie
  ///     in the file. That is twice as fast, and the cursor throws ``RowsOutOfOrder`` where they lie
  ///     in another order than that of the transactions.
  package func changes(
    _ selection: TransactionSelection, detail: ChangeDetail = .everything,
    among rows: ChangeRowSpan? = nil
  ) throws -> ChangeCursor {
    let rows = selection.isSparse ? nil : rows
    return try ChangeCursor(
      database, tables: historyTables(), path: location.path, range: selection.range,
      isAscending: selection.order == .ascending, isSparse: selection.isSparse,
      detail: detail, rows: rows?.rows, pages: rows == nil ? nil : changePages,
      checkCount: countCheck(of: selection, listed: rows?.count))
  }

  /// Checks how many changes were read of a selection; nil for one that leaves some out.
  func countCheck(
    of selection: TransactionSelection, listed: Int64?
  ) -> ((Int64) throws -> Void)? {
    guard selection.isComplete, selection.checksCompleteness else { return nil }
    let range = selection.range
    return { [unowned self] in try checkChangeCount($0, ofTransactions: range, listed: listed) }
  }

  // MARK: - Single questions about the transactions

  /// The timestamp of the transaction with exactly this number, if it is there.
  package func timestamp(ofTransaction number: Int64) throws -> TransactionPosition? {
    try position("WHERE Z_PK = ?1", [.integer(number)])
  }

  /// The oldest transaction, or with `offset` the n-th behind it.
  package func oldestTransaction(offset: Int64 = 0) throws -> TransactionPosition? {
    try position("ORDER BY Z_PK ASC LIMIT 1 OFFSET ?1", [.integer(offset)])
  }

  /// The newest transaction, or with `offset` the n-th before it.
  package func newestTransaction(offset: Int64 = 0) throws -> TransactionPosition? {
    try position("ORDER BY Z_PK DESC LIMIT 1 OFFSET ?1", [.integer(offset)])
  }

  /// The transaction with the lowest number among those saved at a moment or after it.
  package func firstTransaction(notBefore moment: StoreTimestamp) throws -> TransactionPosition? {
    // The clock of a device may step back, so the lowest number need not have the lowest time: the
    // index on time gives all that qualify, and the recent moments that people ask for are few.
    try position(
      """
      WHERE Z_PK = (
        SELECT min(Z_PK) FROM ATRANSACTION WHERE ZTIMESTAMP >= ?1 AND typeof(ZTIMESTAMP) = 'real')
      """, [.real(moment.secondsSinceReferenceDate)])
  }

  /// The transaction that follows a position.
  package func firstTransaction(after number: Int64) throws -> TransactionPosition? {
    try position("WHERE Z_PK > ?1 ORDER BY Z_PK ASC LIMIT 1", [.integer(number)])
  }

  /// The transaction before a position.
  package func lastTransaction(before number: Int64) throws -> TransactionPosition? {
    try position("WHERE Z_PK < ?1 ORDER BY Z_PK DESC LIMIT 1", [.integer(number)])
  }

  private func position(_ clause: String, _ arguments: [StoredValue]) throws -> TransactionPosition?
  {
    _ = try historyTables()
    let cursor = try StatementCursor(
      database, sql: "SELECT Z_PK, ZTIMESTAMP FROM ATRANSACTION \(clause)")
    try cursor.bind(arguments)
    guard try cursor.step() else { return nil }
    let timestamp: StoreTimestamp? =
      if case .real(let seconds) = cursor.value(at: 1) {
        StoreTimestamp(secondsSinceReferenceDate: seconds)
      } else {
        nil
      }
    return TransactionPosition(number: cursor.integer(at: 0), timestamp: timestamp)
  }
}

/// A transaction's place in the history: its number, and when it was saved.
public struct TransactionPosition: Hashable, Sendable {
  /// The transaction number.
  public let number: Int64
  /// When it was saved; nil where the row holds no time.
  public let timestamp: StoreTimestamp?

  /// A position.
  package init(number: Int64, timestamp: StoreTimestamp?) {
    self.number = number
    self.timestamp = timestamp
  }
}
