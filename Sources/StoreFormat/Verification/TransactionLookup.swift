import GRDB

/// Tells whether transactions are there, one after the other.
package final class TransactionLookup {
  private let cursor: StatementCursor

  init(_ database: Database) throws {
    cursor = try StatementCursor(database, sql: "SELECT 1 FROM ATRANSACTION WHERE Z_PK = ?1")
  }

  /// Whether the transaction with exactly this number is there.
  package func contains(_ number: Int64) throws -> Bool {
    try cursor.bind(number)
    defer { cursor.reset() }
    return try cursor.step()
  }
}

extension StoreSnapshot {
  /// Prepares to look transactions up.
  ///
  /// - Throws: ``StoreError/withoutHistory(path:)`` in a store without history tables.
  package func transactionLookup() throws -> TransactionLookup {
    _ = try historyTables()
    return try TransactionLookup(database)
  }

  /// Steps through all changes in the order of their numbers, those of no transaction included; see
  /// ``ChangeCursor/nextOfAnyTransaction()``.
  ///
  /// - Throws: ``StoreError/withoutHistory(path:)`` in a store without history tables.
  package func everyChange() throws -> ChangeCursor {
    try ChangeCursor(
      database, tables: historyTables(), path: location.path, range: .min ... .max,
      isAscending: true, isSparse: false,
      detail: .everything, rows: .min ... .max)
  }
}
