import GRDB
import GRDBSQLite

/// Steps through the rows of `ATRANSACTIONSTRING`, one for each interned text.
package final class InternedStringCursor {
  private let cursor: StatementCursor

  init(_ database: Database) throws {
    cursor = try StatementCursor(
      database, sql: "SELECT Z_PK, typeof(ZNAME) = 'text' FROM ATRANSACTIONSTRING ORDER BY Z_PK")
  }

  /// The number by which transactions name the text.
  package private(set) var number: Int64 = 0
  /// Whether the row holds a text.
  package private(set) var hasText = false

  /// Goes to the next row; `false` after the last one.
  package func next() throws -> Bool {
    guard try cursor.step() else { return false }
    number = cursor.integer(at: 0)
    hasText = cursor.integer(at: 1) == 1
    return true
  }
}

extension StoreSnapshot {
  /// Steps through the interned texts; nil in a store that keeps none.
  ///
  /// - Throws: ``StoreError/withoutHistory(path:)`` in a store without history tables.
  package func internedStrings() throws -> InternedStringCursor? {
    try historyTables().internsStrings ? InternedStringCursor(database) : nil
  }
}
