import PersistentHistory
import StoreFormat

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
