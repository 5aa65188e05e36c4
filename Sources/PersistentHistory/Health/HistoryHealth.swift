import StoreFormat

/// The size, age and bookmarks of a history, and which of them exceed given limits.
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
  package let storeIdentifier: String?
  /// The size of all pages of the store in bytes.
  package let storeByteCount: Int64
  /// The size of its free pages in bytes.
  package let freeByteCount: Int64
  /// The size of the pages of the history in bytes, or `nil` if SQLite cannot tell.
  package let historyByteCount: Int64?
  package let transactionCount: Int64
  package let oldest: TransactionPosition?
  package let newest: TransactionPosition?
  /// The progress of the mirror in CloudKit, or `nil` if the store is not mirrored.
  package let mirroring: MirroringState?
  /// The state of the bookmarks, in the given order.
  package let bookmarks: [BookmarkStatus]
  /// What exceeds the limits, damage, and bookmarks that do not work.
  package private(set) var findings: [HistoryFinding] = []
  /// What is wrong with the end of the write-ahead log if a save there is not whole, which is no finding.
  package let unfinishedLog: String?

  /// - Parameters:
  ///   - bookmarkProblem: Why the bookmarks cannot be read, which is a finding.
  ///   - logProblem: What is damaged in the write-ahead log, which is a finding.
  ///   - now: The moment that durations count from.
  /// - Throws: ``HistoryError/unknownSize(path:)`` if the size has a limit and cannot be known, and
  ///   ``/StoreFormat/StoreError``.
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
    mirroring = try MirroringState(snapshot: snapshot)
    let statuses = try BookmarkStatus.statuses(
      of: bookmarks, in: snapshot, limit: limits.allowance, retention: limits.retention, now: now)
    self.bookmarks = statuses.filter {
      if limits.ignoresBookmarksOfOtherStores, case .foreign = $0.token.state {
        false
      } else {
        true
      }
    }

    let damage = try EvidentDamage(of: snapshot)
    unfinishedLog = damage.unfinishedLog
    self.findings =
      try exceeded(limits, now, path: snapshot.location.path)
      + self.damage(damage, of: snapshot, logProblem)
      + [bookmarkProblem.map(HistoryFinding.unreadableBookmarks)].compactMap { $0 }
      + self.bookmarks.compactMap { Self.finding($0, limits, now) }
  }

  /// Returns what exceeds the limits, bookmarks left aside.
  private func exceeded(
    _ limits: HistoryLimits, _ now: StoreTimestamp, path: String
  ) throws -> [HistoryFinding] {
    var findings: [HistoryFinding] = []
    if let limit = limits.maxSize {
      guard let bytes = historyByteCount else {
        throw HistoryError.unknownSize(path: path)
      }
      if bytes > limit { findings.append(.tooLarge(bytes: bytes, limit: limit)) }
    }
    // Pruning always keeps the newest transaction, however old it is.
    if let limit = limits.maxAge, let oldest, let time = oldest.timestamp,
      time < limit.before(now), oldest.number != newest?.number
    {
      findings.append(.tooOld(oldest: oldest, limit: limit))
    }
    if limits.maxExportFailure != nil, case .unreadable(let reason)? = mirroring?.activities {
      findings.append(.unreadableMirroring(reason: reason))
    }
    if let limit = limits.maxExportFailure, let failures = mirroring?.failedExports,
      failures.since.map({ $0 < limit.before(now) }) ?? true
    {
      findings.append(.failingExport(failures, limit: limit))
    }
    return findings
  }

  private func damage(
    _ damage: EvidentDamage, of snapshot: StoreSnapshot, _ logProblem: String?
  ) throws -> [HistoryFinding] {
    var findings = [logProblem.map(HistoryFinding.damagedLog)].compactMap { $0 }
    findings += damage.findings.compactMap {
      $0.isOfLog && logProblem != nil ? nil : .damaged($0)
    }
    if let missing = try MissingChanges(in: snapshot, transactionCount: transactionCount) {
      findings.append(.missingChanges(missing))
    }
    return findings
  }

  private static func finding(
    _ status: BookmarkStatus, _ limits: HistoryLimits, _ now: StoreTimestamp
  ) -> HistoryFinding? {
    guard status.token.state == .valid else { return .unusableBookmark(status) }
    if status.isLost, let allowance = limits.allowance {
      return .lostBookmark(status, allowance: allowance)
    }
    guard let headroom = status.headroom else { return nil }
    let minimum = limits.minHeadroom.map {
      now.secondsSinceReferenceDate - $0.before(now).secondsSinceReferenceDate
    }
    return headroom == .exhausted || minimum.map { headroom < .seconds($0) } ?? false
      ? .shortHeadroom(status, limit: limits.minHeadroom) : nil
  }
}

/// The limits that a history is checked against. Without any, only damage and bookmarks that do not work
/// are found.
package struct HistoryLimits: Hashable, Sendable {
  /// The maximum size of the history's pages in bytes.
  package var maxSize: Int64?
  /// The maximum age of the oldest transaction, unless it is the newest as well.
  package var maxAge: HistoryDuration?
  /// The maximum time for which uploads to CloudKit may fail.
  package var maxExportFailure: HistoryDuration?
  /// The minimum time that each bookmark must keep working under the retention.
  package var minHeadroom: HistoryDuration?
  /// The retention that headroom is computed for; without it there is none.
  package var retention: BookmarkRetention?
  /// How far a bookmark may fall behind.
  package var allowance: BookmarkAllowance?
  /// Whether to ignore bookmarks of other stores, for a file with those of many stores.
  package var ignoresBookmarksOfOtherStores = false

  package init() {}
}

package enum HistoryFinding: Hashable, Sendable {
  case tooLarge(bytes: Int64, limit: Int64)
  case tooOld(oldest: TransactionPosition, limit: HistoryDuration)
  /// Uploads to CloudKit have failed for too long.
  case failingExport(MirroringActivity.Failures, limit: HistoryDuration)
  /// The log of the mirror in CloudKit, which a limit is about, cannot be read.
  case unreadableMirroring(reason: String)
  /// A bookmark does not work.
  case unusableBookmark(BookmarkStatus)
  /// The consumer of a bookmark has more left to read than is allowed.
  case lostBookmark(BookmarkStatus, allowance: BookmarkAllowance)
  /// A bookmark would expire too soon; without a limit, at once.
  case shortHeadroom(BookmarkStatus, limit: HistoryDuration?)
  case unreadableBookmarks(HistoryError)
  /// A part of the write-ahead log is damaged, so saves after it may be missing.
  case damagedLog(reason: String)
  case damaged(EvidentDamage.Finding)
  /// Most transactions have no changes.
  case missingChanges(MissingChanges)

  /// The name of the finding in JSON.
  package var kind: String {
    switch self {
    case .tooLarge: "tooLarge"
    case .tooOld: "tooOld"
    case .failingExport: "failingExport"
    case .unreadableMirroring: "unreadableMirroring"
    case .unusableBookmark: "unusableBookmark"
    case .lostBookmark: "lostBookmark"
    case .shortHeadroom: "shortHeadroom"
    case .unreadableBookmarks: "unreadableBookmarks"
    case .damagedLog: "damagedLog"
    case .damaged(let finding): finding.kind.rawValue
    case .missingChanges: "missingChanges"
    }
  }

  /// Whether it is damage rather than an exceeded limit.
  package var isDamage: Bool {
    switch self {
    case .damagedLog, .damaged: true
    default: false
    }
  }

  /// The bookmark of the finding, or `nil` if it is about the history itself.
  package var bookmark: Bookmark? {
    switch self {
    case .unusableBookmark(let status), .lostBookmark(let status, _),
      .shortHeadroom(let status, _):
      status.bookmark
    case .tooLarge, .tooOld, .failingExport, .unreadableMirroring, .unreadableBookmarks,
      .damagedLog, .damaged,
      .missingChanges:
      nil
    }
  }
}
