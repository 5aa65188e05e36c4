import GRDB

/// What rows of a store's history mean: which store it is, which entities the numbers stand for, and
/// which model gives masks and tombstones their order.
///
/// A migration changes it; a save does not. Two can be compared within one run of a program.
package struct StoreShape: Hashable, Sendable {
  private let storeIdentifier: StoredValue
  private let schemaVersion: Int64
  private let entities: [[StoredValue]]
  private let modelDigest: Int

  package init(_ statement: StatementRunner) throws {
    func rows(_ table: String, _ sql: String) throws -> [[StoredValue]] {
      let isThere = try statement.integer(
        "SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = ?1", [.text(table)])
      return isThere == nil ? [] : try statement.rows(sql)
    }
    storeIdentifier =
      try rows("Z_METADATA", "SELECT Z_UUID FROM Z_METADATA ORDER BY Z_VERSION LIMIT 1")
      .first?.first ?? .null
    schemaVersion = try statement.integer("PRAGMA schema_version") ?? 0
    // The highest numbers, which every save raises, are left out.
    entities = try rows(
      "Z_PRIMARYKEY", "SELECT Z_ENT, Z_NAME FROM Z_PRIMARYKEY WHERE Z_ENT < 16001 ORDER BY Z_ENT")
    var hasher = Hasher()
    if case .blob(let bytes)? = try rows(
      "Z_MODELCACHE", "SELECT Z_CONTENT FROM Z_MODELCACHE LIMIT 1"
    ).first?.first {
      bytes.withUnsafeBytes { hasher.combine(bytes: $0) }
    }
    modelDigest = hasher.finalize()
  }
}

extension StoreSnapshot {
  /// What the rows of the history mean.
  package func shape() throws -> StoreShape { try StoreShape(StatementRunner(database)) }
}
