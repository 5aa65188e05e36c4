/// A day of the proleptic Gregorian calendar in the years 1 to 9999, without a time zone.
package struct CivilDate: Hashable, Comparable, Sendable {
  /// The year, 1 to 9999.
  package let year: Int
  /// The month, 1 to 12.
  package let month: Int
  /// The day of the month, 1 to 31.
  package let day: Int

  /// The days that this type can hold, counted from 1970-01-01: 0001-01-01 to 9999-12-31.
  package static let dayRange: ClosedRange<Int> = -719_162...2_932_896

  /// Makes the date of a year, month and day; nil where the calendar has no such day.
  package init?(year: Int, month: Int, day: Int) {
    guard (1...9999).contains(year), (1...12).contains(month), day >= 1,
      day <= Self.dayCount(ofMonth: month, year: year)
    else { return nil }
    self.init(uncheckedYear: year, month: month, day: day)
  }

  /// Makes the date that lies so many days after 1970-01-01 (before it if negative); nil outside
  /// the years 1 to 9999.
  package init?(daysSinceUnixEpoch: Int) {
    guard Self.dayRange.contains(daysSinceUnixEpoch) else { return nil }
    // Counting years from 1 March puts the leap day last, so that a day's place in the year gives
    // its month by one linear formula.
    let days = UInt32(truncatingIfNeeded: daysSinceUnixEpoch + 719_468)
    let era = days / 146_097
    let dayOfEra = days % 146_097
    let leapDays = dayOfEra / 1460 &- dayOfEra / 36_524 &+ dayOfEra / 146_096
    let yearOfEra = (dayOfEra &- leapDays) / 365
    let dayOfYear = dayOfEra &- (365 &* yearOfEra &+ yearOfEra / 4 &- yearOfEra / 100)
    let marchMonth = (5 &* dayOfYear &+ 2) / 153
    let month = marchMonth < 10 ? marchMonth &+ 3 : marchMonth &- 9
    self.init(
      uncheckedYear: Int(yearOfEra &+ era &* 400 &+ (month <= 2 ? 1 : 0)),
      month: Int(month),
      day: Int(dayOfYear &- (153 &* marchMonth &+ 2) / 5 &+ 1))
  }

  private init(uncheckedYear year: Int, month: Int, day: Int) {
    self.year = year
    self.month = month
    self.day = day
  }

  /// Days since 1970-01-01; negative before it.
  package var daysSinceUnixEpoch: Int {
    let marchYear = month <= 2 ? year - 1 : year
    let era = marchYear / 400
    let yearOfEra = marchYear % 400
    let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
    let dayOfEra = yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear
    return era * 146_097 + dayOfEra - 719_468
  }

  /// The day of the week as ISO 8601 counts: 1 for Monday to 7 for Sunday.
  package var weekday: Int {
    // 0001-01-01 was a Monday.
    (daysSinceUnixEpoch - Self.dayRange.lowerBound) % 7 + 1
  }

  /// The date so many days later (earlier if negative); nil outside the years 1 to 9999.
  package func adding(days: Int) -> CivilDate? {
    let (sum, overflow) = daysSinceUnixEpoch.addingReportingOverflow(days)
    return overflow ? nil : CivilDate(daysSinceUnixEpoch: sum)
  }

  /// The same day so many months later (earlier if negative), or the month's last day where that
  /// month is shorter; nil outside the years 1 to 9999.
  package func adding(months: Int) -> CivilDate? {
    let (sum, overflow) = (year * 12 + month - 1).addingReportingOverflow(months)
    guard !overflow, sum >= 12, sum < 10_000 * 12 else { return nil }
    let (newYear, newMonth) = (sum / 12, sum % 12 + 1)
    return CivilDate(
      uncheckedYear: newYear,
      month: newMonth,
      day: min(day, Self.dayCount(ofMonth: newMonth, year: newYear)))
  }

  /// How many days a month has, 28 to 31; 0 for a month outside 1 to 12.
  package static func dayCount(ofMonth month: Int, year: Int) -> Int {
    switch month {
    case 2: year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28
    case 4, 6, 9, 11: 30
    case 1...12: 31
    default: 0
    }
  }

  /// Whether the left date is earlier.
  package static func < (left: CivilDate, right: CivilDate) -> Bool {
    (left.year, left.month, left.day) < (right.year, right.month, right.day)
  }
}
