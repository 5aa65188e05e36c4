import StoreFormat

/// How a history is: its size, its age, its bookmarks, and what about them is beyond the limits.
///
/// ```swift
/// var limits = HistoryLimits()
/// limits.maxSize = 50 << 20
/// let health = try store.read {
///   try HistoryHealth(
///     snapshot: $0, bookmarks: BookmarkFile(path: bookmarkPath).bookmarks, limits: limits)
/// }
/// guard health.findings.isEmpty else { … }
/// ```
package struct HistoryHealth: Hashable, Sendable {
  /// The identifier of the store.
  package let storeIdentifier: String?
  /// The bytes of all pages of the store.
  package let storeByteCount: Int64
  /// The bytes of those that hold nothing.
  package let freeByteCount: Int64
  /// The bytes of the pages that the history occupies; nil where SQLite cannot tell.
  package let historyByteCount: Int64?
  /// How many transactions there are.
  package let transactionCount: Int64
  /// The oldest transaction.
  package let oldest: TransactionPosition?
  /// The newest transaction.
  package let newest: TransactionPosition?
  /// How the bookmarks stand, in the order in which they were given.
  package let bookmarks: [BookmarkStanding]
  /// What is beyond the limits; bookmarks that do not work are in any case.
  package let findings: [HistoryFinding]

  /// Looks at the history of a store.
  ///
  /// - Parameters:
  ///   - snapshot: The store.
  ///   - bookmarks: Its bookmarks.
  ///   - bookmarkProblem: Why they cannot be read, which is a finding; nil where they can.
  ///   - logProblem: What is damaged of the log, which is a finding; nil where nothing is.
  ///   - limits: What it is held to.
  ///   - now: What durations are relative to.
  /// - Throws: ``HistoryError/unknownSize(path:)`` where the size is limited and cannot be known,
  ///   ``/StoreFormat/StoreError``, also for a store without history tables.
  package init(
    snapshot: StoreSnapshot, bookmarks: [Bookmark], bookmarkProblem: HistoryError? = nil,
    logProblem: String? = nil, limits: HistoryLimits = HistoryLimits(), now: StoreTimestamp = .now()
  ) throws {
    _ = try snapshot.historyTables()
    storeIdentifier = snapshot.metadata.storeIdentifier
    storeByteCount = try snapshot.storeByteCount()
    freeByteCount = try snapshot.freeByteCount()
    historyByteCount = try snapshot.historyByteCount()
    transactionCount = try snapshot.transactionCount()
    oldest = try snapshot.oldestTransaction()
    newest = try snapshot.newestTransaction()
    let standings = try BookmarkStanding.standings(
      of: bookmarks, in: snapshot, limit: limits.allowance, retention: limits.retention, now: now)
    self.bookmarks = standings.filter {
      !(limits.ignoresBookmarksOfOtherStores && $0.isOfOtherStore)
    }

    var findings: [HistoryFinding] = []
    if let limit = limits.maxSize {
      guard let bytes = historyByteCount else {
        throw HistoryError.unknownSize(path: snapshot.location.path)
      }
      if bytes > limit { findings.append(.tooLarge(bytes: bytes, limit: limit)) }
    }
    if let limit = limits.maxAge, let oldest, let time = oldest.timestamp,
      time < limit.before(now)
    {
      findings.append(.tooOld(oldest: oldest, limit: limit))
    }
    if let logProblem { findings.append(.damagedLog(reason: logProblem)) }
    findings += try EvidentDamage(of: snapshot).findings.compactMap {
      $0.isOfLog && logProblem != nil ? nil : .damaged($0)
    }
    if let bookmarkProblem { findings.append(.unreadableBookmarks(bookmarkProblem)) }
    self.findings = findings + self.bookmarks.compactMap { Self.finding($0, limits, now) }
  }

  private static func finding(
    _ standing: BookmarkStanding, _ limits: HistoryLimits, _ now: StoreTimestamp
  ) -> HistoryFinding? {
    guard standing.token.state == .valid else { return .unusableBookmark(standing) }
    if standing.isLost, let allowance = limits.allowance {
      return .lostBookmark(standing, allowance: allowance)
    }
    guard let headroom = standing.headroom else { return nil }
    let least = limits.minHeadroom.map {
      now.secondsSinceReferenceDate - $0.before(now).secondsSinceReferenceDate
    }
    return headroom == .exhausted || least.map { headroom < .seconds($0) } ?? false
      ? .shortHeadroom(standing, limit: limits.minHeadroom) : nil
  }
}

extension BookmarkStanding {
  fileprivate var isOfOtherStore: Bool {
    if case .foreign = token.state { true } else { false }
  }
}
