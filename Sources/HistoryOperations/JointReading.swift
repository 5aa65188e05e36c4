import Libc
import PersistentHistory
import StoreFormat

/// Histories that are open at the same time.
package enum JointReading {
  /// The maximum number of histories. Each that is open takes some files and a part of the stack.
  package static let maxCount = 400
  /// The number of files that an open store takes, at most.
  private static let filesOfStore = 4

  /// Opens several inputs, and reads each in one snapshot.
  ///
  /// - Parameters:
  ///   - inputs: The histories, at most ``maxCount``.
  ///   - failed: Called with the place of an input and its error, and the others are read; an error that it throws
  ///     ends the reading.
  ///   - body: Reads those that could be opened, each with its place.
  /// - Throws: What the closures throw.
  package static func read(
    _ inputs: [HistoryInput], failed: (Int, any Error) throws -> Void,
    _ body: ([(place: Int, timeline: HistoryTimeline, resolver: TokenResolver)]) throws -> Void
  ) throws {
    allowFiles(inputs.count * filesOfStore)
    var opened: [(place: Int, timeline: HistoryTimeline, resolver: TokenResolver)] = []
    // An error of the body is not one of the histories around it.
    var hasBegun = false
    var hasEnded = false
    func open(_ place: Int) throws {
      guard place < inputs.count else {
        hasBegun = true
        try body(opened)
        hasEnded = true
        return
      }
      var isOpen = false
      do {
        try inputs[place].open().read { timeline, _, resolver in
          _ = try timeline.snapshot?.historyTables()
          isOpen = true
          opened.append((place, timeline, resolver))
          try open(place + 1)
        }
      } catch  where !hasBegun || hasEnded {
        try failed(place, error)
        if !isOpen { try open(place + 1) }
      }
    }
    try StoreConnection.$shareCount.withValue(max(inputs.count, 1)) { try open(0) }
  }

  /// Raises the number of files that the process may have open, where that is needed and allowed.
  private static func allowFiles(_ count: Int) {
    var limit = rlimit()
    let needed = rlim_t(count + 100)
    guard getrlimit(fileLimit, &limit) == 0, limit.rlim_cur < needed else { return }
    limit.rlim_cur = min(needed, limit.rlim_max)
    setrlimit(fileLimit, &limit)
  }

  #if canImport(Glibc)
  private static let fileLimit = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
  #else
  private static let fileLimit = RLIMIT_NOFILE
  #endif
}
