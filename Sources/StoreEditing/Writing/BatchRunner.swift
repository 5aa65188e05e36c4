import DurableFiles
import GRDB
import StoreFormat

/// Does work in batches so short that an app which saves meanwhile is kept waiting for a fraction of a
/// second at most.
final class BatchRunner<Work: BatchedWork> {
  /// How far the work is; of a batch that failed there is no trace.
  private(set) var work: Work
  /// The longest time for which the write lock was held, in seconds.
  private(set) var longestLock = 0.0
  /// How many batches there have been.
  private(set) var batchCount = 0

  private let database: Database
  private let statement: StatementRunner
  private let log: LogKeeper
  private let busyTimeout: Double
  private var courtesy: LockCourtesy
  /// Whether the disk was full, so that each step is a batch of its own.
  private var isSpaceShort = false
  /// How long a commit takes, by the time that it took to do what it commits.
  private var commitShare = 1.0

  /// - Parameters:
  ///   - database: A connection that does not wait for locks by itself.
  ///   - location: The store.
  ///   - busyTimeout: How long to wait for a store that is locked, in seconds.
  init(
    _ work: Work, database: Database, location: StoreLocation, busyTimeout: Double
  ) throws {
    self.work = work
    self.database = database
    self.busyTimeout = busyTimeout
    statement = StatementRunner(database)
    courtesy = LockCourtesy(location)
    log = try LogKeeper(database, path: location.path, patience: busyTimeout)
  }

  /// Does it all.
  ///
  /// - Parameter progress: Is told after every batch how far the work is.
  func run(progress: (Work) -> Void) throws {
    while true {
      try work.prepare()
      guard work.hasStep else { break }
      if batchCount > 0 { try log.keepShort() }
      courtesy.yield(version: try patiently { try dataVersion() })
      defer { BatchHold.end() }
      try patiently { try workWithinSpace() }
      progress(work)
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
        Pause.take(seconds: BatchTimes.pollInterval)
      }
    }
  }

  // MARK: - One batch

  /// Does a batch; where the disk is full, a small one that fits into the space of the log.
  ///
  /// Whoever prunes may do so because the disk is full.
  private func workWithinSpace() throws {
    do {
      try workOnce()
    } catch let error as DatabaseError where error.resultCode == .SQLITE_FULL {
      guard try log.makeRoom() || !isSpaceShort else { throw error }
      isSpaceShort = true
      try workOnce()
    }
  }

  private func workOnce() throws {
    let longest =
      batchCount == 0
      ? BatchTimes.firstHold
      : courtesy.isShared ? BatchTimes.hold.shared : BatchTimes.hold.alone
    let hold = isSpaceShort ? 0 : longest
    var next = work
    try database.beginTransaction(.immediate)
    BatchHold.begin()
    let start = ContinuousClock.now
    do {
      try next.checkStore()
      repeat {
        try next.takeStep()
      } while next.hasStep && start.secondsAgo < hold / (1 + commitShare)
      let working = start.secondsAgo
      try commit(since: start)
      let held = start.secondsAgo
      // What one slow commit takes says little of the next.
      commitShare = 0.7 * commitShare + 0.3 * min((held - working) / max(working, 0.000_1), 4)
      longestLock = max(longestLock, held)
    } catch {
      try? database.rollback()
      // Waiting for another turn can take long.
      BatchHold.end()
      throw error
    }
    work = next
    batchCount += 1
  }

  /// Commits; where the store keeps a rollback journal, after its readers have finished.
  private func commit(since start: ContinuousClock.Instant) throws {
    while true {
      do {
        return try database.commit()
      } catch let error as DatabaseError where error.isBusy {
        courtesy.noticeLock()
        guard start.secondsAgo < BatchTimes.longestHold else { throw error }
        Pause.take(seconds: 0.002)
      }
    }
  }
}

/// How long batches may take, in seconds.
private enum BatchTimes {
  /// How long a batch holds the write lock where nobody else writes, and where somebody does.
  static let hold = (alone: 0.028, shared: 0.022)
  /// The first batch is a small one, for nothing is known yet of the disk.
  static let firstHold = 0.008
  /// A commit that readers keep waiting is given up after this time, so that others get their turn.
  static let longestHold = 0.045
  /// How often a store that is locked is asked again: often, because a program that saves without a
  /// pause lets go for an instant only.
  static let pollInterval = 0.000_5
}

extension DatabaseError {
  /// Whether another connection is in the way.
  var isBusy: Bool { resultCode == .SQLITE_BUSY || resultCode == .SQLITE_LOCKED }
}
