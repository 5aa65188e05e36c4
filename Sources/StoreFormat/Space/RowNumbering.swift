import GRDB

/// Which tables would have other row numbers once the store is rebuilt.
///
/// SQLite keeps the numbers that a table declares as its integer primary key, and may number the rows
/// of all other tables anew (<https://www.sqlite.org/lang_vacuum.html#how_vacuum_works>), from 1 on
/// in their order. Where a table has no primary key at all, its numbers are the only names that its
/// rows have, and something else may refer to them.
package enum RowNumbering {
  /// The tables without a primary key whose rows are not numbered from 1 on without a gap, by name.
  package static func tablesToRenumber(_ database: Database) throws -> [String] {
    let names = try String.fetchAll(
      database,
      sql: """
        SELECT name FROM sqlite_master
        WHERE type = 'table' AND rootpage > 0 AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\'
        ORDER BY name
        """)
    return try names.filter { name in
      guard
        try Bool.fetchOne(
          database, sql: "SELECT NOT EXISTS (SELECT 1 FROM pragma_table_info(?) WHERE pk > 0)",
          arguments: [name]) ?? false,
        let number = try rowNumberName(of: name, database)
      else { return false }
      let table = "\"" + name.replacing("\"", with: "\"\"") + "\""
      let cursor = try StatementCursor(
        database, sql: "SELECT count(*), min(\(number)), max(\(number)) FROM \(table)")
      guard try cursor.step(), cursor.integer(at: 0) > 0 else { return false }
      return cursor.integer(at: 1) != 1 || cursor.integer(at: 2) != cursor.integer(at: 0)
    }
  }

  /// A name of the row number that is no column's; nil where columns have taken all of them, and
  /// nobody can refer to the number.
  private static func rowNumberName(of table: String, _ database: Database) throws -> String? {
    let columns = Set(
      try String.fetchAll(
        database, sql: "SELECT lower(name) FROM pragma_table_info(?)", arguments: [table]))
    return ["rowid", "_rowid_", "oid"].first { !columns.contains($0) }
  }
}
