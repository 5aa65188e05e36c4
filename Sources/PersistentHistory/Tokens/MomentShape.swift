/// Which kind of moment a text looks like, judged by its first characters.
///
/// It is deliberately narrow: plain numbers, names, `last~3` and store identifiers (eight
/// hexadecimal digits and a dash, perhaps all decimal) must stay free for other tokens.
enum MomentShape {
  /// Four digits and a dash.
  case date
  /// A date in a form that is not understood, such as `1/11/2026` or `20261101T1000`.
  case foreignDate
  /// One or two digits and a colon.
  case time
  /// A number, or `a` or `an`, and a unit.
  case duration
  /// `now`, `today`, `yesterday` or `tomorrow`.
  case word

  init?(of start: MomentScanner) {
    var scanner = start
    let word = scanner.takeWord()
    switch word {
    case "now", "today", "yesterday", "tomorrow":
      guard scanner.isAtEnd || scanner.next == UInt8(ascii: " ") else { return nil }
      self = .word
      return
    case "a", "an":
      guard scanner.take(" ") else { return nil }
      self = .duration
      return
    case "": break
    default: return nil
    }

    let hasSign = scanner.take("-") || scanner.take("+")
    let digits = scanner.takeDigits()
    guard !digits.isEmpty, let next = scanner.next else { return nil }
    if !hasSign, let shape = Self.calendarShape(digits: digits.count, rest: scanner.rest) {
      self = shape
      return
    }
    switch next {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: " "), UInt8(ascii: "."),
      UInt8(ascii: ","):
      guard scanner.rest.allSatisfy(Self.belongsToDuration),
        scanner.rest.contains(where: { $0 >= UInt8(ascii: "a") })
      else { return nil }
      self = .duration
    default: return nil
    }
  }

  /// The shape of a date or time whose first number has so many digits, if it is one.
  private static func calendarShape(digits: Int, rest: ArraySlice<UInt8>) -> MomentShape? {
    guard let sign = rest.first else { return nil }
    let afterSign = rest.dropFirst()
    let isFollowedByDigit = afterSign.first.map(isDigit) ?? false
    switch sign {
    case UInt8(ascii: "-") where digits == 4: return .date
    case UInt8(ascii: ":") where digits <= 2 && isFollowedByDigit: return .time
    case UInt8(ascii: "t") where digits == 8 && isFollowedByDigit: return .foreignDate
    case UInt8(ascii: "-") where digits <= 2, UInt8(ascii: "/"), UInt8(ascii: "."):
      let following = afterSign.drop(while: isDigit)
      return isFollowedByDigit && following.first == sign ? .foreignDate : nil
    default: return nil
    }
  }

  private static func isDigit(_ byte: UInt8) -> Bool {
    byte >= UInt8(ascii: "0") && byte <= UInt8(ascii: "9")
  }

  private static func belongsToDuration(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"),
      UInt8(ascii: " "), UInt8(ascii: "."), UInt8(ascii: ","):
      true
    default: false
    }
  }
}
