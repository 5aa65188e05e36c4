import PersistentHistory
import StoreFormat

/// Checks a store's history and its bookmarks against limits.
package struct HistoryCheck {
  /// What to find out besides the findings.
  package enum Detail: Hashable, Sendable {
    case nothing
    /// The transactions whose values are known.
    case knownValues
    /// What changes how often.
    case statistics
  }

  /// The findings, and the detail that was asked for.
  package struct Result: Sendable {
    package let health: HistoryHealth
    /// `nil` if it was not asked for.
    package let knownValues: KnownValues?
    /// `nil` if it was not asked for, or damage prevents it.
    package let statistics: HistoryStatistics?
    /// Why the bookmarks cannot be read, after everything else was checked.
    package let problem: HistoryError?
  }

  private let limits: HistoryLimits
  private let busyTimeout: Double
  private let bookmarkPath: String?
  private let now: StoreTimestamp

  /// - Parameters:
  ///   - limits: What to check.
  ///   - busyTimeout: Seconds to wait for a locked store.
  ///   - bookmarkPath: The file that keeps the bookmarks; `nil` for the one beside each store.
  ///   - now: The moment that durations are relative to.
  package init(
    _ limits: HistoryLimits, busyTimeout: Double, bookmarkPath: String?, now: StoreTimestamp
  ) {
    self.limits = limits
    self.busyTimeout = busyTimeout
    self.bookmarkPath = bookmarkPath
    self.now = now
  }

  /// Checks a store.
  ///
  /// - Throws: The errors of reading the store.
  package func run(_ path: String, _ detail: Detail) throws -> Result {
    let logProblem = StoreReading.logProblem(of: path)
    return try StoreFile.leavingNothing(path, busyTimeout: busyTimeout).read { snapshot in
      let (bookmarks, problem) = BookmarkFile.readable(
        named: bookmarkPath, beside: snapshot.location)
      let health = try HistoryHealth(
        snapshot: snapshot, bookmarks: bookmarks, bookmarkProblem: problem, logProblem: logProblem,
        limits: limits, now: now)
      // `verify` reports recorded values that cannot be used, and the damage that hides statistics.
      return Result(
        health: health,
        knownValues: detail == .knownValues
          ? try KnownValues(snapshot, try? RecordedValues(beside: snapshot)) : nil,
        statistics: detail == .statistics
          ? try? HistoryStatistics(snapshot: snapshot, now: now) : nil, problem: problem)
    }
  }
}
