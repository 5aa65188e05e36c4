import StoreFormat

/// Saves of one author that follow each other closely.
package struct HistorySession: Hashable, Sendable {
  /// The author; `nil` for saves without one.
  package let author: RecordedText?
  /// The earliest time.
  package internal(set) var start: StoreTimestamp
  /// The latest time.
  package internal(set) var end: StoreTimestamp
  /// The number of its first transaction.
  package let first: Int64
  /// The number of its last transaction.
  package internal(set) var last: Int64
  package internal(set) var transactions: Int64
  package internal(set) var changes: Int64

  /// The seconds from the first to the last save.
  package var seconds: Double {
    end.secondsSinceReferenceDate - start.secondsSinceReferenceDate
  }
}

/// Reads the sessions of a history, in the order of their start.
///
/// A session ends when its author has not saved for a given time, or when the clock was set to before it.
///
/// Memory does not grow with the history: only sessions that have not ended are kept, at most
/// ``HistoryStatistics/maxGroups`` of them, and those that wait for an earlier one to end. If
/// more than 10,000 wait, they are returned before it.
package final class HistorySessionReader {
  /// The transactions without a usable time, which belong to no session.
  package private(set) var withoutTime: Int64 = 0
  /// The gaps in the selected range.
  package let gaps: [HistoryGap]

  private let reader: TimelineReader
  private let pause: Double
  private let usable: ClosedRange<StoreTimestamp>
  private var isAtEnd = false

  private var open: [TextKey: HistorySession] = [:]
  /// A time before which no open session has ended.
  private var nextEnd = Double.infinity
  private var ended: [HistorySession] = []
  /// The number of ended sessions at which to look for those that can be returned.
  private var sortingCount = minSortingCount
  /// The sessions to return next, the last one first.
  private var ready: [HistorySession] = []

  private static let minSortingCount = 256
  private static let maxWaitingCount = 10_000

  /// Prepares to read.
  ///
  /// - Parameters:
  ///   - timeline: The history.
  ///   - query: Which transactions count.
  ///   - schema: Its entities.
  ///   - pause: The seconds without a save after which a session has ended.
  ///   - now: The present time, to recognize times in the future.
  /// - Throws: As ``TimelineReader``.
  package init(
    _ timeline: HistoryTimeline, query: HistoryQuery = HistoryQuery(), schema: HistorySchema,
    pause: Double, now: StoreTimestamp = .now()
  ) throws {
    var query = query
    query.order = .ascending
    reader = try TimelineReader(timeline, query: query, schema: schema)
    gaps = try timeline.gaps(after: query.after, until: query.until)
    self.pause = pause
    usable = StoreTimestamp.usable(newest: try timeline.newestTransaction()?.timestamp, now: now)
  }

  /// Goes to the next session; `nil` after the last one.
  package func next() throws -> HistorySession? {
    while ready.isEmpty, !isAtEnd {
      switch try reader.nextElement() {
      case .transaction(let transaction)?:
        add(transaction, changes: Int64(try reader.countChanges().count))
      case .gap?: continue
      case nil:
        isAtEnd = true
        ended += open.values
        open = [:]
        makeReady()
      }
    }
    return ready.popLast()
  }

  private func add(_ transaction: HistoryTransaction, changes: Int64) {
    guard let time = transaction.timestamp, usable.contains(time) else {
      withoutTime += 1
      return
    }
    let seconds = time.secondsSinceReferenceDate
    if seconds >= nextEnd { endSessions(before: seconds) }
    let key = TextKey(transaction.author)
    if var session = open[key], contains(seconds, session) {
      session.start = min(session.start, time)
      session.end = max(session.end, time)
      session.last = transaction.number
      session.transactions += 1
      session.changes += changes
      open[key] = session
    } else {
      if let session = open.removeValue(forKey: key) { ended.append(session) }
      if open.count == HistoryStatistics.maxGroups { endOldestSession() }
      open[key] = HistorySession(
        author: key.text, start: time, end: time, first: transaction.number,
        last: transaction.number, transactions: 1, changes: changes)
      nextEnd = min(nextEnd, seconds + pause)
    }
    if ended.count >= sortingCount { makeReady() }
  }

  /// Whether a time lies in a session or so near to it that it continues the session.
  private func contains(_ seconds: Double, _ session: HistorySession) -> Bool {
    seconds < session.end.secondsSinceReferenceDate + pause
      && seconds > session.start.secondsSinceReferenceDate - pause
  }

  private func endSessions(before seconds: Double) {
    nextEnd = .infinity
    for (key, session) in open {
      let end = session.end.secondsSinceReferenceDate + pause
      if end <= seconds {
        ended.append(session)
        open[key] = nil
      } else {
        nextEnd = min(nextEnd, end)
      }
    }
  }

  private func endOldestSession() {
    guard let oldest = open.min(by: { $0.value.end < $1.value.end }) else { return }
    ended.append(oldest.value)
    open[oldest.key] = nil
  }

  /// Finds the ended sessions that no open one precedes.
  private func makeReady() {
    ended.sort { ($0.start, $0.first) < ($1.start, $1.first) }
    let limit = open.values.map(\.start).min()
    let count =
      ended.count > Self.maxWaitingCount
      ? ended.count
      : limit.map { limit in ended.firstIndex { $0.start > limit } ?? ended.count } ?? ended.count
    ready = ended[..<count].reversed()
    ended.removeFirst(count)
    sortingCount = max(Self.minSortingCount, 2 * ended.count)
  }
}
