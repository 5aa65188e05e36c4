import GRDB
import StoreFormat

/// The tables in which SQLite keeps search indexes, filled from scrubbed values or left empty.
extension StoreScrubber {
  /// Gives a table of a search index the rows that it has when the index is new.
  func fillEmptyIndex(_ table: String, in database: Database) throws {
    let index = plan.indexes.first { table.hasPrefix($0.name + "_") }
    let copy = quoted(table)
    let source = StatementRunner(snapshot.database)
    let target = StatementRunner(database)
    switch (index?.module, index.map { String(table.dropFirst($0.name.count)) }) {
    case ("rtree", "_node"):
      let length = try source.integer("SELECT length(data) FROM \(quoted(table)) WHERE nodeno = 1")
      try target.run(
        "INSERT INTO \(copy) (nodeno, data) VALUES (1, zeroblob(?1))",
        [.integer(length ?? 0)])
    case ("fts5", "_data"):
      try target.run(
        "INSERT INTO \(copy) (id, block) VALUES (1, x''), (10, x'00000000000000')")
    case ("fts5", "_config"):
      let version = try source.integer("SELECT v FROM \(quoted(table)) WHERE k = 'version'")
      try target.run(
        "INSERT INTO \(copy) (k, v) VALUES ('version', ?1)", [.integer(version ?? 4)])
    default: break
    }
  }

  /// Fills an index of coordinates from the scrubbed columns that its trigger fills it from.
  func fillCoordinates(of name: String, in copy: Database) throws {
    let runner = StatementRunner(copy)
    let columns = try runner.columns(of: name).map(\.name)
    let owners = try runner.texts(
      "SELECT tbl_name FROM sqlite_master WHERE type = 'trigger' AND name = ?1",
      [.text(name + "_INSERT")])
    guard let owner = owners.first,
      plan.tables.contains(where: {
        $0.name == owner && $0.treatment == .objects
      })
    else { return }
    let sources = columns.map { column in
      ["_MIN", "_MAX"].first { column.hasSuffix($0) }.map { String(column.dropLast($0.count)) }
        ?? column
    }
    guard sources.first == "Z_PK",
      try Set(sources).isSubset(of: runner.columns(of: owner).map(\.name))
    else { return }
    let present = try StatementCursor(
      snapshot.database, sql: "SELECT rowid FROM \(quoted(name + "_rowid"))")
    while try present.step() {
      try runner.run(
        """
        INSERT OR IGNORE INTO \(quoted(name)) (\(columns.map(quoted).joined(separator: ", ")))
        SELECT \(sources.map(quoted).joined(separator: ", ")) FROM \(quoted(owner)) WHERE Z_PK = ?1
        """, [.integer(present.integer(at: 0))])
    }
  }
}
