import StoreFormat

/// The columns that a fetch reads for each object.
struct ObjectColumns {
  /// The attributes, in the order of their columns, and then the to-one relationships.
  private let selection: ObjectSelection
  private let types: [AttributeType]
  /// The attributes whose values may be kept in files.
  private let largePlaces: [Int]

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
    let attributes = table.sorted(wanted.filter { $0.attribute != nil })
    selection = ObjectSelection(attributes + wanted.filter { $0.relationship != nil })
    types = attributes.compactMap { $0.attribute?.type }
    largePlaces = attributes.indices.filter { attributes[$0].keepsLargeValues }
  }

  /// Whether values of an attribute may be kept in files.
  package var keepsLargeValues: Bool { !largePlaces.isEmpty }

  func columns(row: String) -> [String] { selection.columns(of: row) }

  func object(
    at cursor: StatementCursor, schema: ObjectSchema, _ largeValues: LargeValueReader?
  ) throws -> FetchedObjects.Object {
    let own = try schema.object(at: cursor, key: 0, number: 1)
    var values = types.indices.map { types[$0].restoring(selection.value(at: $0, of: cursor)) }
    var files: [Int: LargeValueFile] = [:]
    if let largeValues {
      for index in largePlaces {
        (values[index], files[index]) = largeValues.value(
          of: values[index], in: own, selection.properties[index].path)
      }
    }
    return FetchedObjects.Object(
      entityName: own.entityName, primaryKey: own.primaryKey ?? 0, values: values, files: files,
      references: selection.properties.indices.dropFirst(values.count).map {
        selection.destination(at: $0, of: cursor, schema.numbering)
      })
  }

  /// Returns the objects with the names of their properties.
  func fetched(_ objects: [FetchedObjects.Object]) -> FetchedObjects {
    FetchedObjects(
      attributes: selection.properties.prefix(types.count).map(\.property),
      references: selection.properties.dropFirst(types.count).map(\.property), objects: objects)
  }
}
