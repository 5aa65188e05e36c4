import GRDB

/// Steps through the numbers and times of transactions, oldest first.
package final class TransactionPositionCursor {
  private let cursor: StatementCursor
  private var order: RowOrder

  init(_ database: Database, from number: Int64, path: String) throws {
    order = RowOrder(path: path, table: "ATRANSACTION")
    cursor = try StatementCursor(
      database, sql: "SELECT Z_PK, ZTIMESTAMP FROM ATRANSACTION WHERE Z_PK >= ?1 ORDER BY Z_PK")
    try cursor.bind(number)
  }

  /// Goes to the next transaction; `nil` after the last one.
  ///
  /// - Throws: ``StoreError/damaged(path:place:detail:)`` where one is out of order.
  package func next() throws -> TransactionPosition? {
    guard try cursor.step() else { return nil }
    let number = cursor.integer(at: 0)
    try order.take(number)
    return TransactionPosition(number: number, timestamp: cursor.timestamp(at: 1))
  }
}

extension StoreSnapshot {
  /// Steps through the numbers and times of the transactions from a number on, oldest first.
  ///
  /// - Throws: ``StoreError/withoutHistory(path:)`` in a store without history tables.
  package func transactionPositions(from number: Int64) throws -> TransactionPositionCursor {
    _ = try historyTables()
    return try TransactionPositionCursor(database, from: number, path: location.path)
  }
}
