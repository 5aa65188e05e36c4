/// Looks for one text in another one as Swift does: by characters, whatever scalars they are written with.
///
/// Texts of ASCII are compared byte by byte, for all of their characters are one byte but `\r\n`.
enum TextSearch {
  private static let lineFeed = UInt8(ascii: "\n")
  private static let carriageReturn = UInt8(ascii: "\r")

  /// Whether a text, both in UTF-8, has another one in it.
  static func contains(_ text: UnsafeRawBufferPointer, _ part: UnsafeRawBufferPointer) -> Bool {
    // What is found then neither begins nor ends within a character.
    guard part.first != lineFeed, part.last != carriageReturn, isASCII(part), isASCII(text) else {
      return containsCharacters(string(text), string(part))
    }
    return containsBytes(text, part)
  }

  /// Whether a text, both in UTF-8, begins with another one.
  static func starts(_ text: UnsafeRawBufferPointer, with part: UnsafeRawBufferPointer) -> Bool {
    for (place, byte) in part.enumerated() {
      guard byte < 0x80, place < text.count else {
        return byte < 0x80 ? false : string(text).starts(with: string(part))
      }
      guard text[place] < 0x80 else { return string(text).starts(with: string(part)) }
      // No character that has one of them is equal to one that has the other.
      guard text[place] == byte else { return false }
    }
    // What follows may belong to the last character.
    guard part.count < text.count, !part.isEmpty else { return true }
    guard part.last != carriageReturn, text[part.count] < 0x80 else {
      return string(text).starts(with: string(part))
    }
    return true
  }

  private static func isASCII(_ bytes: UnsafeRawBufferPointer) -> Bool {
    bytes.allSatisfy { $0 < 0x80 }
  }

  private static func string(_ bytes: UnsafeRawBufferPointer) -> String {
    String(decoding: bytes, as: UTF8.self)
  }

  /// Texts have functions of this name of their own, which compare otherwise than predicates do.
  private static func containsCharacters<Text: Collection>(_ text: Text, _ part: Text) -> Bool
  where Text.Element: Equatable {
    text.contains(part)
  }

  private static func containsBytes(
    _ text: UnsafeRawBufferPointer, _ part: UnsafeRawBufferPointer
  ) -> Bool {
    guard let first = part.first else { return true }
    guard part.count <= text.count else { return false }
    for start in 0...(text.count - part.count) where text[start] == first {
      if text[start..<(start + part.count)].elementsEqual(part) { return true }
    }
    return false
  }
}
