import GRDB
import StoreFormat

/// Determines which tables and columns are understood.
final class ScrubTableReader {
  let modelTables: EntityTables?
  private(set) var keptColumns: [String] = []
  private let snapshot: StoreSnapshot
  private let statement: StatementRunner
  private let model: ManagedModel?
  private let objectTables: Set<String>

  init(_ snapshot: StoreSnapshot) throws {
    self.snapshot = snapshot
    statement = StatementRunner(snapshot.database)
    let entries = snapshot.entities.modelEntries
    let model = try snapshot.modelCache().model
    modelTables = model.flatMap {
      try? EntityTables(model: $0, numbering: EntityNumbering(entries: entries))
    }
    self.model = modelTables == nil ? nil : model
    objectTables = Set(
      entries.filter { $0.superNumber == 0 }.map { "Z" + $0.name.uppercased() })
  }

  func integer(_ sql: String) throws -> Int64 { try statement.integer(sql) ?? 0 }

  func names(of tables: [String]) throws -> ScrubNames {
    try ScrubNames(snapshot, tables: tables, model: model, modelTables: modelTables)
  }

  func schemaText() throws -> SchemaText { try SchemaText(snapshot, model: model) }

  // MARK: - Tables

  func tables(
    withSearchIndexes includesIndexes: Bool
  ) throws -> ([ScrubPlan.Table], [ScrubPlan.Index]) {
    let rows = try statement.rows(
      """
      SELECT name, sql, rootpage FROM sqlite_master
      WHERE type = 'table' AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\' ORDER BY rowid
      """)
    var indexes: [ScrubPlan.Index] = []
    for row in rows {
      guard case .text(let name) = row[0], case .text(let sql) = row[1], row[2] == .integer(0)
      else { continue }
      let module =
        sql.firstMatch(of: #/\sUSING\s+["`\[]?(\w+)/#.ignoresCase())?.1.lowercased() ?? ""
      indexes.append(
        ScrubPlan.Index(
          name: name, module: module, treatment: module == "rtree" ? .coordinates : .emptied))
    }
    let counters = try self.counters()
    let tables = try rows.compactMap { row -> ScrubPlan.Table? in
      guard case .text(let name) = row[0], case .text(let sql) = row[1], row[2] != .integer(0)
      else { return nil }
      if let index = indexes.first(where: { name.hasPrefix($0.name + "_") }) {
        guard includesIndexes else { return nil }
        return ScrubPlan.Table(
          name: name, sql: sql, treatment: index.treatment, columns: [], isPartOfIndex: true)
      }
      let columns = try columns(of: name)
      // SQLite would calculate them for every row of the copy, at any cost.
      guard try !statement.hasCalculatedColumns(name),
        let known = try rules(of: name, columns, counters[name] ?? [])
      else {
        return ScrubPlan.Table(name: name, sql: sql, treatment: .emptied, columns: [])
      }
      return ScrubPlan.Table(
        name: name, sql: sql,
        treatment: objectTables.contains(name) ? .objects : .framework, columns: known)
    }
    return (tables, includesIndexes ? indexes : [])
  }

  private struct Column {
    let name: String
    let type: String
    let mayBeNull: Bool

    var emptied: ScrubPlan.Rule { .emptied(mayBeNull: mayBeNull) }
  }

  private typealias Columns = [Column]

  private func columns(of table: String) throws -> Columns {
    let required = Set(
      try statement.texts(
        "SELECT name FROM pragma_table_info(?1) WHERE \"notnull\" OR pk > 0", [.text(table)]))
    return try statement.columns(of: table).map {
      Column(name: $0.name, type: $0.type.uppercased(), mayBeNull: !required.contains($0.name))
    }
  }

  private func rules(
    of table: String, _ columns: Columns, _ counters: Set<String>
  ) throws -> [(name: String, rule: ScrubPlan.Rule)]? {
    if objectTables.contains(table), columns.contains(where: { $0.name == "Z_PK" }) {
      let known = modelTables?.tables.first { $0.name == table }?.columns ?? []
      let roles = Dictionary(keepingFirst: known.map { ($0.name, $0) })
      return try columns.map { column in
        if counters.contains(column.name) {
          keptColumns.append("\(table).\(column.name)")
          return (column.name, .number)
        }
        guard let role = roles[column.name] else {
          return (column.name, try rule(ofUnknown: column, in: table))
        }
        return (column.name, rule(of: role))
      }
    }
    if table.hasPrefix("Z_"), !columns.isEmpty, columns.allSatisfy(Self.isLinkColumn) {
      return columns.map { ($0.name, .number) }
    }
    if let known = Self.frameworkRules[table] {
      return columns.map { column in
        let tombstone = table == "ACHANGE" ? TombstoneColumn.number(of: column.name) : nil
        return (
          column.name,
          tombstone.map(ScrubPlan.Rule.tombstone) ?? known[column.name] ?? column.emptied
        )
      }
    }
    guard snapshot.layout.mirroringTables.contains(table) else { return nil }
    return columns.map { ($0.name, Self.mirroringRule($0)) }
  }

  /// The columns of the frameworks' tables whose meaning is known.
  private static let frameworkRules: [String: [String: ScrubPlan.Rule]] = {
    var transaction = ["ZTIMESTAMP": ScrubPlan.Rule.date, "ZQUERYGEN": .value]
    for role in StringRole.allCases {
      transaction[role.identifierColumn] = .number
      transaction[role.plainColumn] = role == .context ? .value : .author
    }
    let keys: [String: ScrubPlan.Rule] = ["Z_PK": .number, "Z_ENT": .number, "Z_OPT": .number]
    let change: [String: ScrubPlan.Rule] = [
      "ZCHANGETYPE": .number, "ZENTITY": .number, "ZENTITYPK": .number, "ZTRANSACTIONID": .number,
      "ZCOLUMNS": .mask,
    ]
    return [
      "Z_PRIMARYKEY": [
        "Z_ENT": .number, "Z_NAME": .entityName, "Z_SUPER": .number, "Z_MAX": .number,
      ],
      "Z_MODELCACHE": ["Z_CONTENT": .model],
      "Z_METADATA": ["Z_VERSION": .number, "Z_UUID": .value, "Z_PLIST": .propertyList],
      "ATRANSACTION": transaction.merging(keys) { $1 },
      "ACHANGE": change.merging(keys) { $1 },
      "ATRANSACTIONSTRING": keys.merging(["ZNAME": .author]) { $1 },
    ]
  }()

  /// The names of the columns that the frameworks give a table of their own; `nil` for another table.
  static func frameworkColumns(of table: String) -> Set<String>? {
    frameworkRules[table].map { Set($0.keys) }
  }

  // MARK: - Columns

  private func rule(of column: EntityTables.Column) -> ScrubPlan.Rule {
    model?.attribute(of: column).map { Self.rule(of: $0, path: column.path) } ?? .number
  }

  private static func rule(of attribute: ManagedAttribute, path: String) -> ScrubPlan.Rule {
    switch attribute.type {
    case .boolean: .boolean
    case .date: .date
    case _ where attribute.keepsLargeValues: .largeData
    case .string where path.contains("."):
      .caseName(path.split(separator: ".").last.map(String.init) ?? path)
    case .undefined, .objectIdentifier, .composite, .unknown: .unknown
    default: .value
    }
  }

  /// A column that the model does not have.
  private func rule(
    ofUnknown column: Column, in table: String
  ) throws -> ScrubPlan.Rule {
    if Self.isKeyName(column.name) { return .number }
    switch column.type {
    case "TIMESTAMP": return .date
    case "INTEGER" where modelTables == nil:
      guard try looksLikeRelationship(column.name, in: table) else { return .unknown }
      keptColumns.append("\(table).\(column.name)")
      return .number
    default: return .unknown
    }
  }

  /// Whether a column has the index that the frameworks give a relationship, and only primary keys of one
  /// of the tables.
  private func looksLikeRelationship(_ column: String, in table: String) throws -> Bool {
    let index = try statement.integer(
      "SELECT 1 FROM sqlite_master WHERE type = 'index' AND name = ?1",
      [.text("\(table)_\(column)_INDEX")])
    guard index != nil else { return false }
    return try objectTables.intersection(snapshot.layout.tableNames).contains { other in
      try integer(
        """
        SELECT EXISTS (SELECT 1 FROM \(quoted(table)) WHERE \(quoted(column)) IS NOT NULL
          AND \(quoted(column)) NOT IN (SELECT Z_PK FROM \(quoted(other))))
        """) == 0
    }
  }

  /// The columns that triggers count related objects in, by table.
  private func counters() throws -> [String: Set<String>] {
    var counters: [String: Set<String>] = [:]
    let triggers = try statement.texts(
      "SELECT sql FROM sqlite_master WHERE type = 'trigger' AND length(sql) < 100000")
    // UPDATE ZTRIP SET ZCOUNT = IFNULL(ZCOUNT, 0) + 1
    let increment =
      #/
      \bUPDATE\s+["`\[]?(\w+)["`\]]?\s+SET\s+["`\[]?(\w+)["`\]]?\s*=\s*
      (?:IFNULL\s*\(\s*["`\[]?\2["`\]]?\s*,\s*0\s*\)|["`\[]?\2["`\]]?)\s*\+\s*1\b
      /#
    for sql in triggers {
      for match in sql.matches(of: increment) {
        counters[String(match.1), default: []].insert(String(match.2))
      }
    }
    return counters
  }

  private static func isKeyName(_ name: String) -> Bool {
    ["Z_PK", "Z_ENT", "Z_OPT"].contains(name) || name.hasPrefix("Z_FOK_")
      || name.hasPrefix("Z") && name.dropFirst().first?.isNumber ?? false && name.contains("_")
  }

  private static func isLinkColumn(_ column: Column) -> Bool {
    column.type == "INTEGER"
      && (column.name == "REFLEXIVE" || column.name.hasPrefix("Z_FOK_")
        || column.name.hasPrefix("Z_") && column.name.dropFirst(2).first?.isNumber ?? false)
  }

  /// Columns of numbers in the tables of mirroring whose meaning is known.
  private static let mirroringNumbers: Set<String> = [
    "ZBOOLVALUENUM", "ZINTEGERVALUE", "ZENTITYID", "ZENTITYPK", "ZNEEDSCLOUDDELETE",
    "ZNEEDSLOCALDELETE", "ZNEEDSUPLOAD", "ZLASTEXPORTEDTRANSACTIONNUMBER",
    "ZPENDINGEXPORTTRANSACTIONNUMBER", "ZPENDINGEXPORTCHANGETYPENUMBER", "ZRECORDZONE",
  ]

  /// Values of unknown columns are replaced there as those of objects are: what a mirror keeps differs between versions.
  private static func mirroringRule(_ column: Column) -> ScrubPlan.Rule {
    switch column.name {
    case "ZKEY": .frameworkKey
    case "ZTRANSFORMEDVALUE": .token
    case _ where isKeyName(column.name) || mirroringNumbers.contains(column.name): .number
    default: column.type == "TIMESTAMP" ? .date : .unknown
    }
  }

  // MARK: - History

  func tombstoneRules() -> [Int64: [ScrubPlan.Rule]] {
    guard let model else { return [:] }
    let slots = LazySlots(model)
    var rules: [Int64: [ScrubPlan.Rule]] = [:]
    for entry in snapshot.entities.modelEntries {
      rules[entry.number] = slots.slots(of: entry.name)?.tombstoneAttributes.map {
        Self.rule(of: $0, path: $0.name)
      }
    }
    return rules
  }

  /// Returns the longest masks of changes, in bytes: of as many bits as the model gives the entity, or where it is not
  /// known, as its table has columns, and some for relationships to many objects.
  func maskLengths() throws -> [Int64: Int] {
    let slots = model.map(LazySlots.init)
    let longest =
      try objectTables.intersection(snapshot.layout.tableNames)
      .map { try statement.columns(of: $0).count }.max() ?? 0
    var lengths: [Int64: Int] = [:]
    for entry in snapshot.entities.modelEntries {
      let count = slots?.slots(of: entry.name)?.slots.count ?? longest + 32
      lengths[entry.number] = (count + 7) / 8
    }
    return lengths
  }

  /// The beginning of a text, with an ellipsis if it is long.
  private static func shortened(_ column: String) -> String {
    "iif(length(\(column)) > 1000, substr(\(column), 1, 1000) || '…', \(column))"
  }

  /// Returns names of authors, bundles and processes, long ones shortened.
  func authors(limit: Int) throws -> [String] {
    guard let history = snapshot.layout.history else { return [] }
    let roles: [StringRole] = [.author, .bundle, .process]
    var queries = roles.map(\.plainColumn).filter(history.transactionColumns.contains).map {
      "SELECT \(Self.shortened($0)) AS name FROM ATRANSACTION WHERE \($0) IS NOT NULL"
    }
    if history.internsStrings {
      queries += roles.map(\.identifierColumn).filter(history.transactionColumns.contains).map {
        """
        SELECT \(Self.shortened("ZNAME")) FROM ATRANSACTIONSTRING AS string
        WHERE EXISTS (SELECT 1 FROM ATRANSACTION WHERE \($0) = string.Z_PK)
        """
      }
    }
    guard !queries.isEmpty else { return [] }
    return try statement.texts(queries.joined(separator: " UNION ") + " LIMIT \(limit)")
  }
}
