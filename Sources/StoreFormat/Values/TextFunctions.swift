import GRDB
import GRDBSQLite

/// SQL functions that search one text for another as Swift does.
///
/// SQLite's own functions compare scalars: they find `e` in a decomposed `é`, and do not find `é`.
package enum TextFunctions {
  /// Whether the first text has the second one in it; null where one of them is.
  package static let contains = "swift_contains"
  /// Whether the first text begins with the second one; null where one of them is.
  package static let startsWith = "swift_starts_with"

  /// Adds the functions to a connection, for direct use in statements only, not in a store's schema.
  package static func add(to database: Database) throws {
    try add(contains, to: database) { context, _, values in
      TextFunctions.answer(context, values, TextSearch.contains)
    }
    try add(startsWith, to: database) { context, _, values in
      TextFunctions.answer(context, values, TextSearch.starts)
    }
  }

  private typealias Function =
    @convention(c) (
      OpaquePointer?, CInt, UnsafeMutablePointer<OpaquePointer?>?
    ) -> Void

  private static func add(
    _ name: String, to database: Database, _ function: Function
  ) throws {
    let result = sqlite3_create_function_v2(
      database.sqliteConnection, name, 2,
      SQLITE_UTF8 | SQLITE_DETERMINISTIC | SQLITE_DIRECTONLY, nil, function, nil, nil, nil)
    guard result == SQLITE_OK else {
      throw DatabaseError(resultCode: ResultCode(rawValue: result))
    }
  }

  private static func answer(
    _ context: OpaquePointer?, _ values: UnsafeMutablePointer<OpaquePointer?>?,
    _ test: (UnsafeRawBufferPointer, UnsafeRawBufferPointer) -> Bool
  ) {
    guard let values, let text = bytes(of: values[0]), let part = bytes(of: values[1]) else {
      return sqlite3_result_null(context)
    }
    sqlite3_result_int(context, test(text, part) ? 1 : 0)
  }

  private static func bytes(of value: OpaquePointer?) -> UnsafeRawBufferPointer? {
    guard sqlite3_value_type(value) != SQLITE_NULL, let start = sqlite3_value_text(value) else {
      return nil
    }
    return UnsafeRawBufferPointer(start: start, count: Int(sqlite3_value_bytes(value)))
  }
}

/// Searches one text for another as Swift does: by characters, whatever scalars they consist of.
///
/// ASCII texts are compared byte by byte: all of their characters except `\r\n` are one byte.
enum TextSearch {
  private static let lineFeed = UInt8(ascii: "\n")
  private static let carriageReturn = UInt8(ascii: "\r")

  /// Whether a text, both in UTF-8, has another one in it.
  static func contains(_ text: UnsafeRawBufferPointer, _ part: UnsafeRawBufferPointer) -> Bool {
    // Then a match cannot begin or end within a character.
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
    // The scalars that follow may belong to the last character.
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
