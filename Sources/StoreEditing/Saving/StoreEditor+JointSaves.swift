import GRDB
import StoreFormat

/// What a save to several stores has left unfinished is completed before anything else is written.
extension StoreEditor {
  /// Completes what a save to several stores has left unfinished in this one, where there is such.
  ///
  /// - Returns: The transaction that was missing; nil where none was.
  /// - Throws: ``StoreWriteError``.
  @discardableResult
  package func completeJointSave() throws -> AppendedTransaction? {
    guard JointSaveRecord.exists(beside: location) else { return nil }
    return try translating {
      try queue.writeWithoutTransaction { database in
        defer { if database.isInsideTransaction { try? database.rollback() } }
        return try begin(database)
      }
    }
  }

  /// Takes the write lock, and completes an unfinished save first, as a transaction of its own.
  ///
  /// - Returns: The transaction that was missing; nil where none was.
  @discardableResult
  func begin(_ database: Database) throws -> AppendedTransaction? {
    var completed: Redone?
    while true {
      try database.beginTransaction(.immediate)
      guard let redone = try redo(database, behind: completed) else {
        return completed?.transaction
      }
      redone.largeValues.isCommitting = true
      // The file goes when the lock is held again: without it, it could be another save's by then.
      try database.commit()
      release(redone.largeValues)
      completed = redone
    }
  }

  /// An unfinished save that was written.
  private struct Redone {
    let place: JointSaveRecord.Place
    let transaction: AppendedTransaction
    let largeValues: LargeValueWriter
  }

  /// Writes an unfinished save, and removes the file of one that is finished or never happened.
  ///
  /// - Parameter last: The one that was written just now.
  private func redo(_ database: Database, behind last: Redone?) throws -> Redone? {
    guard let record = try JointSaveRecord.read(beside: location) else { return nil }
    let statement = StatementRunner(database)
    func cannot(_ detail: String) -> StoreWriteError {
      .unfinishedJointSave(
        path: location.path, record: JointSaveRecord.path(beside: location), detail: detail)
    }
    let isSameStore =
      try StoreMetadata.identifier(statement) == record.own.storeIdentifier
    // What was meant for a store that is gone is missing nowhere; and what was written is there, even
    // where the file says a time for it by which it cannot be found.
    let isDone = !isSameStore || last?.place.isSame(as: record.own) ?? false
    switch isDone ? true : try record.own.isSaved(statement) {
    case true?: break
    case nil: throw cannot("the history of the store was deleted meanwhile")
    case false?:
      guard try record.hasHappened(beside: location, busyTimeout: busyTimeout) else { break }
      // By its own number it would not be found again, and what it builds upon may be missing too.
      let highest = try JointSaveRecord.Place.highestNumber(statement)
      guard record.own.number <= 0 || record.own.number - 1 <= highest else {
        throw cannot(
          "it was to be transaction \(record.own.number), and the newest one that the store ever had "
            + "is \(highest): the store is older than the save, like one from a backup")
      }
      do {
        let schema = try currentSchema(database, statement)
        let largeValues = try stagedLargeValues(of: record.save)
        do {
          if let transaction = try Self.write(
            record.save, schema: schema, statement: statement, largeValues: largeValues,
            values: values)
          {
            return Redone(
              place: record.own, transaction: transaction, largeValues: largeValues)
          }
        } catch {
          largeValues.discard()
          throw error
        }
        largeValues.discard()
      } catch let error as StoreWriteError {
        throw cannot("\(error)")
      } catch let error as DatabaseError where error.resultCode == .SQLITE_CONSTRAINT {
        throw cannot(error.message ?? "values that must be unique are there already")
      }
    }
    JointSaveRecord.remove(beside: location)
    return nil
  }
}

extension JointSaveRecord {
  /// Whether the store that decides has its part.
  func hasHappened(beside location: StoreLocation, busyTimeout: Double) throws -> Bool {
    let path = decidingPath(for: location)
    func cannot(_ detail: String) -> StoreWriteError {
      .unfinishedJointSave(
        path: location.path, record: Self.path(beside: location),
        detail: "\(path) would tell whether the save has happened: \(detail)")
    }
    do {
      let store = try StoreFile(path: path, busyTimeout: busyTimeout)
      let isSaved = try store.readDatabase { try deciding.isSaved(StatementRunner($0)) }
      guard let isSaved else { throw cannot("it is another store, or its history was deleted") }
      return isSaved
    } catch let error as StoreError {
      throw cannot(error.message)
    }
  }
}

extension StoreFile {
  /// Whether a part of a save to several stores is missing here, which whoever next opens the store for
  /// writing completes.
  ///
  /// - Throws: ``StoreError``, ``StoreWriteError``.
  package func lacksPartOfJointSave() throws -> Bool {
    guard let record = try JointSaveRecord.read(beside: location) else { return false }
    guard try record.hasHappened(beside: location, busyTimeout: busyTimeout) else { return false }
    // Looked at last: a save that is being written may be here by now.
    return try readDatabase { try record.own.isSaved(StatementRunner($0)) } == false
  }

  /// Whether something is beside a store that may be a part of an unfinished save.
  package static func mayLackPartOfJointSave(at path: String) -> Bool {
    guard let location = try? StoreLocation(path: path) else { return false }
    return JointSaveRecord.exists(beside: location)
  }
}
