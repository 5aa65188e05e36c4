/// Texts in the forms that the attributes of CloudEvents ask for.
enum CloudEventText {
  /// A text in the characters that a CloudEvents string may have.
  ///
  /// Controls, the code points that Unicode never assigns to characters, and the percent sign are
  /// percent-encoded, so that different texts stay different.
  static func string(_ text: String) -> String {
    guard text.unicodeScalars.contains(where: mustBeEncoded) else { return text }
    var result = ""
    for scalar in text.unicodeScalars {
      if mustBeEncoded(scalar) {
        result += encoded(String(scalar).utf8)
      } else {
        result.unicodeScalars.append(scalar)
      }
    }
    return result
  }

  /// A text as one part of a URI: all but RFC 3986's unreserved characters percent-encoded.
  static func uriPart(_ text: String) -> String {
    text.utf8.map { byte in
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
        UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."),
        UInt8(ascii: "_"), UInt8(ascii: "~"):
        String(UnicodeScalar(byte))
      default: encoded(CollectionOfOne(byte))
      }
    }.joined()
  }

  private static func encoded(_ bytes: some Collection<UInt8>) -> String {
    bytes.map { (($0 < 16) ? "%0" : "%") + String($0, radix: 16, uppercase: true) }.joined()
  }

  private static func mustBeEncoded(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.value {
    case 0...0x1f, 0x7f...0x9f, 0x25, 0xfdd0...0xfdef: true
    default: scalar.value & 0xfffe == 0xfffe
    }
  }
}
