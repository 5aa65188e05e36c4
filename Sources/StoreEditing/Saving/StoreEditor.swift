import GRDB
import StoreFormat
import Synchronization

/// A store opened for appending transactions, as the frameworks append them.
///
/// Every save is one SQLite transaction: its rows, its changes and the numbers it uses are there
/// together or not at all. Other programs may have the store open; one that is writing is waited for.
/// Only tables of the entities concerned, of history and of numbers are written, and no table, index
/// or trigger is ever added.
///
/// Large values of attributes that allow it are put into files beside the store
/// (``ManagedAttribute/allowsExternalStorage``).
package final class StoreEditor: Sendable {
  /// What a loss of power may take.
  package enum Durability: Hashable, Sendable {
    /// Nothing that was appended.
    case everySave
    /// What was appended since the log was last moved into the store, as closing does. What is left
    /// is whole saves. For a store of many saves that is of use only when it is finished.
    case whenClosed
  }

  /// Where the store's files are.
  package let location: StoreLocation
  /// How long to wait for a store that is locked, in seconds.
  package let busyTimeout: Double

  let queue: DatabaseQueue
  private let schema: Mutex<ObjectSchema>
  let placement: LargeValuePlacement
  /// Where superfluous files are noted until it is settled that they are; nil where a commit settles it.
  let ledger: LargeValueLedger?
  /// Whether this editor is yet to look for files that killed programs have left.
  let isToSweep: Mutex<Bool>
  /// Keeps old and new values of updates; nil where nobody wants them.
  let values: RecordedValuesEditor?
  /// Whether what is done may still be undone as a whole.
  let isMigrating: Bool

  /// Opens a store for writing.
  ///
  /// - Parameters:
  ///   - path: The store file; links are followed.
  ///   - busyTimeout: How long to wait for another writer, in seconds.
  ///   - durability: Whether to wait for the disk at every save.
  ///   - largeValues: Where values are put that may stand in files beside the store.
  ///   - recordsValues: Whether old and new values of updates are kept in a file beside the store,
  ///     see ``RecordedValuesFile``. Nothing is saved then of which they cannot be.
  /// - Throws: ``StoreWriteError``; where the store keeps no history or does not tell its model, no
  ///   transaction can be appended.
  package init(
    path: String, busyTimeout: Double = 5, durability: Durability = .everySave,
    largeValues: LargeValuePlacement = .files, recordsValues: Bool = false
  ) throws {
    self.busyTimeout = busyTimeout
    isMigrating = false
    placement = largeValues
    ledger = durability == .whenClosed ? LargeValueLedger() : nil
    isToSweep = Mutex(durability == .everySave)
    do throws(StoreError) {
      location = try StoreLocation(path: path)
    } catch {
      throw StoreWriteError.store(error)
    }
    do {
      let queue = try WritingConnection.open(
        path: location.resolvedPath, busyTimeout: busyTimeout)
      try queue.writeWithoutTransaction { try durability.set($0) }
      self.queue = queue
      schema = Mutex(
        try queue.read { database in try ObjectSchema(database: database, path: path) })
      values =
        recordsValues
        ? try Self.valuesEditor(
          beside: location, queue, busyTimeout: busyTimeout, durability: durability) : nil
    } catch {
      throw StoreWriteError.translating(
        error, path: path, location: location, busyTimeout: busyTimeout)
    }
  }

  /// A store that is written in a transaction which is open already.
  init(
    location: StoreLocation, queue: DatabaseQueue, busyTimeout: Double, ledger: LargeValueLedger
  ) throws {
    self.location = location
    self.busyTimeout = busyTimeout
    self.ledger = ledger
    placement = .files
    isToSweep = Mutex(false)
    self.queue = queue
    values = nil
    isMigrating = true
    schema = Mutex(
      try queue.read { database in try ObjectSchema(database: database, path: location.path) })
  }

  /// The model that the store was last seen with.
  package var model: ManagedModel { knownSchema.model }

  /// What the store was last seen with.
  var knownSchema: ObjectSchema { schema.withLock { $0 } }

  /// Appends one transaction with what a save inserts, updates and deletes.
  ///
  /// As with the frameworks, a save that comes to nothing is no transaction.
  ///
  /// - Returns: The transaction, or nil where the save changes nothing.
  /// - Throws: ``StoreWriteError``; the store is then as it was.
  @discardableResult
  package func append(_ save: StoreSave) throws -> AppendedTransaction? {
    let save = save.folded()
    guard !save.isEmpty else { return nil }
    let largeValues = try stagedLargeValues(of: save)
    do {
      let appended = try write { schema, statement in
        let appended = try Self.write(
          save, schema: schema, statement: statement, largeValues: largeValues, values: values)
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

  /// Writes a folded save and its transaction, and beside the store the values of its updates where
  /// they are recorded: behind this there is only its commit. Nil where it comes to nothing.
  static func write(
    _ save: StoreSave, schema: ObjectSchema, statement: StatementRunner,
    largeValues: LargeValueWriter, values: RecordedValuesEditor?
  ) throws -> AppendedTransaction? {
    let writer = SaveWriter(
      schema: schema, statement: statement, largeValues: largeValues,
      capturesValues: values != nil)
    let changes = try writer.write(save)
    guard !changes.isEmpty else { return nil }
    let place = try HistoryAppender(statement: statement, tables: schema.history)
      .append(save.header, changes: changes)
    try values?.record(changes, at: place, schema)
    return AppendedTransaction(
      position: place.position, changeCount: changes.count, primaryKeys: writer.primaryKeys)
  }

  /// Appends one transaction to the history alone, for tests and samples.
  ///
  /// - Throws: ``StoreWriteError``; the store is then as it was.
  @discardableResult
  package func appendHistory(_ record: HistoryRecord) throws -> TransactionPosition {
    try write { schema, statement in
      let changes = try record.changes.map { try schema.encoded($0) }
      return try HistoryAppender(statement: statement, tables: schema.history)
        .append(record.header, changes: changes).position
    }
  }

  /// Deletes all transactions before one from the history, as the frameworks do.
  ///
  /// The transaction with the number stays, and all after it; so do the highest numbers that were
  /// handed out. Tokens of what was deleted have expired. A number behind the newest transaction
  /// leaves an empty history, with which no token works.
  ///
  /// All is deleted in one SQLite transaction, which is meant for small histories. The recorded values
  /// of what was deleted go as well, as far as the file that keeps them can be written.
  ///
  /// - Throws: ``StoreWriteError``; the store is then as it was.
  @discardableResult
  package func deleteHistory(before number: Int64) throws -> DeletedHistory {
    let deleted = try write { _, statement in
      try HistoryDeleter(statement: statement).delete(before: number)
    }
    eraseValues(before: number)
    return deleted
  }

  /// Closes the store, after which nothing can be appended.
  ///
  /// Where nobody else has the store open, its log is moved into it and is gone, so that the file can
  /// be moved or copied alone. An editor that is merely let go closes the store as well, but cannot
  /// tell what went wrong.
  ///
  /// - Throws: ``StoreWriteError``.
  package func close() throws {
    do {
      let isHindered = try queue.writeWithoutTransaction { database in
        try Bool.fetchOne(database, sql: "PRAGMA wal_checkpoint(TRUNCATE)") ?? false
      }
      try queue.close()
      // What a reader has kept out of the store may not be on the disk yet.
      if !isHindered { ledger?.settle(in: LargeValueFolder(location)) }
      try values?.close()
    } catch {
      throw StoreWriteError.translating(
        error, path: location.path, location: location, busyTimeout: busyTimeout)
    }
  }

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

  /// Runs a body while the write lock is held; what it has not committed is undone.
  ///
  /// What a save to several stores has left unfinished here is completed first.
  func transaction<Result>(_ database: Database, _ body: () throws -> Result) throws -> Result {
    defer { if database.isInsideTransaction { try? database.rollback() } }
    try begin(database)
    return try body()
  }

  /// Says in terms of the store what SQLite reports.
  func translating<Result>(_ body: () throws -> Result) throws -> Result {
    do {
      return try body()
    } catch {
      throw StoreWriteError.translating(
        error, path: location.path, location: location, busyTimeout: busyTimeout)
    }
  }

  /// What is known of the store, looked at anew where it was migrated meanwhile.
  func currentSchema(
    _ database: Database, _ statement: StatementRunner
  ) throws -> ObjectSchema {
    let known = schema.withLock { $0 }
    if try known.isCurrent(statement) { return known }
    let fresh = try ObjectSchema(database: database, path: location.path)
    schema.withLock { $0 = fresh }
    return fresh
  }
}

extension HistoryAppender {
  init(statement: StatementRunner, tables: HistoryTables) {
    self.init(
      statement: statement, tables: tables, numbers: RowNumbers(statement: statement))
  }
}

extension ObjectSchema {
  /// A change of a record with its mask and tombstone worked out.
  fileprivate func encoded(_ change: HistoryRecord.Change) throws -> HistoryAppender.Change {
    let slots = try slots(of: change.entityName)
    var mask: ColumnMask?
    if change.kind == .update {
      let touched = try change.properties.flatMap { name in
        let indices = slots.indices(of: name)
        guard !indices.isEmpty else {
          throw StoreError.unknownProperty(entity: change.entityName, property: name)
        }
        return indices
      }
      mask = ColumnMask(slotCount: slots.slots.count, settingSlots: touched)
    }
    for (name, value) in change.tombstone {
      guard let attribute = slots.tombstoneAttributes.first(where: { $0.name == name }) else {
        throw StoreError.unknownProperty(entity: change.entityName, property: name)
      }
      guard attribute.type.accepts(value) else {
        throw StoreWriteError.wrongValue(
          entity: change.entityName, attribute: name, expected: attribute.type.expectedValue,
          found: value.kindName)
      }
    }
    let preserved = change.kind == .delete ? slots.tombstoneAttributes : []
    return HistoryAppender.Change(
      kind: change.kind, entityNumber: try number(of: change.entityName),
      primaryKey: change.primaryKey, mask: mask,
      tombstone: preserved.map { change.tombstone[$0.name] ?? .null })
  }
}
