import GRDB
import StoreFormat

/// Removes recorded values of transactions that are gone.
package enum RecordedValuesErasure {
  /// What became of it.
  package struct Result: Sendable {
    /// How many values were removed, for good.
    package internal(set) var valueCount = 0
    /// What stopped it, a ``StoreWriteError`` as a rule; nil where all are removed.
    package internal(set) var problem: (any Error)?
  }

  /// Removes the values of all transactions before one, in batches so short that an app which saves
  /// meanwhile is not kept waiting.
  ///
  /// Each batch holds the store's write lock, as do a save and a restore that write values: what
  /// somebody puts back meanwhile keeps its values, whatever number was given.
  ///
  /// - Parameters:
  ///   - number: The transaction whose values stay, with those of all after it.
  ///   - file: The file, as it was opened for reading.
  ///   - store: Where the store is whose values they are. The values of its oldest transaction stay,
  ///     with those of all after it, also where that is older than the given one.
  /// - Returns: What was removed, and what stopped it if anything did.
  package static func erase(
    before number: Int64, from file: RecordedValuesFile, of store: StoreLocation
  ) -> Result {
    let tally = Tally()
    var result = Result()
    do {
      try file.location.checkLog(allowsTornEnd: true)
      // Nobody is waited for while the store is locked.
      let values = try StoreConnection.openForBatches(file.location, busyTimeout: 0)
      let connection = try BatchConnection(location: store, busyTimeout: file.busyTimeout)
      result.problem = try values.writeWithoutTransaction { database in
        let log = try LogKeeper(
          database, path: file.location.path, patience: file.busyTimeout)
        defer { log.settle() }
        return connection.run {
          Work(store: $0, values: database, file: file, log: log, number: number, tally: tally)
        } progress: { _ in
        } finish: { _ in
        }
      }
    } catch {
      result.problem = Self.translating(error, file)
    }
    result.valueCount = tally.valueCount
    if tally.isHindered, case StoreWriteError.store(.busy(_, let seconds))? = result.problem {
      result.problem = StoreWriteError.store(.busy(path: file.location.path, seconds: seconds))
    }
    if result.problem == nil { emptyLog(of: file) }
    return result
  }

  private static func translating(
    _ error: any Error, _ file: RecordedValuesFile
  ) -> any Error {
    StoreWriteError.translating(
      error, path: file.location.path, location: file.location, busyTimeout: file.busyTimeout)
  }

  /// Moves the log into the file, so that what is removed is nowhere any more; where somebody reads it,
  /// the next save does so.
  private static func emptyLog(of file: RecordedValuesFile) {
    guard
      let queue = try? WritingConnection.open(path: file.location.resolvedPath, busyTimeout: 0)
    else { return }
    try? queue.writeWithoutTransaction {
      try $0.execute(sql: "PRAGMA wal_checkpoint(TRUNCATE)")
    }
    try? queue.close()
  }

  /// What is done for good, whatever becomes of the batch.
  private final class Tally {
    var valueCount = 0
    /// Whether somebody else has the file of values locked.
    var isHindered = false
  }

  /// Removes values while the store is locked, in which nothing changes.
  private struct Work: BatchedWork {
    /// How many rows go in one step.
    private static let stepSize: Int64 = 64
    /// How many pages are given back in one step.
    private static let pageCount = 64

    let store: StatementRunner
    let values: Database
    let file: RecordedValuesFile
    let log: LogKeeper
    /// The transaction whose values stay, with those of all after it.
    var number: Int64
    let tally: Tally
    var hasStep = true
    /// Whether all rows are gone, so that their pages can be given back.
    private var isErased = false
    /// SQLite's count of what others have saved, when the store was last looked at.
    private var checkedVersion: Int64?

    init(
      store: StatementRunner, values: Database, file: RecordedValuesFile, log: LogKeeper,
      number: Int64, tally: Tally
    ) {
      self.store = store
      self.values = values
      self.file = file
      self.log = log
      self.number = number
      self.tally = tally
    }

    func prepare() throws { try log.keepShort() }

    /// Finds out which values are of transactions that the store has by now, or is being given.
    mutating func checkStore() throws {
      let version = try store.integer("PRAGMA data_version")
      guard checkedVersion == nil || version != checkedVersion else { return }
      if let oldest = try store.integer("SELECT min(Z_PK) FROM ATRANSACTION") {
        number = min(number, oldest)
      }
      // A transaction that is put back in pieces has its changes before it is there itself.
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
          try $0.run("PRAGMA incremental_vacuum(\(Self.pageCount))")
          return try Self.hasFreePages($0)
        }
        return
      }
      let number = number
      let count = try writing {
        try $0.run(
          """
          DELETE FROM recorded_value WHERE rowid IN (
            SELECT rowid FROM recorded_value WHERE transaction_number < ?1
            ORDER BY transaction_number LIMIT ?2)
          """, [.integer(number), .integer(Self.stepSize)])
      }
      tally.valueCount += count
      isErased = count < Self.stepSize
      // A file that somebody has rebuilt in another way keeps its free pages.
      if isErased {
        hasStep = try writing {
          try Self.hasFreePages($0) && $0.integer("PRAGMA auto_vacuum") == 2
        }
      }
    }

    private static func hasFreePages(_ statement: StatementRunner) throws -> Bool {
      try statement.integer("PRAGMA freelist_count") ?? 0 > 0
    }

    /// Runs a body in one transaction of the file of values.
    private func writing<Value>(_ body: (StatementRunner) throws -> Value) throws -> Value {
      do {
        tally.isHindered = false
        do {
          return try transaction(body)
        } catch let error as DatabaseError where error.resultCode == .SQLITE_FULL {
          // Whoever prunes may do so because the disk is full.
          guard try log.makeRoom() else { throw error }
          return try transaction(body)
        }
      } catch let error as DatabaseError where error.isBusy {
        tally.isHindered = true
        throw error
      } catch {
        throw RecordedValuesErasure.translating(error, file)
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
        try? values.rollback()
        throw error
      }
    }
  }
}
