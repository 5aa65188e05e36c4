import CSQLiteSupport
import GRDB
import GRDBSQLite
import StoreFormat

/// Deletes parts of a store's history.
///
/// Unlike ``StoreEditor`` it needs no model, so it prunes any store that can be read. It deletes rows of
/// `ACHANGE` and `ATRANSACTION` only. No trigger runs, the highest issued numbers and the interned texts
/// stay, nothing is added to the schema, and the journal mode stays as it is.
///
/// The work is done in batches, so an app that uses the store at the same time waits a fraction of a
/// second at most. Whatever ends it, the history is whole: every change has its transaction, and
/// transactions were deleted from the oldest on.
package final class HistoryEraser: Sendable {
  /// Thrown by a check that cannot decide now and must be repeated a moment later.
  package struct NotNow: Error, Hashable, Sendable {
    package init() {}
  }

  private let connection: BatchConnection

  /// Opens a store.
  ///
  /// - Parameters:
  ///   - location: The store.
  ///   - busyTimeout: How long to wait for a locked store, in seconds.
  ///   - ignoresDamage: Whether to write even if that destroys saves after a damaged part of the log.
  /// - Throws: ``StoreWriteError``.
  package init(
    location: StoreLocation, busyTimeout: Double = 5, ignoresDamage: Bool = false
  ) throws {
    connection = try BatchConnection(
      location: location, busyTimeout: busyTimeout, ignoresDamage: ignoresDamage)
  }

  /// Carries out as much of a deletion as possible.
  ///
  /// The write lock is held for about 30 ms at a time. If another program writes too, it gets the lock
  /// in between; otherwise the next batch follows at once. The log is checkpointed between batches, and
  /// if a reader blocks that, no batch follows until the log can be used again.
  ///
  /// - Parameters:
  ///   - deletion: The deletion.
  ///   - mayGoOn: Called before every batch while the write lock is held. An error ends the deletion,
  ///     and earlier batches stay done; ``NotNow`` does so only after the busy timeout.
  ///   - progress: Called after every batch.
  package func erase(
    _ deletion: HistoryDeletion, mayGoOn: () throws -> Void = {},
    progress: (DeletedHistory) -> Void = { _ in }
  ) -> Erasure {
    withoutActuallyEscaping(mayGoOn) { mayGoOn in
      let outcome = connection.run {
        ErasureWork(
          statement: StatementRunner($0), deletion: deletion, path: connection.location.path,
          mayGoOn: mayGoOn)
      } progress: {
        progress($0.deleted)
      }
      return Erasure(
        deleted: outcome.work?.deleted ?? Erasure.nothing.deleted,
        longestLock: outcome.longestLock, batchCount: outcome.batchCount,
        problem: outcome.problem)
    }
  }
}

/// The result of a deletion.
public struct Erasure: Sendable {
  package static let nothing = Erasure()

  /// The history that was deleted and committed.
  public internal(set) var deleted = DeletedHistory(transactionCount: 0, changeCount: 0)
  /// The longest time for which the write lock was held, in seconds.
  public internal(set) var longestLock = 0.0
  /// The number of batches.
  public internal(set) var batchCount = 0
  /// The number of deleted values that were recorded beside the store.
  package var recordedValueCount = 0
  /// The error that ended the deletion, usually a ``StoreWriteError``; `nil` if all is deleted.
  public package(set) var problem: (any Error)?
}

/// The amount of history that was deleted.
public struct DeletedHistory: Hashable, Sendable {
  /// The number of transactions.
  public let transactionCount: Int
  /// The number of changes.
  public let changeCount: Int

  package init(transactionCount: Int, changeCount: Int) {
    self.transactionCount = transactionCount
    self.changeCount = changeCount
  }
}

extension StatementRunner {
  /// Deletes the transactions whose number compares to a given one, with their changes.
  ///
  /// As when an app purges its history, texts that no transaction uses any more stay, and so do the
  /// highest issued numbers: a deleted number is never used again.
  func deleteHistory(where comparison: String, _ number: Int64) throws -> DeletedHistory {
    // Changes first, so that none is ever without its transaction.
    let changes = try run(
      "DELETE FROM ACHANGE WHERE ZTRANSACTIONID \(comparison) ?", [.integer(number)])
    let transactions = try run(
      "DELETE FROM ATRANSACTION WHERE Z_PK \(comparison) ?", [.integer(number)])
    return DeletedHistory(transactionCount: transactions, changeCount: changes)
  }
}

/// The steps of a deletion.
struct ErasureWork: BatchedWork {
  let statement: StatementRunner
  let deletion: HistoryDeletion
  let path: String
  var mayGoOn: () throws -> Void = {}
  var step = 0
  /// The next part of that step.
  var part = 0
  /// The changes of earlier parts that are deleted.
  var changesOfStep = 0
  var transactions = 0
  var changes = 0

  var deleted: DeletedHistory {
    DeletedHistory(transactionCount: transactions, changeCount: changes)
  }

  var hasStep: Bool { step < deletion.steps.count }

  /// Deletes the next step, or the next part of the changes of a very large transaction.
  mutating func takeStep() throws {
    switch deletion.steps[step] {
    case .transactions(let last, let count, let changeCount):
      let rest = changeCount - changesOfStep
      var digest = RowDigest()
      if count <= 1, rest > HistoryDeletion.stepSize {
        // All earlier transactions are gone, so no token leads to this one any more.
        try deleteChanges(
          """
          DELETE FROM ACHANGE WHERE Z_PK IN
            (SELECT Z_PK FROM ACHANGE WHERE ZTRANSACTIONID <= ?1
             ORDER BY ZTRANSACTIONID, Z_PK LIMIT \(HistoryDeletion.stepSize))
          """, through: last, expecting: HistoryDeletion.stepSize, &digest)
        try check(digest, through: last)
        changesOfStep += HistoryDeletion.stepSize
        changes += HistoryDeletion.stepSize
        part += 1
        return
      }
      try deleteChanges(
        "DELETE FROM ACHANGE WHERE ZTRANSACTIONID <= ?1", through: last, expecting: rest, &digest)
      try deleteTransactions(through: last, expecting: count, &digest)
      try check(digest, through: last)
      changes += rest
      transactions += count
    case .changes(let rows, let count):
      let deleted = try statement.run(
        "DELETE FROM ACHANGE WHERE Z_PK BETWEEN ?1 AND ?2 AND ZENTITY = ?3",
        [
          .integer(rows.lowerBound), .integer(rows.upperBound),
          .integer(deletion.entityNumber ?? 0),
        ])
      try expect(count, deleted, "changes")
      changes += count
    }
    step += 1
    part = 0
    changesOfStep = 0
  }

  /// Deletes changes and adds each to a digest; SQLite returns the rows that it really deleted.
  private func deleteChanges(
    _ sql: String, through last: Int64, expecting count: Int, _ digest: inout RowDigest
  ) throws {
    guard deletion.digests != nil else {
      return try expect(count, try statement.run(sql, [.integer(last)]), "changes")
    }
    let rows = try statement.cursor(sql + " RETURNING Z_PK, ZTRANSACTIONID, ZCHANGETYPE, ZENTITYPK")
    defer { rows.reset() }
    try rows.bind(last)
    var deleted = 0
    while try rows.step() {
      deleted += 1
      digest.add(
        change: rows.integer(at: 0), transaction: rows.integer(at: 1),
        kind: rows.integerIfAny(at: 2).flatMap(ChangeKind.init(rawValue:)),
        primaryKey: rows.integerIfAny(at: 3))
    }
    try expect(count, deleted, "changes")
  }

  private func deleteTransactions(
    through last: Int64, expecting count: Int, _ digest: inout RowDigest
  ) throws {
    let sql = "DELETE FROM ATRANSACTION WHERE Z_PK <= ?1"
    guard deletion.digests != nil else {
      return try expect(count, try statement.run(sql, [.integer(last)]), "transactions")
    }
    let rows = try statement.rows("\(sql) RETURNING Z_PK, ZTIMESTAMP", [.integer(last)])
    for position in rows.compactMap(TransactionPosition.init(row:)) { digest.add(position) }
    try expect(count, rows.count, "transactions")
  }

  /// Compares the deleted rows with the required ones, while all of them can still be rolled back.
  private func check(_ digest: RowDigest, through last: Int64) throws {
    guard let digests = deletion.digests, !deletion.precedesTransactions(deletion.steps[step])
    else { return }
    guard step < digests.count, part < digests[step].count, digests[step][part] == digest else {
      throw StoreError.damaged(
        path: path, place: "the history up to transaction \(last)",
        detail: "its rows differ from the sealed ones, so they were not deleted")
    }
  }

  private func expect(_ count: Int, _ deleted: Int, _ noun: String) throws {
    guard deleted == count else {
      throw historyChanged("\(count) \(noun) were expected, \(deleted) are there")
    }
  }

  func checkStore() throws {
    do {
      try mayGoOn()
    } catch is HistoryEraser.NotNow {
      throw DatabaseError(resultCode: .SQLITE_BUSY)
    }
    if let identifier = deletion.storeIdentifier {
      let rows = try statement.rows("SELECT Z_UUID FROM Z_METADATA ORDER BY Z_VERSION LIMIT 1")
      guard rows.first?.first == .text(identifier) else {
        throw historyChanged("it is another store")
      }
    }
    if let anchor = deletion.anchor {
      let rows = try statement.rows(
        "SELECT Z_PK, ZTIMESTAMP FROM ATRANSACTION WHERE Z_PK = ?1", [.integer(anchor.number)])
      guard let row = rows.first else {
        throw historyChanged("transaction \(anchor.number), the first to keep, is gone")
      }
      guard TransactionPosition(row: row) == anchor else {
        throw historyChanged("transaction \(anchor.number) is a different one")
      }
    }
    if let number = deletion.entityNumber {
      let rows = try statement.rows(
        "SELECT Z_NAME FROM Z_PRIMARYKEY WHERE Z_ENT = ?1", [.integer(number)])
      guard rows.first?.first == deletion.entityName.map(StoredValue.text) else {
        throw historyChanged("its entities have new numbers")
      }
    }
  }

  private func historyChanged(_ detail: String) -> StoreWriteError {
    .historyChanged(path: path, detail: detail)
  }
}

/// Carries out deletions in a copy of a store in memory, to find out what size they leave.
///
/// How many pages a deletion frees depends on where rows lie and on how SQLite merges pages that have
/// become partly empty. Only a trial gives the exact number.
package final class ErasureTrial {
  /// The maximum size of a store that is copied into memory, in bytes.
  package static let largestStore: Int64 = 24 << 20

  private let queue: DatabaseQueue
  private let location: StoreLocation

  /// Copies a store; returns `nil` if it is larger than ``largestStore``.
  package init?(_ snapshot: StoreSnapshot) throws {
    guard try snapshot.storeByteCount() <= Self.largestStore else { return nil }
    location = snapshot.location
    var configuration = Configuration()
    configuration.foreignKeysEnabled = false
    configuration.prepareDatabase { database in
      try WritingConnection.check(csqlite_harden(database.sqliteConnection))
      try TextFunctions.add(to: database)
    }
    queue = try DatabaseQueue(configuration: configuration)
    try queue.writeWithoutTransaction { try snapshot.database.backup(to: $0) }
  }

  /// Returns the bytes of the pages that the history would occupy after a deletion, as
  /// ``StoreSnapshot/historyByteCount()`` counts them. The copy stays unchanged.
  package func historyByteCount(after deletion: HistoryDeletion) throws -> Int64? {
    try queue.writeWithoutTransaction { database in
      try database.beginTransaction()
      // An error of the trial itself is the one to report; the copy is discarded with it.
      defer { try? database.rollback() }
      var work = ErasureWork(
        statement: StatementRunner(database), deletion: deletion, path: location.path)
      while work.hasStep { try work.takeStep() }
      return try StoreSnapshot(database: database, location: location).historyByteCount()
    }
  }
}
