import GRDB

/// A store as it was at one moment, for as long as ``StoreFile/read(_:)`` runs.
public final class StoreSnapshot {
  /// Where the store's files are.
  package let location: StoreLocation
  /// The store's metadata.
  package let metadata: StoreMetadata
  /// Which layout it has.
  package let layout: StoreLayout
  /// The numbers of the entities.
  package let entities: EntityNumbering

  package let database: Database
  /// Called before a value of more than ``largeValue`` bytes is copied; where several threads read, it waits for
  /// the turn of this one, so that such values are read one at a time.
  package var beforeLargeValue: (() throws -> Void)?
  /// The length of a large value in bytes.
  static let largeValue = 1 << 20
  private var hasEnded = false
  private let cancellation: Cancellation?
  private var cachedModel: (cache: ModelCache, slots: LazySlots?)?
  /// Where the log ends for the snapshot; `nil` if unknown.
  let logMark: LogMark?
  /// The pages to read changes from, if the layout allows; found when first asked for.
  lazy var changePages = layout.history.flatMap {
    try? ChangePages(
      $0.changes, database, mark: logMark, logFrames, cancellation: cancellation,
      path: location.path)
  }
  /// The frames of the log, as soon as they were listed.
  var logFrames: LogFrames?
  private var cachedObjects: ObjectReader?
  private var cachedSchema: ObjectSchema?
  private var keptObjects: [ObjectIdentifier: AnyObject] = [:]
  /// Whether all transactions were compared with an index already.
  var hasCheckedTransactions = false
  /// Whether all texts of transactions were looked up already.
  var hasCheckedTexts = false

  /// - Parameter cancellation: Asked at each step of the reading.
  package init(
    database: Database, location: StoreLocation, cancellation: Cancellation? = nil
  ) throws {
    self.database = database
    self.cancellation = cancellation
    logMark = try LogMark.beginning(database)
    self.location = location
    layout = try StoreLayout(database: database, path: location.path)
    metadata = try StoreMetadata(database: database, layout: layout)
    entities = try EntityNumbering(database: database, layout: layout, path: location.path)
  }

  /// Ends the snapshot: its transaction is over, and the connection may serve another thread.
  func end() {
    hasEnded = true
    // Kept objects may hold the snapshot in turn.
    keptObjects = [:]
    cachedObjects = nil
  }

  /// Fails if the snapshot has left the closure that it was made for, and if the reading is canceled.
  package func checkIsOpen() throws(StoreError) {
    if hasEnded { throw .endedSnapshot(path: location.path) }
    if let cancellation, cancellation.isCancelled { throw .cancelled(path: location.path) }
  }

  /// Returns the model cache, read at the first call.
  package func modelCache() throws -> ModelCache { try readModel().cache }

  /// Returns the slots of the model's entities, or `nil` where there is no model.
  package func slots() throws -> LazySlots? { try readModel().slots }

  private func readModel() throws -> (cache: ModelCache, slots: LazySlots?) {
    try checkIsOpen()
    if let cachedModel { return cachedModel }
    let model = try ModelCache.read(database, layout)
    cachedModel = model
    return model
  }

  /// Returns whether there is a model cache that can be unpacked. To read a large model takes
  /// longer than to read the last transactions.
  package func modelCacheCondition() throws -> ModelCache.Condition {
    try cachedModel?.cache.condition ?? PackedModel(PackedModel.content(database, layout)).condition
  }

  /// Returns the reader of present objects, prepared at the first call.
  package func objects() throws -> ObjectReader {
    try checkIsOpen()
    if let cachedObjects { return cachedObjects }
    let reader = try ObjectReader(self)
    cachedObjects = reader
    return reader
  }

  /// Returns the schema of the objects, read at the first call.
  ///
  /// - Throws: ``StoreError/withoutModel(path:reason:)``, ``StoreError/withoutHistory(path:)``, and errors of
  ///   reading.
  package func objectSchema() throws -> ObjectSchema {
    try checkIsOpen()
    if let cachedSchema { return cachedSchema }
    let schema = try ObjectSchema(database, layout, try modelCache(), location.path)
    cachedSchema = schema
    return schema
  }

  /// Returns an object that is made once and kept as long as the snapshot, one of each type.
  package func keeping<Kept: AnyObject>(_ make: () throws -> Kept) throws -> Kept {
    try checkIsOpen()
    if let kept = keptObjects[ObjectIdentifier(Kept.self)] as? Kept { return kept }
    let kept = try make()
    keptObjects[ObjectIdentifier(Kept.self)] = kept
    return kept
  }

  /// Returns the layout of the history tables.
  ///
  /// - Throws: ``StoreError/withoutHistory(path:)`` in a store that has none.
  package func historyTables() throws(StoreError) -> HistoryTables {
    try checkIsOpen()
    guard let tables = layout.history else { throw .withoutHistory(path: location.path) }
    return tables
  }

  /// Returns SQLite's count of the changes by other connections, as of this snapshot.
  func dataVersion() throws -> Int64 {
    try Int64.fetchOne(database, sql: "PRAGMA data_version") ?? 0
  }

  /// Steps through transactions, and through the changes of each.
  ///
  /// - Parameter onlyPositions: Whether to read nothing but numbers and times of the transactions.
  /// - Throws: ``StoreError/withoutHistory(path:)`` in a store without history tables.
  package func transactions(
    _ selection: TransactionSelection, onlyPositions: Bool = false
  ) throws -> TransactionCursor {
    try TransactionCursor(self, selection, onlyPositions: onlyPositions)
  }

  /// Steps through the changes of transactions, which must be asked for in the order of the
  /// selection.
  func changes(
    _ selection: TransactionSelection, detail: ChangeDetail = .everything
  ) throws -> ChangeCursor {
    try ChangeCursor(self, selection, detail: detail)
  }

  /// Steps through all changes in the order of their numbers, those without a transaction too.
  ///
  /// - Throws: ``StoreError/withoutHistory(path:)`` in a store without history tables.
  package func everyChange() throws -> ChangeCursor { try ChangeCursor(everyRowOf: self) }

  // MARK: - Single transactions

  /// Returns the transaction with exactly this number, if there is one.
  package func timestamp(ofTransaction number: Int64) throws -> TransactionPosition? {
    try position("WHERE Z_PK = ?1", [.integer(number)])
  }

  /// Returns the oldest transaction, or with `offset` the n-th after it.
  package func oldestTransaction(offset: Int64 = 0) throws -> TransactionPosition? {
    try position("ORDER BY Z_PK ASC LIMIT 1 OFFSET ?1", [.integer(offset)])
  }

  /// Returns the newest transaction, or with `offset` the n-th before it.
  package func newestTransaction(offset: Int64 = 0) throws -> TransactionPosition? {
    try position("ORDER BY Z_PK DESC LIMIT 1 OFFSET ?1", [.integer(offset)])
  }

  /// Returns the transaction with the lowest number among those saved at or after a moment.
  package func firstTransaction(notBefore moment: StoreTimestamp) throws -> TransactionPosition? {
    // A device's clock may step back, so the lowest number need not have the lowest time. The index
    // on time would be faster, but an entry that it lost would hide a transaction.
    try position(
      "NOT INDEXED WHERE ZTIMESTAMP >= ?1 AND typeof(ZTIMESTAMP) = 'real' ORDER BY Z_PK LIMIT 1",
      [.real(moment.secondsSinceReferenceDate)])
  }

  /// Returns the first transaction after a number.
  package func firstTransaction(after number: Int64) throws -> TransactionPosition? {
    try position("WHERE Z_PK > ?1 ORDER BY Z_PK ASC LIMIT 1", [.integer(number)])
  }

  /// Returns the last transaction before a number.
  package func lastTransaction(before number: Int64) throws -> TransactionPosition? {
    try position("WHERE Z_PK < ?1 ORDER BY Z_PK DESC LIMIT 1", [.integer(number)])
  }

  private func position(_ clause: String, _ arguments: [StoredValue]) throws -> TransactionPosition?
  {
    _ = try historyTables()
    let cursor = try StatementCursor(
      database, sql: "SELECT Z_PK, ZTIMESTAMP FROM ATRANSACTION \(clause)", isCached: true)
    defer { cursor.reset() }
    try cursor.bind(arguments)
    guard try cursor.step() else { return nil }
    return TransactionPosition(number: cursor.integer(at: 0), timestamp: cursor.timestamp(at: 1))
  }
}

/// A transaction's place in the history: its number, and when it was saved.
public struct TransactionPosition: Hashable, Sendable {
  /// The transaction number.
  public let number: Int64
  /// When it was saved; `nil` if the row has no time.
  public let timestamp: StoreTimestamp?

  package init(number: Int64, timestamp: StoreTimestamp?) {
    self.number = number
    self.timestamp = timestamp
  }
}
