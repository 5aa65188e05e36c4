import StoreFormat

/// The columns that a fetch reads for each object.
struct ObjectColumns {
  private var attributes: [EntityTables.Column] = []
  private var types: [AttributeType] = []
  /// The attributes whose values may be kept in files.
  private var largePlaces: [Int] = []
  private var references: [EntityTables.Column] = []

  /// - Parameter properties: The properties that are read, or `nil` for all.
  init(
    _ entityName: String, schema: ObjectSchema, only properties: Set<EntityTables.Property>? = nil
  ) throws {
    func isWanted(_ property: EntityTables.Property) -> Bool {
      properties?.contains(property) ?? true
    }
    guard let table = schema.tables.table(of: entityName) else {
      throw StoreError.unknownEntity(name: entityName, isAbstract: false)
    }
    let lineage = (schema.model.lineage(of: entityName) ?? []).map(\.name)
    let entities =
      lineage + table.memberNames.filter { $0 != entityName && schema.isKind($0, of: entityName) }
    let wanted = Set(entities)
    for column in table.columns where wanted.contains(column.entityName) {
      guard case .attribute(let attribute) = column.role else { continue }
      guard isWanted(column.property) else { continue }
      try schema.check(column, of: table)
      if attribute.keepsLargeValues { largePlaces.append(attributes.count) }
      attributes.append(column)
      types.append(attribute.type)
    }
    for entity in entities {
      for relationship in schema.ownRelationships(of: entity) {
        guard case .columns(let key, _, _) = relationship.storage, isWanted(key.property) else {
          continue
        }
        try schema.check(key, of: table)
        references.append(key)
      }
    }
  }

  /// Whether values of an attribute may be kept in files.
  package var keepsLargeValues: Bool { !largePlaces.isEmpty }

  func columns(row: String) -> [String] {
    ["\(row).Z_PK", "\(row).Z_ENT"] + attributes.map { "\(row).\(quoted($0.name))" }
      + references.flatMap { reference in
        let names = reference.names.map { "\(row).\(quoted($0))" }
        return names.count > 1 ? names : names + ["NULL"]
      }
  }

  func object(
    at cursor: StatementCursor, schema: ObjectSchema, _ largeValues: LargeValueReader?
  ) throws -> FetchedObjects.Object {
    let own = try schema.object(at: cursor, key: 0, number: 1)
    var values = types.indices.map { types[$0].restoring(cursor.value(at: 2 + $0)) }
    var place = 2 + values.count
    var files: [Int: LargeValueFile] = [:]
    if let largeValues {
      for index in largePlaces {
        (values[index], files[index]) = largeValues.value(
          of: values[index], in: own, attributes[index].path)
      }
    }
    let targets = references.map { reference -> StoreObject? in
      defer { place += 2 }
      guard let key = cursor.integerIfAny(at: place),
        case .toOne(let destination, _) = reference.role
      else { return nil }
      let name =
        cursor.integerIfAny(at: place + 1).flatMap(schema.numbering.name) ?? destination
      return StoreObject(entityName: name, primaryKey: key)
    }
    return FetchedObjects.Object(
      entityName: own.entityName, primaryKey: own.primaryKey ?? 0, values: values, files: files,
      references: targets)
  }

  /// Returns the objects with the names of their properties.
  func fetched(_ objects: [FetchedObjects.Object]) -> FetchedObjects {
    FetchedObjects(
      attributes: attributes.map(\.property), references: references.map(\.property),
      objects: objects)
  }
}
