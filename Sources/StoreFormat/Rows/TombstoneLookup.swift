import GRDB

/// Looks up tombstones by the numbers of changes.
package final class TombstoneLookup {
  private let cursor: StatementCursor?
  /// The slots of the statement's columns.
  private let slots: [Int]

  init(_ database: Database, tables: HistoryTables) throws {
    slots = tables.tombstoneSlots
    let columns = tables.tombstoneColumns.map(quoted).joined(separator: ", ")
    cursor =
      columns.isEmpty
      ? nil
      : try StatementCursor(database, sql: "SELECT \(columns) FROM ACHANGE WHERE Z_PK = ?1")
  }

  /// Returns the tombstone of a change, by slot and without nulls at the end; empty if there is
  /// none.
  package func tombstone(ofChange number: Int64) throws -> [StoredValue] {
    guard let cursor else { return [] }
    try cursor.bind(number)
    var values: [StoredValue] = []
    if try cursor.step() {
      for (column, slot) in slots.enumerated() where !cursor.isNull(at: column) {
        values += Array(repeating: .null, count: slot - values.count)
        values.append(cursor.value(at: column))
      }
    }
    cursor.reset()
    return values
  }
}

extension StoreSnapshot {
  /// Prepares to look up tombstones.
  package func tombstones() throws -> TombstoneLookup {
    try TombstoneLookup(database, tables: historyTables())
  }

  /// Returns the slots that a change touched; `nil` if there is no such change, or it has no mask.
  package func mask(ofChange number: Int64) throws -> ColumnMask? {
    _ = try historyTables()
    let rows = try StatementRunner(database).rows(
      "SELECT ZCOLUMNS FROM ACHANGE WHERE Z_PK = ?1", [.integer(number)])
    guard case .blob(let bytes)? = rows.first?.first else { return nil }
    return ColumnMask(bytes)
  }

  /// Whether the change that a recorded value names is one of an object with its key. Programs record values of
  /// updates only.
  package func hasChange(_ row: RecordedValueRow) throws -> Bool {
    try historyInteger(
      """
      SELECT 1 FROM ACHANGE WHERE Z_PK = ?1 AND ZTRANSACTIONID = ?2 AND ZENTITYPK = ?3
        AND (ZCHANGETYPE = 1 OR ?4)
      """,
      [
        .integer(row.change), .integer(row.transaction), .integer(row.primaryKey),
        .integer(row.source == .log ? 1 : 0),
      ]) != nil
  }
}
