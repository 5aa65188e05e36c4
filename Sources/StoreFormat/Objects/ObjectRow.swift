import GRDB

/// Reads the rows of one entity's objects by a plan.
final class ObjectRow {
  /// How many values one statement asks for; SQLite limits the columns of an answer.
  private static let mostValues = 400

  private let plan: ObjectPlan
  private let valueCursors: [StatementCursor]
  private let referenceCursors: [StatementCursor]
  private let countCursors: [StatementCursor]

  init(_ database: Database, table: ObjectTables.Table, plan: ObjectPlan) throws {
    self.plan = plan
    func cursors(_ expressions: [[String]]) throws -> [StatementCursor] {
      try stride(from: 0, to: expressions.count, by: Self.mostValues).map { start in
        let part = expressions[start..<min(start + Self.mostValues, expressions.count)]
        return try StatementCursor(
          database,
          sql: "SELECT \(part.joined().joined(separator: ", ")) FROM \(quoted(table.name)) "
            + "WHERE Z_PK = ?1")
      }
    }
    valueCursors = try cursors(plan.values.map { Self.expressions(quoted($0.column)) })
    referenceCursors = try cursors(
      plan.references.map { [quoted($0.column), $0.entityColumn.map(quoted) ?? "NULL"] })
    countCursors = try plan.counts.map { try StatementCursor(database, sql: Self.query($0)) }
  }

  private static func query(_ count: ObjectPlan.Count) -> String {
    let (table, column) = (quoted(count.table), quoted(count.column))
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

  /// The object with a key.
  func object(
    primaryKey: Int64, entityNumber: Int64, entities: EntityNumbering, version: Int64?,
    countsRelated: Bool
  ) throws -> PresentObject {
    PresentObject(
      entityNumber: entityNumber, entityName: entities.name(of: entityNumber),
      primaryKey: primaryKey, version: version, isNamedByModel: plan.isNamedByModel,
      values: try values(primaryKey), references: try references(primaryKey, entities),
      counts: countsRelated ? try counts(primaryKey) : [], missingProperties: plan.missing)
  }

  private func values(_ primaryKey: Int64) throws -> [PresentObject.Value] {
    var values: [PresentObject.Value] = []
    for (index, cursor) in valueCursors.enumerated() {
      try cursor.bind(primaryKey)
      defer { cursor.reset() }
      guard try cursor.step() else { continue }
      for (place, value) in plan.values.dropFirst(index * Self.mostValues)
        .prefix(Self.mostValues).enumerated()
      where plan.isNamedByModel || !cursor.isNull(at: place * 2)
        || !cursor.isNull(at: place * 2 + 1)
      {
        values.append(
          PresentObject.Value(
            name: value.name, type: value.type,
            allowsExternalStorage: value.allowsExternalStorage,
            stored: value.type.restoring(cursor.value(at: place * 2)),
            byteCount: cursor.integerIfAny(at: place * 2 + 1).map { Int(clamping: $0) }))
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
      for (place, reference) in plan.references.dropFirst(index * Self.mostValues)
        .prefix(Self.mostValues).enumerated()
      {
        let key = cursor.integerIfAny(at: place * 2)
        let entityName =
          key == nil
          ? nil
          : reference.entityColumn == nil
            ? reference.destinationName
            : cursor.integerIfAny(at: place * 2 + 1).flatMap(entities.name)
        references.append(
          PresentObject.Reference(
            name: reference.name, entityName: entityName, primaryKey: key))
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
