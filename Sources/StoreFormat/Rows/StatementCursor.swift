import GRDB
import GRDBSQLite

/// Steps through the rows of one statement without making a value per row.
///
/// GRDB's own cursors make a row or a value for every step; reading millions of changes spends its
/// time there, so the hot paths read the columns of SQLite's statement themselves.
package final class StatementCursor {
  private let statement: Statement
  private let pointer: OpaquePointer
  private let connection: OpaquePointer?
  /// SQLite starts a finished statement anew when it is stepped once more.
  @exclusivity(unchecked) private var isFinished = false

  /// - Parameter isCached: Whether the connection keeps the statement for the next time; it must not
  ///   be asked for again before it was stepped to its end or reset.
  package init(_ database: Database, sql: String, isCached: Bool = false) throws {
    statement =
      isCached ? try database.cachedStatement(sql: sql) : try database.makeStatement(sql: sql)
    pointer = statement.sqliteStatement
    connection = database.sqliteConnection
  }

  /// Binds the parameters, in order, and starts anew.
  package func bind(_ values: [StoredValue]) throws {
    reset()
    for (index, value) in values.enumerated() {
      let position = CInt(index + 1)
      let result =
        switch value {
        case .null: sqlite3_bind_null(pointer, position)
        case .integer(let value): sqlite3_bind_int64(pointer, position, value)
        case .real(let value): sqlite3_bind_double(pointer, position, value)
        case .text(var text): text.withUTF8 { bind($0, at: position, asText: true) }
        case .malformedText(let bytes):
          bytes.withUnsafeBufferPointer { bind($0, at: position, asText: true) }
        case .blob(let bytes):
          bytes.withUnsafeBufferPointer { bind($0, at: position, asText: false) }
        }
      try check(result)
    }
  }

  /// Binds one integer to the first parameter and starts anew.
  package func bind(_ value: Int64) throws {
    reset()
    try check(sqlite3_bind_int64(pointer, 1, value))
  }

  /// Runs a statement that gives no rows, and leaves it reset.
  package func run(_ values: [StoredValue]) throws {
    defer { reset() }
    try bind(values)
    while try step() {}
  }

  /// Starts anew with the same parameters.
  package func reset() {
    sqlite3_reset(pointer)
    isFinished = false
  }

  /// Goes to the next row; `false` after the last one, however often it is asked.
  package func step() throws -> Bool {
    guard !isFinished else { return false }
    switch sqlite3_step(pointer) {
    case SQLITE_ROW: return true
    case SQLITE_DONE:
      isFinished = true
      return false
    case let result: throw error(result)
    }
  }

  func isNull(at column: Int) -> Bool { type(at: column) == SQLITE_NULL }
  func type(at column: Int) -> CInt { sqlite3_column_type(pointer, CInt(column)) }
  package func integer(at column: Int) -> Int64 { sqlite3_column_int64(pointer, CInt(column)) }
  package func real(at column: Int) -> Double { sqlite3_column_double(pointer, CInt(column)) }

  /// The integer in a column; nil where it holds anything else.
  ///
  /// Type and value are taken from one look at the column. The connections of this module belong to
  /// one thread at a time, so the value needs no lock of SQLite's.
  @inline(__always)
  package func integerIfAny(at column: Int) -> Int64? {
    let value = sqlite3_column_value(pointer, CInt(column))
    return sqlite3_value_type(value) == SQLITE_INTEGER ? sqlite3_value_int64(value) : nil
  }

  /// The bytes of a blob or of a text, valid until the next step.
  func bytes(at column: Int) -> UnsafeRawBufferPointer {
    let start = sqlite3_column_blob(pointer, CInt(column))
    return UnsafeRawBufferPointer(
      start: start, count: Int(sqlite3_column_bytes(pointer, CInt(column))))
  }

  /// The value with its storage class.
  package func value(at column: Int) -> StoredValue {
    switch type(at: column) {
    case SQLITE_INTEGER: return .integer(integer(at: column))
    case SQLITE_FLOAT: return .real(real(at: column))
    case SQLITE_BLOB: return .blob(Array(bytes(at: column)))
    case SQLITE_TEXT:
      // A database may keep its texts as UTF-16; asking for the text first makes them UTF-8.
      _ = sqlite3_column_text(pointer, CInt(column))
      let bytes = bytes(at: column)
      if !bytes.contains(0), let text = String(validating: bytes, as: UTF8.self) {
        return .text(text)
      }
      return .malformedText(Array(bytes))
    default: return .null
    }
  }

  /// The values of the row.
  var values: [StoredValue] { (0..<Int(sqlite3_column_count(pointer))).map { value(at: $0) } }

  private func bind(
    _ bytes: UnsafeBufferPointer<UInt8>, at position: CInt, asText: Bool
  ) -> CInt {
    // SQLITE_TRANSIENT: SQLite copies the bytes before it returns.
    let transient = unsafeBitCast(-1, to: sqlite3_destructor_type.self)
    // A null pointer would bind null instead of an empty value.
    let start = UnsafeRawPointer(bytes.baseAddress) ?? UnsafeRawPointer(bitPattern: 1)
    return asText
      ? sqlite3_bind_text(
        pointer, position, start?.assumingMemoryBound(to: CChar.self), CInt(bytes.count),
        transient)
      : sqlite3_bind_blob(pointer, position, start, CInt(bytes.count), transient)
  }

  private func check(_ result: CInt) throws {
    guard result == SQLITE_OK else { throw error(result) }
  }

  private func error(_ result: CInt) -> DatabaseError {
    DatabaseError(
      resultCode: ResultCode(rawValue: result),
      message: connection.map { String(cString: sqlite3_errmsg($0)) })
  }
}
