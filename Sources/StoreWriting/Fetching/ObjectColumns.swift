import StoreFormat

/// The columns that a fetch reads for each object.
struct ObjectColumns {
  /// The attributes, in the order of their columns.
  private let attributes: [StoredProperty]
  private let types: [AttributeType]
  /// The attributes whose values may be kept in files.
  private let largePlaces: [Int]
  private let references: [StoredProperty]

  /// - Parameter properties: The properties that are read, or `nil` for all.
  init(
    _ entityName: String, schema: ObjectSchema, only properties: Set<EntityTables.Property>? = nil
  ) throws {
    guard let table = schema.tables.table(of: entityName) else {
      throw StoreError.unknownEntity(name: entityName, isAbstract: false)
    }
    let entities =
      [entityName]
      + table.memberNames.filter { $0 != entityName && schema.isKind($0, of: entityName) }
    let wanted = entities.flatMap { schema.columns(of: $0)?.properties ?? [] }
      .filter { !$0.isToMany && $0.storage != nil && properties?.contains($0.property) ?? true }
      .uniqued(by: \.property)
    for property in wanted { try schema.check(property) }
    attributes = table.sorted(wanted.filter { $0.attribute != nil })
    types = attributes.compactMap { $0.attribute?.type }
    largePlaces = attributes.indices.filter { [attributes] in attributes[$0].keepsLargeValues }
    references = wanted.filter { $0.relationship != nil }
  }

  /// Whether values of an attribute may be kept in files.
  package var keepsLargeValues: Bool { !largePlaces.isEmpty }

  func columns(row: String) -> [String] {
    ["\(row).Z_PK", "\(row).Z_ENT"] + attributes.map { "\(row).\(quoted($0.columnName))" }
      + references.flatMap { reference in
        let names = reference.columns.map { "\(row).\(quoted($0.name))" }
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
