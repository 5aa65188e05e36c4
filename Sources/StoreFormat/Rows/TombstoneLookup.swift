import GRDB

/// Finds what deleted objects left behind, by the numbers of the changes that deleted them.
package final class TombstoneLookup {
  private let cursor: StatementCursor?
  /// The slots that the statement's columns hold.
  private let slots: [Int]

  init(_ database: Database, tables: HistoryTables) throws {
    slots = tables.tombstoneSlots
    let columns = tables.tombstoneColumns.map(quoted).joined(separator: ", ")
    cursor =
      columns.isEmpty
      ? nil
      : try StatementCursor(database, sql: "SELECT \(columns) FROM ACHANGE WHERE Z_PK = ?1")
  }

  /// The tombstone of one change, by slot and without nulls at the end; empty where there is none.
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
  ///
  /// - Throws: ``StoreError/withoutHistory(path:)`` in a store without history tables.
  package func tombstones() throws -> TombstoneLookup {
    try TombstoneLookup(database, tables: historyTables())
  }
}
