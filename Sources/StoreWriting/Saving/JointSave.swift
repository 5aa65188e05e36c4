import GRDB
import StoreFormat
import StoreTransactions

/// A save to several stores that ends up in all of them or in none.
///
/// ```swift
/// var save = JointSave()
/// save.add(trips, to: tripEditor)
/// save.add(books, to: bookEditor)
/// let transactions = try save.append()
/// ```
///
/// Each store gets one transaction, all with the same time. The stores are locked in the order of their
/// paths to avoid deadlock. When every part is written and space for the commits is reserved, they are
/// committed. The first commit decides. Before it, the parts of the other stores are written to files
/// beside them and synchronized (``JointSaveRecord``). If the program is killed between the commits, the
/// next editor that opens such a store or saves to it completes its part first.
package struct JointSave: Sendable {
  private struct Part {
    let editor: StoreEditor
    var save: StoreSave
    let isTemporary: Bool
  }

  private var parts: [Part] = []

  package init() {}

  /// Adds the part of a store; each store once.
  ///
  /// - Parameter isTemporary: Whether the store ends with the program, so that there is nothing to complete.
  package mutating func add(
    _ save: StoreSave, to editor: StoreEditor, isTemporary: Bool = false
  ) {
    parts.append(Part(editor: editor, save: save.folded(), isTemporary: isTemporary))
  }

  /// Appends one transaction to each store.
  ///
  /// - Parameter whenReady: Called when every part is written and none is committed; if it throws, nothing
  ///   is saved.
  /// - Returns: The transactions in the order of the parts; `nil` for a part that changes nothing.
  /// - Throws: ``StoreWriteError``, and the errors of `whenReady`, of which those of SQLite and of reading
  ///   are translated; all stores are then unchanged.
  ///   ``StoreWriteError/unfinishedJointSave(path:record:detail:)`` means that some stores have the save,
  ///   and that the others get it when they can be written again.
  package func append(
    whenReady: () throws -> Void = {}
  ) throws -> [AppendedTransaction?] {
    let order = parts.indices.sorted { first, second in
      parts[first].editor.location.resolvedPath < parts[second].editor.location.resolvedPath
    }
    var written: [Written] = []
    var staged: [LargeValueWriter] = []
    do {
      // Before any store is locked, as in a save to a single one.
      for part in parts { staged.append(try part.editor.stagedLargeValues(of: part.save)) }
      try lock(order[...], []) { databases in
        // Taken when all stores are locked, so that no other program can save before it.
        let timestamp = StoreTimestamp.now()
        for (index, database) in zip(order, databases) {
          let part = try write(index, database, staged[index], at: timestamp)
          if let part { written.append(part) }
        }
        try commit(&written, whenReady)
      }
    } catch {
      for largeValues in staged { largeValues.discard() }
      throw error
    }
    for part in written where !part.hasFailed { part.editor.settle(part.largeValues) }
    try complete(&written)
    var transactions: [AppendedTransaction?] = Array(repeating: nil, count: parts.count)
    for part in written { transactions[part.index] = part.transaction }
    return transactions
  }

  // MARK: - Writing

  /// A part that is written and not yet committed.
  private struct Written {
    let index: Int
    let editor: StoreEditor
    let database: Database
    let save: StoreSave
    let largeValues: LargeValueWriter
    var transaction: AppendedTransaction
    var hasFailed = false

    func place() throws -> JointSaveRecord.Place {
      JointSaveRecord.Place(
        path: editor.location.resolvedPath,
        storeIdentifier: try StoreMetadata.identifier(StatementRunner(database)),
        number: transaction.position.number, timestamp: save.header.timestamp ?? .now())
    }

    func commit() throws {
      largeValues.isCommitting = true
      try editor.translating { try database.commit() }
    }
  }

  /// Locks the stores of the remaining parts and runs a body; whatever it has not committed is rolled
  /// back.
  private func lock(
    _ rest: ArraySlice<Int>, _ locked: [Database], _ body: ([Database]) throws -> Void
  ) throws {
    guard let index = rest.first else { return try body(locked) }
    let editor = parts[index].editor
    try editor.translating {
      try editor.queue.writeWithoutTransaction { database in
        try editor.transaction(database) {
          try lock(rest.dropFirst(), locked + [database], body)
        }
      }
    }
  }

  /// Writes a part and reserves space for its commit; returns `nil` if it changes nothing.
  private func write(
    _ index: Int, _ database: Database, _ largeValues: LargeValueWriter,
    at timestamp: StoreTimestamp
  ) throws -> Written? {
    let editor = parts[index].editor
    var save = parts[index].save
    save.header.timestamp = save.header.timestamp ?? timestamp
    return try editor.translating {
      let statement = StatementRunner(database)
      let transaction = try editor.write(
        save, schema: try editor.currentSchema(database, statement), statement: statement,
        largeValues: largeValues)
      guard let transaction else {
        largeValues.discard()
        return nil
      }
      try editor.reserveCommit(database)
      return Written(
        index: index, editor: editor, database: database, save: save, largeValues: largeValues,
        transaction: transaction)
    }
  }

  private func commit(_ written: inout [Written], _ whenReady: () throws -> Void) throws {
    let lasting = written.indices.filter { !parts[written[$0].index].isTemporary }
    // The longest part decides, because it is the one that is not recorded in a file. A store that is gone
    // when another asks for it cannot decide.
    let lengths = written.count > 1 ? written.map(\.save.approximateLength) : [0]
    let first = (lasting.isEmpty ? Array(written.indices) : lasting)
      .max { lengths[$0] < lengths[$1] }
    let others = written.indices.filter { $0 != first }
    let recorded = others.filter(lasting.contains)
    do {
      if let first, !recorded.isEmpty {
        let deciding = try written[first].place()
        for part in recorded.map({ written[$0] }) {
          try JointSaveRecord(own: part.place(), deciding: deciding, save: part.save)
            .write(beside: part.editor.location)
        }
      }
      try whenReady()
      if let first { try written[first].commit() }
    } catch {
      // While the stores are locked: later the files could belong to another save.
      for place in recorded { JointSaveRecord.remove(beside: written[place].editor.location) }
      throw error
    }
    // From here on the save has happened.
    for place in others {
      do {
        try written[place].commit()
      } catch {
        // Written again from the record.
        written[place].hasFailed = true
      }
    }
  }

  /// Removes the records, and writes again the parts that could not be committed.
  private func complete(_ written: inout [Written]) throws {
    guard written.count > 1 else { return }
    var failure: (any Error)?
    for (place, part) in written.enumerated() {
      func unfinished(_ detail: String) -> StoreWriteError {
        JointSaveRecord.unfinished(beside: part.editor.location, detail)
      }
      do {
        let redone = try part.editor.completeJointSave()
        guard part.hasFailed else { continue }
        guard let redone else {
          throw unfinished("another program has completed it; fetch what it has saved")
        }
        written[place].transaction = redone
      } catch {
        // A committed part is safe, even if its record could not be removed.
        guard part.hasFailed, failure == nil else { continue }
        if case StoreWriteError.unfinishedJointSave = error {
          failure = error
        } else {
          failure = unfinished("\(error)")
        }
      }
    }
    if let failure { throw failure }
  }
}

// MARK: - Completing

extension StoreEditor {
  /// Completes an unfinished save to several stores in this one, if there is one.
  ///
  /// - Returns: The transaction that was missing; `nil` if none was.
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

  /// Takes the write lock, and first completes an unfinished save in a transaction of its own.
  ///
  /// - Returns: The transaction that was missing; `nil` if none was.
  @discardableResult
  func begin(_ database: Database) throws -> AppendedTransaction? {
    var completed: Redone?
    while true {
      try database.beginTransaction(.immediate)
      guard let redone = try redo(database, after: completed) else {
        return completed?.transaction
      }
      redone.largeValues.isCommitting = true
      // The record is removed when the lock is held again: without it, it could be another save's.
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

  /// Writes an unfinished save, or removes the record of one that is finished or never happened.
  ///
  /// - Parameter last: The save that was written just now.
  private func redo(_ database: Database, after last: Redone?) throws -> Redone? {
    guard let record = try JointSaveRecord.read(beside: location) else { return nil }
    let statement = StatementRunner(database)
    func cannot(_ detail: String) -> StoreWriteError {
      JointSaveRecord.unfinished(beside: location, detail)
    }
    // A record for a store that was here before is obsolete. And a save that was just written is
    // there, even if the record's time does not find it.
    let isObsolete =
      try StoreMetadata.identifier(statement) != record.own.storeIdentifier
      || last?.place.isSame(as: record.own) ?? false
    guard let isSaved = try isObsolete ? true : record.own.isSaved(statement) else {
      throw cannot("the history of the store was deleted meanwhile")
    }
    if !isSaved, try record.isComplete(beside: location, busyTimeout: busyTimeout) {
      // Its own number would not find it again, and saves that it builds upon may be missing too.
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
          if let transaction = try write(
            record.save, schema: schema, statement: statement, largeValues: largeValues)
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

extension StoreFile {
  /// Returns whether a part of a save to several stores is missing here, which the next editor of the
  /// store will complete.
  ///
  /// - Throws: ``StoreError``, ``StoreWriteError``.
  package func lacksPartOfJointSave() throws -> Bool {
    guard let record = try JointSaveRecord.read(beside: location) else { return false }
    guard try record.isComplete(beside: location, busyTimeout: busyTimeout) else { return false }
    // Checked last: a save that is being written may be here by now.
    return try readDatabase { try record.own.isSaved(StatementRunner($0)) } == false
  }

  /// Returns whether a file beside a store may be a part of an unfinished save.
  package static func mayLackPartOfJointSave(at path: String) -> Bool {
    // A store without a location has nothing beside it.
    guard let location = try? StoreLocation(path: path) else { return false }
    return JointSaveRecord.exists(beside: location)
  }
}
