import PersistentHistory
import StoreFormat
import Terminal

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
