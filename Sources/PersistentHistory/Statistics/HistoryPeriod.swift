import StoreFormat

/// An hour, a day, a week or a month of a history.
package struct HistoryPeriod: Hashable, Sendable {
  package let unit: PeriodUnit
  package let start: StoreTimestamp
  /// The first moment after it.
  package let end: StoreTimestamp
  /// Its first day on the clock that divides time.
  let date: CivilDate
  /// The hour of the day; 0 for longer periods.
  let hour: Int
  /// The offset of the clock from UTC at its beginning, in seconds.
  let offsetSeconds: Int

  /// The name: the date of its first day, of a month without the day, of an hour with its beginning
  /// and the offset of the clock, which differs between the two hours of one name when clocks go
  /// back.
  package var name: String {
    switch unit {
    case .day, .week: date.description
    case .month: String(date.description.prefix(7))
    case .hour: "\(date)T\(CivilDate.twoDigits(hour)):00\(offsetText)"
    }
  }

  private var offsetText: String {
    guard offsetSeconds != 0 else { return "Z" }
    let minutes = abs(offsetSeconds) / 60
    return "\(offsetSeconds < 0 ? "-" : "+")\(CivilDate.twoDigits(minutes / 60))"
      + ":\(CivilDate.twoDigits(minutes % 60))"
  }
}

/// The length of the periods into which activity is divided.
public enum PeriodUnit: String, CaseIterable, Hashable, Sendable {
  /// From a full hour on the clock to the next.
  case hour
  /// A day of the calendar, which has 23 or 25 hours when clocks change.
  case day
  /// From Monday to Sunday.
  case week
  /// A month of the calendar.
  case month

  /// Chooses a unit for a span of time: hours for two days, days for a quarter, weeks for two
  /// years, else months.
  init(forSpanOf seconds: Double) {
    let day = 86_400.0
    self =
      switch seconds {
      case ...(2 * day): .hour
      case ...(92 * day): .day
      case ...(731 * day): .week
      default: .month
      }
  }

  /// The maximum span of time for this unit in seconds; `nil` for any: days, weeks and months of
  /// all usable times are few.
  var maxSpan: Double? { self == .hour ? 50_000 * 3600 : nil }
}

extension StoreTimestamp {
  /// 2100-01-01T00:00:00Z. A clock that shows a later time is wrong.
  private static let century = StoreTimestamp(secondsSinceReferenceDate: 3_124_137_600)

  /// Returns the times of transactions that statistics count: from 2001-01-01 to a day after now, or after the newest
  /// transaction if that is later.
  ///
  /// A clock that was never set shows 1970 or 2001, and a damaged or hostile row may have any number.
  /// With one such row the history would seem to span thousands of years, so it is counted separately.
  static func usable(newest: StoreTimestamp?, now: StoreTimestamp) -> ClosedRange<StoreTimestamp> {
    let first = StoreTimestamp(secondsSinceReferenceDate: 0)
    let latest = [now, newest].compactMap { $0 }.filter { $0 < century && $0 >= first }.max()
    return
      first...StoreTimestamp(
        secondsSinceReferenceDate: (latest ?? first).secondsSinceReferenceDate + 86_400)
  }
}
