extension JSONParser {
  /// Longer texts of numbers are refused: no double needs them, and reading one could be slow.
  private static let numberLengthLimit = 1024

  /// Reads the number that begins here.
  mutating func parseNumber() throws(JSONError) -> JSONValue {
    let start = position
    let isNegative = bytes[position] == UInt8(ascii: "-")
    if isNegative { position += 1 }
    // The digits as one integer and a power of ten, as long as they fit.
    var digits: UInt64 = 0
    var fits = true
    let wholeStart = position
    takeDigits(into: &digits, &fits)
    let wholeLength = position - wholeStart
    guard wholeLength > 0 else { throw error("a digit was expected") }
    guard wholeLength == 1 || bytes[wholeStart] != UInt8(ascii: "0") else {
      throw JSONError(offset: wholeStart, message: "a number must not begin with a needless zero")
    }

    var exponent = 0
    var isIntegral = true
    if position < bytes.count, bytes[position] == UInt8(ascii: ".") {
      isIntegral = false
      position += 1
      let fractionStart = position
      takeDigits(into: &digits, &fits)
      guard position > fractionStart else { throw error("a digit was expected after the point") }
      exponent = fractionStart - position
    }
    if position < bytes.count, bytes[position] | 0x20 == UInt8(ascii: "e") {
      isIntegral = false
      exponent += try parseExponent()
    }

    if isIntegral, fits, let value = Self.integer(magnitude: digits, isNegative) {
      return .integer(value)
    }
    if fits, let value = Self.exactReal(digits: digits, exponent: exponent) {
      return .real(isNegative ? -value : value)
    }
    guard position - start <= Self.numberLengthLimit else {
      throw JSONError(
        offset: start, message: "a number has more than \(Self.numberLengthLimit) characters")
    }
    let text = String(decoding: bytes[start..<position], as: UTF8.self)
    guard let value = Double(text), value.isFinite else {
      throw JSONError(offset: start, message: "a number is too large for a double")
    }
    return .real(value)
  }

  @inline(__always)
  private mutating func takeDigits(into value: inout UInt64, _ fits: inout Bool) {
    while position < bytes.count {
      let digit = bytes[position] &- UInt8(ascii: "0")
      guard digit <= 9 else { return }
      let (product, overflow) = value.multipliedReportingOverflow(by: 10)
      let (sum, carry) = product.addingReportingOverflow(UInt64(digit))
      if overflow || carry { fits = false }
      value = sum
      position += 1
    }
  }

  /// Reads `e`, a sign if there is one, and digits; what is beyond any double stays at 100,000.
  private mutating func parseExponent() throws(JSONError) -> Int {
    position += 1
    var isNegative = false
    if position < bytes.count,
      bytes[position] == UInt8(ascii: "-") || bytes[position] == UInt8(ascii: "+")
    {
      isNegative = bytes[position] == UInt8(ascii: "-")
      position += 1
    }
    let start = position
    var value = 0
    while position < bytes.count {
      let digit = bytes[position] &- UInt8(ascii: "0")
      guard digit <= 9 else { break }
      value = min(value * 10 + Int(digit), 100_000)
      position += 1
    }
    guard position > start else { throw error("a digit was expected in the exponent") }
    return isNegative ? -value : value
  }

  private static func integer(magnitude: UInt64, _ isNegative: Bool) -> Int64? {
    if !isNegative { return Int64(exactly: magnitude) }
    if magnitude == Int64.min.magnitude { return .min }
    return Int64(exactly: magnitude).map { -$0 }
  }

  /// The nearest double, where one rounding of two exact doubles gives it: digits below 2^53, and a
  /// power of ten that a double holds.
  private static func exactReal(digits: UInt64, exponent: Int) -> Double? {
    guard digits <= 1 << 53, (-22...22).contains(exponent) else { return nil }
    let power = powersOfTen[Int(exponent.magnitude)]
    return exponent < 0 ? Double(digits) / power : Double(digits) * power
  }

  private static let powersOfTen: [Double] = [
    1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16,
    1e17, 1e18, 1e19, 1e20, 1e21, 1e22,
  ]
}
