/// The rows among which are all changes of some transactions, as the index by transaction lists them.
package struct ChangeRowSpan: Hashable, Sendable {
  /// The lowest to the highest number of the rows.
  ///
  /// In a history that a framework wrote these are the changes and no others.
  package let rows: ClosedRange<Int64>
  /// How many of the rows are changes of the transactions.
  package let count: Int64
}

extension StoreSnapshot {
  /// Returns the rows among which are all changes of the selected transactions, or `nil` where the
  /// selection skips some of a range, or the layout has no index to tell it.
  package func changeRows(of selection: TransactionSelection) throws -> ChangeRowSpan? {
    guard !selection.isSparse else { return nil }
    return try changeRows(ofTransactions: selection.range)
  }

  /// Returns the rows among which are all changes of a range of transactions, or `nil` where it has
  /// none, or the layout has no index to tell it.
  package func changeRows(ofTransactions range: ClosedRange<Int64>) throws -> ChangeRowSpan? {
    guard try historyTables().indexesChangesByTransaction else { return nil }
    if let pages = changePages {
      do {
        if let span = try pages.rows(ofTransactions: range) {
          return span.isEmpty
            ? nil : ChangeRowSpan(rows: span.lowest...span.highest, count: span.count)
        }
      } catch is RowsOutOfOrder {
        // SQLite says what is wrong with the page, or reads it after all.
      }
    }
    let cursor = try StatementCursor(
      database,
      sql: """
        SELECT min(Z_PK), max(Z_PK), count(*) FROM ACHANGE
        WHERE ZTRANSACTIONID BETWEEN ?1 AND ?2
        """, isCached: true)
    try cursor.bind([.integer(range.lowerBound), .integer(range.upperBound)])
    defer { cursor.reset() }
    guard try cursor.step(), !cursor.isNull(at: 0), !cursor.isNull(at: 1) else { return nil }
    return ChangeRowSpan(
      rows: cursor.integer(at: 0)...cursor.integer(at: 1), count: cursor.integer(at: 2))
  }
}
