import GRDB
import Synchronization

/// A store opened for appending transactions, as the frameworks append them.
///
/// Every save is one SQLite transaction: its rows, its changes and the numbers it uses are there
/// together or not at all. Other programs may have the store open; one that is writing is waited for.
/// Only tables of the entities concerned, of history and of numbers are written, and no table, index
/// or trigger is ever added.
///
/// Values in files beside the store (external binary storage) and migrations are not supported.
public final class StoreEditor: Sendable {
  /// Where the store's files are.
  public let location: StoreLocation
  /// How long to wait for a store that is locked, in seconds.
  public let busyTimeout: Double

  private let queue: DatabaseQueue
  private let schema: Mutex<EditorSchema>

  /// Opens a store for writing.
  ///
  /// - Parameters:
  ///   - path: The store file; links are followed.
  ///   - busyTimeout: How long to wait for another writer, in seconds.
  /// - Throws: ``StoreWriteError``; where the store keeps no history or does not tell its model, no
  ///   transaction can be appended.
  public init(path: String, busyTimeout: Double = 5) throws {
    self.busyTimeout = busyTimeout
    do throws(StoreError) {
      location = try StoreLocation(path: path)
    } catch {
      throw StoreWriteError.store(error)
    }
    do {
      let queue = try WritingConnection.open(
        path: location.resolvedPath, busyTimeout: busyTimeout)
      self.queue = queue
      schema = Mutex(
        try queue.read { database in try EditorSchema(database: database, path: path) })
    } catch {
      throw StoreWriteError.translating(
        error, path: path, location: location, busyTimeout: busyTimeout)
    }
  }

  /// The model that the store was last seen with.
  public var model: ManagedModel { schema.withLock { $0.model } }

  /// Appends one transaction with what a save inserts, updates and deletes.
  ///
  /// As with the frameworks, a save that comes to nothing is no transaction.
  ///
  /// - Returns: The transaction, or nil where the save changes nothing.
  /// - Throws: ``StoreWriteError``; the store is then as it was.
  @discardableResult
  public func append(_ save: StoreSave) throws -> AppendedTransaction? {
    let save = save.folded()
    guard !save.isEmpty else { return nil }
    return try write { schema, statement in
      let writer = SaveWriter(schema: schema, statement: statement)
      let changes = try writer.write(save)
      guard !changes.isEmpty else { return nil }
      let position = try HistoryAppender(statement: statement, tables: schema.history)
        .append(save.header, changes: changes)
      return AppendedTransaction(
        position: position, changeCount: changes.count, primaryKeys: writer.primaryKeys)
    }
  }

  /// Appends one transaction to the history alone, for tests and samples.
  ///
  /// - Throws: ``StoreWriteError``; the store is then as it was.
  @discardableResult
  public func appendHistory(_ record: HistoryRecord) throws -> TransactionPosition {
    try write { schema, statement in
      let changes = try record.changes.map { try schema.encoded($0) }
      return try HistoryAppender(statement: statement, tables: schema.history)
        .append(record.header, changes: changes)
    }
  }

  /// Runs a body in one SQLite transaction that holds the write lock from its start.
  private func write<Result>(
    _ body: (EditorSchema, StatementRunner) throws -> Result
  ) throws -> Result {
    do {
      return try queue.writeWithoutTransaction { database in
        var result: Result?
        try database.inTransaction(.immediate) {
          let statement = StatementRunner(database)
          result = try body(try currentSchema(database, statement), statement)
          return .commit
        }
        guard let result else {
          throw StoreError.unreadable(path: location.path, reason: "the save was not written")
        }
        return result
      }
    } catch {
      throw StoreWriteError.translating(
        error, path: location.path, location: location, busyTimeout: busyTimeout)
    }
  }

  /// What is known of the store, looked at anew where it was migrated meanwhile.
  private func currentSchema(
    _ database: Database, _ statement: StatementRunner
  ) throws -> EditorSchema {
    let known = schema.withLock { $0 }
    if try known.isCurrent(statement) { return known }
    let fresh = try EditorSchema(database: database, path: location.path)
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

extension EditorSchema {
  /// A change of a record with its mask and tombstone worked out.
  fileprivate func encoded(_ change: HistoryRecord.Change) throws -> HistoryAppender.Change {
    let slots = try slots(of: change.entityName)
    var mask: ColumnMask?
    if change.kind == .update {
      let touched = try change.properties.flatMap { name in
        let indices = slots.indices(of: name)
        guard !indices.isEmpty else {
          throw StoreWriteError.unknownProperty(entity: change.entityName, property: name)
        }
        return indices
      }
      mask = ColumnMask(slotCount: slots.slots.count, settingSlots: touched)
    }
    for (name, value) in change.tombstone {
      guard let attribute = slots.tombstoneAttributes.first(where: { $0.name == name }) else {
        throw StoreWriteError.unknownProperty(entity: change.entityName, property: name)
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
