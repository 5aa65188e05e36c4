import HistoryArchive
import HistoryCoding
import PersistentHistory
import StoreFormat
import SystemPackage

/// The data of one history for a page.
struct ReportHistory {
  let statistics: HistoryStatistics
  let transactions: ReportTransactions

  let name: String
  let timeline: HistoryTimeline
  let isRedacted: Bool
  let maxTransactions: Int
  /// The error of a history that could be read only in part; `nil` for none.
  let problem: String?
  private(set) var facts: [(String, String)]
  let sizes: JSONValue
  private(set) var notices: [StoreNotice]
  let bookmarks: [JSONValue]

  init(
    _ timeline: HistoryTimeline, query: HistoryQuery, report: HistoryReport,
    input: HistoryInput, name: String, logProblem: String?, byteLimit: Int
  ) throws {
    self.timeline = timeline
    self.name = name
    let (observer, now) = (input.context.observer, input.context.now)
    isRedacted = report.isRedacted
    maxTransactions = report.maxTransactions
    let schema = try timeline.schema(
      timeline.snapshot.map {
        try StoreReading.warnOfModel(in: $0, observer: observer)
        return try HistorySchema($0)
      })
    var query = query
    try query.deriveValues(in: timeline, schema: schema)
    var problem: StoreError?
    statistics = try Self.tolerating(&problem) {
      try Self.count(query, timeline, schema, now: now)
    } otherwise: {
      var tolerant = query
      tolerant.checksCompleteness = false
      return try Self.count(tolerant, timeline, schema, now: now)
    }
    var list = ReportTransactions(byteLimit: byteLimit, isRedacted: report.isRedacted)
    if report.maxTransactions > 0 {
      let newest = Self.newest(query, report)
      try Self.tolerating(&problem) {
        try list.read(TimelineReader(timeline, query: newest, schema: schema))
      } otherwise: {
      }
    }
    transactions = list
    if let problem {
      observer(.warning(kind: "damaged", problem.message, hint: problem.remedy, isDamage: true))
    }
    self.problem = problem?.message
    (facts, sizes, notices, bookmarks) =
      if let snapshot = timeline.snapshot {
        try Self.state(
          of: snapshot, timeline, input, statistics, logProblem: logProblem)
      } else {
        try Self.state(ofArchive: timeline, at: input.path)
      }
    if let message = query.valueSearch?.result.message(on: query) {
      notices.add("unknownValues", message)
    }
  }

  // MARK: - Reading

  /// Reads what can be read of a damaged store.
  ///
  /// - Parameter problem: The first damage; set if there is one.
  private static func tolerating<Result>(
    _ problem: inout StoreError?, _ read: () throws -> Result, otherwise: () throws -> Result
  ) throws -> Result {
    do {
      return try read()
    } catch let error as StoreError {
      guard case .damaged = error else { throw error }
      problem = problem ?? error
      return try otherwise()
    }
  }

  private static func count(
    _ query: HistoryQuery, _ timeline: HistoryTimeline, _ schema: HistorySchema,
    now: StoreTimestamp
  ) throws -> HistoryStatistics {
    try HistoryStatistics(
      timeline, query: query, schema: schema, unit: .month, clock: .universal, now: now,
      plots: true)
  }

  /// Returns the query of the transactions that the page lists.
  private static func newest(
    _ query: HistoryQuery, _ report: HistoryReport
  ) -> HistoryQuery {
    var newest = query
    newest.order = .descending
    newest.limit = report.maxTransactions
    newest.limitKeepsNewest = true
    newest.valueSearch = nil
    if report.isRedacted {
      newest.recordedValues = nil
      newest.omitsRecordedValues = true
    }
    return newest
  }

  private typealias State = (
    facts: [(String, String)], sizes: JSONValue, notices: [StoreNotice], bookmarks: [JSONValue]
  )

  private static func state(
    of snapshot: StoreSnapshot, _ timeline: HistoryTimeline, _ input: HistoryInput,
    _ statistics: HistoryStatistics, logProblem: String?
  ) throws -> State {
    let mirroring = try MirroringState(snapshot: snapshot)
    let (bookmarks, problem) = BookmarkFile.readable(
      named: input.context.bookmarkPath, beside: snapshot.location)
    let statuses = try BookmarkStatus.statuses(of: bookmarks, in: snapshot, now: input.context.now)
    var notices = try [StoreNotice](
      on: snapshot, reach: HistoryReach(of: snapshot), mirroring: mirroring, logProblem: logProblem)
    notices.add("unreadableBookmarks", problem?.message)
    for status in statuses where status.token.state != .valid {
      notices.add(
        "bookmark", "the bookmark \(status.bookmark.name) is \(status.token.state.name)")
    }
    let sizes = JSONValue.object(of: [
      "store": try snapshot.storeByteCount(), "free": try snapshot.freeByteCount(),
      "log": try? snapshot.location.logSize(), "history": statistics.size?.pageByteCount,
      "archive": try archiveByteCount(of: timeline, at: input.archivePath),
    ])
    return (try facts(of: snapshot, mirroring), sizes, notices, statuses.map(json))
  }

  private static func state(
    ofArchive timeline: HistoryTimeline, at path: String
  ) throws -> State {
    var notices: [StoreNotice] = []
    notices.add(
      "missingBeginning",
      try timeline.missingBeginning().map { "history before number \($0.oldest ?? 0) is not here" })
    let sizes = JSONValue.object(of: ["archive": try archiveByteCount(of: timeline, at: path)])
    return ([], sizes, notices, [])
  }

  // MARK: - Facts

  /// Adds the digests of the store's files.
  mutating func add(_ digests: DigestComparison) {
    for file in digests.files {
      let name = "SHA-256 of \(FilePath(file.path).lastComponent?.string ?? file.path)"
      if file.isUnchanged {
        facts.append((name, "\(file.after?.digest ?? "") before and after reading"))
      } else {
        facts.append((name + " before reading", file.before?.digest ?? "no file"))
        facts.append((name + " after reading", file.after?.digest ?? "no file"))
      }
    }
    notices.add("changedFiles", digests.notice)
  }

  private static func facts(
    of snapshot: StoreSnapshot, _ mirroring: MirroringState?
  ) throws -> [(String, String)] {
    let metadata = snapshot.metadata
    let origin = StoreOrigin(model: try snapshot.modelCache().model, metadata: metadata)
    var facts = [("written by", origin.text(metadata.frameworkVersion))]
    if !metadata.modelVersionIdentifiers.isEmpty {
      facts.append(("model version", metadata.modelVersionIdentifiers.joined(separator: ", ")))
    }
    facts.append(("entities", "\(snapshot.entities.modelEntries.count)"))
    if let mirroring {
      facts.append(
        (
          "mirrored",
          "to CloudKit"
            + (mirroring.token?.number.map { ", history read up to \($0)" } ?? "")
            + (mirroring.exports.map {
              ", \($0.pendingCount) of \($0.recordCount) records pending"
            } ?? "")
        ))
    }
    return facts
  }

  private static func archiveByteCount(
    of timeline: HistoryTimeline, at path: String?
  ) throws -> Int64? {
    guard let path, timeline.archive != nil, Archive.isArchive(path) else { return nil }
    return try ArchiveOverview(Archive(path: path)).stores
      .first { $0.identifier == timeline.storeIdentifier }?.byteCount
  }

  private static func json(_ status: BookmarkStatus) -> JSONValue {
    .object(of: [
      "name": status.bookmark.name, "state": status.token.state.name,
      "token": status.bookmark.token.description,
      "transaction": status.token.number?.reportJSON,
      "time": status.bookmark.timestamp.map { Optional($0).reportJSON },
      "transactionsBehind": status.lag?.transactions, "changesBehind": status.lag?.changes,
      "unreadSince": status.lag?.unreadSince.map { Optional($0).reportJSON },
    ])
  }
}
