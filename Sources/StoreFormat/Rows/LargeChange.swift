/// A change whose row takes many pages of its own.
package struct LargeChange: Hashable, Sendable {
  package let transaction: Int64
  package let row: Int64
  /// The bytes of the values of the row.
  package let byteCount: Int

  /// The minimum of bytes of one.
  static let minByteCount = 16 << 10
}

extension StoreSnapshot {
  /// Returns the large changes of the transactions up to and including a number, by transaction and row.
  ///
  /// The rows are those between the first and the last that the index lists. Memory grows with the number of
  /// large changes, a few bytes for each.
  ///
  /// - Throws: ``StoreError/damaged(path:place:detail:)``.
  package func largeChanges(ofTransactionsThrough last: Int64) throws -> [LargeChange] {
    let tables = try historyTables()
    guard
      let span = try StatementRunner(database).rows(
        "SELECT min(Z_PK), max(Z_PK) FROM ACHANGE WHERE ZTRANSACTIONID <= ?1", [.integer(last)]
      ).first,
      case .integer(let first) = span[0], case .integer(let end) = span[1], first <= end
    else { return [] }
    // Pages describe the rows that fit into them, which are not large; SQLite is asked for the others.
    let pages = changePages
    let cursor = try StatementCursor(
      database,
      sql: """
        SELECT ZTRANSACTIONID, Z_PK, \(RecordSize.ofValues(tables)) AS size FROM ACHANGE NOT INDEXED
        WHERE Z_PK BETWEEN ?1 AND ?2 AND typeof(ZTRANSACTIONID) = 'integer' AND ZTRANSACTIONID <= ?3
          AND size >= \(LargeChange.minByteCount)
        ORDER BY Z_PK
        """)
    var changes: [LargeChange] = []
    func collect(_ rows: ClosedRange<Int64>) throws {
      try cursor.bind([.integer(rows.lowerBound), .integer(rows.upperBound), .integer(last)])
      while try cursor.step() {
        changes.append(
          LargeChange(
            transaction: cursor.integer(at: 0), row: cursor.integer(at: 1),
            byteCount: Int(clamping: cursor.integer(at: 2))))
      }
    }
    if let pages {
      var pageCursor = try ChangePageCursor(pages, rows: first...end)
      var row = ChangeRow()
      while try pageCursor.next(&row) {
        if row.record == nil { try collect(row.number...row.number) }
      }
    } else {
      try collect(first...end)
    }
    return changes.sorted { ($0.transaction, $0.row) < ($1.transaction, $1.row) }
  }
}
