import PersistentHistory
import StoreFormat
import Terminal

/// Writes the activity of a history as text.
struct StatsText: FieldPage {
  let session: Session
  let report: StatsReport
  /// Whether each period is listed.
  let listsPeriods: Bool

  private var statistics: HistoryStatistics { report.statistics }

  func write() throws {
    try writeFacts()
    try writeForecast()
    guard !statistics.total.isEmpty else { return }
    try writePeriods()
    try writeRates()
    let bars = ActivityTable(session: session, report: report)
    if listsPeriods { try bars.writePeriods() }
    if report.listsWeek {
      try WeekTable(session: session, statistics: statistics).write()
    }
    if report.areSeveral { try bars.writeStores() }
    for section in report.sections { try bars.write(section) }
    try write("OBJECT", report.objects)
    try write("ATTRIBUTE", report.attributes)
  }

  /// Writes the objects or attributes that changed most often.
  private func write(_ title: String, _ rows: [StatsReport.Frequent]) throws {
    func column(_ title: String, _ priority: Int) -> TableColumn {
      TableColumn(title, alignment: .trailing, priority: priority, canDrop: true)
    }
    let cells = rows.map { row -> [TableCell] in
      let activity = row.activity
      let share = statistics.shares(of: activity).changes * 100
      let author = row.author
      return (row.history?.name.map { [TableCell($0)] } ?? []) + [
        TableCell(row.name), TableCell(activity.activity.changes.grouped),
        TableCell("\(RateText.describe(share)) %"),
        TableCell(row.bytes.map { "\(ByteCount($0))" } ?? "-"),
        TableCell(activity.interval.map { RelativeTime.describe(interval: $0) } ?? "-"),
        TableCell(time.text(activity.first?.timestamp)),
        TableCell(time.text(activity.last?.timestamp)),
        TableCell(
          author.map { $0.name?.string ?? "(none)" } ?? "-",
          style: author?.name == nil ? .secondary : .plain),
      ]
    }
    try writeTable(
      (report.areSeveral ? [.store] : []) + [
        TableColumn(title, priority: 9, minimumWidth: 10, canShrink: true), column("CHANGES", 8),
        column("SHARE", 7), column("BYTES", 2), column("EVERY", 6),
        TableColumn("FIRST", priority: 1, canDrop: true),
        TableColumn("LAST", priority: 3, canDrop: true),
        TableColumn("AUTHOR", priority: 5, minimumWidth: 6, canShrink: true, canDrop: true),
      ], cells)
  }

  // MARK: - Facts

  private func writeFacts() throws {
    let total = statistics.total
    try field("store", report.history?.path, style: .heading)
    try field("archive", report.history?.archive)
    if report.areSeveral { try field("stores", report.histories.count.grouped, style: .heading) }
    let bytes = statistics.byteCount(of: total).map {
      (statistics.isWhole ? ", " : ", about ") + "\(ByteCount($0))"
    }
    try field(
      statistics.isWhole ? "history" : "selected",
      "\(total.transactions.counted("transaction")), \(total.changes.counted("change"))"
        + (bytes ?? ""))
    guard !total.isEmpty else { return }
    if let times = statistics.times, report.areSeveral {
      try field("earliest", time.fullText(times.lowerBound))
      try field("latest", time.fullText(times.upperBound))
    }
    try field("oldest", statistics.oldest, of: report.history?.store)
    try field("newest", statistics.newest, of: report.history?.store)
    if !statistics.withoutTime.isEmpty {
      try field(
        "no time",
        "\(statistics.withoutTime.transactions.counted("transaction")) without a usable time",
        style: .warning)
    }
  }

  private func writeForecast() throws {
    guard let size = report.size else { return }
    let answer =
      switch report.forecast {
      case .reached: "already reached"
      case .never: "never: the history does not grow"
      case .inDays(let days):
        "in \(counted(days: days))"
          + (report.forecast?.date(from: report.now).map { ", \(time.text($0))" } ?? "")
          + " at the present rate"
      case nil where statistics.size != nil: "unknown: no transaction has a usable time"
      case nil: "unknown: this SQLite does not report the size of tables"
      }
    try field("\(ByteCount(size))", answer)
  }

  private func counted(days: Double) -> String {
    days == 1 ? "1 day" : "\(RateText.describe(days)) days"
  }

  // MARK: - Over time

  private func writePeriods() throws {
    let periods = PeriodRun(statistics)
    guard let first = statistics.periods.first, let last = statistics.periods.last else { return }
    let environment = session.environment
    let line = Sparkline(
      periods.values.map { Double($0) }, width: environment.columns, isUTF8: environment.isUTF8)
    let step =
      line.valuesPerColumn == 1
      ? "1 \(statistics.unit.rawValue)" : "\(line.valuesPerColumn) \(statistics.unit.rawValue)s"
    try writer.writeLine("")
    try writer.writeLine(session.palette.apply(.heading, to: "ACTIVITY"))
    try writer.writeLine(session.palette.apply(.token, to: line.text))
    let isOne = first.period == last.period
    try writeNote(
      isOne
        ? "\(first.period.name), 1 \(statistics.unit.rawValue)"
        : "\(first.period.name) to \(last.period.name), \(step) each")
    if let most = statistics.periods.max(by: { $0.activity.transactions < $1.activity.transactions }
    ),
      !isOne
    {
      try writeNote(
        "most: \(most.activity.transactions.counted("transaction")), \(most.period.name)")
    }
  }

  /// Writes the number of saves a day.
  private func writeRates() throws {
    guard statistics.times != nil else { return }
    let rates = [
      ("in \(counted(days: statistics.totalRate.days))", statistics.totalRate),
      ("in its last 30", statistics.lastMonthRate), ("in its last 7", statistics.lastWeekRate),
    ]
    let rows = rates.compactMap { name, rate in
      rate.map { rate in
        [
          TableCell(name),
          TableCell(RateText.describe(Double(rate.activity.transactions) / rate.days)),
          TableCell(RateText.describe(Double(rate.activity.changes) / rate.days)),
          TableCell(
            statistics.bytesPerDay(of: rate.activity, in: rate.days).map {
              "\(ByteCount(Int64($0.rounded())))"
            } ?? "-"),
        ]
      }
    }
    try writeTable(
      [
        TableColumn("A DAY", priority: 4),
        TableColumn("TRANSACTIONS", alignment: .trailing, priority: 3, canDrop: true),
        TableColumn("CHANGES", alignment: .trailing, priority: 1, canDrop: true),
        TableColumn("BYTES", alignment: .trailing, priority: 2, canDrop: true),
      ], rows)
    guard let fixed = statistics.size?.fixedByteCount, fixed > 0 else { return }
    try writeNote("bytes a day leave out the \(ByteCount(fixed)) that an empty history takes")
  }

  private func writeNote(_ text: String) throws {
    let width = session.environment.lineWidth ?? .max
    try writer.writeLine(session.palette.apply(.secondary, to: text.truncated(to: width)))
  }
}

/// The transactions of all periods from the first to the last, including empty ones.
struct PeriodRun {
  /// Their number in each period.
  private(set) var values: [Int64] = []

  /// A limit that no range of valid times reaches.
  private static let mostPeriods = 100_000

  init(_ statistics: HistoryStatistics) {
    for entry in statistics.periods {
      if !values.isEmpty { fill(upTo: entry.period, statistics.clock) }
      values.append(entry.activity.transactions)
      last = entry.period
    }
  }

  private var last: HistoryPeriod?

  private mutating func fill(upTo next: HistoryPeriod, _ clock: PeriodClock) {
    for _ in 0..<Self.emptyPeriods(between: last, and: next, clock)
    where values.count < Self.mostPeriods {
      values.append(0)
    }
  }

  /// Returns the number of periods between two.
  static func emptyPeriods(
    between last: HistoryPeriod?, and next: HistoryPeriod, _ clock: PeriodClock
  ) -> Int {
    guard var end = last?.end else { return 0 }
    var count = 0
    while end < next.start, count < mostPeriods,
      let period = clock.period(next.unit, containing: end), period.start < next.start
    {
      count += 1
      end = period.end
    }
    return count
  }
}

/// Writes activity by weekday and hour of the day: a row for each day, with a bar for each hour.
struct WeekTable: FieldPage {
  let session: Session
  let statistics: HistoryStatistics

  /// The columns that a table with two columns for an hour needs.
  private static let wideWidth = 56
  /// The columns between two labels of hours.
  private static let labelWidth = 6

  func write() throws {
    let week = statistics.weekActivity
    let days = (1...7).map { week.hours(ofWeekday: $0).map(\.transactions) }
    // One scale for all days.
    let bars = Array(
      Sparkline(
        days.joined().map { Double($0) }, width: 7 * 24, isUTF8: session.environment.isUTF8
      ).text)
    let hourWidth = session.environment.lineWidth.map { $0 < Self.wideWidth } ?? false ? 1 : 2
    let hours = stride(from: 0, to: 24, by: Self.labelWidth / hourWidth)
      .map { String(CivilDate.twoDigits($0)).padded(to: Self.labelWidth) }.joined()
    let rows = days.enumerated().map { day, counts in
      let row = bars[day * 24..<(day + 1) * 24]
      return [
        TableCell(WeekActivity.weekdays[day]),
        TableCell(row.map { String($0).padded(to: hourWidth) }.joined(), style: .token),
        TableCell(counts.reduce(0, +).grouped),
      ]
    }
    try writeTable(
      [
        TableColumn(statistics.clock == .universal ? "UTC" : "LOCAL", priority: 3),
        TableColumn(hours, priority: 2),
        TableColumn("TRANSACTIONS", alignment: .trailing, priority: 1, canDrop: true),
      ], rows)
  }
}
