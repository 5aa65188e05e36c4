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

  /// The value of a hexadecimal digit in upper or lower case; `nil` for any other character.
  @inline(__always)
  static func hexadecimalValue(_ digit: UInt8) -> UInt8? {
    switch digit {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): digit &- UInt8(ascii: "0")
    case UInt8(ascii: "a")...UInt8(ascii: "f"): digit &- UInt8(ascii: "a") &+ 10
    case UInt8(ascii: "A")...UInt8(ascii: "F"): digit &- UInt8(ascii: "A") &+ 10
    default: nil
    }
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

/// Bytes as pairs of hexadecimal digits.
package enum Hexadecimal {
  /// The bytes of a text in upper or lower case; `nil` for any other text.
  package static func bytes(of text: String) -> [UInt8]? {
    var text = text
    return text.withUTF8 { bytes(of: $0) }
  }

  static func bytes(of digits: UnsafeBufferPointer<UInt8>) -> [UInt8]? {
    guard digits.count % 2 == 0 else { return nil }
    var bytes: [UInt8] = []
    bytes.reserveCapacity(digits.count / 2)
    for index in stride(from: 0, to: digits.count, by: 2) {
      guard let byte = byte(digits[index], digits[index + 1]) else { return nil }
      bytes.append(byte)
    }
    return bytes
  }

  /// The byte of two digits; `nil` for other characters.
  @inline(__always)
  static func byte(_ high: UInt8, _ low: UInt8) -> UInt8? {
    guard let high = ByteText.hexadecimalValue(high), let low = ByteText.hexadecimalValue(low)
    else { return nil }
    return high << 4 | low
  }

  /// The text of bytes, in lower case.
  package static func text(of bytes: [UInt8]) -> String {
    String(unsafeUninitializedCapacity: bytes.count * 2) { buffer in
      bytes.withUnsafeBufferPointer { encode($0, to: buffer) }
    }
  }

  /// Writes the text of bytes in lower case, and returns its length.
  @inline(__always)
  static func encode(
    _ source: UnsafeBufferPointer<UInt8>, to buffer: UnsafeMutableBufferPointer<UInt8>
  ) -> Int {
    for (index, byte) in source.enumerated() {
      buffer[index * 2] = digit(byte >> 4)
      buffer[index * 2 + 1] = digit(byte & 15)
    }
    return source.count * 2
  }

  /// The digit of a value below 16; in lower case by default.
  @inline(__always)
  static func digit(_ value: UInt8, tenIs ten: UInt8 = UInt8(ascii: "a")) -> UInt8 {
    value < 10 ? UInt8(ascii: "0") &+ value : ten &- 10 &+ value
  }
}

/// UUIDs as upper-case text.
package enum UUIDText {
  private static let byteCount = 36
  /// The places of the dashes.
  private static let dashes = [8, 13, 18, 23]

  /// The text of 16 bytes, such as `1D070E6D-8F4B-4E3A-9C61-0A5B7C9D2E3F`.
  package static func text(of bytes: [UInt8]) -> String {
    String(unsafeUninitializedCapacity: byteCount) { buffer in
      bytes.withUnsafeBytes { write($0, to: buffer) }
    }
  }

  /// Writes the text of the first 16 bytes and returns its length.
  static func write(
    _ bytes: UnsafeRawBufferPointer, to buffer: UnsafeMutableBufferPointer<UInt8>
  ) -> Int {
    var end = 0
    for (index, byte) in bytes.prefix(16).enumerated() {
      // A dash comes before the bytes 4, 6, 8 and 10.
      if (4...10).contains(index), index % 2 == 0 {
        buffer[end] = UInt8(ascii: "-")
        end += 1
      }
      buffer[end] = Hexadecimal.digit(byte >> 4, tenIs: UInt8(ascii: "A"))
      buffer[end + 1] = Hexadecimal.digit(byte & 15, tenIs: UInt8(ascii: "A"))
      end += 2
    }
    return end
  }

  /// The 16 bytes of a text in this form, in upper or lower case; `nil` for any other text.
  static func bytes(of text: String) -> [UInt8]? {
    var digits = Array(text.utf8)
    guard digits.count == byteCount, dashes.allSatisfy({ digits[$0] == UInt8(ascii: "-") })
    else { return nil }
    for place in dashes.reversed() { digits.remove(at: place) }
    return digits.withUnsafeBufferPointer { Hexadecimal.bytes(of: $0) }
  }
}

/// Base64 of RFC 4648 with padding, read strictly: no blanks, line ends or stray bits.
enum Base64 {
  /// The value of each character; 255 for those outside the alphabet.
  private static let values: [UInt8] = {
    var values = [UInt8](repeating: 255, count: 256)
    for value in 0..<UInt32(64) { values[Int(digit(value))] = UInt8(value) }
    return values
  }()

  /// The bytes of a text; `nil` if it is not base64.
  static func decode(_ text: String) -> [UInt8]? {
    var text = text
    return text.withUTF8 { decode($0) }
  }

  private static func decode(_ digits: UnsafeBufferPointer<UInt8>) -> [UInt8]? {
    guard digits.count % 4 == 0 else { return nil }
    let padding = digits.suffix(2).reversed().prefix { $0 == UInt8(ascii: "=") }.count
    var bytes: [UInt8] = []
    bytes.reserveCapacity(digits.count / 4 * 3)
    var pending: UInt32 = 0
    for (index, digit) in digits.dropLast(padding).enumerated() {
      let value = values[Int(digit)]
      guard value < 64 else { return nil }
      pending = pending << 6 | UInt32(value)
      guard index % 4 == 3 else { continue }
      bytes.append(UInt8(truncatingIfNeeded: pending >> 16))
      bytes.append(UInt8(truncatingIfNeeded: pending >> 8))
      bytes.append(UInt8(truncatingIfNeeded: pending))
      pending = 0
    }
    switch padding {
    case 1:
      guard pending & 0b11 == 0 else { return nil }
      bytes += [UInt8(truncatingIfNeeded: pending >> 10), UInt8(truncatingIfNeeded: pending >> 2)]
    case 2:
      guard pending & 0b1111 == 0 else { return nil }
      bytes.append(UInt8(truncatingIfNeeded: pending >> 4))
    default: break
    }
    return bytes
  }

  /// Writes the text of bytes and returns its length, four characters for each group of three bytes.
  static func encode(
    _ source: UnsafeBufferPointer<UInt8>, to buffer: UnsafeMutableBufferPointer<UInt8>
  ) -> Int {
    var written = 0
    for start in stride(from: 0, to: source.count, by: 3) {
      let count = min(source.count &- start, 3)
      var group = UInt32(source[start]) << 16
      if count > 1 { group |= UInt32(source[start &+ 1]) << 8 }
      if count > 2 { group |= UInt32(source[start &+ 2]) }
      buffer[written] = digit(group >> 18)
      buffer[written &+ 1] = digit(group >> 12)
      buffer[written &+ 2] = count > 1 ? digit(group >> 6) : UInt8(ascii: "=")
      buffer[written &+ 3] = count > 2 ? digit(group) : UInt8(ascii: "=")
      written &+= 4
    }
    return written
  }

  @inline(__always)
  private static func digit(_ value: UInt32) -> UInt8 {
    let digits: StaticString =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
    return digits.utf8Start[Int(value & 63)]
  }
}
