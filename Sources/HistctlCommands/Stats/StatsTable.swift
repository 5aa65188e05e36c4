import HistoryCoding
import PersistentHistory
import StoreFormat
import Terminal

/// Writes the activity of a history as one table in CSV.
struct StatsTable {
  private static let columns = [
    "section", "key", "transactions", "changes", "inserts", "updates", "deletes", "others",
    "bytes", "start", "end", "share", "interval", "author",
  ]

  let csv: CSVOutput
  let report: StatsReport

  func write() throws {
    try csv.writeRow(Self.columns + (report.areSeveral ? ["path"] : []))
    let statistics = report.statistics
    try write(
      "total", nil, statistics.total, start: statistics.times?.lowerBound,
      end: statistics.times?.upperBound)
    for entry in statistics.periods {
      try write(
        statistics.unit.rawValue, entry.period.name, entry.activity, start: entry.period.start,
        end: entry.period.end)
    }
    if report.listsWeek {
      for hour in statistics.weekActivity.hours {
        try write("weekHour", hour.name, hour.activity)
      }
    }
    if !statistics.withoutTime.isEmpty { try write("withoutTime", nil, statistics.withoutTime) }
    if report.areSeveral {
      for history in report.histories {
        try write("store", history.store, history.activity, bytes: history.bytes, history)
      }
    }
    for section in report.sections {
      for row in section.rows { try write(section.name, row.key, row.activity) }
      if let rest = section.rest { try write("notListed", section.plural, rest.activity) }
    }
    for object in report.objects { try write("object", object) }
    for attribute in report.attributes { try write("attribute", attribute) }
  }

  private func write(_ section: String, _ frequent: StatsReport.Frequent) throws {
    let activity = frequent.activity
    try write(
      section, frequent.name, activity.activity, start: activity.first?.timestamp,
      end: activity.last?.timestamp, frequent: frequent, bytes: frequent.bytes, frequent.history)
  }

  private func write(
    _ section: String, _ key: String?, _ activity: Activity, start: StoreTimestamp? = nil,
    end: StoreTimestamp? = nil
  ) throws {
    try write(
      section, key, activity, start: start, end: end,
      bytes: report.statistics.byteCount(of: activity), nil)
  }

  private func write(
    _ section: String, _ key: String?, _ activity: Activity, start: StoreTimestamp? = nil,
    end: StoreTimestamp? = nil, frequent: StatsReport.Frequent? = nil, bytes: Int64?,
    _ history: StatsReport.History?
  ) throws {
    let counts = [
      activity.changes, activity.inserts, activity.updates, activity.deletes, activity.others,
    ]
    try csv.writeRow(
      [section, key, frequent == nil ? String(activity.transactions) : nil]
        + counts.map { String($0) }
        + [
          bytes.map { String($0) }, start?.iso8601(), end?.iso8601(),
          frequent.map { String(report.statistics.shares(of: $0.activity).changes) },
          frequent?.activity.interval.map { String($0) }, frequent?.author?.name?.string,
        ] + (report.areSeveral ? [history?.path] : []))
  }
}

/// Writes rows of CSV.
struct CSVOutput: FieldPage {
  let session: Session
  /// Whether to write an apostrophe before texts that a spreadsheet would evaluate as formulas.
  let guardsFormulas: Bool

  /// Writes a row. Escapes control characters on a terminal; files get texts as they are.
  func writeRow(_ fields: [String?]) throws {
    let isTerminal = session.environment.isOutputTerminal
    try writer.write(
      CSVWriter.row(
        isTerminal ? fields.map { $0.map(TerminalText.terminal.escaped) } : fields,
        guardsFormulas: guardsFormulas))
  }
}

/// Writes sessions as a table, as lines of JSON, or as CSV.
struct SessionOutput: FieldPage {
  private static let csvColumns = [
    "start", "end", "seconds", "transactions", "changes", "first", "last", "author",
  ]

  /// Goes to the next session, and returns it with its history.
  typealias Next = () throws -> (saves: HistorySession, reading: HistoryReading)?

  let histories: SeveralHistories
  var session: Session { histories.session }

  /// Writes all sessions as a table, and returns their number.
  func writeTable(_ next: Next) throws -> Int {
    let table = streamedTable(
      [
        TableColumn("START", priority: 9),
        TableColumn("END", priority: 3, canDrop: true),
        TableColumn("DURATION", alignment: .trailing, priority: 7, canDrop: true),
        TableColumn("FIRST", alignment: .trailing, priority: 2, canDrop: true),
        TableColumn("LAST", alignment: .trailing, priority: 1, canDrop: true),
        TableColumn("TRANSACTIONS", alignment: .trailing, priority: 5, canDrop: true),
        TableColumn("CHANGES", alignment: .trailing, priority: 4, canDrop: true),
        TableColumn("AUTHOR", priority: 8, minimumWidth: 6, canShrink: true),
      ] + (histories.areSeveral ? [.store] : []))
    return try table.finishing {
      try forEach(next) { saves, reading in
        let tokens = reading.tokens
        let cells = [
          TableCell(session.time.text(saves.start)), TableCell(session.time.text(saves.end)),
          TableCell(Self.text(ofSeconds: saves.seconds)),
          TableCell(tokens.text(saves.first), style: .token),
          TableCell(tokens.text(saves.last), style: .token),
          TableCell(saves.transactions.grouped), TableCell(saves.changes.grouped),
          TableCell(
            saves.author?.string ?? "(none)", style: saves.author == nil ? .secondary : .plain),
        ]
        try table.write(cells + (reading.name.map { [TableCell($0)] } ?? []))
      }
    }
  }

  /// Writes one line of JSON for each session, and returns their number.
  func writeJSON(_ next: Next) throws -> Int {
    try forEach(next) { saves, reading in
      let timeline = reading.timeline
      try writer.writeLine(
        .record(
          "session",
          [
            "path": timeline.path, "store": timeline.storeIdentifier,
            "author": saves.author?.string.json ?? JSONValue.null, "start": saves.start.iso8601(),
            "end": saves.end.iso8601(), "seconds": saves.seconds, "first": saves.first,
            "last": saves.last, "transactions": saves.transactions, "changes": saves.changes,
          ]))
    }
  }

  /// Writes CSV with a heading, and returns the number of sessions.
  func writeCSV(_ next: Next, guardsFormulas: Bool) throws -> Int {
    let csv = CSVOutput(session: session, guardsFormulas: guardsFormulas)
    try csv.writeRow(Self.csvColumns + (histories.areSeveral ? ["path"] : []))
    return try forEach(next) { saves, reading in
      let counts = [saves.transactions, saves.changes, saves.first, saves.last]
      try csv.writeRow(
        [saves.start.iso8601(), saves.end.iso8601(), "\(saves.seconds)"]
          + counts.map { "\($0)" } + [saves.author?.string]
          + (histories.areSeveral ? [reading.path] : []))
    }
  }

  private func forEach(
    _ next: Next, _ body: (HistorySession, HistoryReading) throws -> Void
  ) throws -> Int {
    var count = 0
    while let (saves, reading) = try next() {
      count += 1
      try body(saves, reading)
    }
    return count
  }

  /// Returns a length of time in hours, minutes and seconds: `26:05:09`.
  private static func text(ofSeconds seconds: Double) -> String {
    let whole = Int(seconds)
    let (hours, minutes) = (whole / 3600, whole / 60 % 60)
    return "\(hours):\(CivilDate.twoDigits(minutes)):\(CivilDate.twoDigits(whole % 60))"
  }
}
