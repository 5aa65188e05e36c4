import StoreFormat

/// Reads dates, times of day and the words for days.
struct MomentParser {
  /// A time of day; the default is midnight.
  private struct TimeOfDay {
    var hour = 0
    var minute = 0
    var second = 0
    /// ASCII digits after the point of the seconds.
    var fraction: ArraySlice<UInt8> = []
    /// Seconds ahead of UTC if the text says so; nil means the local clock.
    var offsetSeconds: Int?
  }

  private static let dateForm = "write it as 2026-11-01 or 2026-11-01T10:00:00"
  private static let timeForm = "write the time as 14:30 or 14:30:00"

  private let text: String
  private let now: StoreTimestamp
  private var scanner: MomentScanner

  init(_ text: String, now: StoreTimestamp) {
    self.text = text
    self.now = now
    scanner = MomentScanner(text)
  }

  /// Reads the whole text, which has one of the shapes date, time or word.
  mutating func parse(_ shape: MomentShape) throws(MomentError) -> StoreTimestamp {
    switch shape {
    case .word: return try parseWord()
    case .time: return try timestamp(on: today(), at: parseLocalTime())
    default: return try parseDateTime()
    }
  }

  private mutating func parseWord() throws(MomentError) -> StoreTimestamp {
    let word = scanner.takeWord()
    if word == "now" {
      guard scanner.isAtEnd else {
        throw error(
          "has more after now than can be read", hint: "write now alone, or today and a time")
      }
      return now
    }
    let step = word == "yesterday" ? -1 : word == "tomorrow" ? 1 : 0
    guard let date = try today().adding(days: step) else {
      throw error("is outside the years 1 to 9999", hint: Self.dateForm)
    }
    let time = scanner.take(" ") ? try parseLocalTime() : TimeOfDay()
    return try timestamp(on: date, at: time)
  }

  private mutating func parseDateTime() throws(MomentError) -> StoreTimestamp {
    let date = try parseDate()
    if scanner.isAtEnd { return try timestamp(on: date, at: TimeOfDay()) }
    guard scanner.take("t") || scanner.take(" ") else {
      throw error("has more after the date than can be read", hint: Self.dateForm)
    }
    var time = try parseTime()
    time.offsetSeconds = try parseOffset()
    return try timestamp(on: date, at: time)
  }

  private mutating func parseDate() throws(MomentError) -> CivilDate {
    guard let year = scanner.takeNumber(digits: 4...4), scanner.take("-"),
      let month = scanner.takeNumber(digits: 2...2)
    else {
      throw error("is not a date in the form YYYY-MM-DD", hint: Self.dateForm)
    }
    guard year >= 1 else {
      throw error("names the year 0, which does not exist", hint: "write a year from 0001 to 9999")
    }
    guard (1...12).contains(month) else {
      throw error("names the month \(month), which does not exist", hint: "write 01 to 12")
    }
    let yearMonth = Self.padded(year, to: 4) + "-" + Self.padded(month, to: 2)
    if scanner.isAtEnd {
      throw error("names a month without a day", hint: "write the day too: \(yearMonth)-01")
    }
    guard scanner.take("-"), let day = scanner.takeNumber(digits: 2...2) else {
      throw error("is not a date in the form YYYY-MM-DD", hint: Self.dateForm)
    }
    guard let date = CivilDate(year: year, month: month, day: day) else {
      let count = CivilDate.dayCount(ofMonth: month, year: year)
      throw error(
        "names the day \(day), but \(yearMonth) has \(count) days",
        hint: "write a day from 01 to \(count)")
    }
    return date
  }

  private mutating func parseLocalTime() throws(MomentError) -> TimeOfDay {
    let time = try parseTime()
    guard scanner.isAtEnd else {
      throw error(
        "has more after the time than can be read",
        hint: "write a time of the local clock such as 14:30; an offset needs a full date")
    }
    return time
  }

  private mutating func parseTime() throws(MomentError) -> TimeOfDay {
    guard let hour = scanner.takeNumber(digits: 1...2) else {
      throw error("has no time where one was expected", hint: Self.timeForm)
    }
    guard scanner.take(":"), let minute = scanner.takeNumber(digits: 2...2) else {
      throw error("has an hour without minutes", hint: Self.timeForm)
    }
    var time = TimeOfDay(hour: hour, minute: minute)
    if scanner.take(":") {
      guard let second = scanner.takeNumber(digits: 2...2) else {
        throw error("has no seconds after the second colon", hint: Self.timeForm)
      }
      time.second = second
      if scanner.take(".") {
        time.fraction = scanner.takeDigits()
        guard (1...32).contains(time.fraction.count) else {
          throw error(
            "has \(time.fraction.count) digits after the point of the seconds",
            hint: "write 1 to 32 digits, for example 10:00:00.5")
        }
      }
    }
    try check(hour, isAtMost: 23, "hour")
    try check(minute, isAtMost: 59, "minute")
    try check(time.second, isAtMost: 59, "second")
    return time
  }

  /// Reads `z`, `+02:00`, `+0200` or `-05`, a blank before it if there is one, up to the end.
  private mutating func parseOffset() throws(MomentError) -> Int? {
    if scanner.isAtEnd { return nil }
    let hint = "write Z, or an offset such as +02:00, or nothing for local time"
    _ = scanner.take(" ")
    if scanner.take("z"), scanner.isAtEnd { return 0 }
    let isNegative = scanner.next == UInt8(ascii: "-")
    guard scanner.take("-") || scanner.take("+") else {
      throw error("has more after the time than can be read", hint: hint)
    }
    let digits = scanner.takeDigits()
    var minutes = 0
    if digits.count == 2, scanner.take(":") {
      guard let value = scanner.takeNumber(digits: 2...2) else {
        throw error("has an offset that cannot be read", hint: hint)
      }
      minutes = value
    }
    guard digits.count == 2 || digits.count == 4, scanner.isAtEnd,
      let value = MomentScanner.value(of: digits)
    else {
      throw error("has an offset that cannot be read", hint: hint)
    }
    let hours = digits.count == 4 ? value / 100 : value
    if digits.count == 4 { minutes = value % 100 }
    guard hours <= 23, minutes <= 59 else {
      throw error("has an offset of \(hours) hours and \(minutes) minutes", hint: hint)
    }
    let seconds = hours * 3600 + minutes * 60
    return isNegative ? -seconds : seconds
  }

  private func timestamp(
    on date: CivilDate, at time: TimeOfDay
  ) throws(MomentError) -> StoreTimestamp {
    var seconds: Int?
    if let offset = time.offsetSeconds {
      let secondOfDay = time.hour * 3600 + time.minute * 60 + time.second
      seconds = date.daysSinceUnixEpoch * 86_400 + secondOfDay - offset
    } else {
      let local = LocalTime(
        date: date, hour: time.hour, minute: time.minute, second: time.second)
      seconds = local?.unixSeconds
    }
    guard let seconds,
      let timestamp = StoreTimestamp(unixSeconds: seconds, fractionDigits: time.fraction)
    else {
      throw error("is outside the years 1 to 9999 of the local clock", hint: Self.dateForm)
    }
    return timestamp
  }

  private func today() throws(MomentError) -> CivilDate {
    guard let local = LocalTime(now) else {
      throw error(
        "is relative to a clock that is outside the years 1 to 9999", hint: Self.dateForm)
    }
    return local.date
  }

  private func check(_ value: Int, isAtMost limit: Int, _ name: String) throws(MomentError) {
    guard value > limit else { return }
    throw error("names the \(name) \(value), which does not exist", hint: "write 00 to \(limit)")
  }

  private static func padded(_ value: Int, to width: Int) -> String {
    let digits = String(value)
    return String(repeating: "0", count: max(0, width - digits.count)) + digits
  }

  private func error(_ problem: String, hint: String) -> MomentError {
    MomentError(message: "\(MomentError.quote(text)) \(problem)", hint: hint)
  }
}
