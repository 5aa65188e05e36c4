/// Reads numbers only in the one form in which they are written.
enum CanonicalNumber {
  /// Reads an integer of at most 18 digits; nil where there is another one, or none.
  @inline(__always)
  static func integer(_ text: UnsafeBufferPointer<UInt8>, _ place: inout Int) -> Int64? {
    let isNegative = place < text.count && text[place] == UInt8(ascii: "-")
    if isNegative { place &+= 1 }
    let start = place
    var value: Int64 = 0
    while place < text.count, case let digit = text[place] &- UInt8(ascii: "0"), digit < 10 {
      guard place &- start < 18 else { return nil }
      value = value &* 10 &+ Int64(digit)
      place &+= 1
    }
    let count = place &- start
    guard count > 0, count == 1 || text[start] != UInt8(ascii: "0"), !isNegative || value != 0
    else { return nil }
    return isNegative ? -value : value
  }

  /// Reads a number of at most nine digits before and six behind its point.
  ///
  /// With no more than 15 digits in all, the nearest double is that of no other such number.
  @inline(__always)
  static func microseconds(_ text: UnsafeBufferPointer<UInt8>, _ place: inout Int) -> Double? {
    let isNegative = place < text.count && text[place] == UInt8(ascii: "-")
    if isNegative { place &+= 1 }
    var value: Int64 = 0
    var digits = 0
    while place < text.count, case let digit = text[place] &- UInt8(ascii: "0"), digit < 10 {
      guard digits < 9 else { return nil }
      value = value &* 10 &+ Int64(digit)
      digits &+= 1
      place &+= 1
    }
    guard digits > 0, place < text.count, text[place] == UInt8(ascii: ".") else { return nil }
    place &+= 1
    var decimals = 0
    while place < text.count, case let digit = text[place] &- UInt8(ascii: "0"), digit < 10 {
      guard decimals < 6 else { return nil }
      value = value &* 10 &+ Int64(digit)
      decimals &+= 1
      place &+= 1
    }
    guard decimals > 0 else { return nil }
    for _ in decimals..<6 { value = value &* 10 }
    let seconds = Double(value) / 1_000_000
    return isNegative ? -seconds : seconds
  }
}
