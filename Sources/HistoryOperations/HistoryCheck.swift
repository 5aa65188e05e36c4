import PersistentHistory
import StoreFormat

/// Checks a store's history and its bookmarks against limits.
package struct HistoryCheck {
  /// The findings, with the store as it was then.
  package struct Result {
    package let health: HistoryHealth
    package let snapshot: StoreSnapshot
    package let resolver: TokenResolver
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
  /// - Parameter body: Receives the result, also if the bookmarks cannot be read.
  /// - Throws: The error of reading the bookmarks, after everything else was checked, and the errors of
  ///   reading the store.
  package func run(_ path: String, _ body: (Result) throws -> Void) throws {
    let logProblem = StoreReading.logProblem(of: path)
    try StoreFile.leavingNothing(path, busyTimeout: busyTimeout).read { snapshot in
      let (bookmarks, problem) = BookmarkFile.readable(
        named: bookmarkPath, beside: snapshot.location)
      let health = try HistoryHealth(
        snapshot: snapshot, bookmarks: bookmarks, bookmarkProblem: problem, logProblem: logProblem,
        limits: limits, now: now)
      try body(
        Result(
          health: health, snapshot: snapshot,
          resolver: TokenResolver(snapshot: snapshot, bookmarkPath: bookmarkPath, now: now)))
      if let problem { throw problem }
    }
  }
}
