import GRDB
import StoreFormat

/// A save to several stores: it is in all of them, or in none.
///
/// ```swift
/// var save = JointSave()
/// save.add(trips, to: tripEditor)
/// save.add(books, to: bookEditor)
/// let transactions = try save.append()
/// ```
///
/// Each store gets one transaction, all with the same time. The stores are locked in the order of their
/// paths, so that nobody waits in a circle; every part is written, and only when all are and there is
/// room for the rest, they are committed. The first commit decides. Before it, what the other stores are
/// to get stands in a file beside each, safe on the disk: should the program end between the commits,
/// whoever next opens one of these stores for writing, or saves to it, completes its part first.
package struct JointSave: Sendable {
  private struct Part {
    let editor: StoreEditor
    var save: StoreSave
  }

  private var parts: [Part] = []

  /// A save to no store yet.
  package init() {}

  /// Adds what is to be saved to a store.
  ///
  /// - Parameters:
  ///   - save: What is to be saved.
  ///   - editor: The store; each once.
  package mutating func add(_ save: StoreSave, to editor: StoreEditor) {
    parts.append(Part(editor: editor, save: save.folded()))
  }

  /// Appends one transaction to each store.
  ///
  /// - Parameter whenReady: Is run when every part is written and nothing is committed; where it throws,
  ///   nothing is saved.
  /// - Returns: The transactions in the order of the parts; nil where a part comes to nothing.
  /// - Throws: ``StoreWriteError``, and what `whenReady` throws; all stores are then as they were.
  ///   ``StoreWriteError/unfinishedJointSave(path:record:detail:)`` means that the save is in some of
  ///   them, and that what is missing is completed when the store can be written again.
  package func append(
    whenReady: () throws -> Void = {}
  ) throws -> [AppendedTransaction?] {
    let order = parts.indices.sorted { first, second in
      parts[first].editor.location.resolvedPath < parts[second].editor.location.resolvedPath
    }
    var written: [Written] = []
    var staged: [LargeValueWriter] = []
    do {
      // Before anything is locked, as with a single store.
      for part in parts { staged.append(try part.editor.stagedLargeValues(of: part.save)) }
      try lock(order[...], []) { locked in
        // The time at which nobody else can save any more.
        let timestamp = StoreTimestamp.now()
        for part in locked {
          if let part = try write(part, staged[part.index], at: timestamp) { written.append(part) }
        }
        try commit(&written, whenReady)
      }
    } catch {
      for largeValues in staged { largeValues.discard() }
      throw (error as? Refusal)?.reason ?? error
    }
    for part in written where !part.hasFailed { part.editor.settle(part.largeValues) }
    try complete(&written)
    var transactions: [AppendedTransaction?] = Array(repeating: nil, count: parts.count)
    for part in written { transactions[part.index] = part.transaction }
    return transactions
  }

  // MARK: - Writing

  /// A part whose store is locked.
  private struct Locked {
    let index: Int
    let editor: StoreEditor
    let database: Database
  }

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
      try JointSaveRecord.Place(
        editor.location, transaction.position.number, save.header.timestamp ?? .now(),
        in: database)
    }

    func commit() throws {
      largeValues.isCommitting = true
      try editor.translating { try database.commit() }
    }
  }

  /// What the caller has thrown, on its way out.
  private struct Refusal: Error { let reason: any Error }

  /// Locks the rest of the stores and runs a body; what it has not committed is undone.
  private func lock(
    _ rest: ArraySlice<Int>, _ locked: [Locked], _ body: ([Locked]) throws -> Void
  ) throws {
    guard let index = rest.first else { return try body(locked) }
    let editor = parts[index].editor
    try editor.translating {
      try editor.queue.writeWithoutTransaction { database in
        try editor.transaction(database) {
          try lock(
            rest.dropFirst(),
            locked + [Locked(index: index, editor: editor, database: database)], body)
        }
      }
    }
  }

  /// Writes a part, up to what committing it adds; nil where it comes to nothing.
  private func write(
    _ part: Locked, _ largeValues: LargeValueWriter, at timestamp: StoreTimestamp
  ) throws -> Written? {
    var save = parts[part.index].save
    save.header.timestamp = save.header.timestamp ?? timestamp
    return try part.editor.translating {
      let statement = StatementRunner(part.database)
      let transaction = try StoreEditor.write(
        save, schema: try part.editor.currentSchema(part.database, statement),
        statement: statement, largeValues: largeValues, values: part.editor.values)
      guard let transaction else {
        largeValues.discard()
        return nil
      }
      try part.editor.reserveCommit(part.database)
      return Written(
        index: part.index, editor: part.editor, database: part.database, save: save,
        largeValues: largeValues, transaction: transaction)
    }
  }

  private func commit(_ written: inout [Written], _ whenReady: () throws -> Void) throws {
    // The part that is longest decides, so that it need not be written down twice.
    let lengths = written.count > 1 ? written.map(\.save.roughLength) : [0]
    let first = written.indices.max { lengths[$0] < lengths[$1] }
    let others = written.indices.filter { $0 != first }
    do {
      if let first {
        for place in others { try note(written[place], decidedBy: written[first]) }
      }
      do {
        try whenReady()
      } catch {
        throw Refusal(reason: error)
      }
      if let first { try written[first].commit() }
    } catch {
      // While the stores are locked: afterwards the files could be somebody else's.
      for place in others { JointSaveRecord.remove(beside: written[place].editor.location) }
      throw error
    }
    // From here on the save has happened.
    for place in others {
      do {
        try written[place].commit()
      } catch {
        written[place].hasFailed = true
      }
    }
  }

  private func note(_ part: Written, decidedBy first: Written) throws {
    try JointSaveRecord(own: part.place(), deciding: first.place(), save: part.save)
      .write(beside: part.editor.location)
  }

  /// Removes what was noted beside the stores, and writes once more what could not be committed.
  private func complete(_ written: inout [Written]) throws {
    guard written.count > 1 else { return }
    var failure: (any Error)?
    for (place, part) in written.enumerated() {
      do {
        let redone = try part.editor.completeJointSave()
        guard part.hasFailed else { continue }
        guard let redone else {
          throw StoreWriteError.unfinishedJointSave(
            path: part.editor.location.path,
            record: JointSaveRecord.path(beside: part.editor.location),
            detail: "another program was faster; fetch what it has saved")
        }
        written[place].transaction = redone
      } catch {
        // What is committed is safe, whether or not the file is gone.
        if part.hasFailed { failure = failure ?? error }
      }
    }
    guard let failure else { return }
    if case StoreWriteError.unfinishedJointSave = failure { throw failure }
    let editor = written.first { $0.hasFailed }?.editor
    throw StoreWriteError.unfinishedJointSave(
      path: editor?.location.path ?? "",
      record: editor.map { JointSaveRecord.path(beside: $0.location) } ?? "",
      detail: "\(failure)")
  }
}
