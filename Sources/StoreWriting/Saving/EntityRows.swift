import StoreFormat
import StoreTransactions

/// The columns, defaults and rules of an entity that a save needs to write its rows.
///
/// Computed once for all objects of the entity in the save.
final class EntityRows {
  let entityName: String
  let number: Int64
  let isAbstract: Bool
  let table: EntityTables.Table
  /// The own and inherited attributes, in the order of their columns.
  let attributes: [StoredProperty]
  private let definitions: [ManagedAttribute]
  /// The to-one relationships that must have a destination.
  let requiredLinks: [String]
  /// The properties of uniqueness constraints that contain a to-one relationship.
  let uniqueWithLinks: Set<String>
  /// The to-one relationships among them.
  let uniqueLinks: [String]

  /// The indices of the attributes whose large values are in files.
  let largePlaces: [Int]
  private let schema: ObjectSchema
  private let places: [String: Int]
  private var insertion: StatementCursor?

  init(_ entityName: String, schema: ObjectSchema) throws {
    self.entityName = entityName
    self.schema = schema
    number = try schema.number(of: entityName)
    isAbstract = schema.model.entities[entityName]?.isAbstract ?? false
    let table = try schema.table(of: entityName)
    self.table = table
    let entities = schema.model.lineage(of: entityName) ?? []
    let plan = schema.columns(of: entityName)
    let relationships = (plan?.relationships ?? []).filter { !$0.isToMany }
    requiredLinks = relationships.filter { !$0.isOptional }.map(\.name)
    let links = relationships.map(\.name)
    let uniqueWithLinks = Set(
      entities.flatMap(\.uniquenessConstraints)
        .filter { !Set(links).isDisjoint(with: $0) }.joined())
    self.uniqueWithLinks = uniqueWithLinks
    uniqueLinks = links.filter(uniqueWithLinks.contains)
    let attributes = table.sorted(
      (plan?.values ?? []).filter { $0.attribute != nil })
    for attribute in attributes { try schema.check(attribute) }
    self.attributes = attributes
    definitions = attributes.compactMap(\.attribute)
    places = Dictionary(keepingFirst: attributes.enumerated().map { ($1.path, $0) })
    largePlaces = attributes.indices.filter { attributes[$0].keepsLargeValues }
  }

  /// Returns the values of a new object by attribute: the given ones, and defaults for the others.
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
        value = definitions[place].defaultValue ?? .null
      }
      if case .null = value, attributes[place].isRequired {
        throw StoreWriteError.missingValue(entity: entityName, attribute: attributes[place].path)
      }
      values.append(value)
    }
    if count < given.count { try check(given) }
    return values
  }

  /// Checks that the attributes exist and accept the values.
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
    let attribute = definitions[place]
    guard attribute.type.accepts(value) else {
      throw StoreWriteError.wrongValue(
        entity: entityName, attribute: attributes[place].path,
        expected: attribute.type.expectedValue,
        found: value.kindName)
    }
    if attribute.allowsExternalStorage && !attribute.keepsLargeValues {
      throw StoreWriteError.externalStorage(entity: entityName, attribute: attributes[place].path)
    }
  }

  /// Inserts the row of a new object; without values, one that gets them later.
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
      ?? statement.cursor(
        insertStatement(
          table.name, ["Z_PK", "Z_ENT", "Z_OPT"] + attributes.map(\.columnName)))
    self.insertion = insertion
    try insertion.run(own + values)
  }
}

extension ObjectSchema {
  /// Returns the table of an entity for writing.
  ///
  /// - Throws: ``StoreWriteError/frameworkTrigger(table:detail:)`` if writing would fire a trigger that
  ///   only the frameworks can run.
  func table(of entityName: String) throws -> EntityTables.Table {
    guard let table = tables.table(of: entityName) else {
      throw StoreError.unknownEntity(name: entityName, isAbstract: false)
    }
    try checkWritable(table.name, columns: ["Z_PK", "Z_ENT", "Z_OPT"])
    return table
  }

  /// Checks that a table has some columns and no trigger of the frameworks.
  func checkWritable(_ table: String, columns: [String]) throws {
    if let trigger = frameworkTriggers[table] {
      throw StoreWriteError.frameworkTrigger(table: table, detail: trigger)
    }
    try check(table, has: columns)
  }
}

extension StatementRunner {
  /// Returns columns of the row with a primary key; `nil` without such a row.
  func columns(
    _ names: [String], of table: EntityTables.Table, _ primaryKey: Int64
  ) throws -> [StoredValue]? {
    let list = names.map(quoted).joined(separator: ", ")
    return try rows(
      "SELECT \(list) FROM \(quoted(table.name)) WHERE Z_PK = ?", [.integer(primaryKey)]
    ).first
  }

  /// Returns the integer in a column of the row with a primary key; `nil` for anything else.
  func integer(
    in column: String, of table: EntityTables.Table, _ primaryKey: Int64
  ) throws -> Int64? {
    guard case .integer(let number)? = try columns([column], of: table, primaryKey)?.first else {
      return nil
    }
    return number
  }

  func insert(into table: String, _ columns: [String], _ values: [StoredValue]) throws {
    try run(insertStatement(table, columns), values)
  }
}
