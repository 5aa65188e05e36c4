/// Reads the rows of all objects of one entity, by primary key.
package final class ObjectRows {
  /// The names of the columns that hold no property of any entity, sorted: the version of the object, the order
  /// in a relationship, and the like.
  package let otherColumns: [String]
  /// The primary key of the row.
  package private(set) var primaryKey: Int64 = 0

  private let selection: ObjectSelection
  private let numbering: EntityNumbering
  private let cursor: StatementCursor

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
      let plan = schema.columns(of: entityName), let present = schema.presentColumns[table.name]
    else { return nil }
    numbering = schema.numbering
    selection = ObjectSelection(
      plan.values.filter { schema.has($0) && paths?.contains($0.path) ?? true })
    let known = table.columns.filter { $0.isProperty || $0.role == .entityKey }.map(\.name)
    let names = Set(known + ObjectSelection.keys)
    otherColumns = paths == nil ? present.keys.filter { !names.contains($0) }.sorted() : []
    let others = otherColumns.map { ", " + quoted($0) }.joined()
    cursor = try StatementCursor(
      snapshot.database,
      sql: "SELECT \(selection.list)\(others) FROM \(quoted(table.name))"
        + " WHERE Z_ENT = ?1 ORDER BY Z_PK")
    try cursor.bind([.integer(number)])
  }

  /// The attributes and to-one relationships, sorted by path.
  package var properties: [StoredProperty] { selection.properties }

  /// Goes to the next row; returns `false` after the last one.
  package func next() throws -> Bool {
    repeat {
      guard try cursor.step() else { return false }
      // A key that is no integer names no object.
    } while cursor.integerIfAny(at: 0) == nil
    primaryKey = cursor.integer(at: 0)
    return true
  }

  /// Returns the values of the columns of a property, by its index.
  package func values(at index: Int) -> [StoredValue] {
    let (value, number) = selection.values(at: index, of: cursor)
    return [value] + [number].compactMap { $0 }
  }

  /// Returns what the columns of a property hold, by its index.
  package func content(at index: Int) -> ColumnContent? {
    selection.content(at: index, of: cursor, numbering)
  }

  /// Returns the value of one of ``otherColumns``, by its index.
  package func otherValue(at index: Int) -> StoredValue { cursor.value(at: otherPlace(index)) }

  private func otherPlace(_ index: Int) -> Int {
    ObjectSelection.keys.count + selection.expressions.count + index
  }

  // MARK: - Comparing

  /// Whether a property has the same values as one of the row of others. No value is copied: both may be large.
  package func hasSameValues(
    at index: Int, as otherIndex: Int, of others: ObjectRows
  ) -> Bool {
    let (places, otherPlaces) = (
      selection.places(at: index), others.selection.places(at: otherIndex)
    )
    return places.count == otherPlaces.count
      && zip(places, otherPlaces).allSatisfy {
        cursor.hasSameValue(at: $0, as: others.cursor, at: $1)
      }
  }

  /// Whether one of ``otherColumns`` has the same value as one of the row of others.
  package func hasSameOtherValue(
    at index: Int, as otherIndex: Int, of others: ObjectRows
  ) -> Bool {
    cursor.hasSameValue(
      at: otherPlace(index), as: others.cursor, at: others.otherPlace(otherIndex))
  }
}
