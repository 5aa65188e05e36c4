import GRDB

extension StoreSnapshot {
  /// Which slots a change touched, by its number; nil where it is not there or says nothing of that.
  ///
  /// - Throws: ``StoreError/withoutHistory(path:)`` in a store without history tables.
  package func mask(ofChange number: Int64) throws -> ColumnMask? {
    _ = try historyTables()
    let rows = try StatementRunner(database).rows(
      "SELECT ZCOLUMNS FROM ACHANGE WHERE Z_PK = ?1", [.integer(number)])
    guard case .blob(let bytes)? = rows.first?.first else { return nil }
    return ColumnMask(bytes)
  }

  /// Whether the change that a recorded value names is an update of an object with its key.
  ///
  /// - Throws: ``StoreError/withoutHistory(path:)`` in a store without history tables.
  package func hasUpdate(_ row: RecordedValueRow) throws -> Bool {
    _ = try historyTables()
    return try StatementRunner(database).integer(
      """
      SELECT 1 FROM ACHANGE WHERE Z_PK = ?1 AND ZTRANSACTIONID = ?2 AND ZENTITYPK = ?3
        AND ZCHANGETYPE = 1
      """,
      [.integer(row.change), .integer(row.transaction), .integer(row.primaryKey)]) != nil
  }
}
