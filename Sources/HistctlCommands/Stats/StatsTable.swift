import PersistentHistory
import StoreFormat
import Terminal

/// Writes the activity of a history as one table in CSV.
struct StatsTable {
  private static let columns = [
    "section", "key", "transactions", "changes", "inserts", "updates", "deletes", "others",
    "bytes", "start", "end",
  ]

  let session: Session
  let writer: OutputWriter
  let report: StatsReport
  let guardsFormulas: Bool

  func write() throws {
    try write(Self.columns)
    let statistics = report.statistics
    try write(
      "total", nil, statistics.total, start: statistics.times?.lowerBound,
      end: statistics.times?.upperBound)
    for entry in statistics.periods {
      try write(
        statistics.unit.rawValue, entry.period.name, entry.activity, start: entry.period.start,
        end: entry.period.end)
    }
    if !statistics.withoutTime.isEmpty { try write("withoutTime", nil, statistics.withoutTime) }
    for section in report.sections {
      for row in section.rows { try write(section.name, row.key, row.activity) }
      if let rest = section.rest { try write("notListed", section.plural, rest.activity) }
    }
  }

  private func write(
    _ section: String, _ key: String?, _ activity: Activity, start: StoreTimestamp? = nil,
    end: StoreTimestamp? = nil
  ) throws {
    let counts = [
      activity.transactions, activity.changes, activity.inserts, activity.updates,
      activity.deletes, activity.others,
    ]
    try write(
      [section, key] + counts.map { String($0) }
        + [
          report.statistics.byteCount(of: activity).map { String($0) }, start?.iso8601(),
          end?.iso8601(),
        ])
  }

  /// Escapes control characters on a terminal; files get texts as they are.
  private func write(_ fields: [String?]) throws {
    let isTerminal = session.environment.isOutputTerminal
    try writer.writeLine(
      CSVRow.line(
        isTerminal ? fields.map { $0.map(TerminalText.terminal.escaped) } : fields,
        guardsFormulas: guardsFormulas))
  }
}
