import GRDB
import StoreFormat

/// Takes the steps of a deletion.
struct ErasureWork: BatchedWork {
  private let statement: StatementRunner
  private let deletion: HistoryDeletion
  private let path: String
  private let mayGoOn: () throws -> Void
  /// The step that is next.
  private var step = 0
  /// How many changes of its one transaction are gone already.
  private var changesOfStep = 0
  /// The part of the step that is next.
  private var part = 0
  private var transactions = 0
  private var changes = 0

  /// - Parameter mayGoOn: Throws where nothing more is to be deleted; called under the lock.
  init(
    statement: StatementRunner, deletion: HistoryDeletion, path: String,
    mayGoOn: @escaping () throws -> Void = {}
  ) {
    self.statement = statement
    self.mayGoOn = mayGoOn
    self.deletion = deletion
    self.path = path
  }

  /// What has been deleted.
  var deleted: DeletedHistory {
    DeletedHistory(transactionCount: transactions, changeCount: changes)
  }

  var hasStep: Bool { step < deletion.steps.count }

  /// Deletes the next step, or the next part of the changes of a transaction with very many.
  mutating func takeStep() throws {
    switch deletion.steps[step] {
    case .transactions(let last, let count, let changeCount):
      let rest = changeCount - changesOfStep
      if count <= 1, rest > HistoryDeletion.stepSize {
        // Everything before this transaction is gone, so that no token leads to it any more.
        var digest = RowDigest()
        try deleteChanges(
          """
          DELETE FROM ACHANGE WHERE Z_PK IN
            (SELECT Z_PK FROM ACHANGE WHERE ZTRANSACTIONID <= ?1
             ORDER BY ZTRANSACTIONID, Z_PK LIMIT ?2)
          """, [.integer(last), .integer(Int64(HistoryDeletion.stepSize))],
          expecting: HistoryDeletion.stepSize, &digest)
        try check(digest, through: last)
        changesOfStep += HistoryDeletion.stepSize
        changes += HistoryDeletion.stepSize
        part += 1
        return
      }
      var digest = RowDigest()
      try deleteChanges(
        "DELETE FROM ACHANGE WHERE ZTRANSACTIONID <= ?1", [.integer(last)], expecting: rest,
        &digest)
      try deleteTransactions(through: last, expecting: count, &digest)
      try check(digest, through: last)
      changes += rest
      transactions += count
    case .changes(let rows, let count):
      try delete(
        "DELETE FROM ACHANGE WHERE Z_PK BETWEEN ?1 AND ?2 AND ZENTITY = ?3",
        [
          .integer(rows.lowerBound), .integer(rows.upperBound),
          .integer(deletion.entityNumber ?? 0),
        ], expecting: count, "changes")
      changes += count
    }
    step += 1
    part = 0
    changesOfStep = 0
  }

  /// Deletes changes and adds each to a digest, as SQLite returns the rows that it really deleted.
  private func deleteChanges(
    _ sql: String, _ values: [StoredValue], expecting count: Int, _ digest: inout RowDigest
  ) throws {
    guard deletion.digests != nil else {
      return try delete(sql, values, expecting: count, "changes")
    }
    let columns = "Z_PK, ZTRANSACTIONID, ZCHANGETYPE, ZENTITYPK"
    let rows = try statement.cursor("\(sql) RETURNING \(columns)")
    defer { rows.reset() }
    try rows.bind(values)
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
      return try delete(sql, [.integer(last)], expecting: count, "transactions")
    }
    let rows = try statement.rows("\(sql) RETURNING Z_PK, ZTIMESTAMP", [.integer(last)])
    for row in rows {
      guard case .integer(let number) = row[0] else { continue }
      let timestamp: StoreTimestamp? =
        if case .real(let seconds) = row[1] {
          StoreTimestamp(secondsSinceReferenceDate: seconds)
        } else {
          nil
        }
      digest.add(TransactionPosition(number: number, timestamp: timestamp))
    }
    try expect(count, rows.count, "transactions")
  }

  /// Compares what was deleted with what was to be, while all of it can still be rolled back.
  private func check(_ digest: RowDigest, through last: Int64) throws {
    guard let digests = deletion.digests else { return }
    guard step < digests.count, part < digests[step].count, digests[step][part] == digest else {
      throw StoreError.damaged(
        path: path, place: "the history up to transaction \(last)",
        detail: "its rows are not the ones that are sealed, so they were not deleted")
    }
  }

  /// Deletes rows, of which there must be exactly as many as were seen when all was planned.
  private func delete(
    _ sql: String, _ values: [StoredValue], expecting count: Int, _ noun: String
  ) throws {
    try expect(count, try statement.run(sql, values), noun)
  }

  private func expect(_ count: Int, _ deleted: Int, _ noun: String) throws {
    guard deleted == count else {
      throw StoreWriteError.historyChanged(
        path: path, detail: "\(count) \(noun) were expected, \(deleted) are there")
    }
  }

  /// Finds out, under the lock, whether this is still the store that was looked at.
  func checkStore() throws {
    do {
      try mayGoOn()
    } catch is HistoryEraser.NotNow {
      throw DatabaseError(resultCode: .SQLITE_BUSY)
    }
    if let identifier = deletion.storeIdentifier {
      let rows = try statement.rows("SELECT Z_UUID FROM Z_METADATA ORDER BY Z_VERSION LIMIT 1")
      guard rows.first?.first == .text(identifier) else {
        throw StoreWriteError.historyChanged(path: path, detail: "it is another store by now")
      }
    }
    if let anchor = deletion.anchor {
      let rows = try statement.rows(
        "SELECT ZTIMESTAMP FROM ATRANSACTION WHERE Z_PK = ?1", [.integer(anchor.number)])
      guard let value = rows.first?.first else {
        throw StoreWriteError.historyChanged(
          path: path, detail: "transaction \(anchor.number), the first that was to stay, is gone")
      }
      let timestamp: StoreTimestamp? =
        if case .real(let seconds) = value {
          StoreTimestamp(secondsSinceReferenceDate: seconds)
        } else {
          nil
        }
      guard timestamp == anchor.timestamp else {
        throw StoreWriteError.historyChanged(
          path: path, detail: "transaction \(anchor.number) is another one by now")
      }
    }
    if let number = deletion.entityNumber {
      let rows = try statement.rows(
        "SELECT Z_NAME FROM Z_PRIMARYKEY WHERE Z_ENT = ?1", [.integer(number)])
      guard rows.first?.first == deletion.entityName.map(StoredValue.text) else {
        throw StoreWriteError.historyChanged(
          path: path, detail: "its entities have been numbered anew")
      }
    }
  }
}
