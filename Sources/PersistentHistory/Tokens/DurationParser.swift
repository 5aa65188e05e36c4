/// Reads durations: whole numbers with units, `1d12h` or `2 weeks`, and the same with `ago`.
struct DurationParser {
  private enum Unit: Hashable {
    case year, month, week, day, hour, minute, second

    init?(_ word: String) {
      switch word {
      case "y", "year", "years": self = .year
      case "mo", "month", "months": self = .month
      case "w", "week", "weeks": self = .week
      case "d", "day", "days": self = .day
      case "h", "hour", "hours": self = .hour
      case "min", "minute", "minutes": self = .minute
      case "s", "sec", "second", "seconds": self = .second
      default: return nil
      }
    }
  }

  private static let knownUnits = "write y, mo, w, d, h, min or s, for example 30d or 1d12h"

  private let text: String
  private var scanner: MomentScanner
  private var months = 0
  private var days = 0
  private var seconds = 0

  init(_ text: String) {
    self.text = text
    scanner = MomentScanner(text)
  }

  /// Reads the whole text as a duration.
  mutating func parseDuration() throws(MomentError) -> HistoryDuration {
    let duration = try parseParts()
    guard scanner.isAtEnd else {
      throw error("is not a duration", hint: "write only a number and a unit, for example 30d")
    }
    return duration
  }

  /// Reads the whole text as a duration back from now; the word `ago` may end it.
  mutating func parseAgo() throws(MomentError) -> HistoryDuration {
    let duration = try parseParts()
    // The parts stop before their end only where this word is the rest.
    _ = scanner.takeWord()
    return duration
  }

  private mutating func parseParts() throws(MomentError) -> HistoryDuration {
    var given: Set<Unit> = []
    repeat {
      let count = try parseCount()
      let unit = try parseUnit(after: count)
      guard given.insert(unit).inserted else {
        throw error("gives the same unit twice", hint: "write each unit once, for example 1d12h")
      }
      add(count, unit)
      let hasBlank = scanner.take(" ")
      if hasBlank, scanner.rest.elementsEqual("ago".utf8) { break }
    } while !scanner.isAtEnd
    // Counts are not negative and this small (at most 12 digits), so this cannot fail.
    guard let duration = HistoryDuration(months: months, days: days, seconds: seconds) else {
      throw error("is too long a time", hint: Self.knownUnits)
    }
    return duration
  }

  private mutating func parseCount() throws(MomentError) -> Int {
    if scanner.next == UInt8(ascii: "-") || scanner.next == UInt8(ascii: "+") {
      throw error(
        "has a sign, but a duration is a plain number with a unit",
        hint: "write it without the sign: it counts back from now, for example 3d")
    }
    let digits = scanner.takeDigits()
    if digits.isEmpty {
      let beforeWord = scanner
      let word = scanner.takeWord()
      if (word == "a" || word == "an") && scanner.next == UInt8(ascii: " ") { return 1 }
      scanner = beforeWord
      throw error("is not a number with a unit", hint: Self.knownUnits)
    }
    if scanner.next == UInt8(ascii: ".") || scanner.next == UInt8(ascii: ",") {
      throw error(
        "is not made of whole numbers", hint: "write the smaller unit, for example 36h or 90min")
    }
    guard let count = MomentScanner.value(of: digits) else {
      throw error(
        "has a number of more than 12 digits", hint: "write a larger unit or a smaller number")
    }
    return count
  }

  private mutating func parseUnit(after count: Int) throws(MomentError) -> Unit {
    _ = scanner.take(" ")
    let word = scanner.takeWord()
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

  private mutating func add(_ count: Int, _ unit: Unit) {
    switch unit {
    case .year: months += count * 12
    case .month: months += count
    case .week: days += count * 7
    case .day: days += count
    case .hour: seconds += count * 3600
    case .minute: seconds += count * 60
    case .second: seconds += count
    }
  }

  private func error(_ problem: String, hint: String) -> MomentError {
    MomentError(message: "\(MomentError.quote(text)) \(problem)", hint: hint)
  }
}
