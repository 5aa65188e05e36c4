/// Makes the identifiers of new stores.
package enum StoreIdentifier {
  /// A random UUID (version 4) in upper case.
  package static func random() -> String {
    var generator = SystemRandomNumberGenerator()
    return random(using: &generator)
  }

  /// A UUID (version 4) in upper case, made of a generator's numbers.
  package static func random(using generator: inout some RandomNumberGenerator) -> String {
    var bytes: [UInt8] = (0..<2).flatMap { _ in
      withUnsafeBytes(of: generator.next()) { Array($0) }
    }
    markRandom(&bytes)
    var text = ""
    for (index, byte) in bytes.enumerated() {
      if [4, 6, 8, 10].contains(index) { text += "-" }
      text += (byte < 16 ? "0" : "") + String(byte, radix: 16, uppercase: true)
    }
    return text
  }

  /// Marks 16 bytes as those of a UUID of version 4, whose other bits are random.
  package static func markRandom(_ bytes: inout [UInt8]) {
    bytes[6] = bytes[6] & 0x0f | 0x40
    bytes[8] = bytes[8] & 0x3f | 0x80
  }
}
