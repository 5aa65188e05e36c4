/// Bytes as text, and text as bytes.
enum ByteText {
  /// The highest bit of each of eight bytes.
  static let highBits: UInt64 = 0x8080_8080_8080_8080

  /// Marks the bytes of a word that a JSON string cannot hold as they are: controls below 0x20, the
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

  /// The length, 1 to 4, of the UTF-8 character (RFC 3629) that begins at a position; 0 if there is none.
  @inline(__always)
  static func characterLength(in bytes: UnsafeBufferPointer<UInt8>, at position: Int) -> Int {
    let length: Int
    // The range of the second byte excludes overlong forms, surrogates and too large numbers.
    var secondRange: ClosedRange<UInt8> = 0x80...0xBF
    switch bytes[position] {
    case 0x00...0x7F: return 1
    case 0xC2...0xDF: length = 2
    case 0xE0: (length, secondRange) = (3, 0xA0...0xBF)
    case 0xED: (length, secondRange) = (3, 0x80...0x9F)
    case 0xE1...0xEF: length = 3
    case 0xF0: (length, secondRange) = (4, 0x90...0xBF)
    case 0xF4: (length, secondRange) = (4, 0x80...0x8F)
    case 0xF1...0xF3: length = 4
    default: return 0
    }
    guard position + length <= bytes.count, secondRange.contains(bytes[position + 1]) else {
      return 0
    }
    for index in (position + 2)..<max(position + length, position + 2)
    where bytes[index] & 0xC0 != 0x80 {
      return 0
    }
    return length
  }
}

/// Checks whether bytes are UTF-8 as RFC 3629 defines it.
package enum UTF8Check {
  /// Whether all bytes together are UTF-8.
  package static func isValid(_ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
    let raw = UnsafeRawBufferPointer(bytes)
    var position = 0
    while position < bytes.count {
      if position + 8 <= bytes.count,
        raw.loadUnaligned(fromByteOffset: position, as: UInt64.self) & ByteText.highBits == 0
      {
        position += 8
        continue
      }
      let length = ByteText.characterLength(in: bytes, at: position)
      if length == 0 { return false }
      position += length
    }
    return true
  }
}
