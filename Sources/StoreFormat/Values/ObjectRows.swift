/// Reads the rows of all objects of one entity, by primary key.
package final class ObjectRows {
  /// The columns of attributes and to-one relationships, sorted by path.
  package let properties: [EntityTables.Column]
  /// The names of the columns that hold no property of any entity, sorted: the version of the object, the order
  /// in a relationship, and the like.
  package let otherColumns: [String]
  /// The primary key of the row.
  package private(set) var primaryKey: Int64 = 0

  private let cursor: StatementCursor
  private let places: [String: Int]

  /// Prepares to read; returns `nil` if the store has no table for the entity.
  ///
  /// - Parameter paths: The properties to read, by their paths; `nil` for all properties and other columns.
  /// - Throws: ``StoreError``.
  package init?(
    _ snapshot: StoreSnapshot, of entityName: String, _ schema: ObjectSchema,
    only paths: Set<String>? = nil
  ) throws {
    try snapshot.checkIsOpen()
    guard let number = schema.numbering.number(of: entityName),
      let table = schema.tables.table(of: entityName),
      schema.model.lineage(of: entityName) != nil, let present = schema.presentColumns[table.name]
    else { return nil }
    properties = schema.propertyColumns(of: entityName).filter {
      schema.has($0) && paths?.contains($0.path) ?? true
    }
    let names = Set(table.columns.filter { $0.isProperty }.flatMap(\.names))
      .union(["Z_PK", "Z_ENT"])
    otherColumns = paths == nil ? present.keys.filter { !names.contains($0) }.sorted() : []
    let selected = ["Z_PK"] + properties.flatMap(\.names) + otherColumns
    places = Dictionary(keepingFirst: selected.enumerated().map { ($1, $0) })
    cursor = try StatementCursor(
      snapshot.database,
      sql: "SELECT \(selected.map(quoted).joined(separator: ", ")) FROM \(quoted(table.name))"
        + " WHERE Z_ENT = ?1 ORDER BY Z_PK")
    try cursor.bind([.integer(number)])
  }

  /// Goes to the next row; returns `false` after the last one.
  package func next() throws -> Bool {
    repeat {
      guard try cursor.step() else { return false }
      // A key that is no integer names no object.
    } while cursor.integerIfAny(at: 0) == nil
    primaryKey = cursor.integer(at: 0)
    return true
  }

  /// Returns the value of a column of the row.
  package func value(_ column: String) -> StoredValue {
    places[column].map(cursor.value) ?? .null
  }
}
