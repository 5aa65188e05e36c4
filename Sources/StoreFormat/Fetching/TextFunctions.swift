import GRDB
import GRDBSQLite

/// Functions for SQL that look for one text in another one as Swift does.
///
/// SQLite's own go by scalars: they find `e` in a decomposed `é`, and not `é` in it.
package enum TextFunctions {
  /// Whether the first text has the second one in it; null where one of them is.
  static let contains = "swift_contains"
  /// Whether the first text begins with the second one; null where one of them is.
  static let startsWith = "swift_starts_with"

  /// Lets the statements of a connection use the functions; what is in a store's schema cannot.
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
