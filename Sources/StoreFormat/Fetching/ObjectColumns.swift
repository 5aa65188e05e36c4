/// The columns that a fetch reads for each object.
struct ObjectColumns {
  struct Attribute {
    let property: FetchedObjects.Property
    let type: AttributeType
    let column: String
    package let keepsLargeValues: Bool
  }

  struct Reference {
    let property: FetchedObjects.Property
    let column: String
    let entityColumn: String?
    let destinationName: String
  }

  private(set) var attributes: [Attribute] = []
  private(set) var references: [Reference] = []

  /// - Parameter properties: The properties that are read, or `nil` for all.
  init(
    _ entityName: String, schema: ObjectSchema, only properties: Set<FetchedObjects.Property>? = nil
  ) throws {
    func isWanted(_ property: FetchedObjects.Property) -> Bool {
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
      let property = FetchedObjects.Property(entityName: column.entityName, path: column.path)
      guard isWanted(property) else { continue }
      try schema.check(column, of: table)
      attributes.append(
        Attribute(
          property: property, type: attribute.type, column: column.name,
          keepsLargeValues: attribute.keepsLargeValues))
    }
    for entity in entities {
      for relationship in schema.ownRelationships(of: entity) {
        guard case .columns(let key, let entityKey, _) = relationship.storage else { continue }
        let property = FetchedObjects.Property(entityName: entity, path: relationship.name)
        guard isWanted(property) else { continue }
        try schema.check(key, of: table)
        references.append(
          Reference(
            property: property, column: key.name, entityColumn: entityKey?.name,
            destinationName: relationship.destinationName))
      }
    }
  }

  /// Whether values of an attribute may be kept in files.
  package var keepsLargeValues: Bool { attributes.contains(where: \.keepsLargeValues) }

  package func columns(row: String) -> [String] {
    ["\(row).Z_PK", "\(row).Z_ENT"] + attributes.map { "\(row).\(quoted($0.column))" }
      + references.flatMap { reference in
        [
          "\(row).\(quoted(reference.column))",
          reference.entityColumn.map { "\(row).\(quoted($0))" } ?? "NULL",
        ]
      }
  }

  func object(
    at cursor: StatementCursor, schema: ObjectSchema, _ largeValues: LargeValueReader?
  ) throws -> FetchedObjects.Object {
    let own = try schema.object(at: cursor, key: 0, number: 1)
    var values = attributes.indices.map { attributes[$0].type.restoring(cursor.value(at: 2 + $0)) }
    var place = 2 + values.count
    var files: [Int: LargeValueFile] = [:]
    if let largeValues {
      for (index, attribute) in attributes.enumerated() where attribute.keepsLargeValues {
        (values[index], files[index]) = largeValues.value(
          of: values[index], in: own, attribute.property.path)
      }
    }
    let targets = references.map { reference -> StoreObject? in
      defer { place += 2 }
      guard let key = cursor.integerIfAny(at: place) else { return nil }
      let name =
        cursor.integerIfAny(at: place + 1).flatMap(schema.numbering.name)
        ?? reference.destinationName
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
