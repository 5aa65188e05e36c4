/// A date and time of day in UTC with a decimal fraction, on its way to text.
struct UniversalTime {
  let date: CivilDate
  /// Seconds since midnight, 0 to 86,399.
  let secondOfDay: Int
  /// The fraction in units of its last digit.
  let fraction: Int
  /// How many digits the fraction has, 0 to 9.
  let fractionDigits: Int

  /// Rounds a timestamp to so many digits, half to even; nil outside the years 1 to 9999, for a
  /// number that is not finite, and for a count of digits outside 0 to 9.
  init?(_ timestamp: StoreTimestamp, fractionDigits: Int) {
    let value = timestamp.secondsSinceReferenceDate
    // NaN fails this as well; the bound lies beyond the year 9999 and within exact integers.
    guard value.magnitude < 1e12, let scale = Self.scale(ofDigits: fractionDigits) else {
      return nil
    }
    // On the magnitude, the split into whole and fraction is exact; on a negative number the
    // fraction of its floor would be rounded once before it is rounded to digits.
    var seconds = Int(value.magnitude)
    let rest = value.magnitude - Double(seconds)
    var fraction = Self.round(rest, times: scale)
    if fraction == scale || (scale == 1 && rest == 0.5 && seconds % 2 == 1) {
      seconds += 1
      fraction = 0
    }
    if value < 0 {
      seconds = fraction == 0 ? -seconds : -seconds - 1
      fraction = fraction == 0 ? 0 : scale - fraction
    }
    self.init(
      secondsSinceReferenceDate: seconds, fraction: fraction, fractionDigits: fractionDigits)
  }

  /// Splits whole seconds since 2001-01-01T00:00:00Z; nil outside the years 1 to 9999.
  init?(secondsSinceReferenceDate seconds: Int, fraction: Int = 0, fractionDigits: Int = 0) {
    let (unixSeconds, overflow) = seconds.addingReportingOverflow(
      Int(StoreTimestamp.referenceDateUnixSeconds))
    guard !overflow else { return nil }
    var days = unixSeconds / 86_400
    var secondOfDay = unixSeconds % 86_400
    if secondOfDay < 0 {
      days -= 1
      secondOfDay += 86_400
    }
    guard let date = CivilDate(daysSinceUnixEpoch: days) else { return nil }
    self.date = date
    self.secondOfDay = secondOfDay
    self.fraction = fraction
    self.fractionDigits = fractionDigits
  }

  /// Writes `2024-07-29T00:42:37`, the fraction if it has digits, and `Z`, and answers the length:
  /// 20, or 21 and the digits. The buffer must be that long; at most 30 bytes are needed.
  package func write(into buffer: UnsafeMutableBufferPointer<UInt8>) -> Int {
    let length = fractionDigits == 0 ? 20 : 21 + fractionDigits
    guard buffer.count >= length else { return 0 }
    Self.writePair(date.year / 100, at: 0, of: buffer)
    Self.writePair(date.year % 100, at: 2, of: buffer)
    buffer[4] = UInt8(ascii: "-")
    Self.writePair(date.month, at: 5, of: buffer)
    buffer[7] = UInt8(ascii: "-")
    Self.writePair(date.day, at: 8, of: buffer)
    buffer[10] = UInt8(ascii: "T")
    Self.writePair(secondOfDay / 3600, at: 11, of: buffer)
    buffer[13] = UInt8(ascii: ":")
    Self.writePair(secondOfDay / 60 % 60, at: 14, of: buffer)
    buffer[16] = UInt8(ascii: ":")
    Self.writePair(secondOfDay % 60, at: 17, of: buffer)
    if fractionDigits > 0 {
      buffer[19] = UInt8(ascii: ".")
      var rest = UInt32(truncatingIfNeeded: fraction)
      for index in stride(from: 19 + fractionDigits, to: 19, by: -1) {
        buffer[index] = UInt8(truncatingIfNeeded: 0x30 &+ rest % 10)
        rest /= 10
      }
    }
    buffer[length - 1] = UInt8(ascii: "Z")
    return length
  }

  @inline(__always)
  private static func writePair(
    _ value: Int, at index: Int, of buffer: UnsafeMutableBufferPointer<UInt8>
  ) {
    let number = UInt32(truncatingIfNeeded: value)
    let tens = number / 10
    buffer[index] = UInt8(truncatingIfNeeded: 0x30 &+ tens)
    buffer[index + 1] = UInt8(truncatingIfNeeded: 0x30 &+ number &- tens &* 10)
  }

  /// The exact product of a fraction below 1 and a power of ten, rounded half to even.
  private static func round(_ fraction: Double, times scale: Int) -> Int {
    let product = fraction * Double(scale)
    let floor = Int(product)
    let rest = product - Double(floor)
    if rest != 0.5 { return rest < 0.5 ? floor : floor + 1 }
    // The product itself was rounded and may only look like a tie: what it lost decides.
    let lost = (-product).addingProduct(fraction, Double(scale))
    if lost == 0 { return floor + floor % 2 }
    return lost > 0 ? floor + 1 : floor
  }

  private static func scale(ofDigits digits: Int) -> Int? {
    switch digits {
    case 6: return 1_000_000
    case 0...9: return (0..<digits).reduce(1) { power, _ in power * 10 }
    default: return nil
    }
  }
}
