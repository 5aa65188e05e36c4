import GRDB
import GRDBSQLite

/// Runs statements with stored values; the connection keeps them for the next time.
package struct StatementRunner {
  private let database: Database

  package init(_ database: Database) { self.database = database }

  /// Whether a transaction is open; some statements that fail end it.
  package var isInsideTransaction: Bool { database.isInsideTransaction }

  /// Runs a statement that gives no rows, and gives how many rows it changed itself.
  @discardableResult
  package func run(_ sql: String, _ values: [StoredValue] = []) throws -> Int {
    let cursor = try StatementCursor(database, sql: sql, isCached: true)
    defer { cursor.reset() }
    try cursor.bind(values)
    while try cursor.step() {}
    return Int(sqlite3_changes(database.sqliteConnection))
  }

  /// The rows that a statement gives.
  package func rows(_ sql: String, _ values: [StoredValue] = []) throws -> [[StoredValue]] {
    let cursor = try StatementCursor(database, sql: sql, isCached: true)
    defer { cursor.reset() }
    try cursor.bind(values)
    var rows: [[StoredValue]] = []
    while try cursor.step() { rows.append(cursor.values) }
    return rows
  }

  /// A cursor over the rows of a statement, which is reset after use; the connection keeps those
  /// that are short, and not those that list many values, of which no two are the same.
  package func cursor(_ sql: String) throws -> StatementCursor {
    try StatementCursor(database, sql: sql, isCached: sql.utf8.count < Self.longestKept)
  }

  private static let longestKept = 2048

  /// The integer in the first column of the first row.
  package func integer(_ sql: String, _ values: [StoredValue] = []) throws -> Int64? {
    guard case .integer(let number)? = try rows(sql, values).first?.first else { return nil }
    return number
  }
}
