import StoreFormat

/// Writes the SQL of a fetch.
struct ObjectQuery {
  /// The meaning of a variable of an expression.
  private struct Scope {
    let row: String
    let entityName: String
  }

  /// The maximum number of arguments of a statement.
  static let maxArguments = 30_000

  private let schema: ObjectSchema
  private var scopes: [Int: Scope] = [:]
  private var rowCount = 0
  private(set) var arguments: [StoredValue] = []

  init(schema: ObjectSchema) { self.schema = schema }

  /// The statement that reads columns of the objects of a fetch.
  ///
  /// - Parameter columns: Returns the columns, for the SQL name of the object's row.
  mutating func statement(
    for fetch: ObjectFetch, columns: (_ row: String) -> [String]
  ) throws -> String {
    let table = try self.table(of: fetch.entityName)
    let row = open(variable: 0, entityName: fetch.entityName)
    var sql =
      "SELECT \(columns(row).joined(separator: ", ")) FROM \(quoted(table.name)) AS \(row)"
    var conditions: [String] = []
    if let entities = try entityCondition(fetch.entityName, row: row) {
      conditions.append(entities)
    }
    if let condition = fetch.condition { conditions.append(try self.sql(condition)) }
    if !conditions.isEmpty { sql += " WHERE " + conditions.joined(separator: " AND ") }
    let keys = try fetch.order.map { key in
      try self.sql(key.key) + (key.collation.map { " COLLATE \($0.name)" } ?? "")
        + (key.isAscending ? "" : " DESC")
    }
    sql += " ORDER BY " + (keys + ["\(row).Z_PK"]).joined(separator: ", ")
    if fetch.limit != nil || fetch.offset > 0 {
      let limit = bind(.integer(Int64(fetch.limit ?? -1)))
      sql += " LIMIT \(limit) OFFSET \(bind(.integer(Int64(fetch.offset))))"
    }
    guard arguments.count <= Self.maxArguments else {
      throw StoreError.unsupportedFetch(
        detail: "it has \(arguments.count) values; the limit is \(Self.maxArguments) are possible"
      )
    }
    return sql
  }

  /// The condition that a row is of an entity or of one that inherits from it, or `nil` where the table
  /// has no other rows.
  private func entityCondition(_ entityName: String, row: String) throws -> String? {
    let table = try table(of: entityName)
    guard table.memberNames.contains(where: { !schema.isKind($0, of: entityName) }) else {
      return nil
    }
    return try isKind("\(row).Z_ENT", of: entityName)
  }

  /// The condition that an entity number is that of an entity or of one that inherits from it.
  private func isKind(_ number: String, of entityName: String) throws -> String {
    let kinds = try table(of: entityName).memberNames
      .filter { schema.isKind($0, of: entityName) }
    let numbers = try kinds.map { String(try schema.number(of: $0)) }
    return "\(number) IN (\(numbers.joined(separator: ", ")))"
  }

  private func table(of entityName: String) throws -> EntityTables.Table {
    guard let table = schema.tables.table(of: entityName) else {
      throw StoreError.unknownEntity(name: entityName, isAbstract: false)
    }
    return table
  }

  private mutating func open(variable: Int, entityName: String) -> String {
    let row = "t\(rowCount)"
    rowCount += 1
    scopes[variable] = Scope(row: row, entityName: entityName)
    return row
  }

  // MARK: - Expressions

  private mutating func sql(_ expression: ObjectExpression) throws -> String {
    switch expression {
    case .constant(let value): return bind(value)
    case .attribute(let path, let name): return try attribute(name, of: path)
    case .primaryKey(let path): return try object(at: path).key
    case .entityNumber(let path): return try entityNumber(of: path)
    case .compare(let comparison, let left, let right):
      return "(\(try sql(left)) \(comparison.sql) \(try sql(right)))"
    case .and(let left, let right): return "(\(try sql(left)) AND \(try sql(right)))"
    case .or(let left, let right): return "(\(try sql(left)) OR \(try sql(right)))"
    case .not(let operand): return "(NOT \(try sql(operand)))"
    case .isNull(let operand): return "(\(try sql(operand)) IS NULL)"
    case .arithmetic(let operation, let left, let right):
      return "(\(try sql(left)) \(operation.sql) \(try sql(right)))"
    case .negative(let operand): return "(- \(try sql(operand)))"
    case .contained(let operand, let values): return try contained(operand, in: values)
    case .text(.contains, let text, let part):
      return "\(TextFunctions.contains)(\(try sql(text)), \(try sql(part)))"
    case .text(.startsWith, let text, let part):
      return "\(TextFunctions.startsWith)(\(try sql(text)), \(try sql(part)))"
    case .coalesce(let left, let right): return "ifnull(\(try sql(left)), \(try sql(right)))"
    case .conditional(let condition, let yes, let no):
      return "(CASE WHEN \(try sql(condition)) THEN \(try sql(yes)) ELSE \(try sql(no)) END)"
    case .count(let related): return "(SELECT count(*) \(try rows(related)))"
    case .exists(let related): return "(EXISTS (SELECT 1 \(try rows(related))))"
    }
  }

  private mutating func bind(_ value: StoredValue) -> String {
    guard !value.isNull else { return "NULL" }
    arguments.append(value)
    return "?"
  }

  private mutating func contained(
    _ operand: ObjectExpression, in values: [StoredValue]
  ) throws -> String {
    let text = try sql(operand)
    let present = values.filter { !$0.isNull }
    let list = present.map { value in
      // Digits only, so that many keys do not count as many arguments. With one, the statement is
      // the same for all keys.
      if present.count > 1, case .integer(let number) = value, number != .min { return "\(number)" }
      return bind(value)
    }.joined(separator: ", ")
    // Null is in a list that has a null, and in no other; SQL's result would be null.
    guard !present.isEmpty else {
      return present.count < values.count ? "(\(text) IS NULL)" : "0"
    }
    // An object's own key is never null. Without `ifnull`, SQLite does not scan the whole table.
    if case .primaryKey(let path) = operand, path.relationships.isEmpty, path.ownCast == nil,
      present.count == values.count
    {
      return "(\(text) IN (\(list)))"
    }
    guard present.count < values.count else { return "ifnull(\(text) IN (\(list)), 0)" }
    // With a list without nulls, `IN` is null only for a null operand, which is in the original list. The operand
    // precedes the list, as its arguments do.
    return "ifnull(\(text) IN (\(list)), 1)"
  }

  // MARK: - Objects

  /// SQL for the primary key of an object, and the object's entity.
  private mutating func object(at path: ObjectPath) throws -> (key: String, entityName: String) {
    if let cast = path.ownCast {
      let key = try object(at: path.uncast).key
      let number = try entityNumber(of: path.uncast)
      return ("(CASE WHEN \(try isKind(number, of: cast)) THEN \(key) END)", cast)
    }
    guard let scope = scopes[path.variable] else {
      throw StoreError.unsupportedFetch(detail: "a variable that stands for no object")
    }
    guard let owner = path.owner, let last = path.relationships.last else {
      return ("\(scope.row).Z_PK", scope.entityName)
    }
    let ownerEntity = try entityName(of: owner)
    let relationship = try schema.relationship(last, of: ownerEntity)
    guard case .columns(let key, _, _) = relationship.storage else {
      throw StoreError.unknownProperty(entity: ownerEntity, property: last)
    }
    return (try column(key, of: owner), relationship.destinationName)
  }

  private func entityName(of path: ObjectPath) throws -> String {
    if let cast = path.ownCast { return cast }
    if let owner = path.owner, let last = path.relationships.last {
      return try schema.relationship(last, of: entityName(of: owner)).destinationName
    }
    guard let scope = scopes[path.variable] else {
      throw StoreError.unsupportedFetch(detail: "a variable that stands for no object")
    }
    return scope.entityName
  }

  private mutating func attribute(_ path: String, of object: ObjectPath) throws -> String {
    let entityName = try entityName(of: object)
    guard case .value(let column)? = schema.columns(of: entityName)?[path]?.storage else {
      throw StoreError.unknownProperty(entity: entityName, property: path)
    }
    return try self.column(column, of: object)
  }

  private mutating func entityNumber(of object: ObjectPath) throws -> String {
    let table = try table(of: entityName(of: object))
    return try column(named: "Z_ENT", in: table, of: object)
  }

  private mutating func column(
    _ column: EntityTables.Column, of object: ObjectPath
  ) throws -> String {
    let table = try table(of: entityName(of: object))
    try schema.check(column, of: table)
    return try self.column(named: column.name, in: table, of: object)
  }

  private mutating func column(
    named name: String, in table: EntityTables.Table, of object: ObjectPath
  ) throws -> String {
    if object.relationships.isEmpty, let scope = scopes[object.variable] {
      let own = "\(scope.row).\(quoted(name))"
      guard let cast = object.ownCast else { return own }
      return "(CASE WHEN \(try isKind("\(scope.row).Z_ENT", of: cast)) THEN \(own) END)"
    }
    let key = try self.object(at: object).key
    let row = "t\(rowCount)"
    rowCount += 1
    return "(SELECT \(row).\(quoted(name)) FROM \(quoted(table.name)) AS \(row) "
      + "WHERE \(row).Z_PK = \(key))"
  }

  /// The rows at the other end of a relationship, from `FROM` on.
  private mutating func rows(_ related: RelatedObjects) throws -> String {
    let owner = try object(at: related.owner)
    let relationship = try schema.relationship(related.relationship, of: owner.entityName)
    let table = try table(of: relationship.destinationName)
    let row = open(variable: related.variable, entityName: relationship.destinationName)
    guard let condition = relationship.condition(row: row, owner: owner.key) else {
      throw StoreError.unknownProperty(
        entity: owner.entityName, property: related.relationship)
    }
    let own = try related.condition.map { " AND " + (try sql($0)) } ?? ""
    return "FROM \(quoted(table.name)) AS \(row) WHERE \(condition)\(own)"
  }
}

extension ObjectExpression.Comparison {
  /// The operator; `IS` is the one by which two nulls are equal, and it uses an index as `=` does.
  fileprivate var sql: String {
    switch self {
    case .equal: "IS"
    case .notEqual: "IS NOT"
    case .less: "<"
    case .lessOrEqual: "<="
    case .greater: ">"
    case .greaterOrEqual: ">="
    }
  }
}

extension ObjectExpression.Arithmetic {
  fileprivate var sql: String {
    switch self {
    case .add: "+"
    case .subtract: "-"
    case .multiply: "*"
    case .divide: "/"
    case .remainder: "%"
    }
  }
}
