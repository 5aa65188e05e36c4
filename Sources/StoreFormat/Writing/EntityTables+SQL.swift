extension EntityTables {
  /// The tables that every store has besides those of its entities.
  static let baseStatements = [
    "CREATE TABLE Z_PRIMARYKEY (Z_ENT INTEGER PRIMARY KEY, Z_NAME VARCHAR, Z_SUPER INTEGER, "
      + "Z_MAX INTEGER)",
    "CREATE TABLE Z_METADATA (Z_VERSION INTEGER PRIMARY KEY, Z_UUID VARCHAR(255), Z_PLIST BLOB)",
    "CREATE TABLE Z_MODELCACHE (Z_CONTENT BLOB)",
  ]

  /// The statements that create the tables and then the indexes, in the order of the frameworks.
  func statements(model: ManagedModel) throws -> [String] {
    var statements: [String] = []
    for table in tables {
      statements.append(table.statement)
      statements += joins(of: table).map(\.statement)
    }
    for table in tables {
      statements += table.indexStatements
      for member in table.memberNames {
        statements += joinTables.filter { $0.first.entityName == member }.map(\.indexStatement)
        if member == table.rootName && table.memberNames.count > 1 {
          statements.append("CREATE INDEX \(table.name)_Z_ENT_INDEX ON \(table.name) (Z_ENT)")
        }
        for index in model.entities[member]?.indexes ?? [] {
          let columns = try indexed(index, of: member, model: model)
          statements.append(
            "CREATE INDEX Z_\(member)_SwiftDataIndexOnBinary\(index.joined()) "
              + "ON \(table.name) (\(columns))")
        }
        for constraint in model.entities[member]?.uniquenessConstraints ?? [] {
          let columns = try indexed(constraint, of: member, model: model)
          statements.append(
            "CREATE UNIQUE INDEX Z_\(member)_UNIQUE_\(constraint.joined(separator: "_")) "
              + "ON \(table.name) (\(columns))")
        }
      }
    }
    return statements
  }

  private func joins(of table: Table) -> [JoinTable] {
    joinTables.filter { table.memberNames.contains($0.first.entityName) }
  }

  /// The columns of a constraint or an index.
  private func indexed(
    _ properties: [String], of entityName: String, model: ManagedModel
  ) throws -> String {
    try properties.map { name in
      guard let declaring = model.declaringEntity(of: name, in: entityName)?.name,
        let column = attributeColumn(name, declaredIn: declaring)
          ?? toOneColumns(name, declaredIn: declaring)?.key
      else {
        throw StoreWriteError.invalidModel(
          detail: "a uniqueness constraint or an index of \(entityName) names \(name), which is "
            + "neither an attribute of one column nor a to-one relationship")
      }
      return "\(column.name) COLLATE BINARY ASC"
    }.joined(separator: ", ")
  }
}

extension EntityTables.Table {
  /// The statement that creates the table.
  var statement: String {
    let list =
      ["Z_PK INTEGER PRIMARY KEY", "Z_ENT INTEGER", "Z_OPT INTEGER"]
      + columns.map { "\($0.name) \($0.declaredType)" }
    return "CREATE TABLE \(name) ( \(list.joined(separator: ", ")) )"
  }

  /// The statements that create the indexes on the keys of related objects.
  var indexStatements: [String] {
    columns.filter { $0.role == .toOne || $0.role == .hiddenToOne }
      .map { "CREATE INDEX \(name)_\($0.name)_INDEX ON \(name) (\($0.name))" }
  }
}

extension JoinTable {
  /// The statement that creates the table.
  var statement: String {
    let list = columnNames.map { "\($0) INTEGER" }.joined(separator: ", ")
    return "CREATE TABLE \(name) ( \(list), "
      + "PRIMARY KEY (\(firstOwnerColumn), \(secondOwnerColumn)) )"
  }

  /// The statement that creates the index for the way back.
  var indexStatement: String {
    "CREATE INDEX \(name)_\(secondOwnerColumn)_INDEX ON \(name) "
      + "(\(secondOwnerColumn), \(firstOwnerColumn))"
  }
}
