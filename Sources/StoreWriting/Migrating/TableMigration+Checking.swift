import StoreFormat
import StoreTransactions

extension TableMigration {
  /// Finds obstacles, without changing the store.
  func check() throws {
    try checkTriggers()
    for possible in mapping.possibleObstacles { try check(possible) }
    try links.collect()
    for table in migrated {
      guard let former = table.former else { continue }
      if table.isChanged { try checkNumbers(of: table, former) }
      try checkValues(of: table, former)
      try checkUniqueness(of: table, former)
    }
    try links.check(migrated)
  }

  /// Checks that no object has a value that would be lost, or lacks one that it must have.
  private func check(_ possible: ModelMapping.PossibleObstacle) throws {
    guard let former = schema.tables.table(of: possible.entity) else { return }
    var values = ["1"]
    if let name = possible.formerName {
      let columns = former.columns.filter {
        $0.entityName == possible.entity && ($0.path == name || $0.path.hasPrefix(name + "."))
      }
      // The targets of a to-many relationship have no column.
      values = columns.map { "\(quoted($0.name)) IS NOT NULL" }
    }
    let numbers = try former.memberNames.filter { member in
      mapping.old.lineage(of: member)?.contains { $0.name == possible.entity } ?? false
        && mapping.new.entities[member] != nil
    }.map { "\(try schema.number(of: $0))" }.joined(separator: ", ")
    try refuse(
      possible.obstacle, possible.entity, possible.property, ifRowOf: former,
      meets: "Z_ENT IN (\(numbers)) "
        + "AND (\(values.isEmpty ? "1" : values.joined(separator: " OR ")))")
  }

  /// Throws an error if a row meets a condition.
  private func refuse(
    _ obstacle: MigrationObstacle, _ entity: String, _ property: String,
    ifRowOf table: EntityTables.Table, meets condition: String
  ) throws {
    let found = try statement.integer(
      "SELECT Z_PK FROM \(quoted(table.name)) WHERE \(condition) LIMIT 1")
    guard found == nil else {
      throw StoreWriteError.notInferable(entity: entity, property: property, obstacle: obstacle)
    }
  }

  /// Checks that changed tables have no triggers: a rebuilt table would lose them, and only the
  /// frameworks can run their own.
  private func checkTriggers() throws {
    let changed =
      migrated.filter(\.isChanged).compactMap(\.former?.name) + removedTables.map(\.name)
      + links.changedJoinTables.map(\.name)
    for name in Set(changed).sorted() {
      let triggers = try statement.rows(
        "SELECT name FROM sqlite_master WHERE type = 'trigger' AND tbl_name = ?1 COLLATE NOCASE "
          + "ORDER BY name LIMIT 1", [.text(name)])
      if let trigger = triggers.first?.first {
        let text = RecordedText(trigger)?.string ?? ""
        throw StoreWriteError.notMigratable(table: name, detail: "it has the trigger \(text)")
      }
    }
  }

  /// Checks that all rows belong to known entities; others could get the number of another entity.
  private func checkNumbers(of table: MigratedTable, _ former: EntityTables.Table) throws {
    let known = (table.members.map(\.formerNumber) + table.removedNumbers).map(String.init)
    let stray = try statement.integer(
      "SELECT Z_PK FROM \(quoted(former.name)) WHERE Z_ENT IS NULL "
        + "OR Z_ENT NOT IN (\(known.joined(separator: ", "))) LIMIT 1")
    if let stray {
      throw StoreWriteError.notMigratable(
        table: former.name, detail: "the row \(stray) is of no entity that the store names")
    }
  }

  private func checkValues(of table: MigratedTable, _ former: EntityTables.Table) throws {
    for (column, source) in zip(table.table.columns, table.sources) {
      guard let before = source.column, source.value == nil else { continue }
      let isNeeded: Bool
      switch column.role {
      case .attribute:
        guard !column.path.contains("."), let attribute = mapping.new.attribute(of: column),
          let was = mapping.old.attribute(of: before)
        else { continue }
        isNeeded = !attribute.isOptional && was.isOptional
      case .toOne:
        isNeeded =
          mapping.new.entities[column.entityName]?.propertiesByName[column.path]?.relationship
          .map { !$0.isOptional } ?? false
          && mapping.former(column.path, declaredIn: column.entityName)?.relationship?.isOptional
            ?? false
      case .entityKey, .orderKey, .toMany, .manyToMany: continue
      }
      guard isNeeded else { continue }
      try refuse(
        .missingValues, column.entityName, column.path, ifRowOf: former,
        meets: "\(quoted(before.name)) IS NULL "
          + "AND Z_ENT IN (\(table.formerNumbers(having: column)))")
    }
    try checkComposites(of: table, former)
  }

  /// Checks composite attributes, which have no value if none of their elements has one.
  private func checkComposites(of table: MigratedTable, _ former: EntityTables.Table) throws {
    for name in table.members.map(\.name) {
      for property in mapping.new.entities[name]?.keptProperties ?? [] {
        guard let attribute = property.attribute, !attribute.elements.isEmpty,
          let before = mapping.former(attribute.name, declaredIn: name)?.attribute,
          let first = table.table.columns.first(where: { $0.entityName == name })
        else { continue }
        let columns = former.columns.filter {
          $0.entityName == name && ($0.path == before.name || $0.path.hasPrefix(before.name + "."))
        }.map { quoted($0.name) }
        let isOwn = "Z_ENT IN (\(table.formerNumbers(having: first)))"
        if before.isOptional, !attribute.isOptional {
          try refuse(
            .missingValues, name, attribute.name, ifRowOf: former,
            meets: (columns.map { "\($0) IS NULL" } + [isOwn]).joined(separator: " AND "))
        }
      }
    }
  }

  private func checkUniqueness(of table: MigratedTable, _ former: EntityTables.Table) throws {
    for member in table.table.memberNames {
      for properties in mapping.new.entities[member]?.uniquenessConstraints ?? [] {
        var arguments: [StoredValue] = []
        var expressions: [String] = []
        for name in properties {
          guard let owner = mapping.new.declaringEntity(of: name, in: member) else { continue }
          let paths = owner.propertiesByName[name]?.attribute?.storedElements.map(\.name) ?? [name]
          var columns: [String] = []
          for path in paths {
            guard let (column, source) = table.source(path, declaredIn: owner.name) else {
              continue
            }
            columns.append(table.expression(of: column, source, &arguments))
          }
          guard columns.count == paths.count, let value = EntityTables.value(ofCases: columns)
          else { continue }
          expressions.append(value)
        }
        // Named, because the condition repeats the expressions of the groups.
        let names = expressions.indices.map { "v\($0)" }
        let list = zip(expressions, names).map { "\($0) AS \($1)" }.joined(separator: ", ")
        guard expressions.count == properties.count, !names.isEmpty else { continue }
        let shared = try statement.rows(
          """
          SELECT min(Z_PK), max(Z_PK), \(names.joined(separator: ", "))
          FROM (SELECT Z_PK, \(list) FROM \(quoted(former.name)) WHERE \(table.staysCondition))
          WHERE \(names.map { "\($0) IS NOT NULL" }.joined(separator: " AND "))
          GROUP BY \(names.joined(separator: ", ")) HAVING count(*) > 1 LIMIT 1
          """, arguments)
        guard let example = shared.first else { continue }
        throw notUnique(
          .init(entityName: member, properties: properties), example: Array(example))
      }
    }
  }

  /// - Parameter example: The keys of two objects, and the values that they share.
  func notUnique(
    _ constraint: EntityTables.Index.Constraint, example: [StoredValue] = []
  ) -> StoreWriteError {
    var text: String?
    if example.count > 2, case .integer(let first) = example[0],
      case .integer(let last) = example[1]
    {
      let values = example.dropFirst(2).map(\.shortText).joined(separator: ", ")
      text = "\(values) of \(constraint.entityName)/p\(first) and \(constraint.entityName)/p\(last)"
    }
    return .notInferable(
      entity: constraint.entityName, property: constraint.properties.joined(separator: ", "),
      obstacle: .sharedValues(text))
  }
}
