import GRDB

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
        try delete(
          """
          DELETE FROM ACHANGE WHERE Z_PK IN
            (SELECT Z_PK FROM ACHANGE WHERE ZTRANSACTIONID <= ?1 LIMIT ?2)
          """, [.integer(last), .integer(Int64(HistoryDeletion.stepSize))],
          expecting: HistoryDeletion.stepSize, "changes")
        changesOfStep += HistoryDeletion.stepSize
        changes += HistoryDeletion.stepSize
        return
      }
      try delete(
        "DELETE FROM ACHANGE WHERE ZTRANSACTIONID <= ?1", [.integer(last)], expecting: rest,
        "changes")
      try delete(
        "DELETE FROM ATRANSACTION WHERE Z_PK <= ?1", [.integer(last)], expecting: count,
        "transactions")
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
    changesOfStep = 0
  }

  /// Deletes rows, of which there must be exactly as many as were seen when all was planned.
  private func delete(
    _ sql: String, _ values: [StoredValue], expecting count: Int, _ noun: String
  ) throws {
    let deleted = try statement.run(sql, values)
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
