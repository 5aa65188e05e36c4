/// Makes the identifiers of new stores.
enum StoreIdentifier {
  /// A random UUID (version 4) in upper case.
  static func random() -> String {
    var generator = SystemRandomNumberGenerator()
    var bytes: [UInt8] = (0..<2).flatMap { _ in
      withUnsafeBytes(of: generator.next()) { Array($0) }
    }
    bytes[6] = bytes[6] & 0x0f | 0x40
    bytes[8] = bytes[8] & 0x3f | 0x80
    var text = ""
    for (index, byte) in bytes.enumerated() {
      if [4, 6, 8, 10].contains(index) { text += "-" }
      text += (byte < 16 ? "0" : "") + String(byte, radix: 16, uppercase: true)
    }
    return text
  }
}
