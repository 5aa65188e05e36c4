import StoreFormat

/// A length of time as people count it: calendar months and days, and exact seconds.
///
/// Years, months, weeks and days are steps of the local calendar (a day is the same time of day on
/// the day before, also across a change of the clock); hours, minutes and seconds are exact.
public struct HistoryDuration: Hashable, Sendable {
  /// Calendar months, a year being 12; not negative.
  public let months: Int
  /// Calendar days, a week being 7; not negative.
  public let days: Int
  /// Seconds, an hour being 3,600; not negative.
  public let seconds: Int

  /// Makes a duration of its three parts; nil if one is negative.
  public init?(months: Int = 0, days: Int = 0, seconds: Int = 0) {
    guard months >= 0, days >= 0, seconds >= 0 else { return nil }
    self.months = months
    self.days = days
    self.seconds = seconds
  }

  /// Reads `30d`, `2 weeks` or `1d12h`: whole numbers, each with its unit.
  ///
  /// Units are `y`, `mo`, `w`, `d`, `h`, `min`, `s` or their English names. Zero is a duration
  /// like any other. Throws where a unit is missing, unknown, ambiguous (`m`) or given twice, and
  /// for numbers of more than 12 digits.
  public init(parsing text: String) throws(MomentError) {
    var parser = DurationParser(text)
    self = try parser.parseDuration()
  }

  /// Whether it is no time at all.
  package var isZero: Bool { months == 0 && days == 0 && seconds == 0 }

  /// The moment this long before a timestamp, on the local calendar.
  ///
  /// Months come off first (31 March less one month is the last of February), then days, then
  /// seconds; the fraction of the second stays. What would lie before the year 1 is its beginning.
  /// Where the timestamp itself is outside the years 1 to 9999, a month counts as 30.436875 days
  /// of 24 hours.
  package func before(_ timestamp: StoreTimestamp) -> StoreTimestamp {
    var result = timestamp.secondsSinceReferenceDate
    if months > 0 || days > 0 {
      if let start = LocalTime(timestamp) {
        guard let end = calendarStep(back: start) else { return Self.earliest }
        result -= Double(start.unixSeconds - end.unixSeconds)
      } else {
        result -= Double(months) * 2_629_746 + Double(days) * 86_400
      }
    }
    result -= Double(seconds)
    let moment = StoreTimestamp(secondsSinceReferenceDate: result)
    return moment < Self.earliest && timestamp >= Self.earliest ? Self.earliest : moment
  }

  /// 0001-01-01T00:00:00Z, the first moment that has a date.
  private static let earliest = StoreTimestamp(secondsSinceReferenceDate: -63_113_904_000)

  private func calendarStep(back start: LocalTime) -> LocalTime? {
    guard let date = start.date.adding(months: -months)?.adding(days: -days) else { return nil }
    return LocalTime(date: date, hour: start.hour, minute: start.minute, second: start.second)
  }
}

extension HistoryDuration: CustomStringConvertible {
  /// The shortest text that reads back as this duration, such as `1y6mo`, `2w` or `1d12h`.
  public var description: String {
    let parts = [
      (months / 12, "y"), (months % 12, "mo"),
      days % 7 == 0 ? (days / 7, "w") : (days, "d"),
      (seconds / 3600, "h"), (seconds / 60 % 60, "min"), (seconds % 60, "s"),
    ]
    let text = parts.map { count, unit in count == 0 ? "" : "\(count)\(unit)" }.joined()
    return text.isEmpty ? "0s" : text
  }
}
