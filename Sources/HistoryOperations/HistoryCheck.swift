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

  /// - Parameter limits: What to check.
  package init(_ limits: HistoryLimits) { self.limits = limits }

  /// Checks a store.
  ///
  /// - Throws: The errors of reading the store.
  package func run(_ context: StoreContext, _ detail: Detail) throws -> Result {
    let logProblem = StoreReading.logProblem(of: context.path)
    let store = try StoreFile.leavingNothing(context.path, busyTimeout: context.busyTimeout)
    return try store.read { snapshot in
      let (bookmarks, problem) = BookmarkFile.readable(
        named: context.bookmarkPath, beside: snapshot.location)
      let health = try HistoryHealth(
        snapshot: snapshot, bookmarks: bookmarks, bookmarkProblem: problem, logProblem: logProblem,
        limits: limits, now: context.now)
      // `verify` reports recorded values that cannot be used, and the damage that hides statistics.
      return Result(
        health: health,
        knownValues: detail == .knownValues
          ? try KnownValues(snapshot, try? RecordedValues(beside: snapshot)) : nil,
        statistics: detail == .statistics
          ? try? HistoryStatistics(snapshot: snapshot, now: context.now) : nil, problem: problem)
    }
  }
}
