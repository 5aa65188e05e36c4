import HistoryArchive
import HistoryCoding
import PersistentHistory
import StoreFormat

/// The data of a history for a page, as JSON.
extension ReportHistory {
  /// The maximum number of names in a rank list, and in a plot.
  private static let maxRanks = 100
  private static let maxNames = 8
  /// The sizes that the forecast is about, in MiB.
  private static let forecastSizes: [Int64] = [1, 10, 100, 1024, 10 * 1024, 100 * 1024]

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
      writer.append("transactions", grid.week.counts(\.transactions))
      writer.append("changes", grid.week.counts(\.changes))
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
      let forecast = GrowthForecast(statistics, byteCount: size)
      return .object(of: ["size": size, "state": forecast.state, "days": forecast?.days])
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
    if isRedacted { add("redacted", nil, "values, tombstones and names of contexts were left out") }
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
      "object": objectRank,
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
    let ranking = statistics.attributes.ranking
    let overflow = statistics.attributes.overflow
    let hidden = ranking.dropFirst(Self.maxRanks)
    return .object(of: [
      "rows": ranking.prefix(Self.maxRanks).map {
        JSONValue.array([
          Self.json($0.name.entity), Self.json($0.name.attribute),
          $0.activity.activity.updates.reportJSON,
        ])
      },
      "more": hidden.isEmpty && overflow == 0
        ? nil
        : JSONValue.object(of: [
          "count": overflow == 0 ? hidden.count : JSONValue.null,
          "updates": hidden.reduce(overflow) { $0 + $1.activity.activity.updates },
        ]),
    ])
  }

  /// The objects with the most changes: name, inserts, updates, deletes, others, share of all changes, seconds
  /// between changes, the first and the last time, and the author of most.
  private var objectRank: JSONValue {
    .object(of: [
      "rows": statistics.objects.entries.prefix(Self.maxRanks).map { entry in
        let (activity, timed) = (entry.activity.activity, entry.activity)
        return JSONValue.array([
          Self.json(entry.label), activity.inserts.reportJSON, activity.updates.reportJSON,
          activity.deletes.reportJSON, activity.others.reportJSON,
          .real(statistics.shares(of: timed).changes),
          timed.interval.map(JSONValue.real) ?? .null, (timed.first?.timestamp).reportJSON,
          (timed.last?.timestamp).reportJSON,
          Self.json(statistics.author(of: timed)?.name?.string),
        ])
      }
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

extension GrowthForecast {
  /// The number of days until the history has a size, if it will.
  package var days: Double? { if case .inDays(let days) = self { days } else { nil } }
}

extension GrowthForecast? {
  /// Whether the size is reached, ahead, never reached, or unknown, in a word for programs.
  package var state: String {
    switch self {
    case .reached?: "reached"
    case .never?: "never"
    case .inDays?: "ahead"
    case nil: "unknown"
    }
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
