/// The form in which XML property lists write points in time: "2001-01-01T00:00:00Z", whole seconds
/// in UTC.
enum PropertyListDate {
  /// Days from 1970-01-01 to 2001-01-01.
  private static let referenceDay: Int64 = 11_323

  /// Seconds since 2001-01-01 UTC of a text of exactly that form; nil when it is not, or names no
  /// day or time of the Gregorian calendar.
  static func seconds(of text: [UInt8]) -> Double? {
    let pattern = Array("0000-00-00T00:00:00Z".utf8)
    guard text.count == pattern.count else { return nil }
    var numbers: [Int64] = [0]
    for (byte, expected) in zip(text, pattern) {
      if expected == UInt8(ascii: "0") {
        guard byte >= 0x30, byte <= 0x39 else { return nil }
        numbers[numbers.count - 1] = numbers[numbers.count - 1] * 10 + Int64(byte - 0x30)
      } else {
        guard byte == expected else { return nil }
        numbers.append(0)
      }
    }
    let (year, month, day) = (numbers[0], numbers[1], numbers[2])
    let (hour, minute, second) = (numbers[3], numbers[4], numbers[5])
    guard year >= 1, (1...12).contains(month), (1...daysInMonth(month, of: year)).contains(day),
      hour < 24, minute < 60, second < 60
    else { return nil }
    let days = self.days(year: year, month: month, day: day) - referenceDay
    return Double(days * 86_400 + hour * 3_600 + minute * 60 + second)
  }

  /// The text of a point in time, rounded down to a second; nil outside the years 1 to 9999.
  static func text(ofSeconds seconds: Double) -> String? {
    guard let whole = Int64(exactly: seconds.rounded(.down)) else { return nil }
    let (first, last) = (days(year: 1, month: 1, day: 1), days(year: 10_000, month: 1, day: 1))
    guard whole >= (first - referenceDay) * 86_400, whole < (last - referenceDay) * 86_400 else {
      return nil
    }
    var (day, time) = whole.quotientAndRemainder(dividingBy: 86_400)
    if time < 0 { (day, time) = (day - 1, time + 86_400) }
    // Days since 0000-03-01, so that the leap day ends its year.
    let march = day + referenceDay + 719_468
    let era = march / 146_097
    let dayOfEra = march % 146_097
    let yearOfEra =
      (dayOfEra - dayOfEra / 1_460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let shifted = (5 * dayOfYear + 2) / 153
    let month = shifted < 10 ? shifted + 3 : shifted - 9
    let year = era * 400 + yearOfEra + (month <= 2 ? 1 : 0)
    let dayOfMonth = dayOfYear - (153 * shifted + 2) / 5 + 1
    let calendar = [digits(year, 4), digits(month, 2), digits(dayOfMonth, 2)]
    let clock = [digits(time / 3_600, 2), digits(time / 60 % 60, 2), digits(time % 60, 2)]
    return calendar.joined(separator: "-") + "T" + clock.joined(separator: ":") + "Z"
  }

  /// Days since 1970-01-01 of a day in the years 1 to 10000.
  private static func days(year: Int64, month: Int64, day: Int64) -> Int64 {
    let shiftedYear = month <= 2 ? year - 1 : year
    let era = shiftedYear / 400
    let yearOfEra = shiftedYear % 400
    let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
    let dayOfEra = yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear
    return era * 146_097 + dayOfEra - 719_468
  }

  private static func daysInMonth(_ month: Int64, of year: Int64) -> Int64 {
    switch month {
    case 2: (year % 4 == 0 && year % 100 != 0) || year % 400 == 0 ? 29 : 28
    case 4, 6, 9, 11: 30
    default: 31
    }
  }

  private static func digits(_ number: Int64, _ width: Int) -> String {
    let text = String(number)
    return String(repeating: "0", count: max(0, width - text.utf8.count)) + text
  }
}
