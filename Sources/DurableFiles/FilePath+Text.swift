import Libc
import SystemPackage

/// File systems of Linux allow names that are not UTF-8, and a `String` cannot hold them.
extension FilePath {
  /// The bytes of the path.
  package var bytes: [UInt8] {
    withPlatformString { Array(UnsafeRawBufferPointer(start: $0, count: strlen($0))) }
  }

  /// The path as text; each byte that is not UTF-8 is written as `\xE9`.
  package var shown: String { EscapedBytes.text(bytes) }

  /// Whether the path is UTF-8, so that a `String` holds it.
  package var isText: Bool { String(validating: bytes, as: UTF8.self) != nil }
}

/// Bytes of a path or of an argument as text for people.
package enum EscapedBytes {
  /// Returns the bytes as text; each byte that is not UTF-8 is written as `\xE9`.
  package static func text(_ bytes: [UInt8]) -> String {
    if let text = String(validating: bytes, as: UTF8.self) { return text }
    var text = ""
    var rest = bytes.makeIterator()
    var position = 0
    var parser = Unicode.UTF8.ForwardParser()
    while true {
      switch parser.parseScalar(from: &rest) {
      case .emptyInput: return text
      case .valid(let scalar):
        text.unicodeScalars.append(UTF8.decode(scalar))
        position += scalar.count
      case .error(let length):
        for byte in bytes[position..<position + length] {
          text += "\\x" + String(byte, radix: 16, uppercase: true)
        }
        position += length
      }
    }
  }
}
