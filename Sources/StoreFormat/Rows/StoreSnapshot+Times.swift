import GRDB

extension StoreSnapshot {
  /// The earliest and the latest time of the selected transactions, of those times that lie in a
  /// range; nil where there is none.
  ///
  /// - Throws: ``StoreError/withoutHistory(path:)`` in a store without history tables.
  package func times(
    of selection: TransactionSelection, within range: ClosedRange<StoreTimestamp>
  ) throws -> ClosedRange<StoreTimestamp>? {
    let (query, arguments) = selection.query(
      columns: ["t.ZTIMESTAMP AS time"], tables: try historyTables())
    let (from, to) = (arguments.count + 1, arguments.count + 2)
    let cursor = try StatementCursor(
      database,
      sql: """
        SELECT min(time), max(time) FROM (\(query))
        WHERE typeof(time) = 'real' AND time BETWEEN ?\(from) AND ?\(to)
        """)
    try cursor.bind(
      arguments + [
        .real(range.lowerBound.secondsSinceReferenceDate),
        .real(range.upperBound.secondsSinceReferenceDate),
      ])
    guard try cursor.step(), !cursor.isNull(at: 0), !cursor.isNull(at: 1) else { return nil }
    let earliest = StoreTimestamp(secondsSinceReferenceDate: cursor.real(at: 0))
    let latest = StoreTimestamp(secondsSinceReferenceDate: cursor.real(at: 1))
    return earliest...max(earliest, latest)
  }
}
