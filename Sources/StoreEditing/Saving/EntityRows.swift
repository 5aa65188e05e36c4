import StoreFormat

/// What a save has to know of an entity to write its rows, worked out once for all of its objects.
final class EntityRows {
  /// An attribute that has a column; an element of a composite one has its own.
  struct StoredAttribute {
    let path: String
    let attribute: ManagedAttribute
    let column: EntityTables.Column
    /// The elements of a composite attribute are there or not as the whole is.
    var isRequired: Bool { !attribute.isOptional && !path.contains(".") }
  }

  let entityName: String
  let number: Int64
  let isAbstract: Bool
  let table: EntityTables.Table
  /// The attributes of the entity and of those that it inherits from, by column.
  let attributes: [StoredAttribute]
  /// The to-one relationships that must lead to an object.
  let requiredLinks: [String]
  /// The attributes and relationships that must be unique, as far as a to-one relationship is among
  /// what must be so together.
  let uniqueWithLinks: Set<String>
  /// The relationships among them.
  let uniqueLinks: [String]

  private let schema: ObjectSchema
  /// The numbers of the attributes whose large values stand in files.
  let largePlaces: [Int]
  private let places: [String: Int]
  private let required: [Bool]
  private var insertion: StatementCursor?

  init(_ entityName: String, schema: ObjectSchema) throws {
    self.entityName = entityName
    self.schema = schema
    number = try schema.number(of: entityName)
    isAbstract = schema.model.entities[entityName]?.isAbstract ?? false
    let table = try schema.table(of: entityName)
    self.table = table
    let entities = schema.model.lineage(of: entityName) ?? []
    let lineage = Set(entities.map(\.name))
    requiredLinks = entities.flatMap(\.storedProperties).compactMap(\.relationship)
      .filter { !$0.isToMany && !$0.isOptional }.map(\.name)
    let links = entities.flatMap(\.storedProperties).compactMap(\.relationship)
      .filter { !$0.isToMany }.map(\.name)
    let uniqueWithLinks = Set(
      entities.flatMap(\.uniquenessConstraints)
        .filter { !Set(links).isDisjoint(with: $0) }.joined())
    self.uniqueWithLinks = uniqueWithLinks
    uniqueLinks = links.filter(uniqueWithLinks.contains)
    var attributes: [StoredAttribute] = []
    for column in table.columns where lineage.contains(column.entityName) {
      guard case .attribute(let attribute) = column.role else { continue }
      try schema.check(column, of: table)
      attributes.append(
        StoredAttribute(path: column.path, attribute: attribute, column: column))
    }
    self.attributes = attributes
    places = Dictionary(
      attributes.enumerated().map { ($1.path, $0) }, uniquingKeysWith: { first, _ in first })
    required = attributes.map(\.isRequired)
    largePlaces = attributes.indices.filter { attributes[$0].attribute.keepsLargeValues }
  }

  /// The values of a new object by attribute: those that are given, and the defaults of others.
  ///
  /// - Throws: ``StoreWriteError``, also for names that no attribute has.
  func values(_ given: [String: StoredValue]) throws -> [StoredValue] {
    var values: [StoredValue] = []
    values.reserveCapacity(attributes.count)
    var count = 0
    for place in attributes.indices {
      let value: StoredValue
      if let found = given[attributes[place].path] {
        value = found
        count += 1
        try check(value, at: place)
      } else {
        value = attributes[place].attribute.defaultValue ?? .null
      }
      if required[place], case .null = value {
        throw StoreWriteError.missingValue(entity: entityName, attribute: attributes[place].path)
      }
      values.append(value)
    }
    if count < given.count { try check(given) }
    return values
  }

  /// Checks that attributes can have some values.
  ///
  /// - Throws: ``StoreWriteError``, also for names that no attribute has.
  func check(_ values: [String: StoredValue]) throws {
    for (path, value) in values {
      guard let place = places[path] else {
        if schema.model.declaringEntity(of: path, in: entityName)?.propertiesByName[path]?
          .attribute?.type == .composite
        {
          throw StoreWriteError.wrongValue(
            entity: entityName, attribute: path,
            expected: AttributeType.composite.expectedValue, found: value.kindName)
        }
        throw StoreError.unknownProperty(entity: entityName, property: path)
      }
      try check(value, at: place)
    }
  }

  private func check(_ value: StoredValue, at place: Int) throws {
    if case .null = value { return }
    let type = attributes[place].attribute.type
    guard type.accepts(value) else {
      throw StoreWriteError.wrongValue(
        entity: entityName, attribute: attributes[place].path, expected: type.expectedValue,
        found: value.kindName)
    }
    let attribute = attributes[place].attribute
    if attribute.allowsExternalStorage && !attribute.keepsLargeValues {
      throw StoreWriteError.externalStorage(entity: entityName, attribute: attributes[place].path)
    }
  }

  /// Inserts the row of a new object.
  ///
  /// - Parameters:
  ///   - primaryKey: Its key.
  ///   - values: Its values by attribute; nil for a row that gets them later.
  func insert(
    _ primaryKey: Int64, _ values: [StoredValue]?, with statement: StatementRunner
  ) throws {
    let own: [StoredValue] = [.integer(primaryKey), .integer(number), .integer(1)]
    guard let values else {
      try statement.insert(into: table.name, ["Z_PK", "Z_ENT", "Z_OPT"], own)
      return
    }
    let insertion =
      try insertion
      ?? statement.insertion(
        into: table.name, ["Z_PK", "Z_ENT", "Z_OPT"] + attributes.map(\.column.name))
    self.insertion = insertion
    try insertion.run(own + values)
  }
}
