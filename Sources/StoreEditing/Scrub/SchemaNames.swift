import GRDB
import StoreFormat

/// The tables and indexes of a store with neutral names.
///
/// The names of the frameworks stay; all others are replaced. A statement of the schema may contain any word, so none
/// is copied: tables and indexes are declared again from what SQLite reports of them, without default values, checks
/// and foreign keys. What only a statement describes is left out: triggers, views, search indexes, and indexes of
/// expressions or with a condition.
struct SchemaNames: Sendable {
  private let names: NeutralNames
  /// The new names of tables and indexes, by the old ones in capital letters.
  private var objects: [String: String] = [:]
  /// The new names of columns, by table and column in capital letters.
  private var columns: [String: [String: String]] = [:]
  /// The paths of properties by the new names of their table and column.
  private var paths: [String: [String: String]] = [:]
  /// The tables of the frameworks, whose columns and indexes keep their names, in capital letters.
  private let frameworkTables: Set<String>
  /// Numbers for words that are not known, of each kind.
  private var numbers: [String: [String: Int]] = [:]
  /// The statements that create tables and indexes in the copy, by the old name.
  private(set) var statements: [String: String] = [:]

  /// - Parameters:
  ///   - tables: The tables of the copy.
  ///   - old: The tables of the model, if it is known.
  ///   - new: The tables of the model with neutral names.
  init(
    _ snapshot: StoreSnapshot, tables: [String], names: NeutralNames, old: EntityTables?,
    new: EntityTables?
  ) throws {
    self.names = names
    frameworkTables = Set(
      [
        "Z_PRIMARYKEY", "Z_METADATA", "Z_MODELCACHE", "ACHANGE", "ATRANSACTION",
        "ATRANSACTIONSTRING",
      ]
        + snapshot.layout.mirroringTables.map { $0.uppercased() })
    for entry in snapshot.entities.modelEntries where entry.superNumber == 0 {
      objects["Z" + entry.name.uppercased()] = names.entities[entry.name].map {
        "Z" + $0.uppercased()
      }
    }
    if let old, let new { nameModelTables(old, new) }
    let statement = StatementRunner(snapshot.database)
    for table in tables {
      let word = table.uppercased()
      if frameworkTables.contains(word) {
        objects[word] = table
      } else if objects[word] == nil {
        objects[word] = unknownName(table, "TABLE")
      }
      nameColumns(of: word, try statement.columns(of: table).map(\.name))
    }
    for table in tables { try declare(table, statement) }
  }

  func object(_ name: String) -> String { objects[name.uppercased()] ?? name }

  func column(_ name: String, of table: String) -> String {
    columns[table.uppercased()]?[name.uppercased()] ?? name
  }

  /// The names of triggers, views and indexes of a store that a copy with neutral names does not have.
  func omittedObjects(of snapshot: StoreSnapshot) throws -> [String] {
    try StatementRunner(snapshot.database).texts(
      """
      SELECT name FROM sqlite_master
      WHERE type IN ('trigger', 'view') OR type = 'table' AND rootpage = 0
        OR type = 'index' AND sql IS NOT NULL AND tbl_name NOT LIKE 'sqlite\\_%' ESCAPE '\\'
      ORDER BY rowid
      """
    ).filter { statements[$0] == nil }
  }

  // MARK: - Naming

  private mutating func number(of word: String, _ kind: String) -> Int {
    if let known = numbers[kind]?[word] { return known }
    let number = (numbers[kind]?.count ?? 0) + 1
    numbers[kind, default: [:]][word] = number
    return number
  }

  /// Names what the model defines. Neutral names keep the order, so columns keep their positions.
  private mutating func nameModelTables(_ old: EntityTables, _ new: EntityTables) {
    for (table, newTable) in zip(old.tables, new.tables) {
      objects[table.name.uppercased()] = newTable.name
      for (column, newColumn) in zip(table.columns, newTable.columns)
      where names.path(column.path) == newColumn.path {
        columns[table.name.uppercased(), default: [:]][column.name.uppercased()] = newColumn.name
        paths[newTable.name, default: [:]][newColumn.name] = newColumn.path
      }
    }
    for join in old.joinTables {
      guard let entity = names.entities[join.first.entityName],
        let relationship = names.properties[join.first.relationshipName],
        let newJoin = new.joinTable(relationship, declaredIn: entity)
      else { continue }
      objects[join.name.uppercased()] = newJoin.name
      let end = JoinTable.End(entityName: entity, relationshipName: relationship)
      let (before, after) = (join.columns(from: join.first), newJoin.columns(from: end))
      for (name, newName) in [
        (before.owner, after.owner), (before.member, after.member),
        (before.order ?? "", after.order), (before.back ?? "", after.back),
      ] {
        columns[join.name.uppercased(), default: [:]][name.uppercased()] = newName
      }
    }
  }

  private mutating func nameColumns(of table: String, _ names: [String]) {
    let known = ScrubTableReader.frameworkColumns(of: table)
    for name in names where columns[table]?[name.uppercased()] == nil {
      let stays =
        known.map { $0.contains(name) || TombstoneColumn.number(of: name) != nil }
        ?? frameworkTables.contains(table)
      columns[table, default: [:]][name.uppercased()] =
        stays || Self.keys.contains(name.uppercased()) ? name : unknownName(name, "COLUMN")
    }
  }

  private static let keys: Set<String> = ["Z_PK", "Z_ENT", "Z_OPT", "REFLEXIVE"]

  /// Returns a name of the same kind, with the prefix that the frameworks put before some names.
  private mutating func unknownName(_ name: String, _ kind: String) -> String {
    let name = name.uppercased()
    let beginning = name.prefixMatch(of: #/Z_FOK_|Z\d+_|Z_\d+|Z/#).map { String($0.output) } ?? ""
    return "\(beginning)\(kind)\(number(of: String(name.dropFirst(beginning.count)), kind))"
  }

  private mutating func indexName(_ name: String, _ table: String, _ indexed: [String]) -> String {
    if frameworkTables.contains(table.uppercased()),
      name.hasPrefix("Z_") || name.hasPrefix(table + "_")
    {
      return name
    }
    for column in indexed
    where name.uppercased() == "\(table)_\(column)_INDEX".uppercased() {
      return "\(object(table))_\(self.column(column, of: table))_INDEX"
    }
    let entity = names.entities.keys.filter { name.hasPrefix("Z_\($0)_") }.max {
      $0.utf8.count < $1.utf8.count
    }
    guard let entity, let newEntity = names.entities[entity] else {
      return "INDEX\(number(of: name, "INDEX"))"
    }
    let newProperties = indexed.map { column in
      let newColumn = self.column(column, of: table)
      return paths[object(table)]?[newColumn] ?? newColumn
    }
    if name.hasPrefix(EntityTables.indexPrefix(of: entity)) {
      return EntityTables.indexPrefix(of: newEntity) + newProperties.joined()
    }
    if name.hasPrefix(EntityTables.constraintName(of: [], at: entity)) {
      return EntityTables.constraintName(of: newProperties, at: newEntity)
    }
    return "Z_\(newEntity)_byIndex\(number(of: name, "INDEX"))"
  }

  // MARK: - Declaring

  /// Adds the statements for a table and its indexes.
  private mutating func declare(_ name: String, _ statement: StatementRunner) throws {
    let columns = try statement.rows(
      """
      SELECT name, type, "notnull", pk FROM pragma_table_xinfo(?1) WHERE hidden = 0 ORDER BY cid
      """, [.text(name)])
    let table =
      try statement.rows(
        "SELECT wr, strict FROM pragma_table_list(?1) WHERE schema = 'main'", [.text(name)]
      ).first ?? []
    let isKeyed = table.first == .integer(1)
    let key = columns.filter { $0[3] != .integer(0) }
    // Declared with its column, an integer is the number of the row, unless it is declared as descending.
    let isInteger = key.count == 1 && !isKeyed && key[0][1].text?.uppercased() == "INTEGER"
    let (constraints, hasIndexOfKey) = try declareIndexes(
      of: name, columns.compactMap(\.first?.text), keepsKey: !isInteger, statement)
    let declarations = columns.map { row -> String in
      var text = quoted(column(row[0].text ?? "", of: name)) + Self.type(row[1].text ?? "")
      if isInteger, row == key[0] { text += hasIndexOfKey ? " PRIMARY KEY DESC" : " PRIMARY KEY" }
      if row[2] != .integer(0) { text += " NOT NULL" }
      return text
    }
    var options: [String] = isKeyed ? ["WITHOUT ROWID"] : []
    if table.last == .integer(1) { options.append("STRICT") }
    let parts: [String] = declarations + constraints
    statements[name] =
      "CREATE TABLE \(quoted(object(name))) (\(parts.joined(separator: ", ")))"
      + options.joined(separator: ", ")
  }

  /// Adds the statements for indexes, and returns the constraints that other indexes are declared with.
  private mutating func declareIndexes(
    of table: String, _ columns: [String], keepsKey: Bool, _ statement: StatementRunner
  ) throws -> (constraints: [String], hasIndexOfKey: Bool) {
    var constraints: [String] = []
    var hasIndexOfKey = false
    // SQLite lists the latest first.
    for row in try statement.rows(
      """
      SELECT name, "unique", origin, partial FROM pragma_index_list(?1) ORDER BY seq DESC
      """, [.text(table)])
    {
      let index = row[0].text ?? ""
      let rows = try statement.rows(
        "SELECT name, \"desc\", coll FROM pragma_index_xinfo(?1) WHERE key ORDER BY seqno",
        [.text(index)])
      let indexed = rows.compactMap(\.first?.text)
      guard indexed.count == rows.count, Set(indexed).isSubset(of: columns) else { continue }
      let fields = rows.map { row -> String in
        var text = quoted(column(row[0].text ?? "", of: table))
        if let order = row[2].text, ["NOCASE", "RTRIM"].contains(order) {
          text += " COLLATE " + order
        }
        if row[1] != .integer(0) { text += " DESC" }
        return text
      }.joined(separator: ", ")
      switch row[2].text {
      case "pk":
        hasIndexOfKey = true
        if keepsKey { constraints.append("PRIMARY KEY (\(fields))") }
      case "u": constraints.append("UNIQUE (\(fields))")
      default:
        guard row[3] == .integer(0) else { continue }
        let name = indexName(index, table, indexed)
        objects[index.uppercased()] = name
        statements[index] =
          "CREATE \(row[1] == .integer(0) ? "" : "UNIQUE ")INDEX \(quoted(name)) "
          + "ON \(quoted(object(table))) (\(fields))"
      }
    }
    return (constraints, hasIndexOfKey)
  }

  /// A declared type with a blank before it; one with words that are not known becomes another of the same affinity.
  private static func type(_ type: String) -> String {
    let word = type.uppercased()
    if word.isEmpty { return "" }
    if let match = word.wholeMatch(of: #/([A-Z]+)(?: ?\([0-9]{1,3}(?:, ?[0-9]{1,3})?\))?/#),
      types.contains(String(match.1))
    {
      return " " + type
    }
    // The rules of SQLite, in its order.
    let parts = [
      ("INT", "INTEGER"), ("CHAR", "TEXT"), ("CLOB", "TEXT"), ("TEXT", "TEXT"), ("BLOB", "BLOB"),
      ("REAL", "REAL"), ("FLOA", "REAL"), ("DOUB", "REAL"),
    ]
    return " " + (parts.first { word.contains($0.0) }?.1 ?? "NUMERIC")
  }

  private static let types: Set<String> = [
    "INT", "INTEGER", "SMALLINT", "BIGINT", "REAL", "DOUBLE", "FLOAT", "NUMERIC", "DECIMAL",
    "BOOLEAN", "CHAR", "VARCHAR", "TEXT", "CLOB", "BLOB", "DATE", "DATETIME", "TIMESTAMP", "ANY",
  ]
}

extension StoredValue {
  fileprivate var text: String? {
    if case .text(let text) = self { text } else { nil }
  }
}
