extension StoreSnapshot {
  /// The rows among which are all changes of the selected transactions, where these are all of a
  /// range in order; nil where some are left out, or where the layout has no index to tell it.
  public func changeRows(of selection: TransactionSelection) throws -> ClosedRange<Int64>? {
    guard !selection.isSparse else { return nil }
    return try changeRows(ofTransactions: selection.range)
  }

  /// The rows among which are all changes of a range of transactions, and how many these are.
  func changeRowSpan(
    ofTransactions range: ClosedRange<Int64>
  ) throws -> (rows: ClosedRange<Int64>, count: Int64)? {
    guard try historyTables().indexesChangesByTransaction else { return nil }
    if let pages = changePages, let span = try? pages.rows(ofTransactions: range) {
      return span.isEmpty ? nil : (span.lowest...span.highest, span.count)
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
    return (cursor.integer(at: 0)...cursor.integer(at: 1), cursor.integer(at: 2))
  }
}
