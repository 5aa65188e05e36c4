import GRDBSQLite
import StoreFormat

/// A value that tests bind to a statement.
package protocol BoundValue {
  /// The value as it is stored.
  var stored: StoredValue { get }
}

extension StoredValue: BoundValue {
  package var stored: StoredValue { self }
}

extension Int: BoundValue {
  package var stored: StoredValue { .integer(Int64(self)) }
}

extension Int64: BoundValue {
  package var stored: StoredValue { .integer(self) }
}

extension Double: BoundValue {
  package var stored: StoredValue { .real(self) }
}

extension String: BoundValue {
  package var stored: StoredValue { .text(self) }
}

/// A connection to SQLite without a wrapper library.
///
/// The suite writes thousands of stores and reads their tables whole. GRDB, which debug builds do not
/// optimise, takes several times as long for that.
final class PlainConnection {
  /// An error of SQLite.
  struct Failure: Error, CustomStringConvertible {
    let code: Int32
    let message: String
    let sql: String

    var description: String { "SQLite error \(code): \(message) - \(sql)" }
  }

  private var handle: OpaquePointer?
  /// Statements that run again and again, by their text.
  private var kept: [String: OpaquePointer] = [:]

  /// Opens a file, which is created if it is missing.
  init(path: String, busyTimeout: Int32 = 0) throws {
    let flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_FULLMUTEX
    let code = sqlite3_open_v2(path, &handle, flags, nil)
    guard code == SQLITE_OK else {
      let failure = failure(code, path)
      close()
      throw failure
    }
    sqlite3_busy_timeout(handle, busyTimeout)
    // A misspelt column in quotes is a mistake, not a text.
    _disableDoubleQuotedStringLiterals(handle)
    // SQLite opens the log when it first reads, which may be when a test has removed the folder.
    _ = try rows("SELECT 1 FROM sqlite_master LIMIT 1")
  }

  deinit { close() }

  /// Closes the file.
  func close() {
    for statement in kept.values { sqlite3_finalize(statement) }
    kept = [:]
    sqlite3_close_v2(handle)
    handle = nil
  }

  /// Runs statements.
  func run(_ sql: String) throws {
    try check(sqlite3_exec(handle, sql, nil, nil, nil), sql)
  }

  /// Runs one statement with values, and keeps it for the next time.
  func run(_ sql: String, _ values: [StoredValue]) throws {
    let statement = try kept[sql] ?? prepare(sql)
    kept[sql] = statement
    defer {
      sqlite3_reset(statement)
      sqlite3_clear_bindings(statement)
    }
    for (index, value) in values.enumerated() {
      try check(bind(value, to: statement, at: Int32(index + 1)), sql)
    }
    while try step(statement, sql) {}
  }

  /// Runs statements in a transaction, which is rolled back if one of them fails.
  func inTransaction(_ body: () throws -> Void) throws {
    try run("BEGIN IMMEDIATE", [])
    do {
      try body()
      try run("COMMIT", [])
    } catch {
      if sqlite3_get_autocommit(handle) == 0 { try? run("ROLLBACK", []) }
      throw error
    }
  }

  /// Returns the rows of a statement.
  func rows(_ sql: String) throws -> [[StoredValue]] {
    let statement = try prepare(sql)
    defer { sqlite3_finalize(statement) }
    var rows: [[StoredValue]] = []
    while try step(statement, sql) {
      rows.append((0..<sqlite3_column_count(statement)).map { value(of: statement, at: $0) })
    }
    return rows
  }

  // MARK: - Parts

  private func failure(_ code: Int32, _ sql: String) -> Failure {
    Failure(code: code, message: String(cString: sqlite3_errmsg(handle)), sql: sql)
  }

  private func check(_ code: Int32, _ sql: String) throws {
    if code != SQLITE_OK { throw failure(code, sql) }
  }

  private func prepare(_ sql: String) throws -> OpaquePointer {
    var statement: OpaquePointer?
    try check(sqlite3_prepare_v2(handle, sql, -1, &statement, nil), sql)
    guard let statement else { throw failure(SQLITE_MISUSE, sql) }
    return statement
  }

  private func step(_ statement: OpaquePointer, _ sql: String) throws -> Bool {
    switch sqlite3_step(statement) {
    case SQLITE_ROW: return true
    case SQLITE_DONE: return false
    case let code: throw failure(code, sql)
    }
  }

  private func bind(
    _ value: StoredValue, to statement: OpaquePointer, at index: Int32
  ) -> Int32 {
    // SQLite copies the bytes.
    let transient = unsafeBitCast(-1, to: sqlite3_destructor_type.self)
    switch value {
    case .null: return sqlite3_bind_null(statement, index)
    case .integer(let number): return sqlite3_bind_int64(statement, index, number)
    case .real(let number): return sqlite3_bind_double(statement, index, number)
    case .text(let text): return sqlite3_bind_text(statement, index, text, -1, transient)
    case .malformedText(let bytes), .blob(let bytes):
      // Without bytes there is no address, which would bind null.
      if bytes.isEmpty { return sqlite3_bind_zeroblob(statement, index, 0) }
      return sqlite3_bind_blob(statement, index, bytes, Int32(bytes.count), transient)
    }
  }

  private func value(of statement: OpaquePointer, at column: Int32) -> StoredValue {
    switch sqlite3_column_type(statement, column) {
    case SQLITE_INTEGER: .integer(sqlite3_column_int64(statement, column))
    case SQLITE_FLOAT: .real(sqlite3_column_double(statement, column))
    case SQLITE_TEXT:
      .text(sqlite3_column_text(statement, column).map { String(cString: $0) } ?? "")
    case SQLITE_BLOB:
      .blob(
        Array(
          UnsafeRawBufferPointer(
            start: sqlite3_column_blob(statement, column),
            count: Int(sqlite3_column_bytes(statement, column)))))
    default: .null
    }
  }
}
