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
  /// The maximum number of values of one statement; SQLite limits the columns of a result.
  private static let maxValues = 400

  private let plan: ObjectPlan
  private let valueCursors: [StatementCursor]
  private let referenceCursors: [StatementCursor]
  private let countCursors: [StatementCursor]

  init(_ database: Database, table: ObjectTables.Table, plan: ObjectPlan) throws {
    self.plan = plan
    func cursors(_ expressions: [[String]]) throws -> [StatementCursor] {
      try stride(from: 0, to: expressions.count, by: Self.maxValues).map { start in
        let part = expressions[start..<min(start + Self.maxValues, expressions.count)]
        return try StatementCursor(
          database,
          sql: "SELECT \(part.joined().joined(separator: ", ")) FROM \(quoted(table.name)) "
            + "WHERE Z_PK = ?1")
      }
    }
    valueCursors = try cursors(plan.attributes.map { Self.expressions(quoted($0.name)) })
    referenceCursors = try cursors(
      plan.references.map { reference in
        let names = reference.names.map(quoted)
        return names.count > 1 ? names : names + ["NULL"]
      })
    countCursors = try plan.counts.map { try StatementCursor(database, sql: Self.query($0)) }
  }

  private static func query(_ count: ObjectPlan.Count) -> String {
    // An entry that an index lost would make the count too low.
    let (table, column) = (quoted(count.table) + " NOT INDEXED", quoted(count.column))
    guard let reverse = count.reverseColumn.map(quoted) else {
      return "SELECT count(*) FROM \(table) WHERE \(column) = ?1"
    }
    return """
      SELECT count(*) FROM (
        SELECT \(reverse) FROM \(table) WHERE \(column) = ?1
        UNION SELECT \(column) FROM \(table) WHERE \(reverse) = ?1)
      """
  }

  /// The value, unless it is a text or a blob that is too long; and how many bytes these two have.
  ///
  /// The length of a blob is known without reading it; that of a text in bytes is not.
  private static func expressions(_ column: String) -> [String] {
    let size =
      "CASE typeof(\(column)) WHEN 'blob' THEN length(\(column)) "
      + "WHEN 'text' THEN length(CAST(\(column) AS BLOB)) END"
    return [
      "CASE WHEN \(size) > \(ObjectReader.longestValue) THEN NULL ELSE \(column) END", size,
    ]
  }

  func object(
    primaryKey: Int64, entityNumber: Int64, entities: EntityNumbering, version: Int64?,
    largeValues: LargeValueReader, countsRelated: Bool
  ) throws -> PresentObject {
    let name = entities.name(of: entityNumber)
    let object = StoreObject(entityName: name ?? "#\(entityNumber)", primaryKey: primaryKey)
    return PresentObject(
      entityNumber: entityNumber, entityName: name,
      primaryKey: primaryKey, version: version, isNamedByModel: plan.isNamedByModel,
      values: try values(of: object, primaryKey, largeValues),
      references: try references(primaryKey, entities),
      counts: countsRelated ? try counts(primaryKey) : [], missingProperties: plan.missing)
  }

  private func values(
    of object: StoreObject, _ primaryKey: Int64, _ largeValues: LargeValueReader
  ) throws -> [PresentObject.Value] {
    var values: [PresentObject.Value] = []
    for (index, cursor) in valueCursors.enumerated() {
      try cursor.bind(primaryKey)
      defer { cursor.reset() }
      guard try cursor.step() else { continue }
      for (place, column) in plan.attributes.dropFirst(index * Self.maxValues)
        .prefix(Self.maxValues).enumerated()
      where plan.isNamedByModel || !cursor.isNull(at: place * 2)
        || !cursor.isNull(at: place * 2 + 1)
      {
        guard let attribute = column.attribute else { continue }
        values.append(
          PresentObject.Value(
            name: column.path, type: attribute.type,
            stored: attribute.type.restoring(cursor.value(at: place * 2)),
            byteCount: cursor.integerIfAny(at: place * 2 + 1).map { Int(clamping: $0) },
            large: attribute.allowsExternalStorage ? largeValues : nil, object: object))
      }
    }
    return values
  }

  private func references(
    _ primaryKey: Int64, _ entities: EntityNumbering
  ) throws -> [PresentObject.Reference] {
    var references: [PresentObject.Reference] = []
    for (index, cursor) in referenceCursors.enumerated() {
      try cursor.bind(primaryKey)
      defer { cursor.reset() }
      guard try cursor.step() else { continue }
      for (place, reference) in plan.references.dropFirst(index * Self.maxValues)
        .prefix(Self.maxValues).enumerated()
      {
        let key = cursor.integerIfAny(at: place * 2)
        var entityName: String?
        if key != nil, case .toOne(let destination, let entityKey) = reference.role {
          entityName =
            entityKey == nil
            ? destination : cursor.integerIfAny(at: place * 2 + 1).flatMap(entities.name)
        }
        references.append(
          PresentObject.Reference(
            name: reference.path, entityName: entityName, primaryKey: key))
      }
    }
    return references
  }

  private func counts(_ primaryKey: Int64) throws -> [PresentObject.Count] {
    try zip(plan.counts, countCursors).map { count, cursor in
      try cursor.bind(primaryKey)
      defer { cursor.reset() }
      return PresentObject.Count(
        name: count.name, count: try cursor.step() ? cursor.integer(at: 0) : 0)
    }
  }
}
