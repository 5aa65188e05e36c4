import StoreFormat

/// A position in history given as a point in time: before the first transaction at or after it.
///
/// Unlike a token it never expires, because it is looked up by time.
package struct Moment: Hashable, Sendable {
  package let timestamp: StoreTimestamp

  init(timestamp: StoreTimestamp) { self.timestamp = timestamp }

  /// Reads a moment, relative to `now` and in local time unless the text has `Z` or an offset.
  ///
  /// Forms are a date (`2026-11-01`, its midnight) with an optional time after `T` or a blank
  /// (`2026-11-01T10:00:37.5+02:00`), a duration before now (`2w`, `1d12h`, `2 weeks ago`), `now`,
  /// `today`, `yesterday` or `tomorrow`, a day of the week (`monday` or `mon`, the most recent one that has
  /// begun; `last monday`, the most recent one before today), each but `now` with an optional time
  /// (`yesterday 14:00`), and a time alone, which is today's. Case and extra blanks do not matter.
  ///
  /// - Returns: `nil` where the text looks like none of these and may be another kind of token, such as a
  ///   plain number, a name or a store identifier.
  /// - Throws: ``MomentError`` where it looks like one of these but is wrong.
  package static func parse(
    _ text: String, now: StoreTimestamp
  ) throws(MomentError) -> Moment? {
    var parser = MomentParser(text)
    return try parser.parseMoment(now: now).map(Moment.init)
  }
}

/// The error for a text that looks like a moment or a duration but is wrong.
public struct MomentError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The problem, with the quoted text; in lower case and without a full stop.
  public let message: String
  /// What to write instead.
  public let hint: String

  package init(message: String, hint: String) {
    self.message = message
    self.hint = hint
  }

  /// The message, followed by the hint.
  public var description: String { "\(message); \(hint)" }

  /// Quotes a text for a message: cut to a number of characters, with `?` for invisible and control
  /// characters.
  static func quote(_ text: String, limit: Int = 40) -> String {
    var result = "'"
    for (position, character) in text.unicodeScalars.enumerated() {
      guard position < limit else {
        result += "…"
        break
      }
      switch character.properties.generalCategory {
      case .control, .format, .lineSeparator, .paragraphSeparator: result += "?"
      default: result.unicodeScalars.append(character)
      }
    }
    return result + "'"
  }
}

/// Parses moments and, in an extension, durations.
///
/// Letters are lower-cased, blanks at both ends dropped, and each run of blanks replaced by one space.
struct MomentParser {
  private static let dateForm = "write it as 2026-11-01 or 2026-11-01T10:00:00"
  private static let timeForm = "write the time as 14:30 or 14:30:00"

  private let text: String
  private(set) var rest: ArraySlice<UInt8>

  init(_ text: String) {
    self.text = text
    let words = text.utf8.split { [0x20, 0x09, 0x0A, 0x0D].contains($0) }
    rest = words.joined(separator: [0x20]).map { (0x41...0x5A).contains($0) ? $0 | 0x20 : $0 }[...]
  }

  // MARK: - Scanning

  var isAtEnd: Bool { rest.isEmpty }

  var next: Unicode.Scalar? { rest.first.map { Unicode.Scalar($0) } }

  mutating func take(_ character: Unicode.Scalar) -> Bool {
    guard next == character else { return false }
    rest.removeFirst()
    return true
  }

  mutating func takeDigits() -> ArraySlice<UInt8> { takePrefix(while: \.isDigit) }

  mutating func takeWord() -> String {
    String(decoding: takePrefix { (0x61...0x7A).contains($0) }, as: UTF8.self)
  }

  private mutating func takePrefix(while belongs: (UInt8) -> Bool) -> ArraySlice<UInt8> {
    let taken = rest.prefix(while: belongs)
    rest = rest[taken.endIndex...]
    return taken
  }

  /// Takes a number with a number of digits in a range; takes nothing if it has more or fewer.
  private mutating func takeNumber(digits range: ClosedRange<Int>) -> Int? {
    let start = rest
    let digits = takeDigits()
    if range.contains(digits.count), let value = Self.value(of: digits) { return value }
    rest = start
    return nil
  }

  /// Returns the value of ASCII digits, or `nil` if there are none or more than 12 significant ones:
  /// the value can then be multiplied without overflow.
  static func value(of digits: ArraySlice<UInt8>) -> Int? {
    let significant = digits.drop { $0 == UInt8(ascii: "0") }
    guard !digits.isEmpty, significant.count <= 12 else { return nil }
    return significant.reduce(0) { $0 * 10 + Int($1 - UInt8(ascii: "0")) }
  }

  func error(_ problem: String, hint: String) -> MomentError {
    MomentError(message: "\(MomentError.quote(text)) \(problem)", hint: hint)
  }

  // MARK: - Moments

  /// Parses the whole text as a moment; see ``Moment/parse(_:now:)``.
  ///
  /// The first characters determine the form. The test is narrow, so that plain numbers, names,
  /// `last~3` and store identifiers, which may be all decimal, remain other kinds of tokens.
  mutating func parseMoment(now: StoreTimestamp) throws(MomentError) -> StoreTimestamp? {
    var probe = self
    let word = probe.takeWord()
    let isDayOfWeek =
      Self.weekday(word) != nil
      || word == "last" && probe.take(" ") && Self.weekday(probe.takeWord()) != nil
    switch isDayOfWeek ? "today" : word {
    case "now", "today", "yesterday", "tomorrow":
      return probe.isAtEnd || probe.next == " " ? try parseDayWord(now) : nil
    case "a", "an": return probe.take(" ") ? try parseAgo().before(now) : nil
    case "": break
    default: return nil
    }
    let hasSign = probe.take("-") || probe.take("+")
    let digits = probe.takeDigits()
    guard !digits.isEmpty, let next = probe.next else { return nil }
    let following = probe.rest.dropFirst()
    let isFollowedByDigit = following.first?.isDigit ?? false
    switch (next, digits.count) {
    case _ where hasSign: break
    case ("-", 4): return try parseDateTime()
    case (":", 1...2) where isFollowedByDigit:
      return try timestamp(on: today(now), at: parseLocalTime())
    case ("t", 8) where isFollowedByDigit: throw foreignDate
    case ("-", 1...2), ("/", _), (".", _):
      let isDate = following.drop(while: \.isDigit).first.map { Unicode.Scalar($0) } == next
      if isFollowedByDigit, isDate { throw foreignDate }
    default: break
    }
    let isDuration = probe.rest.allSatisfy { byte in
      byte.isDigit || (0x61...0x7A).contains(byte) || " .,".utf8.contains(byte)
    }
    guard isDuration, probe.rest.contains(where: { $0 >= 0x61 }) else { return nil }
    return try parseAgo().before(now)
  }

  private var foreignDate: MomentError {
    error(
      "is not a date in the form YYYY-MM-DD",
      hint: "write year, month and day with dashes, for example 2026-11-01")
  }

  /// A time of day; the default is midnight.
  private struct TimeOfDay {
    var hour = 0
    var minute = 0
    var second = 0
    /// ASCII digits after the point of the seconds.
    var fraction: ArraySlice<UInt8> = []
    /// Seconds ahead of UTC, or `nil` for local time.
    var offsetSeconds: Int?
  }

  private mutating func parseDayWord(_ now: StoreTimestamp) throws(MomentError) -> StoreTimestamp {
    var word = takeWord()
    let isBeforeToday = word == "last"
    if isBeforeToday {
      _ = take(" ")
      word = takeWord()
    }
    if word == "now" {
      guard isAtEnd else {
        throw error(
          "has more after now than can be read", hint: "write now alone, or today and a time")
      }
      return now
    }
    let today = try today(now)
    var step = word == "yesterday" ? -1 : word == "tomorrow" ? 1 : 0
    if let weekday = Self.weekday(word) {
      step = -((today.weekday - weekday + 7) % 7)
      if isBeforeToday, step == 0 { step = -7 }
    }
    guard let date = today.adding(days: step) else {
      throw error("is outside the years 1 to 9999", hint: Self.dateForm)
    }
    return try timestamp(on: date, at: take(" ") ? try parseLocalTime() : TimeOfDay())
  }

  /// Returns the number of a day of the week, 1 for Monday, from its name or the first three letters of it.
  private static func weekday(_ word: String) -> Int? {
    let names = ["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"]
    return names.firstIndex { $0 == word || $0.prefix(3) == word }.map { $0 + 1 }
  }

  private mutating func parseDateTime() throws(MomentError) -> StoreTimestamp {
    let date = try parseDate()
    if isAtEnd { return try timestamp(on: date, at: TimeOfDay()) }
    guard take("t") || take(" ") else {
      throw error("has more after the date than can be read", hint: Self.dateForm)
    }
    var time = try parseTime()
    time.offsetSeconds = try parseOffset()
    return try timestamp(on: date, at: time)
  }

  private mutating func parseDate() throws(MomentError) -> CivilDate {
    let malformed = error("is not a date in the form YYYY-MM-DD", hint: Self.dateForm)
    guard let year = takeNumber(digits: 4...4), take("-"), let month = takeNumber(digits: 2...2)
    else { throw malformed }
    guard year >= 1 else {
      throw error("names the year 0, which does not exist", hint: "write a year from 0001 to 9999")
    }
    guard (1...12).contains(month) else {
      throw error("names the month \(month), which does not exist", hint: "write 01 to 12")
    }
    let yearMonth = "\(String(year + 10_000).dropFirst())-\(CivilDate.twoDigits(month))"
    if isAtEnd {
      throw error("names a month without a day", hint: "write the day too: \(yearMonth)-01")
    }
    guard take("-"), let day = takeNumber(digits: 2...2) else { throw malformed }
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
    guard isAtEnd else {
      throw error(
        "has more after the time than can be read",
        hint: "write a local time such as 14:30; an offset needs a full date")
    }
    return time
  }

  private mutating func parseTime() throws(MomentError) -> TimeOfDay {
    guard let hour = takeNumber(digits: 1...2) else {
      throw error("has no time where one was expected", hint: Self.timeForm)
    }
    guard take(":"), let minute = takeNumber(digits: 2...2) else {
      throw error("has an hour without minutes", hint: Self.timeForm)
    }
    var time = TimeOfDay(hour: hour, minute: minute)
    if take(":") {
      guard let second = takeNumber(digits: 2...2) else {
        throw error("has no seconds after the second colon", hint: Self.timeForm)
      }
      time.second = second
      if take(".") {
        time.fraction = takeDigits()
        guard (1...32).contains(time.fraction.count) else {
          throw error(
            "has \(time.fraction.count) digits after the point of the seconds",
            hint: "write 1 to 32 digits, for example 10:00:00.5")
        }
      }
    }
    for (value, limit, name) in [
      (hour, 23, "hour"), (minute, 59, "minute"), (time.second, 59, "second"),
    ]
    where value > limit {
      throw error(
        "names the \(name) \(value), which does not exist", hint: "write 00 to \(limit)")
    }
    return time
  }

  /// Parses `z`, `+02:00`, `+0200` or `-05`, after an optional blank, to the end of the text.
  private mutating func parseOffset() throws(MomentError) -> Int? {
    if isAtEnd { return nil }
    let hint = "write Z, or an offset such as +02:00, or nothing for local time"
    _ = take(" ")
    if take("z"), isAtEnd { return 0 }
    let isNegative = next == "-"
    guard take("-") || take("+") else {
      throw error("has more after the time than can be read", hint: hint)
    }
    let digits = takeDigits()
    let hasColon = digits.count == 2 && take(":")
    let minuteDigits = hasColon ? takeDigits() : digits.dropFirst(2)
    guard isAtEnd, digits.count == 2 || digits.count == 4,
      minuteDigits.count == 2 || (minuteDigits.isEmpty && !hasColon),
      let hours = Self.value(of: digits.prefix(2))
    else { throw error("has an offset that cannot be read", hint: hint) }
    let minutes = Self.value(of: minuteDigits) ?? 0
    guard hours <= 23, minutes <= 59 else {
      throw error("has an offset of \(hours) hours and \(minutes) minutes", hint: hint)
    }
    let seconds = hours * 3600 + minutes * 60
    return isNegative ? -seconds : seconds
  }

  private func timestamp(
    on date: CivilDate, at time: TimeOfDay
  ) throws(MomentError) -> StoreTimestamp {
    let secondOfDay = time.hour * 3600 + time.minute * 60 + time.second
    let seconds =
      time.offsetSeconds.map { date.daysSinceUnixEpoch * 86_400 + secondOfDay - $0 }
      ?? LocalTime(date: date, hour: time.hour, minute: time.minute, second: time.second)?
      .unixSeconds
    guard let seconds,
      let timestamp = StoreTimestamp(unixSeconds: seconds, fractionDigits: time.fraction)
    else {
      throw error("is outside the years 1 to 9999 in local time", hint: Self.dateForm)
    }
    return timestamp
  }

  private func today(_ now: StoreTimestamp) throws(MomentError) -> CivilDate {
    guard let local = LocalTime(now) else {
      throw error(
        "is relative to a clock that is outside the years 1 to 9999", hint: Self.dateForm)
    }
    return local.date
  }
}
