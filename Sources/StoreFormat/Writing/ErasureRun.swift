import GRDB

/// Takes the steps of a deletion in batches, each one SQLite transaction.
final class ErasureRun {
  /// How long a batch holds the write lock where nobody else writes, and where somebody does.
  private static let hold = (alone: 0.028, shared: 0.022)
  /// The first batch is a small one, for nothing is known yet of the disk.
  private static let firstHold = 0.008
  /// A commit that readers keep waiting is given up after this time, so that others get their turn.
  private static let longestHold = 0.045
  /// How often a store that is locked is asked again: often, because a program that saves without a
  /// pause lets go for an instant only.
  private static let pollInterval = 0.000_5

  private(set) var result = Erasure()

  private let database: Database
  private let statement: StatementRunner
  private let log: LogKeeper
  private let deletion: HistoryDeletion
  private let path: String
  private let busyTimeout: Double
  private var position = Position()
  private var courtesy = LockCourtesy()
  /// Whether the disk was full, so that each step is a batch of its own.
  private var isSpaceShort = false
  /// How long a commit takes, by the time that it took to delete what it commits.
  private var commitShare = 1.0

  /// How far the deletion is.
  private struct Position {
    /// The step that is next.
    var step = 0
    /// How many changes of its one transaction are gone already.
    var changesOfStep = 0
    var transactions = 0
    var changes = 0
  }

  init(
    database: Database, deletion: HistoryDeletion, path: String, busyTimeout: Double
  ) throws {
    self.database = database
    self.deletion = deletion
    self.path = path
    self.busyTimeout = busyTimeout
    statement = StatementRunner(database)
    log = try LogKeeper(database, path: path, patience: busyTimeout)
  }

  private var isFinished: Bool { position.step >= deletion.steps.count }

  /// Deletes everything.
  func run(progress: (DeletedHistory) -> Void) throws {
    while !isFinished {
      courtesy.yield(version: try patiently { try dataVersion() })
      try patiently { try deleteWithinSpace() }
      progress(result.deleted)
      if !isFinished { try log.keepShort() }
    }
    log.settle()
  }

  // MARK: - Taking turns

  /// SQLite's count of what others have saved.
  private func dataVersion() throws -> Int64 {
    try statement.integer("PRAGMA data_version") ?? 0
  }

  /// Tries again while the store is locked, for as long as one is willing to wait.
  private func patiently<Result>(_ body: () throws -> Result) throws -> Result {
    let start = ContinuousClock.now
    while true {
      do {
        return try body()
      } catch let error as DatabaseError where error.isBusy {
        courtesy.noticeLock()
        guard start.secondsAgo < busyTimeout else { throw error }
        Pause.take(seconds: Self.pollInterval)
      }
    }
  }

  // MARK: - One batch

  /// Deletes a batch; where the disk is full, a small one that fits into the space of the log.
  ///
  /// Whoever prunes may do so because the disk is full.
  private func deleteWithinSpace() throws {
    do {
      try deleteBatch()
    } catch let error as DatabaseError where error.resultCode == .SQLITE_FULL {
      guard try log.makeRoom() || !isSpaceShort else { throw error }
      isSpaceShort = true
      try deleteBatch()
    }
  }

  private func deleteBatch() throws {
    let longest =
      result.batchCount == 0
      ? Self.firstHold : courtesy.isShared ? Self.hold.shared : Self.hold.alone
    let hold = isSpaceShort ? 0 : longest
    var next = position
    try database.beginTransaction(.immediate)
    let start = ContinuousClock.now
    do {
      try checkStore()
      repeat {
        try takeStep(&next)
      } while next.step < deletion.steps.count && start.secondsAgo < hold / (1 + commitShare)
      let deleting = start.secondsAgo
      try commit(since: start)
      let held = start.secondsAgo
      // What one slow commit takes says little of the next.
      commitShare = 0.7 * commitShare + 0.3 * min((held - deleting) / max(deleting, 0.000_1), 4)
      result.longestLock = max(result.longestLock, held)
    } catch {
      try? database.rollback()
      throw error
    }
    position = next
    result.batchCount += 1
    result.deleted = DeletedHistory(
      transactionCount: position.transactions, changeCount: position.changes)
  }

  /// Commits; where the store keeps a rollback journal, after its readers have finished.
  private func commit(since start: ContinuousClock.Instant) throws {
    while true {
      do {
        return try database.commit()
      } catch let error as DatabaseError where error.isBusy {
        courtesy.noticeLock()
        guard start.secondsAgo < Self.longestHold else { throw error }
        Pause.take(seconds: 0.002)
      }
    }
  }

  /// Deletes the next step, or the next part of the changes of a transaction with very many.
  private func takeStep(_ next: inout Position) throws {
    switch deletion.steps[next.step] {
    case .transactions(let last, let count, let changeCount):
      let rest = changeCount - next.changesOfStep
      if count <= 1, rest > HistoryDeletion.stepSize {
        // Everything before this transaction is gone, so that no token leads to it any more.
        try delete(
          """
          DELETE FROM ACHANGE WHERE Z_PK IN
            (SELECT Z_PK FROM ACHANGE WHERE ZTRANSACTIONID <= ?1 LIMIT ?2)
          """, [.integer(last), .integer(Int64(HistoryDeletion.stepSize))],
          expecting: HistoryDeletion.stepSize, "changes")
        next.changesOfStep += HistoryDeletion.stepSize
        next.changes += HistoryDeletion.stepSize
        return
      }
      try delete(
        "DELETE FROM ACHANGE WHERE ZTRANSACTIONID <= ?1", [.integer(last)], expecting: rest,
        "changes")
      try delete(
        "DELETE FROM ATRANSACTION WHERE Z_PK <= ?1", [.integer(last)], expecting: count,
        "transactions")
      next.changes += rest
      next.transactions += count
    case .changes(let rows, let count):
      try delete(
        "DELETE FROM ACHANGE WHERE Z_PK BETWEEN ?1 AND ?2 AND ZENTITY = ?3",
        [
          .integer(rows.lowerBound), .integer(rows.upperBound),
          .integer(deletion.entityNumber ?? 0),
        ], expecting: count, "changes")
      next.changes += count
    }
    next.step += 1
    next.changesOfStep = 0
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
  private func checkStore() throws {
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

extension DatabaseError {
  /// Whether another connection is in the way.
  var isBusy: Bool { resultCode == .SQLITE_BUSY || resultCode == .SQLITE_LOCKED }
}
