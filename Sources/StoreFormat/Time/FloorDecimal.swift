/// A decimal number as a calendar needs it: the whole part rounded down, and digits that count up.
///
/// So -1.25 is -2 and 75. The change from sign and magnitude is made on the digits and loses
/// nothing.
struct FloorDecimal {
  let whole: Int
  /// ASCII digits after the point.
  let fraction: ArraySlice<UInt8>

  /// Takes a whole number and the digits that are added to it.
  init(whole: Int, fraction: ArraySlice<UInt8>) {
    self.whole = whole
    self.fraction = fraction
  }

  /// Takes the shortest text of a double as the standard library writes it; nil if it has an
  /// exponent, is no number, or its whole part does not fit.
  init?(shortestText text: [UInt8]) {
    let isNegative = text.first == UInt8(ascii: "-")
    let digits = text[(isNegative ? 1 : 0)...]
    guard let point = digits.firstIndex(of: UInt8(ascii: ".")),
      let magnitude = Int(String(decoding: digits[..<point], as: UTF8.self))
    else { return nil }
    let fraction = digits[(point + 1)...]
    guard !fraction.isEmpty,
      fraction.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) })
    else { return nil }
    if fraction.allSatisfy({ $0 == UInt8(ascii: "0") }) {
      self.init(whole: isNegative ? -magnitude : magnitude, fraction: [])
    } else if isNegative {
      self.init(whole: -magnitude - 1, fraction: Self.complement(fraction))
    } else {
      self.init(whole: magnitude, fraction: fraction)
    }
  }

  /// The double nearest to this number.
  var nearestDouble: Double? {
    quotient ?? Double(text)
  }

  /// The nearest double, where one rounding of two exact doubles gives it: all digits together
  /// below 2^53, over a power of ten that a double holds. Most times are such.
  private var quotient: Double? {
    guard fraction.count <= 15 else { return nil }
    var digits = whole
    var power = 1
    for digit in fraction {
      guard digits.magnitude <= 1 << 53 else { return nil }
      digits = digits * 10 + Int(digit - UInt8(ascii: "0"))
      power *= 10
    }
    guard digits.magnitude <= 1 << 53 else { return nil }
    return Double(digits) / Double(power)
  }

  /// Sign and magnitude as decimal text.
  private var text: String {
    var text = String(whole)
    var digits = fraction
    if digits.allSatisfy({ $0 == UInt8(ascii: "0") }) {
      digits = []
    } else if whole < 0 {
      text = "-" + String((whole + 1).magnitude)
      digits = Self.complement(digits)
    }
    if !digits.isEmpty {
      text += "." + String(decoding: digits, as: UTF8.self)
    }
    return text
  }

  /// The digits of one minus the fraction, as many as it has.
  ///
  /// Every digit is taken from 9 up to the last one that is not zero, which is taken from 10.
  private static func complement(_ digits: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
    var result = digits
    guard let last = digits.lastIndex(where: { $0 != UInt8(ascii: "0") }) else { return digits }
    for index in digits.startIndex..<last {
      result[index] = UInt8(ascii: "0") + (UInt8(ascii: "9") - digits[index])
    }
    result[last] = UInt8(ascii: "0") + (UInt8(ascii: "9") - digits[last]) + 1
    return result
  }
}
