/// Base64 of RFC 4648 with padding, read strictly: no blanks, no line ends, no stray bits.
enum Base64 {
  private static let values: [UInt8?] = {
    var values = [UInt8?](repeating: nil, count: 256)
    let alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
    for (value, byte) in alphabet.utf8.enumerated() { values[Int(byte)] = UInt8(value) }
    return values
  }()

  /// The bytes that a text stands for; nil where it is not base64.
  static func decode(_ text: String) -> [UInt8]? {
    let digits = Array(text.utf8)
    guard digits.count % 4 == 0 else { return nil }
    let padding = digits.suffix(2).reversed().prefix { $0 == UInt8(ascii: "=") }.count
    var bytes: [UInt8] = []
    bytes.reserveCapacity(digits.count / 4 * 3)
    var pending: UInt32 = 0
    for (index, digit) in digits.dropLast(padding).enumerated() {
      guard let value = values[Int(digit)] else { return nil }
      pending = pending << 6 | UInt32(value)
      if index % 4 == 3 {
        bytes += [
          UInt8(truncatingIfNeeded: pending >> 16), UInt8(truncatingIfNeeded: pending >> 8),
        ]
        bytes.append(UInt8(truncatingIfNeeded: pending))
        pending = 0
      }
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
}
