import DurableFiles
import GRDB
import GRDBSQLite
import StoreFormat
import StoreTransactions

/// Work on a store that is done in batches, each of them one SQLite transaction.
///
/// A value type: a batch that fails leaves the work as it was before the batch.
protocol BatchedWork {
  var hasStep: Bool { get }
  /// Prepares the next batch while the store is not locked.
  mutating func prepare() throws
  /// Checks, while the store is locked, that it is still the store that the work was planned for.
  mutating func checkStore() throws
  mutating func takeStep() throws
}

extension BatchedWork {
  mutating func prepare() {}
}

/// The result of work that was done in batches.
struct BatchOutcome<Work: BatchedWork> {
  /// The work after the last batch that was committed; `nil` if it never began.
  var work: Work?
  var longestLock = 0.0
  var batchCount = 0
  /// The error that ended the work, usually a ``StoreWriteError``; `nil` if all of it was done.
  var problem: (any Error)?
}

/// A store opened for work in batches while other programs use it.
final class BatchConnection: Sendable {
  let location: StoreLocation
  let busyTimeout: Double

  private let queue: DatabaseQueue
  private let holdObserver = BatchHold.observer

  init(location: StoreLocation, busyTimeout: Double, ignoresDamage: Bool = false) throws {
    self.location = location
    self.busyTimeout = busyTimeout
    queue = try location.translatingErrors(busyTimeout) {
      if !ignoresDamage { try location.checkLog(allowsTornEnd: true) }
      return try StoreConnection.openForBatches(location, busyTimeout: busyTimeout)
    }
  }

  func read<Value>(_ body: (Database) throws -> Value) throws -> Value {
    try location.translatingErrors(busyTimeout) { try queue.inDatabase(body) }
  }

  /// Does as much of some work as possible.
  ///
  /// - Parameter rests: Whether to leave the lock to others after every batch, even if nobody else writes.
  func run<Work: BatchedWork>(
    restingAfterEachBatch rests: Bool = false, _ makeWork: (Database) -> Work,
    progress: (Work) -> Void
  ) -> BatchOutcome<Work> {
    var outcome = BatchOutcome<Work>()
    do {
      try location.translatingErrors(busyTimeout) {
        try queue.writeWithoutTransaction { database in
          // SQLite's own waiting would hide that another program has the lock.
          sqlite3_busy_timeout(database.sqliteConnection, 0)
          let runner = BatchRunner<Work>(
            database, busyTimeout: busyTimeout,
            log: try LogKeeper(database, path: location.path, timeout: busyTimeout),
            pacing: LockPacing(location, keepsReadersOut: rests), holdObserver: holdObserver)
          outcome.work = makeWork(database)
          try runner.run(&outcome, progress: progress)
        }
      }
    } catch {
      outcome.problem = error
    }
    return outcome
  }
}

/// Runs batches so short that an app that saves at the same time waits a fraction of a second at most.
private final class BatchRunner<Work: BatchedWork> {
  private let database: Database
  private let log: LogKeeper
  private let busyTimeout: Double
  private var pacing: LockPacing
  private let holdObserver: BatchHold.Observer?
  /// Whether the disk was full, so that each step becomes a batch of its own.
  private var isSpaceShort = false
  /// The time a commit takes, as a multiple of the time spent on what it commits.
  private var commitShare = 1.0

  init(
    _ database: Database, busyTimeout: Double, log: LogKeeper, pacing: LockPacing,
    holdObserver: BatchHold.Observer?
  ) {
    self.database = database
    self.busyTimeout = busyTimeout
    self.log = log
    self.pacing = pacing
    self.holdObserver = holdObserver
  }

  func run(_ outcome: inout BatchOutcome<Work>, progress: (Work) -> Void) throws {
    defer { log.settle() }
    guard var work = outcome.work else { return }
    while true {
      try work.prepare()
      guard work.hasStep else { return }
      if outcome.batchCount > 0 { try log.keepShort() }
      pacing.yield(
        version: try patiently {
          try StatementRunner(database).integer("PRAGMA data_version") ?? 0
        })
      defer { holdObserver?(false) }
      try patiently { try runWithinSpace(&work, &outcome) }
      outcome.work = work
      progress(work)
    }
  }

  /// Retries while the store is locked, up to the busy timeout.
  private func patiently<Result>(_ body: () throws -> Result) throws -> Result {
    try retryingWhileBusy(
      for: busyTimeout, every: LockPacing.pollInterval, whenBusy: { pacing.noticeLock() }, body)
  }

  /// Runs a batch; if the disk is full, a small one that fits into the space of the log.
  ///
  /// A full disk may be the reason to prune.
  private func runWithinSpace(_ work: inout Work, _ outcome: inout BatchOutcome<Work>) throws {
    do {
      try runBatch(&work, &outcome)
    } catch let error as DatabaseError where error.resultCode == .SQLITE_FULL {
      guard try log.reuseSpace() || !isSpaceShort else { throw error }
      isSpaceShort = true
      try runBatch(&work, &outcome)
    }
  }

  private func runBatch(_ work: inout Work, _ outcome: inout BatchOutcome<Work>) throws {
    let longest =
      outcome.batchCount == 0
      ? LockPacing.firstHold
      : pacing.isShared ? LockPacing.hold.shared : LockPacing.hold.alone
    let hold = isSpaceShort ? 0 : longest
    var next = work
    try database.beginTransaction(.immediate)
    holdObserver?(true)
    let start = ContinuousClock.now
    do {
      try next.checkStore()
      repeat {
        try next.takeStep()
      } while next.hasStep && start.secondsAgo < hold / (1 + commitShare)
      let working = start.secondsAgo
      try commit(since: start)
      let held = start.secondsAgo
      // One slow commit says little about the next one.
      commitShare = 0.7 * commitShare + 0.3 * min((held - working) / max(working, 0.000_1), 4)
      outcome.longestLock = max(outcome.longestLock, held)
    } catch {
      // The error that ended the batch is the one to report; SQLite may have rolled back already.
      try? database.rollback()
      // Waiting for another turn can take long.
      holdObserver?(false)
      throw error
    }
    work = next
    outcome.batchCount += 1
  }

  /// Commits; in a store with a rollback journal, after its readers have finished.
  private func commit(since start: ContinuousClock.Instant) throws {
    try retryingWhileBusy(
      for: LockPacing.longestHold, since: start, every: 0.002,
      whenBusy: { pacing.noticeLock() }
    ) { try database.commit() }
  }
}

extension DatabaseError {
  var isBusy: Bool { resultCode == .SQLITE_BUSY || resultCode == .SQLITE_LOCKED }
}

/// Runs a body until the store is not busy, or until some seconds have passed since an instant.
func retryingWhileBusy<Result>(
  for timeout: Double, since start: ContinuousClock.Instant = .now, every interval: Double,
  whenBusy: () -> Void = {}, _ body: () throws -> Result
) throws -> Result {
  while true {
    do {
      return try body()
    } catch let error as DatabaseError where error.isBusy {
      whenBusy()
      guard start.secondsAgo < timeout else { throw error }
      Pause.take(seconds: interval)
    }
  }
}

/// Reports when a batch holds a store's write lock, so that a signal can wait until the caller knows
/// the result of the batch.
///
/// A batch takes some hundredths of a second. A program that ends in the middle of one cannot say
/// whether SQLite has committed it.
package enum BatchHold {
  /// Receives the beginning and the end of each hold. An object, because an optimized program crashes on a task-local closure.
  package final class Observer: Sendable {
    private let report: @Sendable (_ isHeld: Bool) -> Void

    /// - Parameter report: Called with `true` when a batch has taken the write lock, and with `false` when the caller
    ///   knows how the batch ended.
    package init(_ report: @escaping @Sendable (_ isHeld: Bool) -> Void) { self.report = report }

    func callAsFunction(_ isHeld: Bool) { report(isHeld) }
  }

  /// The observer of the stores that the present task or thread opens.
  @TaskLocal package static var observer: Observer?
}
