import HistoryCoding
import PersistentHistory
import StoreFormat

/// What there is to say of a history's activity: one value for text, JSON and CSV.
struct StatsReport {
  /// A list of who or what was active, cut to the busiest.
  struct Section {
    /// What the list is of: `author`.
    let name: String
    /// More than one of it.
    let plural: String
    let rows: [Row]
    let rest: Rest?
  }

  /// What a list leaves out.
  struct Rest {
    /// How many; nil where they were too many to be told apart.
    let count: Int?
    let activity: Activity
  }

  /// One line of a list.
  struct Row {
    /// Who or what; nil for nobody.
    let key: String?
    let activity: Activity
  }

  /// How fast the history grew in a time.
  struct Rate {
    let days: Double
    let activity: Activity
  }

  let path: String
  let store: String?
  /// The archive that was read as well.
  let archive: String?
  let now: StoreTimestamp
  let statistics: HistoryStatistics
  let sections: [Section]
  /// The size that was asked about.
  let size: Int64?

  init(
    timeline: HistoryTimeline, statistics: HistoryStatistics, top: Int, size: Int64?,
    now: StoreTimestamp
  ) {
    path = timeline.path
    store = timeline.storeIdentifier
    archive = timeline.snapshot == nil ? nil : timeline.archive?.path
    self.now = now
    self.statistics = statistics
    self.size = size
    func section<Key>(
      _ name: String, _ plural: String, _ ranking: ActivityRanking<Key>,
      top: Int = top, _ text: (Key) -> String?
    ) -> Section {
      let (groups, rest) = ranking.top(top)
      return Section(
        name: name, plural: plural,
        rows: groups.map { Row(key: text($0.key), activity: $0.activity) },
        rest: rest.map { Rest(count: $0.groupCount, activity: $0.activity) })
    }
    sections = [
      section("author", "authors", statistics.authors) { $0?.string },
      section("bundle", "bundles", statistics.bundles) { $0?.string },
      section("process", "processes", statistics.processes) { $0?.string },
      section("entity", "entities", statistics.entities) { $0.label },
      section("kind", "kinds", statistics.kinds, top: .max) { $0?.name },
    ]
  }

  var total: Rate { Rate(days: statistics.dayCount, activity: statistics.total) }
  var lastWeek: Rate? { statistics.lastWeek.map { Rate(days: 7, activity: $0) } }
  var lastMonth: Rate? { statistics.lastMonth.map { Rate(days: 30, activity: $0) } }
  var forecast: GrowthForecast? { size.flatMap { GrowthForecast(statistics, byteCount: $0) } }

  // MARK: - JSON

  /// The report as one JSON object.
  var json: JSONValue {
    var members = JSONMembers.start("stats") + [("path", .string(path))]
    if let store { members.append(("store", .string(store))) }
    if let archive { members.append(("archive", .string(archive))) }
    members += [
      ("by", .string(statistics.unit.rawValue)),
      ("clock", .string(statistics.clock == .universal ? "utc" : "local")),
      ("historyBytes", statistics.size.map { .integer($0.pageByteCount) } ?? .null),
    ]
    members += self.members(statistics.total)
    members += [
      ("oldest", statistics.oldest?.json ?? .null), ("newest", statistics.newest?.json ?? .null),
      ("earliest", time(statistics.times?.lowerBound)),
      ("latest", time(statistics.times?.upperBound)),
      ("rate", rate(total)), ("last7Days", lastWeek.map(rate) ?? .null),
      ("last30Days", lastMonth.map(rate) ?? .null),
    ]
    if size != nil { members.append(("forecast", forecastJSON)) }
    if !statistics.gaps.isEmpty {
      members.append(("gaps", .array(statistics.gaps.map { .object($0.members) })))
    }
    members.append(
      (
        "periods",
        .array(
          statistics.periods.map { entry in
            .object(
              JSONObject(
                [
                  ("period", .string(entry.period.name)), ("start", time(entry.period.start)),
                  ("end", time(entry.period.end)),
                ] + self.members(entry.activity)))
          })
      ))
    if !statistics.withoutTime.isEmpty {
      members.append(("withoutTime", .object(JSONObject(self.members(statistics.withoutTime)))))
    }
    var others: [(String, JSONValue)] = []
    for section in sections {
      members.append(
        (
          section.plural,
          .array(
            section.rows.map { row in
              .object(
                JSONObject(
                  [(section.name, row.key.map(JSONValue.string) ?? .null)]
                    + self.members(row.activity)))
            })
        ))
      if let rest = section.rest {
        let count = rest.count.map { JSONValue.integer(Int64($0)) } ?? .null
        others.append(
          (section.plural, .object(JSONObject([("count", count)] + self.members(rest.activity)))))
      }
    }
    if !others.isEmpty { members.append(("notListed", .object(JSONObject(others)))) }
    return .object(JSONObject(members))
  }

  private func members(_ activity: Activity) -> [(String, JSONValue)] {
    var members: [(String, JSONValue)] = [
      ("transactions", .integer(activity.transactions)), ("changes", .integer(activity.changes)),
      ("inserts", .integer(activity.inserts)), ("updates", .integer(activity.updates)),
      ("deletes", .integer(activity.deletes)),
    ]
    if activity.others > 0 { members.append(("others", .integer(activity.others))) }
    members.append(("bytes", statistics.byteCount(of: activity).map(JSONValue.integer) ?? .null))
    return members
  }

  private func rate(_ rate: Rate) -> JSONValue {
    let bytes = statistics.bytesPerDay(of: rate.activity, in: rate.days)
    return [
      "days": .real(rate.days),
      "transactionsPerDay": .real(Double(rate.activity.transactions) / rate.days),
      "changesPerDay": .real(Double(rate.activity.changes) / rate.days),
      "bytesPerDay": bytes.map(JSONValue.real) ?? .null,
    ]
  }

  private var forecastJSON: JSONValue {
    var members: [(String, JSONValue)] = [("size", .integer(size ?? 0))]
    switch forecast {
    case .reached: members.append(("state", "reached"))
    case .never: members.append(("state", "never"))
    case .inDays(let days):
      members += [
        ("state", "ahead"), ("days", .real(days)),
        ("timestamp", time(forecast?.date(from: now))),
      ]
    case nil: members.append(("state", "unknown"))
    }
    members.append(("bytesPerDay", statistics.bytesPerDay.map(JSONValue.real) ?? .null))
    return .object(JSONObject(members))
  }

  private func time(_ timestamp: StoreTimestamp?) -> JSONValue {
    timestamp?.iso8601().map(JSONValue.string) ?? .null
  }
}

extension HistoryGap {
  /// Its numbers, as members of an object.
  fileprivate var members: JSONObject {
    JSONObject([("after", .integer(after))] + (oldest.map { [("oldest", .integer($0))] } ?? []))
  }
}
