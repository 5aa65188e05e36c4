/// Tests bytes for being UTF-8 as RFC 3629 defines it: shortest forms only, no surrogates, nothing
/// above U+10FFFF.
package enum UTF8Check {
  /// Whether all bytes together are UTF-8; empty is.
  package static func isValid(_ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
    firstInvalidOffset(in: bytes) == nil
  }

  /// The offset of the first character that is not UTF-8, or nil if all is.
  static func firstInvalidOffset(in bytes: UnsafeBufferPointer<UInt8>) -> Int? {
    var position = 0
    while position < bytes.count {
      position = asciiEnd(in: bytes, from: position)
      guard position < bytes.count else { break }
      let length = characterLength(in: bytes, at: position)
      if length == 0 { return position }
      position += length
    }
    return nil
  }

  /// Where the run of ASCII that begins here ends.
  private static func asciiEnd(in bytes: UnsafeBufferPointer<UInt8>, from start: Int) -> Int {
    var position = start
    let raw = UnsafeRawBufferPointer(bytes)
    while position + 8 <= bytes.count,
      raw.loadUnaligned(fromByteOffset: position, as: UInt64.self) & 0x8080_8080_8080_8080 == 0
    {
      position += 8
    }
    while position < bytes.count, bytes[position] < 0x80 { position += 1 }
    return position
  }

  /// How many bytes, 1 to 4, the character that begins here has; 0 if it is not UTF-8.
  @inline(__always)
  static func characterLength(in bytes: UnsafeBufferPointer<UInt8>, at position: Int) -> Int {
    let first = bytes[position]
    let length: Int
    // The second byte's range is what keeps out overlong forms, surrogates and too large numbers.
    var secondRange: ClosedRange<UInt8> = 0x80...0xBF
    switch first {
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
