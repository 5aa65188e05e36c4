import GRDB
import StoreFormat
import StoreTransactions

extension RecordedValuesFile {
  /// Deletes the values of all transactions before a number, in short batches.
  ///
  /// Each batch holds the store's write lock, as do saves and restores that write values. So a
  /// transaction that is restored meanwhile keeps its values, whatever the number.
  ///
  /// - Parameters:
  ///   - number: The oldest transaction whose values stay.
  ///   - store: The store of the values. The values of all transactions that it still has stay, even if
  ///     they are older than the number.
  /// - Returns: The number of values that were deleted and committed, and the error that ended the erasure, usually a
  ///   ``StoreWriteError``; `nil` if all are deleted.
  package func erase(
    before number: Int64, of store: StoreLocation
  ) -> (valueCount: Int, problem: (any Error)?) {
    let tally = ErasureTally()
    var problem: (any Error)?
    do {
      try location.checkLog(allowsTornEnd: true)
      // No waiting while the store is locked.
      let values = try StoreConnection.openForBatches(location, busyTimeout: 0)
      let connection = try BatchConnection(location: store, busyTimeout: busyTimeout)
      problem = try values.writeWithoutTransaction { database in
        let log = try LogKeeper(database, path: location.path, timeout: busyTimeout)
        defer { log.settle() }
        return connection.run {
          ErasureOfValues(
            store: StatementRunner($0), values: database, file: self, log: log, tally: tally,
            number: number)
        } progress: { _ in
        }.problem
      }
    } catch {
      problem = translated(error)
    }
    if tally.isBlocked, case StoreWriteError.store(.busy(_, let seconds))? = problem {
      problem = StoreWriteError.store(.busy(path: location.path, seconds: seconds))
    }
    if problem == nil { emptyLog() }
    return (tally.valueCount, problem)
  }

  fileprivate func translated(_ error: any Error) -> any Error {
    StoreWriteError.translating(
      error, path: location.path, location: location, busyTimeout: busyTimeout)
  }

  /// Moves the log into the file, so that no copy of deleted values remains. Errors are ignored: if
  /// somebody reads the file, the next save does it.
  private func emptyLog() {
    guard let queue = try? WritingConnection.open(path: location.resolvedPath, busyTimeout: 0)
    else { return }
    try? queue.writeWithoutTransaction {
      try $0.execute(sql: "PRAGMA wal_checkpoint(TRUNCATE)")
    }
    try? queue.close()
  }
}

/// Facts that stay true even if the batch on the store is rolled back.
private final class ErasureTally {
  var valueCount = 0
  /// Whether another program has the file of values locked.
  var isBlocked = false
}

/// Deletes values while the store is locked, without changing the store.
private struct ErasureOfValues: BatchedWork {
  /// The number of rows to delete in one step.
  private static let stepSize: Int64 = 64
  /// The number of pages to free in one step.
  private static let pageCount = 64

  let store: StatementRunner
  let values: Database
  let file: RecordedValuesFile
  let log: LogKeeper
  let tally: ErasureTally
  var number: Int64
  var hasStep = true
  /// Whether all rows are deleted, so that their pages can be freed.
  var isErased = false
  /// SQLite's count of what others have saved, at the last check of the store.
  var checkedVersion: Int64?

  func prepare() throws { try log.keepShort() }

  /// Finds out which values belong to transactions that the store has or that are being restored.
  mutating func checkStore() throws {
    let version = try store.integer("PRAGMA data_version")
    guard checkedVersion == nil || version != checkedVersion else { return }
    if let oldest = try store.integer("SELECT min(Z_PK) FROM ATRANSACTION") {
      number = min(number, oldest)
    }
    // A transaction that is restored in pieces has changes before it has its own row.
    if let loose = try store.integer(
      "SELECT ZTRANSACTIONID FROM ACHANGE WHERE ZTRANSACTIONID < ?1 ORDER BY 1 LIMIT 1",
      [.integer(number)])
    {
      number = loose
    }
    checkedVersion = version
  }

  mutating func takeStep() throws {
    guard !isErased else {
      hasStep = try writing {
        let before = try Self.freePageCount($0)
        try $0.run("PRAGMA incremental_vacuum(\(Self.pageCount))")
        let left = try Self.freePageCount($0)
        // Ends if no page was freed, whatever the file says of its free pages.
        return left > 0 && left < before
      }
      return
    }
    let number = number
    let count = try writing {
      let count = try $0.run(
        """
        DELETE FROM recorded_value WHERE rowid IN (
          SELECT rowid FROM recorded_value WHERE transaction_number < ?1
          ORDER BY transaction_number LIMIT ?2)
        """, [.integer(number), .integer(Self.stepSize)])
      if count < Self.stepSize { try $0.cutRanges(before: number) }
      return count
    }
    tally.valueCount += count
    isErased = count < Self.stepSize
    // A file that somebody has rebuilt with another setting keeps its free pages.
    if isErased {
      hasStep = try writing {
        try Self.freePageCount($0) > 0 && $0.integer("PRAGMA auto_vacuum") == 2
      }
    }
  }

  private static func freePageCount(_ statement: StatementRunner) throws -> Int64 {
    try statement.integer("PRAGMA freelist_count") ?? 0
  }

  /// Runs a body in one transaction of the file of values.
  private func writing<Value>(_ body: (StatementRunner) throws -> Value) throws -> Value {
    do {
      tally.isBlocked = false
      do {
        return try transaction(body)
      } catch let error as DatabaseError where error.resultCode == .SQLITE_FULL {
        // A full disk may be the reason to prune.
        guard try log.reuseSpace() else { throw error }
        return try transaction(body)
      }
    } catch let error as DatabaseError where error.isBusy {
      tally.isBlocked = true
      throw error
    } catch {
      throw file.translated(error)
    }
  }

  private func transaction<Value>(
    _ body: (StatementRunner) throws -> Value
  ) throws -> Value {
    try values.beginTransaction(.immediate)
    do {
      let value = try body(StatementRunner(values))
      try values.commit()
      return value
    } catch {
      // The error that ended the transaction is the one to report.
      try? values.rollback()
      throw error
    }
  }
}
