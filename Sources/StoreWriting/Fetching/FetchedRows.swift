import StoreFormat

/// The columns that a fetch reads for each object.
package final class FetchedColumns: Sendable {
  package let entityName: String
  /// The attributes of the entity and of all that inherit from it, as far as they were asked for.
  package let attributes: [EntityTables.Property]
  /// The to-one relationships of the entity and of all that inherit from it, as far as they were asked
  /// for.
  package let references: [EntityTables.Property]
  /// The attributes whose values may be kept in files.
  package let largePlaces: Set<Int>
  fileprivate let schema: ObjectSchema
  /// The attributes, in the order of their columns, and then the to-one relationships.
  fileprivate let selection: ObjectSelection
  /// The places of the attributes' values in a row, and whether these are real numbers.
  fileprivate let sources: [(place: Int, isReal: Bool)]

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
    let references = wanted.filter { $0.relationship != nil }
    self.entityName = entityName
    self.schema = schema
    selection = ObjectSelection(attributes + references)
    sources = zip(selection.places, attributes).map { ($0, $1.attribute?.type.isReal ?? false) }
    largePlaces = Set(attributes.indices.filter { attributes[$0].keepsLargeValues })
    self.attributes = attributes.map(\.property)
    self.references = references.map(\.property)
  }

  /// The columns in SQL, with which the statement must begin.
  func names(row: String) -> [String] { selection.columns(of: row) }
}

/// The rows of a fetch, one after the other.
///
/// The values of a row are read where they are needed, straight from the statement, until the next row:
/// an array of values for each object would take most of the time of a fetch.
package final class FetchedRows {
  package let columns: FetchedColumns
  /// The entity of the present row.
  package private(set) var entityName = ""
  /// The primary key of the present row.
  package private(set) var primaryKey: Int64 = 0

  private let cursor: StatementCursor
  private let largeValues: LargeValueReader?
  private var entityNumber: Int64?

  private init(_ columns: FetchedColumns, _ cursor: StatementCursor, _ location: StoreLocation) {
    self.columns = columns
    self.cursor = cursor
    largeValues = columns.largePlaces.isEmpty ? nil : LargeValueReader(location)
  }

  /// Lets a body step through the rows of a statement.
  ///
  /// - Returns: The result of the body, and the files of large values that are named and not there.
  static func reading<Result>(
    _ columns: FetchedColumns, _ cursor: StatementCursor, _ arguments: [StoredValue],
    in location: StoreLocation, _ body: (FetchedRows) throws -> Result
  ) throws -> (Result, missing: Set<LargeValueName>) {
    defer { cursor.reset() }
    try cursor.bind(arguments)
    let rows = FetchedRows(columns, cursor, location)
    return (try body(rows), rows.largeValues?.missing ?? [])
  }

  /// Goes to the next row; returns `false` after the last one.
  package func next() throws -> Bool {
    guard try cursor.step() else { return false }
    primaryKey = cursor.integer(at: 0)
    let number = cursor.integer(at: 1)
    if number != entityNumber {
      // Objects of one entity often follow each other.
      entityName = try columns.schema.object(at: cursor, key: 0, number: 1).entityName
      entityNumber = number
    }
    return true
  }

  /// The object of the present row.
  package var object: StoreObject {
    StoreObject(entityName: entityName, primaryKey: primaryKey)
  }

  /// Returns an attribute's value; null if the object's entity does not have the attribute.
  ///
  /// - Parameter place: The index in ``FetchedColumns/attributes``, not in ``FetchedColumns/largePlaces``.
  package func value(at place: Int) -> StoredValue {
    let source = columns.sources[place]
    let value = cursor.value(at: source.place)
    return source.isReal ? value.asReal : value
  }

  /// Returns an attribute's value, or null and the file that holds it.
  ///
  /// - Parameter place: The index in ``FetchedColumns/attributes``.
  package func largeValue(at place: Int) -> (value: StoredValue, file: LargeValueFile?) {
    let value = value(at: place)
    guard let largeValues, columns.largePlaces.contains(place) else { return (value, nil) }
    return largeValues.value(of: value, in: object, columns.attributes[place].path)
  }

  /// Returns the target of a to-one relationship.
  ///
  /// - Parameter place: The index in ``FetchedColumns/references``.
  package func target(at place: Int) -> StoreObject? {
    columns.selection.destination(
      at: columns.attributes.count + place, of: cursor, columns.schema.numbering)
  }

  /// The integer in the column after those of the object.
  package var ownerKey: Int64 {
    cursor.integer(at: ObjectSelection.keys.count + columns.selection.expressions.count)
  }
}
