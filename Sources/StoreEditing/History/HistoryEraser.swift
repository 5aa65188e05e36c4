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

/// The steps of a deletion.
///
/// Changes are deleted by their row numbers, and the table itself says of which transaction each is: an
/// index that lists a row of another transaction, or misses one, does not decide what is deleted. SQLite
/// finds the entry of each deleted row in each index, and reports one that is missing as damage.
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
  private let readers = Readers()

  /// The statements that read what is deleted, prepared when they are first needed.
  private final class Readers {
    var byRow: ChangeCursor?
    var byIndex: ChangeCursor?
  }

  init(
    statement: StatementRunner, deletion: HistoryDeletion, path: String,
    mayGoOn: @escaping () throws -> Void = {}
  ) {
    self.statement = statement
    self.deletion = deletion
    self.path = path
    self.mayGoOn = mayGoOn
  }

  var deleted: DeletedHistory {
    DeletedHistory(transactionCount: transactions, changeCount: changes)
  }

  var hasStep: Bool { step < deletion.steps.count }

  /// Deletes the next step, or the next part of the changes of a very large transaction.
  mutating func takeStep() throws {
    switch deletion.steps[step] {
    case .transactions(let span):
      let rest = span.changeCount - changesOfStep
      if part < span.parts.count - 1 {
        let count = span.parts[part]
        // All earlier transactions are gone, so no token leads to this one any more.
        let digest = try deleteChanges(of: span, count, isPart: true)
        try check(digest, span)
        changesOfStep += count
        changes += count
        part += 1
        return
      }
      var digest = try deleteChanges(of: span, rest, isPart: false)
      try deleteTransactions(of: span, &digest)
      try check(digest, span)
      try checkRest(span)
      changes += rest
      transactions += span.count
    case .changes(let rows, let count):
      let deleted = try statement.run(
        "DELETE FROM ACHANGE NOT INDEXED WHERE Z_PK BETWEEN ?1 AND ?2 AND ZENTITY = ?3",
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

  // MARK: - Changes

  /// Selects the changes of a step: `?1` to `?2` are their rows, `?3` to `?4` the numbers of their
  /// transactions.
  private static func condition(_ span: HistoryDeletion.Transactions) -> String {
    """
    Z_PK BETWEEN ?1 AND ?2 AND typeof(ZTRANSACTIONID) = 'integer'
    AND ZTRANSACTIONID BETWEEN ?3 AND ?4
    """
      + (span.hasFewRows
        ? ""
        : """
         AND Z_PK IN (SELECT Z_PK FROM ACHANGE WHERE ZTRANSACTIONID BETWEEN ?3 AND ?4
          ORDER BY ZTRANSACTIONID, Z_PK LIMIT ?5)
        """)
  }

  /// Deletes changes, and returns the digest of the rows if one is required.
  private func deleteChanges(
    of span: HistoryDeletion.Transactions, _ count: Int, isPart: Bool
  ) throws -> RowDigest? {
    let required = requiredDigest
    let coversContent = required?.coversContent ?? false
    guard let rows = span.rows else {
      return deletion.digests.map { _ in RowDigest(coversContent: coversContent) }
    }
    var last = rows.upperBound
    var digest: RowDigest?
    if isPart || deletion.digests != nil {
      let read = try read(span, rows, isPart ? count : nil, coversContent: coversContent)
      try expect(count, read.count, "changes")
      if deletion.digests != nil { digest = read.digest }
      if isPart { last = read.last ?? last }
    }
    let values: [StoredValue] =
      [rows.lowerBound, last, span.numbers.lowerBound, span.numbers.upperBound].map {
        .integer($0)
      } + (span.hasFewRows ? [] : [.integer(isPart ? Int64(count) : -1)])
    let deleted = try statement.run(
      "DELETE FROM ACHANGE NOT INDEXED WHERE \(Self.condition(span))", values)
    try expect(count, deleted, "changes")
    return digest
  }

  /// Reads the changes of a step, or the first ones.
  fileprivate func read(
    _ span: HistoryDeletion.Transactions, _ rows: ClosedRange<Int64>, _ limit: Int?,
    coversContent: Bool
  ) throws -> (digest: RowDigest, count: Int, last: Int64?) {
    let reader = try reader(span)
    defer { reader.stop() }
    try reader.start(
      [rows.lowerBound, rows.upperBound, span.numbers.lowerBound, span.numbers.upperBound].map {
        .integer($0)
      } + [.integer(limit.map(Int64.init) ?? -1)])
    var digest = RowDigest(coversContent: coversContent)
    var count = 0
    var last: Int64?
    while try reader.next() {
      count += 1
      last = reader.number
      digest.add(
        change: reader.number, transaction: reader.transaction ?? 0, kind: reader.kind,
        primaryKey: reader.primaryKey,
        content: ChangeContent(
          entityNumber: reader.entityNumber, mask: reader.mask, tombstone: reader.tombstone,
          extra: reader.extra))
    }
    return (digest, count, last)
  }

  private func reader(_ span: HistoryDeletion.Transactions) throws -> ChangeCursor {
    if let reader = span.hasFewRows ? readers.byRow : readers.byIndex { return reader }
    let reader = try ChangeCursor(
      statement.database, deletion.tables, path: path, where: Self.condition(span), limit: "?5")
    if span.hasFewRows { readers.byRow = reader } else { readers.byIndex = reader }
    return reader
  }

  // MARK: - Transactions

  private func deleteTransactions(
    of span: HistoryDeletion.Transactions, _ digest: inout RowDigest?
  ) throws {
    guard span.count > 0 else { return }
    let last: [StoredValue] = [.integer(span.numbers.upperBound)]
    if digest != nil {
      let rows = try statement.rows(
        "SELECT Z_PK, ZTIMESTAMP FROM ATRANSACTION WHERE Z_PK <= ?1", last)
      for position in rows.compactMap(TransactionPosition.init(row:)) { digest?.add(position) }
    }
    let deleted = try statement.run("DELETE FROM ATRANSACTION WHERE Z_PK <= ?1", last)
    try expect(span.count, deleted, "transactions")
  }

  // MARK: - Checks

  private var requiredDigest: RowDigest? {
    guard let digests = deletion.digests, step < digests.count, part < digests[step].count else {
      return nil
    }
    return digests[step][part]
  }

  /// Compares the deleted rows with the required ones, while all of them can still be rolled back.
  private func check(_ digest: RowDigest?, _ span: HistoryDeletion.Transactions) throws {
    guard deletion.digests != nil, digest == nil || digest != requiredDigest else { return }
    throw damaged(
      "the history up to transaction \(span.numbers.upperBound)",
      "its rows differ from the sealed ones, so they were not deleted")
  }

  /// Checks that neither the index nor the table has more changes of the deleted transactions: the index may
  /// have entries whose rows are lost, and rows that it misses are next in the table.
  private func checkRest(_ span: HistoryDeletion.Transactions) throws {
    if deletion.tables.indexesChangesByTransaction {
      let entry = try statement.rows(
        """
        SELECT Z_PK, ZTRANSACTIONID FROM ACHANGE
        WHERE ZTRANSACTIONID BETWEEN ?1 AND ?2 AND typeof(ZTRANSACTIONID) = 'integer' LIMIT 1
        """, [.integer(span.numbers.lowerBound), .integer(span.numbers.upperBound)]
      ).first
      if let entry, case .integer(let row) = entry[0], case .integer(let listed) = entry[1] {
        let present = try statement.integer(
          "SELECT ZTRANSACTIONID FROM ACHANGE NOT INDEXED WHERE Z_PK = ?1", [.integer(row)])
        guard present == listed else {
          throw damaged(
            "ACHANGE", "its index lists row \(row) of transaction \(listed), which it does not have"
          )
        }
        throw historyChanged("transaction \(listed) has more changes")
      }
    }
    guard let rows = span.rows, span.hasFewRows else { return }
    let next = try statement.integer(
      "SELECT ZTRANSACTIONID FROM ACHANGE NOT INDEXED WHERE Z_PK > ?1 ORDER BY Z_PK LIMIT 1",
      [.integer(rows.upperBound)])
    if let next, span.numbers.contains(next) {
      throw damaged("ACHANGE", "its index does not list changes of transaction \(next)")
    }
  }

  private func damaged(_ place: String, _ detail: String) -> StoreError {
    .damaged(path: path, place: place, detail: detail)
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

extension StoreSnapshot {
  /// Returns a digest for each step of a deletion that takes only changes without their transaction, to find
  /// out in advance whether they are sealed.
  package func digestsOfLooseChanges(
    _ deletion: HistoryDeletion, like digests: [[RowDigest]]
  ) throws -> [RowDigest] {
    let work = ErasureWork(
      statement: StatementRunner(database), deletion: deletion, path: location.path)
    return try zip(deletion.steps, digests).compactMap { step, digests in
      guard deletion.precedesTransactions(step), case .transactions(let span) = step,
        let rows = span.rows
      else { return nil }
      return try work.read(
        span, rows, nil, coversContent: digests.first?.coversContent ?? false
      ).digest
    }
  }
}
