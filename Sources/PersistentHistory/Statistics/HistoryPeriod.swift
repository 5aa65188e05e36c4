import StoreFormat

/// An hour, a day, a week or a month of a history.
package struct HistoryPeriod: Hashable, Sendable {
  /// Its length.
  package let unit: PeriodUnit
  /// The moment at which it begins.
  package let start: StoreTimestamp
  /// The moment at which it is over; the first of the next one.
  package let end: StoreTimestamp
  /// Its first day on the clock that divides the time.
  package let date: CivilDate
  /// The hour of the day; 0 for longer periods.
  package let hour: Int
  /// How far the clock is ahead of UTC at its beginning, in seconds.
  package let offsetSeconds: Int

  /// The period in a word: the date of its first day, of a month without the day, of an hour with
  /// its beginning and the offset of the clock, which tells the two hours apart that have the same
  /// name when clocks go back.
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
