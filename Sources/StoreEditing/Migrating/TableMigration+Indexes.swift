import GRDB
import StoreFormat

extension TableMigration {
  /// An index that the store has.
  struct PresentIndex {
    let name: String
    let table: String
    let statement: String
  }

  private func presentIndexes() throws -> [PresentIndex] {
    try statement.rows(
      "SELECT name, tbl_name, sql FROM sqlite_master WHERE type = 'index' AND sql IS NOT NULL"
    ).compactMap { row in
      guard case .text(let name) = row[0], case .text(let table) = row[1],
        case .text(let sql) = row[2]
      else { return nil }
      return PresentIndex(name: name, table: table, statement: sql)
    }
  }

  /// Whether an index is one that the former model has asked for.
  private func isOwn(_ index: PresentIndex, _ formerNames: Set<String>) -> Bool {
    formerNames.contains(index.name)
      || mapping.old.entities.keys.contains {
        index.name.hasPrefix(EntityTables.indexPrefix(of: $0))
      }
  }

  /// The names of the indexes that the former model has asked for, as far as it tells them.
  private var formerNames: Set<String> {
    let old = schema.tables
    var names = Set(old.tables.flatMap { $0.indexes.map(\.name) + ["\($0.name)_Z_ENT_INDEX"] })
    names.formUnion(old.joinTables.map(\.index.name))
    for entity in mapping.old.entities.values {
      for properties in entity.uniquenessConstraints {
        names.insert(EntityTables.constraintName(of: properties, at: entity.name))
      }
    }
    // With the numbers that equal names have got.
    names.formUnion((try? old.indexes(model: mapping.old))?.map(\.name) ?? [])
    return names
  }

  /// The indexes of tables that are made anew which somebody else has made.
  func foreignIndexes() throws -> [PresentIndex] {
    let rebuilt = Set(migrated.filter(\.isRebuilt).compactMap(\.former?.name))
    let formerNames = self.formerNames
    return try presentIndexes().filter { rebuilt.contains($0.table) && !isOwn($0, formerNames) }
  }

  /// Removes the indexes that the former model has asked for and the new one does not, or not so.
  ///
  /// Names of different lists of properties can be the same.
  func dropFormerIndexes() throws {
    let wanted = Set(try tables.indexes(model: mapping.new).map(\.statement))
    let formerNames = self.formerNames
    for index in try presentIndexes()
    where !wanted.contains(index.statement) && isOwn(index, formerNames) {
      try statement.run("DROP INDEX \(quoted(index.name))")
    }
  }

  /// Makes the indexes that the new model asks for and the store does not have, and those that somebody
  /// else has made.
  func writeIndexes(_ foreign: [PresentIndex]) throws {
    let wanted = try tables.indexes(model: mapping.new)
    let wantedNames = Set(wanted.map(\.name))
    let present = Set(try presentIndexes().map(\.name))
    for index in wanted where !present.contains(index.name) {
      do {
        try statement.run(index.statement)
      } catch let error as DatabaseError where error.resultCode == .SQLITE_CONSTRAINT {
        guard let constraint = index.constraint else { throw error }
        throw notUnique(constraint)
      }
    }
    for index in foreign where !wantedNames.contains(index.name) {
      // One that names a column which is gone has lost its meaning.
      _ = try? statement.run(index.statement)
    }
  }
}
