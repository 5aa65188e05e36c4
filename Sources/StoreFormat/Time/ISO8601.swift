extension StoreTimestamp {
  /// The length of the form with microseconds, `2024-07-29T00:42:37.824189Z`, in bytes.
  package static let iso8601ByteCount = 27

  /// Returns the time in UTC, such as `2024-07-29T00:42:37.824189Z`.
  ///
  /// The stored double is rounded exactly, half to even. Returns `nil` outside the years 1 to 9999, for
  /// numbers that are not finite, and for `fractionDigits` outside 0 to 9.
  public func iso8601(fractionDigits: Int = 6) -> String? {
    guard let time = UniversalTime(self, fractionDigits: fractionDigits) else { return nil }
    return String(unsafeUninitializedCapacity: Self.iso8601ByteCount + 3) { buffer in
      time.write(into: buffer)
    }
  }

  /// Returns the second in which the time lies, `2024-07-29T00:42:37Z`, or `nil` as
  /// ``iso8601(fractionDigits:)`` does.
  ///
  /// The fraction is cut, never rounded: read as a moment, the text is not after the time itself.
  package var iso8601Second: String? {
    StoreTimestamp(secondsSinceReferenceDate: secondsSinceReferenceDate.rounded(.down))
      .iso8601(fractionDigits: 0)
  }

  /// Writes the form with microseconds to the start of a buffer and returns its length, 27, or 0 where
  /// `iso8601()` is `nil` or the buffer is too short.
  package func writeISO8601(into buffer: UnsafeMutableBufferPointer<UInt8>) -> Int {
    guard buffer.count >= Self.iso8601ByteCount,
      let time = UniversalTime(self, fractionDigits: 6)
    else { return 0 }
    return time.write(into: buffer)
  }
}

extension StoreTimestamp {
  /// The time of ``iso8601(fractionDigits:)`` in microseconds since 1970-01-01T00:00:00Z.
  package var unixMicroseconds: Int64? {
    UniversalTime(self, fractionDigits: 6).map {
      Int64(($0.date.daysSinceUnixEpoch * 86_400 + $0.secondOfDay) * 1_000_000 + $0.fraction)
    }
  }
}

extension StoreTimestamp {
  /// The time in UTC without loss: `StoreTimestamp(exactISO8601:)` returns the same bits.
  ///
  /// It has as many fraction digits as the shortest decimal text of the stored number, and none
  /// if that is integral. Nil where no such text exists: outside the years 1 to 9999, for `-0.0`,
  /// and for numbers nearer to zero than 0.0001, whose shortest text has an exponent.
  package var exactISO8601: String? {
    withUnsafeTemporaryAllocation(of: UInt8.self, capacity: Self.exactISO8601ByteCount) { room in
      let count = writeExactISO8601(into: room)
      return count == 0
        ? nil : String(decoding: UnsafeBufferPointer(rebasing: room[..<count]), as: UTF8.self)
    }
  }

  /// The maximum number of bytes that ``writeExactISO8601(into:)`` writes.
  package static let exactISO8601ByteCount = 64

  /// Writes ``exactISO8601`` as UTF-8; nothing where there is none.
  ///
  /// - Parameter room: At least ``exactISO8601ByteCount`` bytes.
  /// - Returns: How many bytes were written.
  package func writeExactISO8601(into room: UnsafeMutableBufferPointer<UInt8>) -> Int {
    guard room.count >= Self.exactISO8601ByteCount else { return 0 }
    if let count = writeShortestISO8601(into: room) { return count }
    guard let text = complementedISO8601, text.utf8.count <= room.count else { return 0 }
    return room.update(fromContentsOf: text.utf8)
  }

  /// Writes a time from 2001 on, whose digits after the point are those of the stored number: they
  /// need no reading back. Nil where that cannot be done.
  private func writeShortestISO8601(into room: UnsafeMutableBufferPointer<UInt8>) -> Int? {
    guard secondsSinceReferenceDate >= 1e-4, secondsSinceReferenceDate < 1e12 else { return nil }
    var text = secondsSinceReferenceDate.description
    return text.withUTF8 { text -> Int? in
      guard let point = text.firstIndex(of: UInt8(ascii: ".")), text.count <= 24,
        let time = UniversalTime(secondsSinceReferenceDate: Int(secondsSinceReferenceDate)),
        time.write(into: room) == Self.wholeISO8601ByteCount
      else { return nil }
      let fraction = text[(point + 1)...]
      // The place of the Z.
      var end = Self.wholeISO8601ByteCount - 1
      if fraction.count > 1 || fraction.first != UInt8(ascii: "0") {
        room[end] = UInt8(ascii: ".")
        end += 1
        for digit in fraction {
          room[end] = digit
          end += 1
        }
      }
      room[end] = UInt8(ascii: "Z")
      return end + 1
    }
  }

  /// How long a time without a fraction is.
  private static let wholeISO8601ByteCount = 20

  /// Any other time: the digits of one before 2001 count up from the second before it.
  private var complementedISO8601: String? {
    let text = Array(secondsSinceReferenceDate.description.utf8)
    guard let decimal = FloorDecimal(shortestText: text),
      let time = UniversalTime(secondsSinceReferenceDate: decimal.whole)
    else { return nil }
    var result = String(unsafeUninitializedCapacity: 20) { time.write(into: $0) }
    if !decimal.fraction.isEmpty {
      result.removeLast()
      result += "." + String(decoding: decimal.fraction, as: UTF8.self) + "Z"
    }
    let readBack = StoreTimestamp(exactISO8601: result)
    guard
      readBack?.secondsSinceReferenceDate.bitPattern == secondsSinceReferenceDate.bitPattern
    else { return nil }
    return result
  }

  /// Reads `2024-07-29T00:42:37Z`, with 1 to 32 fraction digits after a point if there are any.
  ///
  /// The result is the double nearest to that time. Nil for every other form, for days and times
  /// that do not exist, leap seconds included, and for lower-case letters.
  package init?(exactISO8601 text: String) {
    // A text may be large.
    guard (20...53).contains(text.utf8.count) else { return nil }
    let bytes = Array(text.utf8)
    guard bytes.last == UInt8(ascii: "Z"),
      let year = Self.number(bytes[0..<4]), bytes[4] == UInt8(ascii: "-"),
      let month = Self.number(bytes[5..<7]), bytes[7] == UInt8(ascii: "-"),
      let day = Self.number(bytes[8..<10]), bytes[10] == UInt8(ascii: "T"),
      let hour = Self.number(bytes[11..<13]), bytes[13] == UInt8(ascii: ":"), hour < 24,
      let minute = Self.number(bytes[14..<16]), bytes[16] == UInt8(ascii: ":"), minute < 60,
      let second = Self.number(bytes[17..<19]), second < 60,
      let date = CivilDate(year: year, month: month, day: day)
    else { return nil }
    var fraction: ArraySlice<UInt8> = []
    if bytes.count > 20 {
      guard bytes[19] == UInt8(ascii: ".") else { return nil }
      fraction = bytes[20..<(bytes.count - 1)]
      guard !fraction.isEmpty else { return nil }
    }
    let secondOfDay = hour * 3600 + minute * 60 + second
    self.init(
      unixSeconds: date.daysSinceUnixEpoch * 86_400 + secondOfDay, fractionDigits: fraction)
  }

  /// Makes the timestamp nearest to whole seconds since 1970 and a decimal fraction that counts
  /// forward from them, given as ASCII digits.
  ///
  /// Returns `nil` for more than 32 digits, for other bytes than digits, and where the sum overflows.
  package init?(unixSeconds: Int, fractionDigits: ArraySlice<UInt8>) {
    let (whole, overflow) = unixSeconds.subtractingReportingOverflow(
      Int(Self.referenceDateUnixSeconds))
    guard !overflow, fractionDigits.count <= 32,
      fractionDigits.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }),
      let seconds = FloorDecimal(whole: whole, fraction: fractionDigits).nearestDouble
    else { return nil }
    self.init(secondsSinceReferenceDate: seconds)
  }

  private static func number(_ digits: ArraySlice<UInt8>) -> Int? {
    var value = 0
    for digit in digits {
      guard (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(digit) else { return nil }
      value = value * 10 + Int(digit - UInt8(ascii: "0"))
    }
    return value
  }
}

/// A date and time of day in UTC with a decimal fraction.
struct UniversalTime {
  let date: CivilDate
  /// Seconds since midnight, 0 to 86,399.
  let secondOfDay: Int
  /// The fraction in units of its last digit.
  let fraction: Int
  /// How many digits the fraction has, 0 to 9.
  let fractionDigits: Int

  /// Rounds a timestamp to a number of digits, half to even; see ``StoreTimestamp/iso8601(fractionDigits:)``.
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

  /// Splits whole seconds since 2001-01-01T00:00:00Z, or returns `nil` outside the years 1 to 9999.
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

  /// Writes `2024-07-29T00:42:37`, the fraction if it has digits, and `Z`, up to 30 bytes, and returns
  /// the length.
  func write(into buffer: UnsafeMutableBufferPointer<UInt8>) -> Int {
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

  /// Takes the shortest text of a double as the standard library writes it, or `nil` if it has an
  /// exponent, is not a number, or its whole part does not fit.
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
