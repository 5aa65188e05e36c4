import GRDB
import StoreFormat
import StoreTransactions

/// The steps of a deletion.
///
/// Changes are deleted by their row numbers, and the table itself says of which transaction each is: an
/// index that lists a row of another transaction, or misses one, does not decide what is deleted. SQLite
/// finds the entry of each deleted row in each index, and reports one that is missing as damage.
struct ErasureWork: BatchedWork {
  let statement: StatementRunner
  let deletion: HistoryDeletion
  let path: String
  var mayGoOn: (_ isSavedByOthers: Bool) throws -> Void = { _ in }
  /// SQLite's count of what other connections had saved at the last batch.
  private var version: Int64?
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
    mayGoOn: @escaping (_ isSavedByOthers: Bool) throws -> Void = { _ in }
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

  /// Prepares the statement that reads what is deleted, which takes a time that grows with the square of the number
  /// of columns.
  mutating func prepare() {
    guard hasStep, deletion.digests != nil, case .transactions(let span) = deletion.steps[step]
    else { return }
    // What cannot be prepared now is prepared when it is needed.
    _ = try? reader(span)
  }

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

  mutating func checkStore() throws {
    let version = try statement.integer("PRAGMA data_version")
    do {
      try mayGoOn(version != self.version)
    } catch is HistoryEraser.NotNow {
      throw DatabaseError(resultCode: .SQLITE_BUSY)
    }
    self.version = version
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

extension StoreSnapshot {
  /// Deletes all transactions before a number from the history as a part of an open SQLite transaction, for migrations
  /// and samples.
  ///
  /// The transaction with the number stays, and so do the highest issued numbers. Tokens of deleted transactions have
  /// expired. A number after the newest transaction leaves an empty history, with which no token works. Nobody reads
  /// recorded values without their transaction, and the next pruning deletes them.
  @discardableResult
  package func deleteHistory(before number: Int64) throws -> DeletedHistory {
    guard number > .min else { return DeletedHistory(transactionCount: 0, changeCount: 0) }
    var work = ErasureWork(
      statement: StatementRunner(database),
      deletion: try deletion(ofTransactionsThrough: number - 1, looseChanges: .deleted),
      path: location.path)
    while work.hasStep { try work.takeStep() }
    return work.deleted
  }
}
