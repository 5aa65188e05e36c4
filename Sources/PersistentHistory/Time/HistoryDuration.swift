import StoreFormat

/// A length of time in calendar months and days and exact seconds.
///
/// Years, months, weeks and days are steps of the local calendar: a day before is the same time of day,
/// also across a change of the clock. Hours, minutes and seconds are exact.
public struct HistoryDuration: Hashable, Sendable {
  package let months: Int
  package let days: Int
  /// Seconds, 3,600 for an hour.
  package let seconds: Int

  /// Creates a duration, or returns `nil` if a part is negative.
  package init?(months: Int = 0, days: Int = 0, seconds: Int = 0) {
    guard months >= 0, days >= 0, seconds >= 0 else { return nil }
    self.months = months
    self.days = days
    self.seconds = seconds
  }

  /// Reads whole numbers with units, such as `30d`, `2 weeks` or `1d12h`.
  ///
  /// Units are `y`, `mo`, `w`, `d`, `h`, `min`, `s` or their English names. Zero is allowed.
  ///
  /// - Throws: ``MomentError`` where a unit is missing, unknown, ambiguous (`m`) or given twice, or a number
  ///   has more than 12 digits.
  public init(parsing text: String) throws(MomentError) {
    var parser = MomentParser(text)
    self = try parser.parseDuration()
  }

  package var isZero: Bool { months == 0 && days == 0 && seconds == 0 }

  /// Returns the moment this long before a timestamp, on the local calendar.
  ///
  /// Months are subtracted first (31 March less one month is the last of February), then days, then
  /// seconds; the fraction of the second stays. The result is never before the year 1. Where the
  /// timestamp itself is outside the years 1 to 9999, a month counts as 30.436875 days of 24 hours.
  package func before(_ timestamp: StoreTimestamp) -> StoreTimestamp {
    var result = timestamp.secondsSinceReferenceDate
    if months > 0 || days > 0 {
      if let start = LocalTime(timestamp) {
        guard
          let date = start.date.adding(months: -months)?.adding(days: -days),
          let end = LocalTime(
            date: date, hour: start.hour, minute: start.minute, second: start.second)
        else { return Self.earliest }
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

extension MomentParser {
  private static let knownUnits = "write y, mo, w, d, h, min or s, for example 30d or 1d12h"

  /// One of a unit, as months, days or seconds.
  private struct Unit: Hashable {
    var months = 0
    var days = 0
    var seconds = 0

    init?(_ word: String) {
      switch word {
      case "y", "year", "years": months = 12
      case "mo", "month", "months": months = 1
      case "w", "week", "weeks": days = 7
      case "d", "day", "days": days = 1
      case "h", "hour", "hours": seconds = 3600
      case "min", "minute", "minutes": seconds = 60
      case "s", "sec", "second", "seconds": seconds = 1
      default: return nil
      }
    }
  }

  mutating func parseDuration() throws(MomentError) -> HistoryDuration {
    let duration = try parseParts()
    guard isAtEnd else {
      throw error("is not a duration", hint: "write only a number and a unit, for example 30d")
    }
    return duration
  }

  /// Parses the whole text as a duration, with an optional `ago` at its end.
  mutating func parseAgo() throws(MomentError) -> HistoryDuration {
    // Parsing the parts stops before the end of the text only if `ago` is the rest.
    try parseParts()
  }

  private mutating func parseParts() throws(MomentError) -> HistoryDuration {
    var (months, days, seconds) = (0, 0, 0)
    var given: Set<Unit> = []
    repeat {
      let count = try parseCount()
      let unit = try parseUnit(after: count)
      guard given.insert(unit).inserted else {
        throw error("gives the same unit twice", hint: "write each unit once, for example 1d12h")
      }
      // Each unit comes once, and a count has at most 12 digits.
      months += count * unit.months
      days += count * unit.days
      seconds += count * unit.seconds
      if take(" "), rest.elementsEqual("ago".utf8) { break }
    } while !isAtEnd
    guard let duration = HistoryDuration(months: months, days: days, seconds: seconds) else {
      throw error("is too long", hint: Self.knownUnits)
    }
    return duration
  }

  private mutating func parseCount() throws(MomentError) -> Int {
    if next == "-" || next == "+" {
      throw error(
        "has a sign, but a duration is a plain number with a unit",
        hint: "write it without the sign: it counts back from now, for example 3d")
    }
    let digits = takeDigits()
    if digits.isEmpty {
      let word = takeWord()
      if word == "a" || word == "an", next == " " { return 1 }
      throw error("is not a number with a unit", hint: Self.knownUnits)
    }
    if next == "." || next == "," {
      throw error(
        "is not made of whole numbers", hint: "write the smaller unit, for example 36h or 90min")
    }
    guard let count = Self.value(of: digits) else {
      throw error(
        "has a number of more than 12 digits", hint: "write a larger unit or a smaller number")
    }
    return count
  }

  private mutating func parseUnit(after count: Int) throws(MomentError) -> Unit {
    _ = take(" ")
    let word = takeWord()
    if word == "m" {
      throw error(
        "has the unit m, which could be minutes or months",
        hint: "write min for minutes or mo for months: \(count)min or \(count)mo")
    }
    if word.isEmpty || word == "ago" {
      throw error(
        "has a number without a unit", hint: "write the unit after it, for example \(count)d")
    }
    guard let unit = Unit(word) else {
      throw error("has the unknown unit \(MomentError.quote(word))", hint: Self.knownUnits)
    }
    return unit
  }
}
