import GRDB

/// The tables of a file of recorded values.
///
/// `recorded_value` has a row for each value that an update changed. `old` and `new` hold the values as
/// the store kept them, or, where `old_length` or `new_length` has a number, the SHA-256 of as many
/// bytes.
package enum RecordedValuesLayout {
  /// Tells such a file from every other database: `hctv`.
  package static let applicationID: Int64 = 0x6863_7476
  /// The version of the tables.
  package static let version: Int64 = 1

  package static let columns = [
    "transaction_number", "timestamp", "change_number", "entity", "primary_key", "name", "kind",
    "old", "old_length", "new", "new_length",
  ]

  /// What makes the tables.
  package static let statements = [
    "CREATE TABLE store (identifier TEXT NOT NULL)",
    """
    CREATE TABLE recorded_value (
      transaction_number INTEGER NOT NULL, timestamp REAL, change_number INTEGER NOT NULL,
      entity TEXT NOT NULL, primary_key INTEGER NOT NULL, name TEXT NOT NULL, kind TEXT NOT NULL,
      old, old_length INTEGER, new, new_length INTEGER)
    """,
    """
    CREATE UNIQUE INDEX recorded_value_by_change
      ON recorded_value (transaction_number, change_number, name)
    """,
    """
    CREATE INDEX recorded_value_by_object
      ON recorded_value (primary_key, entity, transaction_number)
    """,
  ]

  /// The identifier of the store that a file's values are of.
  ///
  /// - Throws: ``StoreError/unusableValues(path:reason:)`` where the file is of another kind.
  package static func check(_ statement: StatementRunner, path: String) throws -> String {
    func refuse(_ reason: String) -> StoreError { .unusableValues(path: path, reason: reason) }
    guard try statement.integer("PRAGMA application_id") == applicationID else {
      throw refuse("it is a database of another kind")
    }
    let version = try statement.integer("PRAGMA user_version") ?? 0
    guard version == Self.version else {
      throw refuse("its version is \(version), expected \(Self.version)")
    }
    for (table, columns) in [("store", ["identifier"]), ("recorded_value", columns)] {
      let rows = try statement.rows(
        """
        SELECT c.name FROM sqlite_master AS m, pragma_table_info(m.name) AS c
        WHERE m.type = 'table' AND m.name = ?1
        """, [.text(table)])
      let present = Set(rows.compactMap(\.first))
      if let missing = columns.first(where: { !present.contains(.text($0)) }) {
        throw refuse("its table \(table) has no column \(missing)")
      }
    }
    guard
      case .text(let identifier)? = try statement.rows("SELECT identifier FROM store LIMIT 1")
        .first?.first
    else { throw refuse("it does not say which store its values are of") }
    return identifier
  }
}
