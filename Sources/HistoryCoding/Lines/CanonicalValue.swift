import StoreFormat

/// Recognises the values of tombstones whose text is the one that is written of them.
///
/// It knows the usual forms only; of all others it says nothing.
enum CanonicalValue {
  private static let uuidByteCount = 36
  /// How long a time without a fraction is, with its quotes.
  private static let wholeTimeByteCount = 22

  /// Passes over a value of an attribute; false where it is not one of the usual forms.
  @inline(__always)
  static func skip(
    _ text: UnsafeBufferPointer<UInt8>, _ place: inout Int, of type: AttributeType
  ) -> Bool {
    guard place < text.count else { return false }
    let first = text[place]
    switch type {
    case .boolean:
      return skip("true", text, &place) || skip("false", text, &place)
    case .uuid:
      return skipUUID(text, &place)
    case .date:
      return first == UInt8(ascii: "\"") && skipTime(text, &place)
    default:
      return first == UInt8(ascii: "\"")
        ? skipString(text, &place)
        : CanonicalNumber.integer(text, &place) != nil
          && place < text.count && isEnd(text[place])
    }
  }

  /// Whether a byte can stand behind a number: not its point or its exponent.
  @inline(__always)
  private static func isEnd(_ byte: UInt8) -> Bool {
    byte == UInt8(ascii: ",") || byte == UInt8(ascii: "}")
  }

  @inline(__always)
  private static func skip(
    _ word: StaticString, _ text: UnsafeBufferPointer<UInt8>, _ place: inout Int
  ) -> Bool {
    guard text.count &- place >= word.utf8CodeUnitCount else { return false }
    for index in 0..<word.utf8CodeUnitCount where text[place &+ index] != word.utf8Start[index] {
      return false
    }
    place &+= word.utf8CodeUnitCount
    return true
  }

  /// A string that has no escapes and needs none.
  @inline(__always)
  private static func skipString(
    _ text: UnsafeBufferPointer<UInt8>, _ place: inout Int
  ) -> Bool {
    let start = place &+ 1
    var end = start
    var isPlain = true
    while end < text.count, text[end] != UInt8(ascii: "\"") {
      guard text[end] >= 0x20, text[end] != UInt8(ascii: "\\") else { return false }
      if text[end] >= 0x80 { isPlain = false }
      end &+= 1
    }
    guard end < text.count,
      isPlain || UTF8Check.isValid(UnsafeBufferPointer(rebasing: text[start..<end]))
    else { return false }
    place = end &+ 1
    return true
  }

  /// Upper-case digits in the groups of a UUID.
  @inline(__always)
  private static func skipUUID(_ text: UnsafeBufferPointer<UInt8>, _ place: inout Int) -> Bool {
    let end = place &+ uuidByteCount &+ 1
    guard end < text.count, text[place] == UInt8(ascii: "\""), text[end] == UInt8(ascii: "\"")
    else { return false }
    for index in 0..<uuidByteCount {
      let byte = text[place &+ 1 &+ index]
      switch index {
      case 8, 13, 18, 23: guard byte == UInt8(ascii: "-") else { return false }
      default:
        guard byte &- UInt8(ascii: "0") < 10 || byte &- UInt8(ascii: "A") < 6 else { return false }
      }
    }
    place = end &+ 1
    return true
  }

  /// A time from 2001 to 2031 with at most six digits behind its point.
  ///
  /// With no more than 15 digits in all, the nearest double is that of no other such number, so that
  /// these digits are the shortest that it has.
  @inline(__always)
  private static func skipTime(_ text: UnsafeBufferPointer<UInt8>, _ place: inout Int) -> Bool {
    guard text.count &- place >= wholeTimeByteCount,
      let year = number(text, place &+ 1, 4), text[place &+ 5] == UInt8(ascii: "-"),
      let month = number(text, place &+ 6, 2), text[place &+ 8] == UInt8(ascii: "-"),
      let day = number(text, place &+ 9, 2), text[place &+ 11] == UInt8(ascii: "T"),
      let hour = number(text, place &+ 12, 2), text[place &+ 14] == UInt8(ascii: ":"),
      let minute = number(text, place &+ 15, 2), text[place &+ 17] == UInt8(ascii: ":"),
      let second = number(text, place &+ 18, 2),
      2001..<2032 ~= year, hour < 24, minute < 60, second < 60,
      // The first second of that time would have a fraction with an exponent.
      year > 2001 || month > 1 || day > 1,
      CivilDate(year: year, month: month, day: day) != nil
    else { return false }
    var end = place &+ wholeTimeByteCount &- 2
    if text[end] == UInt8(ascii: ".") {
      end &+= 1
      let start = end
      while end < text.count, text[end] &- UInt8(ascii: "0") < 10 { end &+= 1 }
      guard 1...6 ~= end &- start, text[end &- 1] != UInt8(ascii: "0") else { return false }
    }
    guard text.count &- end >= 2, text[end] == UInt8(ascii: "Z"),
      text[end &+ 1] == UInt8(ascii: "\"")
    else { return false }
    place = end &+ 2
    return true
  }

  @inline(__always)
  private static func number(
    _ text: UnsafeBufferPointer<UInt8>, _ start: Int, _ count: Int
  ) -> Int? {
    var value = 0
    for index in start..<(start &+ count) {
      let digit = text[index] &- UInt8(ascii: "0")
      guard digit < 10 else { return nil }
      value = value &* 10 &+ Int(digit)
    }
    return value
  }
}
