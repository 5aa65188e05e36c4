import HistoryCoding
import HistoryOperations
import PersistentHistory
import StoreFormat

/// The activity of a history, as text, JSON and CSV.
struct StatsReport {
  /// A list of the most active authors, entities or the like.
  struct Section {
    /// What the list contains: `author`.
    let name: String
    /// The plural of the name.
    let plural: String
    let rows: [Row]
    let rest: Rest?
    /// The list for people, in which names that differ only by an identifier are one.
    let grouped: (rows: [GroupRow], rest: Rest?)
  }

  /// The entries that a list leaves out, with their number; `nil` if there were too many to count.
  typealias Rest = (count: Int?, activity: Activity)
  /// One line of a list: the author, entity or the like; `nil` for none.
  typealias Row = (key: String?, activity: Activity)
  /// One line of a list for people.
  typealias GroupRow = (name: NameGroups.Group, activity: Activity)

  /// A history that was counted.
  struct History {
    let path: String
    /// The identifier of its store.
    let store: String?
    /// The archive that was read too.
    let archive: String?
    /// Its name among several.
    let name: String?
    let activity: Activity
    let bytes: Int64?
  }

  /// An object or an attribute that changed often.
  struct Frequent {
    /// Its name for people: `Trip/p12`, `Trip.name`.
    let name: String
    /// Its history, if there are several.
    let history: History?
    /// Its names for programs.
    let members: [(String, JSONValue)]
    let activity: TimedActivity
    let bytes: Int64?
    /// Who made most of the changes, and how many; `nil` if that is not known.
    let author: (name: RecordedText?, changes: Int64)?
  }

  /// The histories that were counted together.
  private(set) var histories: [History]
  let now: StoreTimestamp
  private(set) var statistics: HistoryStatistics
  private(set) var sections: [Section]
  /// The objects with the most changes.
  private(set) var objects: [Frequent]
  /// The attributes and relationships with the most updates.
  private(set) var attributes: [Frequent]
  /// The maximum number of changes of an object that was not counted.
  private var maxMissed: Int64
  /// The maximum length of the lists.
  private let top: Int
  /// Whether activity by weekday and hour is wanted.
  let listsWeek: Bool
  /// The size of `--until-size`.
  let size: Int64?

  init(
    _ reading: HistoryReading, statistics: HistoryStatistics, top: Int, listsWeek: Bool,
    size: Int64?
  ) {
    let timeline = reading.timeline
    let history = History(
      path: timeline.path, store: timeline.storeIdentifier,
      archive: timeline.snapshot == nil ? nil : timeline.archive?.path, name: reading.name,
      activity: statistics.total, bytes: statistics.byteCount(of: statistics.total))
    histories = [history]
    now = reading.session.now
    self.statistics = statistics
    self.listsWeek = listsWeek
    self.size = size
    self.top = top
    sections = Self.sections(statistics, top)
    maxMissed = statistics.objects.maxMissed
    func frequent(
      _ name: String, _ members: [(String, JSONValue)], _ activity: TimedActivity
    ) -> Frequent {
      Frequent(
        name: name, history: reading.name == nil ? nil : history, members: members,
        activity: activity, bytes: statistics.byteCount(of: activity.activity),
        author: statistics.author(of: activity))
    }
    objects = statistics.objects.entries.prefix(top).map { entry in
      let (name, counts) = (entry.entity.name, entry.activity.activity)
      return frequent(
        entry.label,
        JSONValue.list(of: [
          "object": name == nil ? nil : entry.label, "entity": name,
          "entityRaw": name == nil ? entry.entity.number : nil, "pk": entry.primaryKey,
          "changes": counts.changes, "inserts": counts.inserts, "updates": counts.updates,
          "deletes": counts.deletes, "others": counts.others > 0 ? counts.others : nil,
        ]), entry.activity)
    }
    attributes = statistics.attributes.ranking.prefix(top).map { name, activity in
      frequent(
        "\(name.entity).\(name.attribute)",
        JSONValue.list(of: [
          "entity": name.entity, "attribute": name.attribute,
          "updates": activity.activity.updates,
        ]), activity)
    }
  }

  /// Adds another history, which was counted for the same periods.
  mutating func join(_ other: StatsReport) {
    histories += other.histories
    statistics.join(other.statistics)
    sections = Self.sections(statistics, top)
    maxMissed = max(maxMissed, other.maxMissed)
    func joined(_ own: [Frequent], _ others: [Frequent]) -> [Frequent] {
      // Those with as many changes keep the order of their histories.
      let all = (own + others).enumerated().sorted { left, right in
        (right.element.activity.activity.changes, left.offset)
          < (left.element.activity.activity.changes, right.offset)
      }
      return all.prefix(top).map(\.element)
    }
    objects = joined(objects, other.objects)
    attributes = joined(attributes, other.attributes)
  }

  /// The only history; `nil` if there are several.
  var history: History? { areSeveral ? nil : histories.first }

  /// Whether several histories were given.
  var areSeveral: Bool { histories.first?.name != nil }

  private static func sections(_ statistics: HistoryStatistics, _ top: Int) -> [Section] {
    func section<Key>(
      _ name: String, _ plural: String, _ ranking: ActivityRanking<Key>,
      top: Int = top, _ text: (Key) -> String?
    ) -> Section {
      let (groups, rest) = ranking.top(top)
      let all = ranking.top(.max)
      return Section(
        name: name, plural: plural,
        rows: groups.map { (text($0.key), $0.activity) },
        rest: rest.map { ($0.groupCount, $0.activity) },
        grouped: grouped(
          all.groups.map { (text($0.key), $0.activity) },
          overflow: all.rest?.activity, top: top))
    }
    return [
      section("author", "authors", statistics.authors) { $0?.string },
      section("bundle", "bundles", statistics.bundles) { $0?.string },
      section("process", "processes", statistics.processes) { $0?.string },
      section("entity", "entities", statistics.entities) { $0.label },
      section("kind", "kinds", statistics.kinds, top: .max) { $0?.name },
    ]
  }

  /// Joins rows whose names differ only by an identifier, and keeps the first ones.
  private static func grouped(
    _ rows: [Row], overflow: Activity?, top: Int
  ) -> (rows: [GroupRow], rest: Rest?) {
    var names = NameGroups()
    var activities: [Activity] = []
    for row in rows {
      let place = names.add(row.key)
      if place == activities.count { activities.append(Activity()) }
      activities[place] += row.activity
    }
    // Rows that are alone keep their order.
    let order =
      activities.count == rows.count
      ? Array(activities.indices)
      : activities.indices.sorted {
        (activities[$1].transactions, $0) < (activities[$0].transactions, $1)
      }
    var rest = overflow ?? Activity()
    let hidden = order.dropFirst(max(top, 0))
    for place in hidden { rest += activities[place] }
    let count = overflow == nil ? hidden.reduce(0) { $0 + names.groups[$1].count } : nil
    return (
      order.prefix(max(top, 0)).map { (names.groups[$0], activities[$0]) },
      hidden.isEmpty && overflow == nil ? nil : (count, rest)
    )
  }

  var forecast: GrowthForecast? { size.flatMap { GrowthForecast(statistics, byteCount: $0) } }

  // MARK: - JSON

  var json: JSONValue {
    let lists = sections.map { section in
      (
        section.plural,
        section.rows.map { row in
          JSONValue.object(
            of: [section.name: row.key?.json ?? JSONValue.null], and: members(row.activity))
        }.json
      )
    }
    let notListed = sections.compactMap { section in
      section.rest.map { rest in
        (
          section.plural,
          JSONValue.object(
            of: ["count": rest.count?.json ?? JSONValue.null], and: members(rest.activity))
        )
      }
    }
    let head: JSONValue.Members = [
      "path": history?.path, "store": history?.store, "archive": history?.archive,
      "by": statistics.unit.rawValue,
      "clock": statistics.clock == .universal ? "utc" : "local",
      "historyBytes": statistics.size?.pageByteCount.json ?? JSONValue.null,
    ]
    let span: JSONValue.Members = [
      "oldest": statistics.oldest?.json ?? JSONValue.null,
      "newest": statistics.newest?.json ?? JSONValue.null,
      "earliest": time(statistics.times?.lowerBound),
      "latest": time(statistics.times?.upperBound), "rate": statistics.json(statistics.totalRate),
      "last7Days": statistics.lastWeekRate.map(statistics.json) ?? JSONValue.null,
      "last30Days": statistics.lastMonthRate.map(statistics.json) ?? JSONValue.null,
      "forecast": size == nil ? nil : forecastJSON,
      "gaps": statistics.gaps.isEmpty
        ? nil
        : statistics.gaps.map {
          JSONValue.object(of: [
            "store": areSeveral ? $0.store : nil, "after": $0.after, "oldest": $0.oldest,
          ])
        },
      "stores": areSeveral ? histories.map(json) : nil,
      "periods": statistics.periods.map { entry in
        JSONValue.object(
          of: [
            "period": entry.period.name, "start": time(entry.period.start),
            "end": time(entry.period.end),
          ], and: members(entry.activity))
      },
      "weekHours": !listsWeek
        ? nil
        : statistics.weekActivity.hours.map { entry in
          JSONValue.object(
            of: ["weekday": entry.weekday, "hour": entry.hour], and: members(entry.activity))
        },
      "withoutTime": statistics.withoutTime.isEmpty
        ? nil : JSONValue.object(JSONObject(members(statistics.withoutTime))),
    ]
    return .record(
      "stats", head,
      and: members(statistics.total) + JSONValue.list(of: span) + lists
        + JSONValue.list(of: [
          "objects": JSONValue.array(objects.map(json)),
          "maxUnlistedChanges": maxMissed > 0 ? maxMissed : nil,
          "attributes": JSONValue.array(attributes.map(json)),
        ])
        + (notListed.isEmpty ? [] : [("notListed", .object(JSONObject(notListed)))]))
  }

  private func members(_ activity: Activity) -> [(String, JSONValue)] {
    members(activity, bytes: statistics.byteCount(of: activity))
  }

  private func members(_ activity: Activity, bytes: Int64?) -> [(String, JSONValue)] {
    JSONValue.list(of: [
      "transactions": activity.transactions, "changes": activity.changes,
      "inserts": activity.inserts, "updates": activity.updates, "deletes": activity.deletes,
      "others": activity.others > 0 ? activity.others : nil,
      "bytes": bytes?.json ?? JSONValue.null,
    ])
  }

  private func json(_ history: History) -> JSONValue {
    .object(
      of: ["path": history.path, "store": history.store, "archive": history.archive],
      and: members(history.activity, bytes: history.bytes))
  }

  private func json(_ frequent: Frequent) -> JSONValue {
    let activity = frequent.activity
    let shares = statistics.shares(of: activity)
    let author = frequent.author
    let interval = activity.interval
    return .object(
      JSONObject(
        JSONValue.list(of: ["path": frequent.history?.path, "store": frequent.history?.store])
          + frequent.members
          + JSONValue.list(of: [
            "share": shares.changes,
            "bytes": frequent.bytes?.json ?? JSONValue.null,
            "bytesShare": shares.bytes, "interval": interval?.json ?? JSONValue.null,
            "changesPerDay": interval.flatMap { $0 > 0 ? (86_400 / $0).json : nil }
              ?? JSONValue.null,
            "first": activity.first?.json, "last": activity.last?.json,
            "author": author.map { $0.name?.string.json ?? JSONValue.null },
            "authorChanges": author?.changes,
          ])))
  }

  private var forecastJSON: JSONValue {
    let days = forecast?.days
    return .object(of: [
      "size": size ?? 0, "state": forecast.state, "days": days,
      "timestamp": days == nil ? nil : time(forecast?.date(from: now)),
      "bytesPerDay": statistics.bytesPerDay?.json ?? JSONValue.null,
    ])
  }

  private func time(_ timestamp: StoreTimestamp?) -> JSONValue {
    timestamp?.iso8601().map(JSONValue.string) ?? .null
  }
}
