import GRDB
import StoreFormat

/// Migrates the tables of a store's objects to another model.
///
/// ``check()`` finds all obstacles before ``write()`` changes anything. Both run in a SQLite transaction
/// of the caller.
struct TableMigration {
  let schema: ObjectSchema
  let mapping: ModelMapping
  let numbering: EntityNumbering
  let tables: EntityTables
  let migrated: [MigratedTable]
  let links: LinkMigration
  let statement: StatementRunner

  init(
    schema: ObjectSchema, mapping: ModelMapping, numbering: EntityNumbering,
    statement: StatementRunner
  ) throws {
    self.schema = schema
    self.mapping = mapping
    self.numbering = numbering
    self.statement = statement
    let tables = try EntityTables(model: mapping.new, numbering: numbering)
    self.tables = tables
    migrated = try tables.tables.map {
      try MigratedTable($0, mapping: mapping, schema: schema, numbering: numbering)
    }
    links = try LinkMigration(
      schema: schema, mapping: mapping, tables: tables, migrated: migrated, statement: statement)
  }

  /// Returns the name of a table while its rows are copied, which is the frameworks' name for it.
  private static func temporaryName(of table: String) -> String { "_T_" + table }

  /// The tables of entities that leave the model.
  var removedTables: [EntityTables.Table] {
    schema.tables.tables.filter { former in
      !migrated.contains { $0.former?.name == former.name }
    }
  }

  /// Writes the tables.
  ///
  /// - Throws: ``StoreWriteError``, and what SQLite reports; the transaction must then be rolled back.
  func write() throws {
    // Renaming a table must not change the app's own views and triggers, which may not even parse. The
    // setting belongs to this connection, which the migration closes in the end.
    try statement.run("PRAGMA legacy_alter_table = ON")
    defer { _ = try? statement.run("PRAGMA legacy_alter_table = OFF") }
    let foreign = try foreignIndexes()
    // Values that need not be unique any more may be the same for several objects.
    try dropFormerIndexes()
    for join in links.changedJoinTables { try drop(join.name) }
    for table in removedTables { try drop(table.name) }
    for table in migrated where table.isRebuilt {
      guard let former = table.former else { continue }
      try statement.run(
        "ALTER TABLE \(quoted(former.name)) RENAME TO "
          + quoted(Self.temporaryName(of: former.name)))
    }
    for table in migrated {
      if table.former == nil {
        try statement.run(table.table.statement)
      } else if table.isRebuilt {
        try rebuild(table)
      } else {
        try alter(table)
      }
    }
    try links.write()
    try writeEntityKeys()
    try removeDanglingKeys()
    try writeIndexes(foreign)
    try links.discard()
  }

  private func drop(_ table: String) throws {
    try statement.run("DROP TABLE IF EXISTS \(quoted(table))")
  }

  private func rebuild(_ table: MigratedTable) throws {
    guard let former = table.former else { return }
    let source = Self.temporaryName(of: former.name)
    try statement.run(table.table.statement)
    var arguments: [StoredValue] = []
    let expressions = zip(table.table.columns, table.sources).map {
      table.expression(of: $0, $1, &arguments)
    }
    let names = ["Z_PK", "Z_ENT", "Z_OPT"] + table.table.columns.map { quoted($0.name) }
    try statement.run(
      """
      INSERT INTO \(quoted(table.table.name)) (\(names.joined(separator: ", ")))
      SELECT \((["Z_PK", table.numberExpression, "Z_OPT"] + expressions).joined(separator: ", "))
      FROM \(quoted(source)) WHERE \(table.staysCondition) ORDER BY Z_PK
      """, arguments)
    try drop(source)
  }

  private func alter(_ table: MigratedTable) throws {
    let name = quoted(table.table.name)
    if !table.removedNumbers.isEmpty {
      try statement.run("DELETE FROM \(name) WHERE NOT (\(table.staysCondition))")
    }
    for (column, _) in table.addedColumns {
      try statement.run(
        "ALTER TABLE \(name) ADD COLUMN \(column.name) \(column.declaredType)")
    }
    var assignments = table.isRenumbered ? ["Z_ENT = \(table.numberExpression)"] : []
    var arguments: [StoredValue] = []
    for (column, source) in zip(table.table.columns, table.sources) where source != .nothing {
      let value = table.expression(of: column, source, &arguments)
      // All other values stay where they are.
      if value != quoted(column.name) { assignments.append("\(quoted(column.name)) = \(value)") }
    }
    guard !assignments.isEmpty else { return }
    try statement.run("UPDATE \(name) SET \(assignments.joined(separator: ", "))", arguments)
  }

  /// Fills the columns of related objects' entity numbers, which follow from the objects.
  private func writeEntityKeys() throws {
    for table in migrated {
      for column in table.table.columns where column.role == .entityKey {
        guard
          let key = tables.toOneColumns(column.path, declaredIn: column.entityName)?.key,
          let destination = destination(of: column),
          table.isRebuilt || table.former == nil || destination.isRenumbered
            || !destination.removedNumbers.isEmpty
            || table.addedColumns.contains(where: { $0.column == column })
        else { continue }
        try statement.run(
          """
          UPDATE \(quoted(table.table.name)) SET \(quoted(column.name)) = (
            SELECT d.Z_ENT FROM \(quoted(destination.table.name)) AS d
            WHERE d.Z_PK = \(quoted(table.table.name)).\(quoted(key.name)))
          WHERE \(quoted(key.name)) IS NOT NULL
          """)
      }
    }
  }

  private func destination(of column: EntityTables.Column) -> MigratedTable? {
    let relationship = mapping.new.entities[column.entityName]?.propertiesByName[column.path]?
      .relationship
    let name = column.role == .toMany ? column.entityName : relationship?.destinationName
    return name.flatMap { name in
      migrated.first { $0.table.memberNames.contains(name) }
    }
  }

  /// Clears relationships that lead to objects of entities that have left the model.
  private func removeDanglingKeys() throws {
    for table in migrated {
      for column in table.table.columns where column.isKey {
        guard let destination = destination(of: column), !destination.removedNumbers.isEmpty else {
          continue
        }
        let others = tables.toOneColumns(column.path, declaredIn: column.entityName)
        let cleared =
          column.role == .toOne ? [column, others?.entityKey, others?.orderKey] : [column]
        let list = cleared.compactMap { $0 }.map { "\(quoted($0.name)) = NULL" }
        try statement.run(
          "UPDATE \(quoted(table.table.name)) SET \(list.joined(separator: ", ")) "
            + "WHERE \(quoted(column.name)) NOT IN "
            + "(SELECT Z_PK FROM \(quoted(destination.table.name)))")
      }
    }
    for join in tables.joinTables {
      for (end, column) in [
        (join.first, join.firstOwnerColumn), (join.second, join.secondOwnerColumn),
      ] {
        guard
          let owner = migrated.first(where: { $0.table.memberNames.contains(end.entityName) }),
          !owner.removedNumbers.isEmpty
        else { continue }
        try statement.run(
          "DELETE FROM \(quoted(join.name)) WHERE \(quoted(column)) NOT IN "
            + "(SELECT Z_PK FROM \(quoted(owner.table.name)))")
      }
    }
  }
}

extension TableMigration {
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

  private func isOwn(_ index: PresentIndex, _ formerNames: Set<String>) -> Bool {
    formerNames.contains(index.name)
      || mapping.old.entities.keys.contains {
        index.name.hasPrefix(EntityTables.indexPrefix(of: $0))
      }
  }

  /// The names of the indexes of the former model, as far as it defines them.
  private var formerNames: Set<String> {
    let old = schema.tables
    var names = Set(old.tables.flatMap { $0.indexes.map(\.name) + ["\($0.name)_Z_ENT_INDEX"] })
    names.formUnion(old.joinTables.map(\.index.name))
    for entity in mapping.old.entities.values {
      for properties in entity.uniquenessConstraints {
        names.insert(EntityTables.constraintName(of: properties, at: entity.name))
      }
    }
    // Includes the numbers that distinguish equal names. A model that this cannot be computed for has
    // the names above.
    names.formUnion((try? old.indexes(model: mapping.old))?.map(\.name) ?? [])
    return names
  }

  /// Returns the indexes of rebuilt tables that do not belong to the model.
  func foreignIndexes() throws -> [PresentIndex] {
    let rebuilt = Set(migrated.filter(\.isRebuilt).compactMap(\.former?.name))
    let formerNames = self.formerNames
    return try presentIndexes().filter { rebuilt.contains($0.table) && !isOwn($0, formerNames) }
  }

  /// Drops the indexes of the former model that the new one does not have, or defines differently.
  ///
  /// Different lists of properties can have the same index name, so statements are compared.
  func dropFormerIndexes() throws {
    let wanted = Set(try tables.indexes(model: mapping.new).map(\.statement))
    let formerNames = self.formerNames
    for index in try presentIndexes()
    where !wanted.contains(index.statement) && isOwn(index, formerNames) {
      try statement.run("DROP INDEX \(quoted(index.name))")
    }
  }

  /// Creates the missing indexes of the new model, and those that do not belong to the model again.
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
      do {
        try statement.run(index.statement)
      } catch let error as DatabaseError where error.resultCode == .SQLITE_ERROR {
        // It names a removed column, so it is not needed any more.
      }
    }
  }
}
