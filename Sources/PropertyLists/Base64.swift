/// Base64 of RFC 4648 with padding.
package enum Base64 {
  /// The value of each character; 255 for those outside the alphabet.
  private static let values: [UInt8] = {
    var values = [UInt8](repeating: 255, count: 256)
    for value in 0..<UInt32(64) { values[Int(digit(value))] = UInt8(value) }
    return values
  }()

  /// Decodes a text strictly, or returns `nil` if it has blanks, line ends or stray bits.
  package static func decode(_ text: String) -> [UInt8]? {
    var text = text
    return text.withUTF8 { decode($0, allowsStrayBits: false) }
  }

  /// Decodes text with blanks anywhere, as XML property lists have it, or returns `nil` for other text. Padding
  /// may be missing.
  package static func decode(wrapped text: some Collection<UInt8>) -> [UInt8]? {
    var digits = text.filter { ![9, 10, 13, 32].contains($0) }
    let padding = digits.reversed().prefix { $0 == UInt8(ascii: "=") }.count
    // Padding that is not needed is wrong.
    let needed = (4 - (digits.count - padding) % 4) % 4
    guard padding == needed || padding == 0, needed < 3 else { return nil }
    digits += repeatElement(UInt8(ascii: "="), count: needed - padding)
    return digits.withUnsafeBufferPointer { decode($0, allowsStrayBits: true) }
  }

  private static func decode(
    _ digits: UnsafeBufferPointer<UInt8>, allowsStrayBits: Bool
  ) -> [UInt8]? {
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
      guard allowsStrayBits || pending & 0b11 == 0 else { return nil }
      bytes += [UInt8(truncatingIfNeeded: pending >> 10), UInt8(truncatingIfNeeded: pending >> 2)]
    case 2:
      guard allowsStrayBits || pending & 0b1111 == 0 else { return nil }
      bytes.append(UInt8(truncatingIfNeeded: pending >> 4))
    default: break
    }
    return bytes
  }

  /// Returns the text of bytes, without line breaks.
  package static func text(of bytes: [UInt8]) -> String {
    String(unsafeUninitializedCapacity: (bytes.count + 2) / 3 * 4) { buffer in
      bytes.withUnsafeBufferPointer { encode($0, to: buffer) }
    }
  }

  /// Writes the text of bytes and returns its length, four characters for each group of three bytes.
  package static func encode(
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
