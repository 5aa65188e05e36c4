import GRDB

extension StoreSnapshot {
  /// The triggers on the tables of the history; a framework makes none that stay.
  package func triggersOfHistory() throws -> [String] {
    let cursor = try StatementCursor(
      database,
      sql: """
        SELECT name FROM sqlite_master WHERE type = 'trigger'
          AND tbl_name IN ('ACHANGE', 'ATRANSACTION', 'ATRANSACTIONSTRING') ORDER BY name LIMIT 100
        """)
    var names: [String] = []
    while try cursor.step() {
      if case .text(let name) = cursor.value(at: 0) { names.append(name) }
    }
    return names
  }

  /// Whether the property list of the metadata cannot be read, where there is one.
  package func hasUnreadableMetadata() throws -> Bool {
    guard !metadata.isComplete, layout.tableNames.contains("Z_METADATA") else { return false }
    let cursor = try StatementCursor(
      database, sql: "SELECT Z_PLIST IS NOT NULL FROM Z_METADATA ORDER BY Z_VERSION LIMIT 1")
    return try cursor.step() && cursor.integer(at: 0) == 1
  }
}

extension AttributeType {
  /// Whether a value of this type can stand like that in what a deleted object left behind.
  ///
  /// The columns of tombstones have no type of their own, so the value is as the framework bound it.
  package func fits(tombstone value: StoredValue) -> Bool {
    switch (self, value) {
    case (.undefined, _), (.objectIdentifier, _), (.composite, _), (.unknown, _): true
    case (.uri, .malformedText): true
    default: accepts(restoring(value))
    }
  }
}
