#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The Base64 text in which XML property lists write bytes.
package enum PropertyListBase64 {
  /// Decodes Base64 with blanks anywhere, or returns `nil` for other text. Padding may be missing.
  package static func decode(_ text: some Collection<UInt8>) -> [UInt8]? {
    var digits = Data(text.lazy.filter { ![9, 10, 13, 32].contains($0) })
    let padding = digits.reversed().prefix { $0 == UInt8(ascii: "=") }.count
    digits.removeLast(padding)
    // Foundation also accepts padding that is not needed.
    let needed = (4 - digits.count % 4) % 4
    guard padding == needed || padding == 0, needed < 3 else { return nil }
    digits.append(contentsOf: repeatElement(UInt8(ascii: "="), count: needed))
    return Data(base64Encoded: digits).map(Array.init)
  }

  /// Encodes bytes with padding and without line breaks.
  package static func encode(_ bytes: some Collection<UInt8>) -> [UInt8] {
    Array(Data(bytes).base64EncodedData())
  }
}
