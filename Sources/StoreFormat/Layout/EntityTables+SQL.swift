extension EntityTables {
  /// The tables that every store has besides those of its entities.
  package static let baseStatements = [
    "CREATE TABLE Z_PRIMARYKEY (Z_ENT INTEGER PRIMARY KEY, Z_NAME VARCHAR, Z_SUPER INTEGER, "
      + "Z_MAX INTEGER)",
    "CREATE TABLE Z_METADATA (Z_VERSION INTEGER PRIMARY KEY, Z_UUID VARCHAR(255), Z_PLIST BLOB)",
    "CREATE TABLE Z_MODELCACHE (Z_CONTENT BLOB)",
  ]

  package struct Index: Hashable, Sendable {
    package let name: String
    /// The entity and the properties whose values together no two objects may share, or `nil` for an
    /// index that only finds rows.
    package var constraint: Constraint?
    package let statement: String

    package struct Constraint: Hashable, Sendable {
      package let entityName: String
      package let properties: [String]

      package init(entityName: String, properties: [String]) {
        self.entityName = entityName
        self.properties = properties
      }
    }
  }

  /// The statements that create the tables and then the indexes, in the order of the frameworks.
  package func statements(model: ManagedModel) throws -> [String] {
    tables.flatMap { [$0.statement] + joins(of: $0).map(\.statement) }
      + (try indexes(model: model).map(\.statement))
  }

  /// The indexes of all tables, in the order of the frameworks.
  package func indexes(model: ManagedModel) throws -> [Index] {
    var indexes: [Index] = []
    var names = UnusedNames(taken: reservedNames)
    for table in tables {
      indexes += table.indexes
      for member in table.memberNames {
        indexes += joinTables.filter { $0.first.entityName == member }.map(\.index)
        if member == table.rootName && table.memberNames.count > 1 {
          let name = Self.entityIndexName(of: table)
          indexes.append(
            Index(name: name, statement: "CREATE INDEX \(name) ON \(table.name) (Z_ENT)"))
        }
        for properties in model.entities[member]?.indexes ?? [] {
          let columns = try indexed(properties, by: "an index", of: member, model: model)
          let name = names.take(Self.indexPrefix(of: member) + properties.joined())
          indexes.append(
            Index(name: name, statement: "CREATE INDEX \(name) ON \(table.name) (\(columns))"))
        }
        for properties in model.entities[member]?.uniquenessConstraints ?? [] {
          let columns = try indexed(
            properties, by: "the uniqueness constraint", of: member, model: model)
          let name = names.take(Self.constraintName(of: properties, at: member))
          indexes.append(
            Index(
              name: name, constraint: .init(entityName: member, properties: properties),
              statement: "CREATE UNIQUE INDEX \(name) ON \(table.name) (\(columns))"))
        }
      }
    }
    return indexes
  }

  /// The names that are taken whatever indexes a model asks for.
  private var reservedNames: Set<String> {
    Set(
      tables.flatMap { [$0.name, Self.entityIndexName(of: $0)] + $0.indexes.map(\.name) }
        + joinTables.flatMap { [$0.name, $0.index.name] })
  }

  private static func entityIndexName(of table: Table) -> String { "\(table.name)_Z_ENT_INDEX" }

  /// The prefix of the names of the indexes that a model declares at an entity.
  package static func indexPrefix(of entityName: String) -> String {
    "Z_\(entityName)_SwiftDataIndexOnBinary"
  }

  /// The name of the index that keeps values unique.
  package static func constraintName(of properties: [String], at entityName: String) -> String {
    "Z_\(entityName)_UNIQUE_\(properties.joined(separator: "_"))"
  }

  private func joins(of table: Table) -> [JoinTable] {
    joinTables.filter { table.memberNames.contains($0.first.entityName) }
  }

  /// The columns of a constraint or an index.
  private func indexed(
    _ properties: [String], by owner: String, of entityName: String, model: ManagedModel
  ) throws -> String {
    try properties.map { name in
      guard let declaring = model.declaringEntity(of: name, in: entityName),
        let value = indexed(name, declaredIn: declaring)
      else {
        throw StoreError.invalidModel(
          detail: "\(owner) of \(entityName) names \(name), which is neither an attribute of one "
            + "column, nor an enumeration, nor a to-one relationship")
      }
      return value + Self.order
    }.joined(separator: ", ")
  }

  private static let order = " COLLATE BINARY ASC"

  /// Returns the last column that an element of an index names, or `nil` if the statement has another
  /// form than this writes.
  static func lastColumn(ofElement place: Int, in statement: String) -> String? {
    let elements = statement.split(separator: order, omittingEmptySubsequences: false)
    guard elements.indices.contains(place) else { return nil }
    return elements[place].split { " (),".contains($0) }.last.map(String.init)
  }

  /// The column of a property, or the one of an enumeration's columns that has a value.
  private func indexed(_ name: String, declaredIn entity: ManagedEntity) -> String? {
    if let column = attributeColumn(name, declaredIn: entity.name)
      ?? toOneColumns(name, declaredIn: entity.name)?.key
    {
      return column.name
    }
    guard let attribute = entity.propertiesByName[name]?.attribute else { return nil }
    let paths = attribute.storedElements.map(\.name)
    let columns = paths.compactMap { attributeColumn($0, declaredIn: entity.name)?.name }
    guard columns.count == paths.count, columns.count == 1 || attribute.enumeration == .cases
    else { return nil }
    return Self.value(ofCases: columns)
  }

  /// The name of an enumeration's case, which is in the column of the case, as SQL.
  ///
  /// A predicate has the same expression, so that it can use the index.
  package static func value(ofCases columns: [String]) -> String? {
    columns.last.map { last in
      columns.dropLast().reversed().reduce(last) { "ifnull(\($1), \($0))" }
    }
  }
}

extension EntityTables.Table {
  package var statement: String {
    let list =
      ["Z_PK INTEGER PRIMARY KEY", "Z_ENT INTEGER", "Z_OPT INTEGER"]
      + columns.map { "\($0.name) \($0.declaredType)" }
    return "CREATE TABLE \(name) ( \(list.joined(separator: ", ")) )"
  }

  /// The indexes on the keys of related objects.
  package var indexes: [EntityTables.Index] {
    columns.filter(\.isKey).map { column in
      let index = "\(name)_\(column.name)_INDEX"
      return EntityTables.Index(
        name: index, statement: "CREATE INDEX \(index) ON \(name) (\(column.name))")
    }
  }
}

extension JoinTable {
  package var statement: String {
    let list = columnNames.map { "\($0) INTEGER" }.joined(separator: ", ")
    return "CREATE TABLE \(name) ( \(list), "
      + "PRIMARY KEY (\(firstOwnerColumn), \(secondOwnerColumn)) )"
  }

  package var index: EntityTables.Index {
    let index = "\(name)_\(secondOwnerColumn)_INDEX"
    return EntityTables.Index(
      name: index,
      statement: "CREATE INDEX \(index) ON \(name) (\(secondOwnerColumn), \(firstOwnerColumn))")
  }
}
