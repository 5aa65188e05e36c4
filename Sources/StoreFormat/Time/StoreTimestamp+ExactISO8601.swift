extension StoreTimestamp {
  /// The time in UTC without loss: `StoreTimestamp(exactISO8601:)` gives back the very same bits.
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

  /// The most bytes that ``writeExactISO8601(into:)`` writes.
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
    let bytes = Array(text.utf8)
    guard bytes.count >= 20, bytes.last == UInt8(ascii: "Z"),
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
  /// Nil for more than 32 digits, for other bytes than digits, and where the sum overflows.
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
