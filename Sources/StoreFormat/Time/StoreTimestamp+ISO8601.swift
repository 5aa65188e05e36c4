extension StoreTimestamp {
  /// How many bytes the form with microseconds takes: `2024-07-29T00:42:37.824189Z`.
  package static let iso8601ByteCount = 27

  /// The time in UTC as people read it, `2024-07-29T00:42:37.824189Z`.
  ///
  /// The stored double is rounded exactly, half to even, and the carry goes up to the year.
  /// Nil where the result is outside the years 1 to 9999, the number is not finite, or
  /// `fractionDigits` is not in 0 to 9.
  public func iso8601(fractionDigits: Int = 6) -> String? {
    guard let time = UniversalTime(self, fractionDigits: fractionDigits) else { return nil }
    return String(unsafeUninitializedCapacity: Self.iso8601ByteCount + 3) { buffer in
      time.write(into: buffer)
    }
  }

  /// Returns the second in which the time lies, `2024-07-29T00:42:37Z`, or `nil` as
  /// ``iso8601(fractionDigits:)`` does.
  ///
  /// The fraction is cut, never rounded: given back as a moment, it is not after the time itself.
  package var iso8601Second: String? {
    StoreTimestamp(secondsSinceReferenceDate: secondsSinceReferenceDate.rounded(.down))
      .iso8601(fractionDigits: 0)
  }

  /// Appends the form with microseconds without making a string.
  ///
  /// Answers false, and appends nothing, where `iso8601()` is nil.
  package func appendISO8601(to buffer: inout [UInt8]) -> Bool {
    guard let time = UniversalTime(self, fractionDigits: 6) else { return false }
    let start = buffer.count
    buffer.append(contentsOf: repeatElement(0, count: Self.iso8601ByteCount))
    buffer.withUnsafeMutableBufferPointer { bytes in
      _ = time.write(into: UnsafeMutableBufferPointer(rebasing: bytes[start...]))
    }
    return true
  }

  /// Writes the form with microseconds to the start of a buffer and answers its length, 27.
  ///
  /// Answers 0, and writes nothing, where `iso8601()` is nil or the buffer is shorter than that.
  package func writeISO8601(into buffer: UnsafeMutableBufferPointer<UInt8>) -> Int {
    guard buffer.count >= Self.iso8601ByteCount,
      let time = UniversalTime(self, fractionDigits: 6)
    else { return 0 }
    return time.write(into: buffer)
  }
}
