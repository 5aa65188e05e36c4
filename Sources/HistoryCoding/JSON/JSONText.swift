/// What the reader and the writer know together about the bytes of JSON strings.
enum JSONText {
  /// The highest bit of each of eight bytes.
  static let highBits: UInt64 = 0x8080_8080_8080_8080

  /// Marks the bytes of a word that cannot stand in a string as they are: controls below 0x20, the
  /// quote and the backslash.
  ///
  /// The result is 0 if there are none; else its lowest set bit is in the first of them in memory,
  /// if the word was read as little-endian. Marks above the lowest may be false.
  @inline(__always)
  static func specialBytes(in word: UInt64) -> UInt64 {
    let ones: UInt64 = 0x0101_0101_0101_0101
    let quotes = word ^ (ones &* UInt64(UInt8(ascii: "\"")))
    let backslashes = word ^ (ones &* UInt64(UInt8(ascii: "\\")))
    let controls = (word &- ones &* 0x20) & ~word
    let found = controls | ((quotes &- ones) & ~quotes) | ((backslashes &- ones) & ~backslashes)
    return found & highBits
  }
}
