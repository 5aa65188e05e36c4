import GRDB
import GRDBSQLite
import Libc

/// Steps through the rows of one statement and reads single columns.
///
/// GRDB's cursors make a row or a value at each step, which takes most of the time of reading
/// millions of changes.
package final class StatementCursor {
  private let statement: Statement
  private let pointer: OpaquePointer
  private let connection: OpaquePointer?
  /// SQLite starts a finished statement again when it is stepped once more.
  @exclusivity(unchecked) private var isFinished = false

  /// - Parameter isCached: Whether the connection keeps the statement for the next use, which must
  ///   not begin before this cursor is reset.
  package init(_ database: Database, sql: String, isCached: Bool = false) throws {
    statement =
      isCached ? try database.cachedStatement(sql: sql) : try database.makeStatement(sql: sql)
    pointer = statement.sqliteStatement
    connection = database.sqliteConnection
  }

  /// Binds the parameters, in order, and starts again.
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

  /// Binds a value to one parameter, counted from 1; `nil` for null. A statement that has been stepped must be
  /// reset before.
  ///
  /// - Parameter isKept: Whether the bytes stay valid until another value is bound; otherwise SQLite copies them.
  package func bind(_ value: LentValue?, at position: Int, isKept: Bool = false) throws {
    let position = CInt(position)
    let result =
      switch value {
      case nil: sqlite3_bind_null(pointer, position)
      case .integer(let value): sqlite3_bind_int64(pointer, position, value)
      case .real(let value): sqlite3_bind_double(pointer, position, value)
      case .text(let bytes):
        bind(bytes.bindMemory(to: UInt8.self), at: position, asText: true, isKept: isKept)
      case .blob(let bytes):
        bind(bytes.bindMemory(to: UInt8.self), at: position, asText: false, isKept: isKept)
      }
    try check(result)
  }

  /// Sets all parameters to null.
  package func clearParameters() { sqlite3_clear_bindings(pointer) }

  /// Binds one integer to the first parameter and starts again.
  package func bind(_ value: Int64) throws {
    reset()
    try check(sqlite3_bind_int64(pointer, 1, value))
  }

  /// Runs a statement without rows, and resets it. Long values are not copied for it.
  package func run(_ values: [StoredValue]) throws {
    try binding(values) { while try step() {} }
  }

  /// The length in bytes from which a value is not copied to be bound.
  private static let lentLength = 1 << 16

  /// Binds the parameters while a body runs, and resets the statement.
  func binding(_ values: [StoredValue], _ body: () throws -> Void) throws {
    defer { reset() }
    guard values.contains(where: { $0.byteCount >= Self.lentLength }) else {
      try bind(values)
      return try body()
    }
    try bind(values.map { $0.byteCount < Self.lentLength ? $0 : .null })
    try lend(values[...], body)
  }

  /// Binds the long ones of some values while a body runs.
  private func lend(_ values: ArraySlice<StoredValue>, _ body: () throws -> Void) throws {
    guard let index = values.firstIndex(where: { $0.byteCount >= Self.lentLength }) else {
      return try body()
    }
    let rest = values[(index + 1)...]
    func lend(_ bytes: UnsafeBufferPointer<UInt8>, asText: Bool) throws {
      defer { sqlite3_bind_null(pointer, CInt(index + 1)) }
      try check(bind(bytes, at: CInt(index + 1), asText: asText, isKept: true))
      try self.lend(rest, body)
      reset()
    }
    switch values[index] {
    case .text(var text): try text.withUTF8 { try lend($0, asText: true) }
    case .malformedText(let bytes):
      try bytes.withUnsafeBufferPointer { try lend($0, asText: true) }
    case .blob(let bytes): try bytes.withUnsafeBufferPointer { try lend($0, asText: false) }
    case .null, .integer, .real: break
    }
  }

  /// Starts again with the same parameters.
  package func reset() {
    sqlite3_reset(pointer)
    isFinished = false
  }

  /// Goes to the next row; returns `false` after the last one, also when called again.
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

  /// Returns the time in a column; `nil` if it holds no floating-point number.
  func timestamp(at column: Int) -> StoreTimestamp? {
    type(at: column) == SQLITE_FLOAT
      ? StoreTimestamp(secondsSinceReferenceDate: real(at: column)) : nil
  }

  /// Returns the integer in a column; `nil` if it holds anything else.
  ///
  /// Each connection belongs to one thread at a time, so the value needs no lock of SQLite's.
  @inline(__always)
  package func integerIfAny(at column: Int) -> Int64? {
    let value = sqlite3_column_value(pointer, CInt(column))
    return sqlite3_value_type(value) == SQLITE_INTEGER ? sqlite3_value_int64(value) : nil
  }

  /// Returns the bytes of a blob or of a text, valid until the next step.
  func bytes(at column: Int) -> UnsafeRawBufferPointer {
    let start = sqlite3_column_blob(pointer, CInt(column))
    return UnsafeRawBufferPointer(
      start: start, count: Int(sqlite3_column_bytes(pointer, CInt(column))))
  }

  /// Whether a column has the same value as one of another cursor, of the same storage class and bit for bit.
  func hasSameValue(
    at column: Int, as other: StatementCursor, at otherColumn: Int
  ) -> Bool {
    let type = type(at: column)
    guard type == other.type(at: otherColumn) else { return false }
    switch type {
    case SQLITE_INTEGER: return integer(at: column) == other.integer(at: otherColumn)
    case SQLITE_FLOAT:
      return real(at: column).bitPattern == other.real(at: otherColumn).bitPattern
    case SQLITE_BLOB, SQLITE_TEXT:
      let (bytes, others) = (content(at: column), other.content(at: otherColumn))
      guard bytes.count == others.count else { return false }
      guard let start = bytes.baseAddress, let other = others.baseAddress else { return true }
      return memcmp(start, other, bytes.count) == 0
    default: return true
    }
  }

  /// The bytes of a blob, or of a text in UTF-8, valid until the next step.
  private func content(at column: Int) -> UnsafeRawBufferPointer {
    // Converts texts that the database keeps as UTF-16.
    if type(at: column) == SQLITE_TEXT { _ = sqlite3_column_text(pointer, CInt(column)) }
    return bytes(at: column)
  }

  /// Whether a column of the row has a large value.
  var hasLargeValue: Bool {
    (0..<sqlite3_column_count(pointer)).contains {
      let type = sqlite3_column_type(pointer, $0)
      return (type == SQLITE_BLOB || type == SQLITE_TEXT)
        && Int(sqlite3_column_bytes(pointer, $0)) > StoreSnapshot.largeValue
    }
  }

  /// Returns the value with its storage class.
  package func value(at column: Int) -> StoredValue {
    // One look for all of it; as for ``integerIfAny(at:)``, no lock is needed.
    let value = sqlite3_column_value(pointer, CInt(column))
    switch sqlite3_value_type(value) {
    case SQLITE_INTEGER: return .integer(sqlite3_value_int64(value))
    case SQLITE_FLOAT: return .real(sqlite3_value_double(value))
    case SQLITE_BLOB:
      let start = sqlite3_value_blob(value)
      return .blob(
        Array(UnsafeRawBufferPointer(start: start, count: Int(sqlite3_value_bytes(value)))))
    case SQLITE_TEXT:
      // Converts texts that the database keeps as UTF-16.
      let start = sqlite3_value_text(value)
      return StoredValue(
        text: UnsafeRawBufferPointer(start: start, count: Int(sqlite3_value_bytes(value))))
    default: return .null
    }
  }

  /// The values of the row.
  var values: [StoredValue] { (0..<Int(sqlite3_column_count(pointer))).map { value(at: $0) } }

  private func bind(
    _ bytes: UnsafeBufferPointer<UInt8>, at position: CInt, asText: Bool, isKept: Bool = false
  ) -> CInt {
    // SQLITE_STATIC, or SQLITE_TRANSIENT: SQLite copies the bytes.
    let owner = isKept ? nil : unsafeBitCast(-1, to: sqlite3_destructor_type.self)
    // A null pointer would bind null, not an empty value.
    let start = UnsafeRawPointer(bytes.baseAddress) ?? UnsafeRawPointer(bitPattern: 1)
    return asText
      ? sqlite3_bind_text(
        pointer, position, start?.assumingMemoryBound(to: CChar.self), CInt(bytes.count), owner)
      : sqlite3_bind_blob(pointer, position, start, CInt(bytes.count), owner)
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

/// Runs statements with stored values; the connection keeps them for the next use.
package struct StatementRunner {
  package let database: Database

  package init(_ database: Database) { self.database = database }

  /// Whether a transaction is open; some failing statements end it.
  package var isInsideTransaction: Bool { database.isInsideTransaction }

  /// Adds orders of texts that the connection does not have yet.
  package func add(_ collations: [TextCollation]) throws {
    for collation in collations { try collation.add(to: database) }
  }

  /// Runs a statement without rows, and returns how many rows it changed itself.
  @discardableResult
  package func run(_ sql: String, _ values: [StoredValue] = []) throws -> Int {
    let cursor = try StatementCursor(database, sql: sql, isCached: true)
    try cursor.run(values)
    return Int(sqlite3_changes(database.sqliteConnection))
  }

  /// Returns the rows of a statement.
  package func rows(_ sql: String, _ values: [StoredValue] = []) throws -> [[StoredValue]] {
    let cursor = try StatementCursor(database, sql: sql, isCached: true)
    var rows: [[StoredValue]] = []
    try cursor.binding(values) { while try cursor.step() { rows.append(cursor.values) } }
    return rows
  }

  /// Returns a cursor over the rows of a statement, which must be reset after use. The connection
  /// keeps only short statements: those that list many values are rarely the same.
  package func cursor(_ sql: String) throws -> StatementCursor {
    try StatementCursor(database, sql: sql, isCached: sql.utf8.count < Self.maxKeptLength)
  }

  private static let maxKeptLength = 2048

  /// Returns the integer in the first column of the first row; `nil` for anything else.
  package func integer(_ sql: String, _ values: [StoredValue] = []) throws -> Int64? {
    guard case .integer(let number)? = try rows(sql, values).first?.first else { return nil }
    return number
  }

  /// Returns the texts in the first column, without rows that hold anything else there.
  package func texts(_ sql: String, _ values: [StoredValue] = []) throws -> [String] {
    try rows(sql, values).compactMap { if case .text(let text)? = $0.first { text } else { nil } }
  }
}
