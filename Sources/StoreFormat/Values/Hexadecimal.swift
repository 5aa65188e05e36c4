/// Bytes as pairs of hexadecimal digits.
package enum Hexadecimal {
  /// The value of a hexadecimal digit in upper or lower case; `nil` for any other character.
  @inline(__always)
  package static func value(_ digit: UInt8) -> UInt8? {
    switch digit {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): digit &- UInt8(ascii: "0")
    case UInt8(ascii: "a")...UInt8(ascii: "f"): digit &- UInt8(ascii: "a") &+ 10
    case UInt8(ascii: "A")...UInt8(ascii: "F"): digit &- UInt8(ascii: "A") &+ 10
    default: nil
    }
  }

  /// The bytes of a text in upper or lower case; `nil` for any other text.
  package static func bytes(of text: String) -> [UInt8]? {
    var text = text
    return text.withUTF8 { bytes(of: $0) }
  }

  /// The bytes of digits in upper or lower case; `nil` for any other characters.
  package static func bytes(of digits: UnsafeBufferPointer<UInt8>) -> [UInt8]? {
    var isWhole = false
    let bytes = [UInt8](unsafeUninitializedCapacity: digits.count / 2) { buffer, count in
      isWhole = decode(digits, to: buffer)
      count = isWhole ? digits.count / 2 : 0
    }
    return isWhole ? bytes : nil
  }

  /// Writes the bytes of digits, and returns whether they are pairs of digits.
  package static func decode(
    _ digits: UnsafeBufferPointer<UInt8>, to buffer: UnsafeMutableBufferPointer<UInt8>
  ) -> Bool {
    guard digits.count % 2 == 0 else { return false }
    for index in 0..<digits.count / 2 {
      guard let high = value(digits[index * 2]), let low = value(digits[index * 2 + 1]) else {
        return false
      }
      buffer[index] = high << 4 | low
    }
    return true
  }

  /// The text of bytes, in lower case.
  package static func text(of bytes: [UInt8]) -> String {
    String(unsafeUninitializedCapacity: bytes.count * 2) { buffer in
      bytes.withUnsafeBufferPointer { encode($0, to: buffer) }
    }
  }

  /// Writes the text of bytes in lower case, and returns its length.
  package static func encode(
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
  package static func digit(_ value: UInt8, tenIs ten: UInt8 = UInt8(ascii: "a")) -> UInt8 {
    value < 10 ? UInt8(ascii: "0") &+ value : ten &- 10 &+ value
  }
}

/// UUIDs as upper-case text.
package enum UUIDText {
  package static let byteCount = 36

  @inline(__always)
  private static func isDash(_ place: Int) -> Bool {
    place == 8 || place == 13 || place == 18 || place == 23
  }

  /// The text of 16 bytes, such as `1D070E6D-8F4B-4E3A-9C61-0A5B7C9D2E3F`.
  package static func text(of bytes: [UInt8]) -> String {
    String(unsafeUninitializedCapacity: byteCount) { buffer in
      bytes.withUnsafeBytes { write($0, to: buffer) }
    }
  }

  /// Writes the text of the first 16 bytes and returns its length.
  package static func write(
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

  /// Whether bytes are the text of a UUID, in upper or lower case.
  package static func isUUID(_ text: some Collection<UInt8>) -> Bool {
    guard text.count == byteCount else { return false }
    var place = 0
    for byte in text {
      guard isDash(place) ? byte == UInt8(ascii: "-") : Hexadecimal.value(byte) != nil
      else { return false }
      place &+= 1
    }
    return true
  }

  /// The 16 bytes of a text in this form, in upper or lower case; `nil` for any other text.
  package static func bytes(of text: String) -> [UInt8]? {
    var text = text
    return text.withUTF8 { text in
      guard isUUID(text) else { return nil }
      return withUnsafeTemporaryAllocation(of: UInt8.self, capacity: byteCount) { digits in
        var count = 0
        for byte in text where byte != UInt8(ascii: "-") {
          digits[count] = byte
          count += 1
        }
        return Hexadecimal.bytes(of: UnsafeBufferPointer(rebasing: digits[..<count]))
      }
    }
  }
}
