/// The base64 text in which XML property lists write bytes.
package enum PropertyListBase64 {
  private static let alphabet = Array(
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)

  /// The value of each byte as a digit; 64 for spaces, 65 for anything else.
  private static let digits: [UInt8] = {
    var digits = [UInt8](repeating: 65, count: 256)
    for (value, digit) in alphabet.enumerated() { digits[Int(digit)] = UInt8(value) }
    for space in [9, 10, 13, 32] { digits[space] = 64 }
    return digits
  }()

  /// The bytes of a base64 text with white space anywhere; nil when it is no such text.
  ///
  /// Padding may be missing, but nothing may follow it.
  package static func decode(_ text: some Collection<UInt8>) -> [UInt8]? {
    var output: [UInt8] = []
    output.reserveCapacity(text.count / 4 * 3 + 3)
    var bits: UInt32 = 0
    var held = 0
    var padding = 0
    for byte in text {
      let digit = digits[Int(byte)]
      if digit == 64 { continue }
      if byte == UInt8(ascii: "=") {
        padding += 1
        continue
      }
      guard digit < 64, padding == 0 else { return nil }
      bits = bits << 6 | UInt32(digit)
      held += 1
      if held == 4 {
        output.append(UInt8(truncatingIfNeeded: bits >> 16))
        output.append(UInt8(truncatingIfNeeded: bits >> 8))
        output.append(UInt8(truncatingIfNeeded: bits))
        (bits, held) = (0, 0)
      }
    }
    switch held {
    case 0: return padding == 0 ? output : nil
    case 2 where padding == 0 || padding == 2:
      output.append(UInt8(truncatingIfNeeded: bits >> 4))
      return output
    case 3 where padding <= 1:
      output.append(UInt8(truncatingIfNeeded: bits >> 10))
      output.append(UInt8(truncatingIfNeeded: bits >> 2))
      return output
    default: return nil
    }
  }

  /// The base64 text of bytes, with padding and without line breaks.
  package static func encode(_ bytes: some Collection<UInt8>) -> [UInt8] {
    var output: [UInt8] = []
    output.reserveCapacity((bytes.count + 2) / 3 * 4)
    var bits: UInt32 = 0
    var held = 0
    for byte in bytes {
      bits = bits << 8 | UInt32(byte)
      held += 1
      if held == 3 {
        for shift in [18, 12, 6, 0] as [UInt32] {
          output.append(alphabet[Int(bits >> shift & 0x3F)])
        }
        (bits, held) = (0, 0)
      }
    }
    let pad = UInt8(ascii: "=")
    switch held {
    case 1:
      output += [alphabet[Int(bits >> 2 & 0x3F)], alphabet[Int(bits << 4 & 0x3F)], pad, pad]
    case 2:
      output += [
        alphabet[Int(bits >> 10 & 0x3F)], alphabet[Int(bits >> 4 & 0x3F)],
        alphabet[Int(bits << 2 & 0x3F)], pad,
      ]
    default: break
    }
    return output
  }
}
