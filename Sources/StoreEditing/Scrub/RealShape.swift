/// The shape of a real number: numbers of one shape are replaced by each other.
enum RealShape: Hashable {
  /// A whole number below 2^53, which has the shape of the integer.
  case whole(isNegative: Bool)
  /// A number that up to 15 decimal digits give exactly.
  case decimal(isNegative: Bool, digits: Int, exponent: Int)
  /// A number that is the same with the precision of a `Float`.
  case float(isNegative: Bool, exponent: Int)
  case full(isNegative: Bool, exponent: Int)

  init(_ number: Double) {
    let isNegative = number.sign == .minus
    let float = Float(number)
    if number.rounded() == number, number.magnitude < 0x1p53 {
      self = .whole(isNegative: isNegative)
    } else if let (digits, exponent) = Self.decimal(number) {
      self = .decimal(isNegative: isNegative, digits: String(digits).utf8.count, exponent: exponent)
    } else if Double(float) == number, float.isNormal {
      self = .float(isNegative: isNegative, exponent: Int(number.exponent))
    } else {
      self = .full(isNegative: isNegative, exponent: Int(clamping: number.bitPattern >> 52 & 0x7ff))
    }
  }

  /// Returns the digits of the shortest form and the power of ten that they are multiplied by, or `nil`
  /// for more than 15 digits or a very large or small number.
  static func decimal(_ number: Double) -> (digits: UInt64, exponent: Int)? {
    guard (1e-290..<1e290).contains(number.magnitude) else { return nil }
    let parts = number.magnitude.description.split(separator: "e")
    guard let mantissa = parts.first, let power = parts.count > 1 ? Int(parts[1]) : 0 else {
      return nil
    }
    let halves = mantissa.split(separator: ".", omittingEmptySubsequences: false)
    let fraction = halves.count > 1 && halves[1] != "0" ? halves[1] : ""
    guard var digits = UInt64("\(halves[0])\(fraction)"), digits > 0 else { return nil }
    var exponent = power - fraction.utf8.count
    while digits.isMultiple(of: 10) {
      digits /= 10
      exponent += 1
    }
    return digits < 1_000_000_000_000_000 ? (digits, exponent) : nil
  }
}
