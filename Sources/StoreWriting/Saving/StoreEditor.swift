import CSQLiteSupport
import GRDB
import GRDBSQLite
import StoreFormat
import StoreTransactions
import Synchronization

/// A store opened for appending transactions, as the frameworks append them.
///
/// Every save is one SQLite transaction: its rows, its changes and the numbers it uses are stored
/// together or not at all. Other programs may have the store open; a save waits for one that is writing.
/// Only the tables of the entities concerned, of the history and of numbers are written, and no table,
/// index or trigger is ever added.
///
/// Large values of attributes that allow it are written to files beside the store
/// (``ManagedAttribute/allowsExternalStorage``). If a function throws ``StoreWriteError``, the store is
/// unchanged.
package final class StoreEditor: Sendable {
  let location: StoreLocation
  /// How long to wait for a locked store, in seconds.
  let busyTimeout: Double

  let queue: DatabaseQueue
  private let schema: Mutex<ObjectSchema>
  /// The columns of the history, which most saves have in common.
  private let historyColumns = Mutex<RecordedColumns?>(nil)
  /// Collects obsolete files until it is certain that they are; `nil` if a commit makes it certain.
  private let ledger: LargeValueLedger?
  /// Whether this editor has yet to look for files that killed programs have left.
  private let isToSweep = Mutex(true)
  /// Records old and new values of updates; `nil` if they are not recorded.
  let values: RecordedValuesEditor?

  /// Opens a store for writing.
  ///
  /// With `recordsValues`, old and new values of updates are recorded in a file beside the store
  /// (``RecordedValuesFile``). A save fails if its values cannot be recorded.
  ///
  /// - Throws: ``StoreWriteError``; also if the store keeps no history or has no readable model.
  package init(
    path: String, busyTimeout: Double = 5, durability: WritingConnection.Durability = .everySave,
    recordsValues: Bool = false
  ) throws {
    self.busyTimeout = busyTimeout
    ledger = durability == .whenClosed ? LargeValueLedger() : nil
    let location = try StoreLocation.forWriting(path)
    self.location = location
    let schema: ObjectSchema
    (queue, schema, values) = try location.translatingErrors(busyTimeout) {
      let queue = try WritingConnection.open(
        path: location.resolvedPath, busyTimeout: busyTimeout)
      try queue.writeWithoutTransaction { try durability.set($0) }
      let schema = try queue.read { try ObjectSchema(database: $0, path: path) }
      guard recordsValues else { return (queue, schema, nil) }
      let values = try Self.recordedValues(location, queue, busyTimeout, durability)
      return (queue, schema, values)
    }
    self.schema = Mutex(schema)
  }

  /// Opens the file of recorded values beside a store.
  static func recordedValues(
    _ location: StoreLocation, _ queue: DatabaseQueue, _ busyTimeout: Double,
    _ durability: WritingConnection.Durability = .everySave
  ) throws -> RecordedValuesEditor {
    let identifier = try queue.read { try StoreMetadata.identifier(StatementRunner($0)) }
    guard !identifier.isEmpty else {
      throw StoreError.damaged(
        path: location.path, place: "its metadata", detail: "the store has no identifier")
    }
    return try RecordedValuesEditor(
      path: RecordedValuesFile.path(besideStore: location.resolvedPath),
      storeIdentifier: identifier, beside: location, busyTimeout: busyTimeout,
      durability: durability)
  }

  /// A store that is written in a transaction which is open already.
  init(
    location: StoreLocation, queue: DatabaseQueue, busyTimeout: Double, ledger: LargeValueLedger,
    values: RecordedValuesEditor?
  ) throws {
    self.location = location
    self.busyTimeout = busyTimeout
    self.ledger = ledger
    self.queue = queue
    self.values = values
    schema = Mutex(
      try queue.read { database in try ObjectSchema(database: database, path: location.path) })
  }

  /// The model of the store, as far as this editor has seen.
  var model: ManagedModel { knownSchema.model }

  var knownSchema: ObjectSchema { schema.withLock { $0 } }

  // MARK: - Saving

  /// Appends one transaction with everything that a save inserts, updates and deletes.
  ///
  /// - Returns: The transaction, or `nil` if the save changes nothing; as with the frameworks, there is
  ///   no transaction then.
  @discardableResult
  package func append(_ save: StoreSave) throws -> AppendedTransaction? {
    let save = save.folded()
    guard !save.isEmpty else { return nil }
    let largeValues = try stagedLargeValues(of: save)
    do {
      let appended = try write { schema, statement in
        let appended = try write(
          save, schema: schema, statement: statement, largeValues: largeValues)
        largeValues.isCommitting = true
        return appended
      }
      settle(largeValues)
      return appended
    } catch {
      largeValues.discard()
      throw error
    }
  }

  /// Writes a folded save and its transaction, and its recorded values beside the store; only the commit
  /// is left to do.
  ///
  /// - Returns: The transaction, or `nil` if the save changes nothing.
  func write(
    _ save: StoreSave, schema: ObjectSchema, statement: StatementRunner,
    largeValues: LargeValueWriter
  ) throws -> AppendedTransaction? {
    let writer = SaveWriter(
      schema: schema, statement: statement, largeValues: largeValues,
      capturesValues: values != nil)
    let changes = try writer.write(save)
    guard !changes.isEmpty else { return nil }
    let place = try historyWriter(schema, statement).append(save.header, changes: changes)
    try values?.record(writer.values, of: changes, at: place, schema)
    return AppendedTransaction(
      position: place.position, changeCount: changes.count, primaryKeys: writer.primaryKeys)
  }

  /// Appends one transaction to the history alone, for tests and samples: no framework writes changes of
  /// objects without the objects.
  ///
  /// - Parameter changes: The changes in recorded order, which get the next numbers.
  @discardableResult
  package func appendHistory(
    _ header: TransactionHeader = TransactionHeader(), changes: [RecordedChange] = []
  ) throws -> TransactionPosition {
    try write { schema, statement in
      try historyWriter(schema, statement).append(header, changes: changes).position
    }
  }

  private func historyWriter(
    _ schema: ObjectSchema, _ statement: StatementRunner
  ) -> HistoryRowWriter {
    let columns = historyColumns.withLock { known in
      if let known, known.tables == schema.history { return known }
      let columns = RecordedColumns(schema.history)
      known = columns
      return columns
    }
    return HistoryRowWriter(statement: statement, columns: columns)
  }

  /// Runs a body in one SQLite transaction that may write; in a migration, in that of the migration.
  package func inTransaction<Result>(_ body: (StoreSnapshot) throws -> Result) throws -> Result {
    try write { _, statement in
      try body(StoreSnapshot(database: statement.database, location: location))
    }
  }

  /// Closes the store; nothing can be appended afterwards.
  ///
  /// If nobody else has the store open, its log is moved into it and removed, so that the file can be
  /// moved or copied alone. An editor that is only released closes the store too, but cannot report
  /// errors.
  package func close() throws {
    try translating {
      let isBlocked = try queue.writeWithoutTransaction { database in
        try Bool.fetchOne(database, sql: "PRAGMA wal_checkpoint(TRUNCATE)") ?? false
      }
      try queue.close()
      // Saves that a reader kept out of the store may not be on the disk yet.
      if !isBlocked { ledger?.settle(in: LargeValueFolder(location)) }
      try values?.close()
    }
  }

  // MARK: - Transactions

  /// Runs a body in one SQLite transaction that holds the write lock from its start.
  private func write<Result>(
    _ body: (ObjectSchema, StatementRunner) throws -> Result
  ) throws -> Result {
    try translating {
      try queue.writeWithoutTransaction { database in
        func save() throws -> Result {
          let statement = StatementRunner(database)
          return try body(try currentSchema(database, statement), statement)
        }
        // In a migration the transaction is open already, and a save is a part of it.
        if database.isInsideTransaction {
          var result: Result?
          try database.inSavepoint {
            result = try save()
            return .commit
          }
          guard let result else {
            throw StoreError.unreadable(path: location.path, reason: "the save was not written")
          }
          return result
        }
        return try transaction(database) {
          let result = try save()
          try database.commit()
          return result
        }
      }
    }
  }

  /// Runs a body while the write lock is held, and rolls back whatever it has not committed.
  ///
  /// An unfinished save to several stores is completed first.
  func transaction<Result>(_ database: Database, _ body: () throws -> Result) throws -> Result {
    // The body's error is the one to report.
    defer { if database.isInsideTransaction { try? database.rollback() } }
    try begin(database)
    return try body()
  }

  func translating<Result>(_ body: () throws -> Result) throws -> Result {
    try location.translatingErrors(busyTimeout, body)
  }

  /// Returns the schema, read again if the store was migrated.
  func currentSchema(
    _ database: Database, _ statement: StatementRunner
  ) throws -> ObjectSchema {
    let known = knownSchema
    if try known.isCurrent(statement) { return known }
    let fresh = try ObjectSchema(database: database, path: location.path)
    schema.withLock { $0 = fresh }
    return fresh
  }

  /// Writes all pages of a transaction except the last one, and reserves space for that one.
  func reserveCommit(_ database: Database) throws {
    try WritingConnection.check(sqlite3_db_cacheflush(database.sqliteConnection))
    guard try String.fetchOne(database, sql: "PRAGMA journal_mode") == "wal" else { return }
    let pageSize = try Int.fetchOne(database, sql: "PRAGMA page_size") ?? 4096
    let zeros = [UInt8](repeating: 0, count: 2 * (pageSize + 24))
    try zeros.withUnsafeBytes {
      try WritingConnection.check(
        csqlite_reserve_log(database.sqliteConnection, $0.baseAddress, CInt($0.count)))
    }
  }

  // MARK: - Large values

  /// Writes the large values of a save to files, before the store is locked.
  ///
  /// - Throws: ``StoreWriteError``; no file is left then.
  func stagedLargeValues(of save: StoreSave) throws -> LargeValueWriter {
    let largeValues = LargeValueWriter(location)
    try largeValues.stage(save, knownSchema)
    return largeValues
  }

  /// Removes the files that no row names any more, after a save was committed.
  ///
  /// The first call also looks for files of killed programs, under a lock of its own.
  func settle(_ largeValues: LargeValueWriter) {
    guard largeValues.isUsed else { return }
    release(largeValues)
    guard ledger == nil else { return }
    let isFirst = isToSweep.withLock { isToSweep in
      defer { isToSweep = false }
      return isToSweep
    }
    if isFirst { sweepLargeValues() }
  }

  /// Removes the files that a save has made obsolete, or collects them until that is certain.
  func release(_ largeValues: LargeValueWriter) {
    largeValues.removeUnused()
    if let ledger {
      ledger.note(written: largeValues.named, replaced: largeValues.replaced)
    } else {
      largeValues.folder.remove(largeValues.replaced)
    }
  }
}
