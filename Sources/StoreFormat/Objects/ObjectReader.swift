import GRDB

/// Reads the current state of objects.
///
/// The columns of properties follow from the model by the frameworks' rules; missing columns are reported, not
/// guessed. Without a model, columns have their own names.
package final class ObjectReader {
  /// The maximum length of texts and data in bytes; longer values are not read.
  static let longestValue = 1 << 16
  /// The maximum number of entities with cached statements; a hostile file can name any number.
  private static let maxRows = 256

  private let database: Database
  private let entities: EntityNumbering
  private let tables: ObjectTables
  private let largeValues: LargeValueReader
  private var rows: [Int64: ObjectRow] = [:]

  init(_ snapshot: StoreSnapshot) throws {
    database = snapshot.database
    entities = snapshot.entities
    tables = try ObjectTables(snapshot)
    largeValues = LargeValueReader(snapshot.location)
  }

  /// An object, or `nil` where its table has no row with this key, or the store has no table for it.
  ///
  /// - Parameters:
  ///   - entityNumber: Any entity of the object's hierarchy: all of them share a table.
  ///   - primaryKey: The object's primary key.
  ///   - countsRelated: Whether the objects of to-many relationships are counted, for each of which a
  ///     table is read.
  package func object(
    entityNumber: Int64, primaryKey: Int64, countsRelated: Bool = true
  ) throws -> PresentObject? {
    guard let table = try tables.table(ofEntity: entityNumber),
      let owner = try table.owner(of: primaryKey)
    else { return nil }
    let own = owner.entityNumber ?? entities.root(of: entityNumber) ?? entityNumber
    return try row(ofEntity: own, in: table).object(
      primaryKey: primaryKey, entityNumber: own, entities: entities, version: owner.version,
      largeValues: largeValues, countsRelated: countsRelated)
  }

  /// Returns whether the store has an object of exactly this entity.
  package func contains(entityNumber: Int64, primaryKey: Int64) throws -> Bool {
    guard let owner = try tables.table(ofEntity: entityNumber)?.owner(of: primaryKey) else {
      return false
    }
    return (owner.entityNumber ?? entityNumber) == entityNumber
  }

  private func row(ofEntity number: Int64, in table: ObjectTables.Table) throws -> ObjectRow {
    if let known = rows[number] { return known }
    let row = try ObjectRow(database, table: table, plan: tables.plan(ofEntity: number, in: table))
    if rows.count >= Self.maxRows { rows.removeAll() }
    rows[number] = row
    return row
  }
}

/// Reads the rows of one entity's objects by a plan.
final class ObjectRow {
  /// The maximum number of properties of one statement; SQLite limits the columns of a result.
  private static let maxProperties = 400

  /// A statement that counts the objects of a to-many relationship.
  private typealias Counter = (name: String, cursor: StatementCursor)

  private let plan: EntityColumns
  private let parts: [(selection: ObjectSelection, cursor: StatementCursor)]
  private let counters: [Counter]
  private let missing: [String]

  init(_ database: Database, table: ObjectTables.Table, plan: EntityColumns) throws {
    self.plan = plan
    let own = plan.properties.filter { !$0.isToMany && $0.storage != nil }
    parts = try stride(from: 0, to: own.count, by: Self.maxProperties).map { start in
      let selection = ObjectSelection(
        Array(own[start..<min(start + Self.maxProperties, own.count)]), after: 0,
        longest: ObjectReader.longestValue)
      return (
        selection,
        try StatementCursor(
          database,
          sql: "SELECT \(selection.expressions.joined(separator: ", ")) FROM \(quoted(table.name)) "
            + "WHERE Z_PK = ?1")
      )
    }
    counters = try plan.relationships.compactMap { relationship in
      try relationship.countQuery.map {
        (relationship.name, try StatementCursor(database, sql: $0))
      }
    }
    missing = plan.properties.filter { $0.storage == nil }.map(\.path)
  }

  func object(
    primaryKey: Int64, entityNumber: Int64, entities: EntityNumbering, version: Int64?,
    largeValues: LargeValueReader, countsRelated: Bool
  ) throws -> PresentObject {
    let name = entities.name(of: entityNumber)
    let object = StoreObject(entityName: name ?? "#\(entityNumber)", primaryKey: primaryKey)
    var values: [PresentObject.Value] = []
    var references: [PresentObject.Reference] = []
    for (selection, cursor) in parts {
      try cursor.bind(primaryKey)
      defer { cursor.reset() }
      guard try cursor.step() else { continue }
      for (index, property) in selection.properties.enumerated() {
        if property.attribute == nil {
          references.append(reference(property, selection.values(at: index, of: cursor), entities))
        } else if let value = value(at: index, selection, cursor, object, largeValues) {
          values.append(value)
        }
      }
    }
    return PresentObject(
      entityNumber: entityNumber, entityName: name,
      primaryKey: primaryKey, version: version, isNamedByModel: plan.isNamedByModel,
      values: values, references: references,
      counts: countsRelated ? try counts(primaryKey) : [], missingProperties: missing)
  }

  private func value(
    at index: Int, _ selection: ObjectSelection, _ cursor: StatementCursor, _ object: StoreObject,
    _ largeValues: LargeValueReader
  ) -> PresentObject.Value? {
    let property = selection.properties[index]
    let stored = selection.values(at: index, of: cursor).value
    let byteCount = selection.byteCount(at: index, of: cursor)
    guard let attribute = property.attribute,
      plan.isNamedByModel || !stored.isNull || byteCount != nil
    else { return nil }
    return PresentObject.Value(
      name: property.path, type: attribute.type, stored: attribute.type.restoring(stored),
      byteCount: byteCount, large: attribute.allowsExternalStorage ? largeValues : nil,
      object: object)
  }

  private func reference(
    _ property: StoredProperty, _ values: (value: StoredValue, entityNumber: StoredValue?),
    _ entities: EntityNumbering
  ) -> PresentObject.Reference {
    guard case .integer(let key) = values.value else {
      return PresentObject.Reference(name: property.path, entityName: nil, primaryKey: nil)
    }
    let entityName: String? =
      switch values.entityNumber {
      case nil: property.destinationName
      case .integer(let number)?: entities.name(of: number)
      // The column of the number is there, and does not name an entity.
      default: nil
      }
    return PresentObject.Reference(name: property.path, entityName: entityName, primaryKey: key)
  }

  private func counts(_ primaryKey: Int64) throws -> [PresentObject.Count] {
    try counters.map { name, cursor in
      try cursor.bind(primaryKey)
      defer { cursor.reset() }
      return PresentObject.Count(name: name, count: try cursor.step() ? cursor.integer(at: 0) : 0)
    }
  }
}
