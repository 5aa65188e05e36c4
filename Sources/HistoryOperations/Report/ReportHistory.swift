import HistoryArchive
import HistoryCoding
import PersistentHistory
import StoreEditing
import StoreFormat

/// What a page says of one history.
struct ReportHistory {
  let statistics: HistoryStatistics
  let transactions: ReportTransactions

  private let name: String
  private let timeline: HistoryTimeline
  private let isRedacted: Bool
  private let maxTransactions: Int
  /// Why not everything could be read.
  private let problem: String?
  private let facts: [(String, String)]
  private let sizes: JSONValue
  private let notices: [StoreNotice]
  private let bookmarks: [JSONValue]

  /// The maximum number of names in a rank list, and in a plot.
  private static let maxRanks = 100
  private static let maxNames = 8
  /// The sizes that the forecast is about, in MiB.
  private static let forecastSizes: [Int64] = [1, 10, 100, 1024, 10 * 1024, 100 * 1024]

  init(
    _ timeline: HistoryTimeline, query: HistoryQuery, request: HistoryReport.Request,
    source: HistoryReport.Source, name: String, logProblem: String?, byteLimit: Int,
    observer: OperationObserver
  ) throws {
    self.timeline = timeline
    self.name = name
    isRedacted = request.isRedacted
    maxTransactions = request.maxTransactions
    var problem: String?
    /// Shows what can be read of a damaged store, and reports the damage.
    func tolerating<Result>(
      _ read: () throws -> Result, otherwise: () throws -> Result
    ) throws -> Result {
      do {
        return try read()
      } catch let error as StoreError {
        guard case .damaged = error else { throw error }
        if problem == nil {
          observer(
            .warning(
              OperationWarning(
                kind: "damaged", message: error.message, hint: error.remedy, isDamage: true)))
        }
        problem = error.message
        return try otherwise()
      }
    }
    let schema = try timeline.schema(
      timeline.snapshot.map {
        try StoreReading.warnOfModel(in: $0, observer: observer)
        return try HistorySchema($0)
      })
    func count(_ query: HistoryQuery) throws -> HistoryStatistics {
      try HistoryStatistics(
        timeline, query: query, schema: schema, unit: .month, clock: .universal, now: request.now,
        plots: true)
    }
    statistics = try tolerating {
      try count(query)
    } otherwise: {
      var tolerant = query
      tolerant.checksCompleteness = false
      return try count(tolerant)
    }
    var list = ReportTransactions(byteLimit: byteLimit, isRedacted: request.isRedacted)
    if request.maxTransactions > 0 {
      var newest = query
      newest.order = .descending
      newest.limit = request.maxTransactions
      newest.limitKeepsNewest = true
      if request.isRedacted {
        newest.recordedValues = nil
        newest.omitsRecordedValues = true
      }
      try tolerating {
        try list.read(TimelineReader(timeline, query: newest, schema: schema))
      } otherwise: {
      }
    }
    transactions = list
    self.problem = problem

    if let snapshot = timeline.snapshot {
      let mirroring = try MirroringState(snapshot: snapshot)
      facts = try Self.facts(of: snapshot, mirroring)
      let path =
        source.bookmarkPath ?? BookmarkFile.path(besideStore: snapshot.location.resolvedPath)
      let (bookmarks, bookmarkProblem) = BookmarkFile.readable(in: path)
      let standings = try BookmarkStanding.standings(of: bookmarks, in: snapshot, now: request.now)
      self.bookmarks = standings.map(Self.json)
      notices =
        try StoreNotice.notices(
          on: snapshot, reach: HistoryReach(of: snapshot), mirroring: mirroring,
          logProblem: logProblem)
        + (bookmarkProblem.map { [StoreNotice(kind: "unreadableBookmarks", text: $0.message)] }
          ?? []) + Self.notices(on: standings)
      sizes = .object(of: [
        "store": try snapshot.storeByteCount(), "free": try snapshot.freeByteCount(),
        "log": try? snapshot.location.logSize(), "history": statistics.size?.pageByteCount,
        "archive": try Self.archiveByteCount(of: timeline, at: source.archivePath),
      ])
    } else {
      (facts, bookmarks) = ([], [])
      notices =
        try timeline.missingBeginning().map {
          [
            StoreNotice(
              kind: "missingBeginning",
              text: "history before number \($0.oldest ?? 0) is not here")
          ]
        } ?? []
      sizes = .object(of: [
        "archive": try Self.archiveByteCount(of: timeline, at: source.path)
      ])
    }
  }

  // MARK: - Facts

  private static func facts(
    of snapshot: StoreSnapshot, _ mirroring: MirroringState?
  ) throws -> [(String, String)] {
    let metadata = snapshot.metadata
    let version = metadata.frameworkVersion.map { version in
      " (framework \(version.number)" + (version.system.map { ", \($0)" } ?? "") + ")"
    }
    let origin = StoreOrigin(model: try snapshot.modelCache().model, metadata: metadata)
    var facts = [("written by", origin.name + (version ?? ""))]
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

  private static func notices(on standings: [BookmarkStanding]) -> [StoreNotice] {
    standings.compactMap { standing in
      guard standing.token.state != .valid else { return nil }
      return StoreNotice(
        kind: "bookmark",
        text: "the bookmark \(standing.bookmark.name) is \(standing.token.state.name)")
    }
  }

  private static func json(_ standing: BookmarkStanding) -> JSONValue {
    .object(of: [
      "name": standing.bookmark.name, "state": standing.token.state.name,
      "token": standing.bookmark.token.description,
      "transaction": standing.token.number?.reportJSON,
      "time": standing.bookmark.timestamp.map { Optional($0).reportJSON },
      "transactionsBehind": standing.lag?.transactions, "changesBehind": standing.lag?.changes,
      "unreadSince": standing.lag?.unreadSince.map { Optional($0).reportJSON },
    ])
  }

  // MARK: - JSON

  func write(to text: inout ReportText) throws {
    var writer = JSONWriter()
    writer.appendRaw("{\"name\":")
    writer.appendString(name)
    writer.append(members: [
      "path": timeline.path, "kind": kind, "store": timeline.storeIdentifier, "problem": problem,
      "facts": facts.map { JSONValue.array([.string($0.0), .string($0.1)]) }, "sizes": sizes,
      "notices": notices.map {
        JSONValue.object(of: [
          "kind": $0.kind, "text": $0.text, "damage": $0.isDamage ? true : nil,
        ])
      }, "bookmarks": bookmarks, "total": row(statistics.total),
      "withoutTime": statistics.withoutTime.isEmpty ? nil : row(statistics.withoutTime),
      "oldest": statistics.oldest.map(Self.json), "newest": statistics.newest.map(Self.json),
      "earliest": statistics.times.map { Optional($0.lowerBound).reportJSON },
      "latest": statistics.times.map { Optional($0.upperBound).reportJSON },
      "gaps": statistics.gaps.map {
        JSONValue.object(of: ["after": $0.after, "oldest": $0.oldest])
      },
      "rates": JSONValue.object(of: [
        "total": statistics.json(statistics.totalRate),
        "last7Days": statistics.lastWeekRate.map(statistics.json),
        "last30Days": statistics.lastMonthRate.map(statistics.json),
      ]), "bytesPerDay": statistics.isWhole ? statistics.bytesPerDay : nil,
      "forecast": statistics.isWhole ? forecast : nil, "ranks": ranks,
    ])
    if let grid = statistics.grid {
      let bins = grid.bins
      write(bins, of: grid, to: &writer)
      writer.appendRaw(",\"stacks\":{")
      write(bins, .author, statistics.authors, to: &writer) { $0?.string }
      write(bins, .bundle, statistics.bundles, to: &writer) { $0?.string }
      write(bins, .process, statistics.processes, to: &writer) { $0?.string }
      write(bins, .entity, statistics.entities, to: &writer) { $0.label }
      write(bins, .kind, statistics.kinds, to: &writer) { $0?.name }
      writer.appendRaw("},\"heat\":{\"utc\":true")
      writer.append("transactions", grid.weekTransactions)
      writer.append("changes", grid.weekChanges)
      writer.appendRaw("}")
    }
    writer.append(members: [
      "texts": transactions.texts.texts, "entities": transactions.entities.texts,
      "sets": transactions.sets, "leftOut": leftOut,
    ])
    writer.appendRaw(",\"transactions\":[")
    try text.write(writer)
    try text.write(transactions.writer)
    writer.removeAll()
    writer.appendRaw("]}")
    try text.write(writer)
  }

  private var kind: String {
    if timeline.snapshot != nil { return "store" }
    return Archive.isArchive(timeline.path) ? "archive" : "lines"
  }

  private func row(_ activity: Activity) -> JSONValue {
    let counts = [
      activity.transactions, activity.changes, activity.inserts, activity.updates,
      activity.deletes, activity.others,
    ]
    return .array(
      counts.map(\.reportJSON) + [statistics.byteCount(of: activity)?.reportJSON ?? .null])
  }

  private static func json(_ position: TransactionPosition) -> JSONValue {
    .object(of: ["number": position.number.reportJSON, "time": position.timestamp.reportJSON])
  }

  private var forecast: [JSONValue] {
    guard let size = statistics.size?.pageByteCount else { return [] }
    return Self.forecastSizes.map { $0 << 20 }.filter { $0 > size }.prefix(3).map { size in
      let state: String
      var days: Double?
      switch GrowthForecast(statistics, byteCount: size) {
      case .reached: state = "reached"
      case .never: state = "never"
      case .inDays(let number): (state, days) = ("ahead", number)
      case nil: state = "unknown"
      }
      return .object(of: ["size": size, "state": state, "days": days])
    }
  }

  private var leftOut: [JSONValue] {
    var list: [JSONValue] = []
    func add(_ kind: String, _ count: Int64?, _ text: String) {
      list.append(.object(of: ["kind": kind, "count": count, "text": text]))
    }
    let older = statistics.total.transactions - transactions.transactionCount
    if older > 0 {
      add(
        "transactions", older,
        "older transactions are counted but not listed: "
          + (transactions.isFull
            ? "the list has the size that a page can hold"
            : "--max-transactions \(maxTransactions)"))
    }
    if transactions.hiddenChangeCount > 0 {
      add(
        "changes", transactions.hiddenChangeCount,
        "changes of large transactions are counted but not listed")
    }
    if transactions.shortenedCount > 0 {
      add("values", transactions.shortenedCount, "long values are shortened")
    }
    if isRedacted { add("redacted", nil, "values and tombstones were left out") }
    if let hours = statistics.grid?.hours, hours > 1 {
      add("hours", nil, "activity is counted in steps of \(hours) hours")
    }
    return list
  }

  // MARK: - Ranks

  private var ranks: JSONValue {
    .object(of: [
      "author": rank(statistics.authors) { $0?.string },
      "bundle": rank(statistics.bundles) { $0?.string },
      "process": rank(statistics.processes) { $0?.string },
      "entity": rank(statistics.entities) { $0.label },
      "kind": rank(statistics.kinds) { $0?.name }, "attribute": attributeRank,
    ])
  }

  private func rank<Key>(
    _ ranking: ActivityRanking<Key>, _ name: (Key) -> String?
  ) -> JSONValue {
    let (groups, rest) = ranking.top(Self.maxRanks)
    return .object(of: [
      "rows": groups.map { group -> JSONValue in
        guard case .array(let row) = row(group.activity) else { return .null }
        return .array([Self.json(name(group.key))] + row)
      },
      "more": rest.map {
        JSONValue.object(of: [
          "count": $0.groupCount ?? JSONValue.null, "row": row($0.activity),
        ])
      },
    ])
  }

  private static func json(_ name: String?) -> JSONValue {
    name.map { .string(TextList.shortened($0)) } ?? .null
  }

  private var attributeRank: JSONValue {
    let ranking = statistics.attributes?.ranking ?? []
    let overflow = statistics.attributes?.overflow ?? 0
    let hidden = ranking.dropFirst(Self.maxRanks)
    return .object(of: [
      "rows": ranking.prefix(Self.maxRanks).map {
        JSONValue.array([
          Self.json($0.name.entity), Self.json($0.name.attribute), $0.updates.reportJSON,
        ])
      },
      "more": hidden.isEmpty && overflow == 0
        ? nil
        : JSONValue.object(of: [
          "count": overflow == 0 ? hidden.count : JSONValue.null,
          "updates": hidden.reduce(overflow) { $0 + $1.updates },
        ]),
    ])
  }

  // MARK: - Over time

  private func write(_ bins: [ActivityGrid.Bin], of grid: ActivityGrid, to writer: inout JSONWriter)
  {
    writer.appendRaw(",\"bins\":{\"hours\":")
    writer.appendInteger(Int64(grid.hours))
    writer.append("start", differences(bins.map(\.hour)))
    let activities = bins.map(\.activity)
    writer.append("transactions", activities.map(\.transactions))
    writer.append("inserts", activities.map(\.inserts))
    writer.append("updates", activities.map(\.updates))
    writer.append("deletes", activities.map(\.deletes))
    if activities.contains(where: { $0.others > 0 }) {
      writer.append("others", activities.map(\.others))
    }
    if statistics.size != nil {
      writer.append("bytes", activities.map { statistics.byteCount(of: $0) ?? 0 })
    }
    writer.appendRaw("}")
  }

  /// Writes the activity of the most active names in each bin, and of all others together.
  private func write<Key>(
    _ bins: [ActivityGrid.Bin], _ dimension: ActivityGrid.Dimension,
    _ ranking: ActivityRanking<Key>, to writer: inout JSONWriter, _ name: (Key) -> String?
  ) {
    let top = ranking.groups.filter { $0.place < ActivityGrid.otherPlace }.prefix(Self.maxNames)
    var names: [Int: Int] = [:]
    for (index, group) in top.enumerated() { names[group.place] = index }
    let rest = ranking.top(top.count).rest
    let others: JSONValue = rest.map { $0.groupCount?.json ?? .null } ?? 0
    var (places, cells): ([Int], [(name: Int, transactions: Int64, changes: Int64)]) = ([], [])
    for (place, bin) in bins.enumerated() {
      var rest: (transactions: Int64, changes: Int64) = (0, 0)
      var found: [(name: Int, transactions: Int64, changes: Int64)] = []
      for cell in bin.cells where cell.dimension == dimension {
        if let name = names[cell.place] {
          found.append((name, cell.transactions, cell.changes))
        } else {
          rest.transactions += cell.transactions
          rest.changes += cell.changes
        }
      }
      found.sort { $0.name < $1.name }
      if rest.transactions > 0 { found.append((top.count, rest.transactions, rest.changes)) }
      places += found.map { _ in place }
      cells += found
    }
    if dimension != .author { writer.appendRaw(",") }
    writer.appendString("\(dimension)")
    writer.appendRaw(":{\"names\":")
    writer.append(.array(top.map { Self.json(name($0.key)) }))
    writer.append(members: ["others": others])
    writer.append("bin", differences(places))
    writer.append("name", cells.map { Int64($0.name) })
    writer.append("transactions", cells.map(\.transactions))
    writer.append("changes", cells.map(\.changes))
    writer.appendRaw("}")
  }

  private func differences(_ numbers: [Int]) -> [Int64] {
    zip(numbers, [0] + numbers).map { Int64($0 - $1) }
  }
}

extension HistoryStatistics {
  /// Returns the activity a day.
  package func json(_ rate: Rate) -> JSONValue {
    let bytes = bytesPerDay(of: rate.activity, in: rate.days)
    return .object(of: [
      "days": rate.days, "transactionsPerDay": Double(rate.activity.transactions) / rate.days,
      "changesPerDay": Double(rate.activity.changes) / rate.days,
      "bytesPerDay": bytes?.json ?? JSONValue.null,
    ])
  }
}
