/// A day of the proleptic Gregorian calendar in the years 1 to 9999, without a time zone.
package struct CivilDate: Hashable, Comparable, Sendable {
  package let year: Int
  package let month: Int
  package let day: Int

  package static let dayRange: ClosedRange<Int> = -719_162...2_932_896

  package init?(year: Int, month: Int, day: Int) {
    guard (1...9999).contains(year), (1...12).contains(month), day >= 1,
      day <= Self.dayCount(ofMonth: month, year: year)
    else { return nil }
    self.init(uncheckedYear: year, month: month, day: day)
  }

  /// Creates a date from days since 1970-01-01, or returns `nil` outside the years 1 to 9999.
  package init?(daysSinceUnixEpoch: Int) {
    guard Self.dayRange.contains(daysSinceUnixEpoch) else { return nil }
    // Years from 1 March on end with the leap day, so that one linear formula gives the month of a day.
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

  /// Returns the date a number of days later, or `nil` outside the years 1 to 9999.
  package func adding(days: Int) -> CivilDate? {
    let (sum, overflow) = daysSinceUnixEpoch.addingReportingOverflow(days)
    return overflow ? nil : CivilDate(daysSinceUnixEpoch: sum)
  }

  /// Returns the same day a number of months later, or the last day of a shorter month, or `nil` outside
  /// the years 1 to 9999.
  package func adding(months: Int) -> CivilDate? {
    let (sum, overflow) = (year * 12 + month - 1).addingReportingOverflow(months)
    guard !overflow, sum >= 12, sum < 10_000 * 12 else { return nil }
    let (newYear, newMonth) = (sum / 12, sum % 12 + 1)
    return CivilDate(
      uncheckedYear: newYear,
      month: newMonth,
      day: min(day, Self.dayCount(ofMonth: newMonth, year: newYear)))
  }

  /// Returns the number of days in a month, or 0 for a month outside 1 to 12.
  package static func dayCount(ofMonth month: Int, year: Int) -> Int {
    switch month {
    case 2: year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28
    case 4, 6, 9, 11: 30
    case 1...12: 31
    default: 0
    }
  }

  package static func < (left: CivilDate, right: CivilDate) -> Bool {
    (left.year, left.month, left.day) < (right.year, right.month, right.day)
  }
}

extension CivilDate: CustomStringConvertible {
  /// The date as `2026-11-01`.
  package var description: String {
    "\(String(year + 10_000).dropFirst())-\(Self.twoDigits(month))-\(Self.twoDigits(day))"
  }

  /// Returns a number below 100 with two digits.
  package static func twoDigits(_ number: Int) -> Substring { String(number + 100).dropFirst() }
}

extension CivilDate {
  /// Reads a time of XML property lists, exactly `2001-01-01T00:00:00Z`, as seconds since that.
  static func seconds(ofPropertyListDate text: [UInt8]) -> Double? {
    let pattern = Array("0000-00-00T00:00:00Z".utf8)
    guard text.count == pattern.count else { return nil }
    var numbers = [0]
    for (byte, expected) in zip(text, pattern) {
      if expected == UInt8(ascii: "0") {
        guard byte >= 0x30, byte <= 0x39 else { return nil }
        numbers[numbers.count - 1] = numbers[numbers.count - 1] * 10 + Int(byte - 0x30)
      } else {
        guard byte == expected else { return nil }
        numbers.append(0)
      }
    }
    guard let date = CivilDate(year: numbers[0], month: numbers[1], day: numbers[2]),
      numbers[3] < 24, numbers[4] < 60, numbers[5] < 60
    else { return nil }
    let days = date.daysSinceUnixEpoch - referenceDay
    return Double(days * 86_400 + numbers[3] * 3600 + numbers[4] * 60 + numbers[5])
  }

  /// Returns the time of XML property lists for seconds since 2001-01-01T00:00:00Z, rounded down, or `nil`
  /// outside the years 1 to 9999.
  static func propertyListDate(ofSeconds seconds: Double) -> String? {
    guard let whole = Int(exactly: seconds.rounded(.down)) else { return nil }
    var (day, time) = whole.quotientAndRemainder(dividingBy: 86_400)
    if time < 0 { (day, time) = (day - 1, time + 86_400) }
    guard let date = CivilDate(daysSinceUnixEpoch: day + referenceDay) else { return nil }
    let clock = [time / 3600, time / 60 % 60, time % 60].map(twoDigits).joined(separator: ":")
    return "\(date)T\(clock)Z"
  }

  private static let referenceDay = 11_323
}
