import CSQLiteSupport
import GRDB
import StoreFormat

/// The names of a store's tables, columns, indexes and triggers in a copy with neutral names.
///
/// The names of the frameworks and of SQLite stay. All other words of the schema are replaced, so that no word of
/// unknown meaning remains.
struct SchemaNames: Sendable {
  private let names: NeutralNames
  /// The new names of tables, views, indexes and triggers, by the old ones in capital letters.
  private var objects: [String: String] = [:]
  /// The new names of columns, by table and column in capital letters.
  private var columns: [String: [String: String]] = [:]
  /// The paths of properties by the new names of their table and column.
  private var paths: [String: [String: String]] = [:]
  /// The tables that the frameworks have in every store, and those of search indexes.
  private var keptStatements: Set<String> = []
  /// The tables whose triggers fill search indexes, by index.
  private var indexedTables: [String: String] = [:]
  /// Replacements of words that are not known, of each kind.
  private var words: [String: [String: Int]] = [:]
  private let functions: Set<String>
  /// Whether all names stay, and only texts and numbers that are not names are replaced.
  private let keepsNames: Bool

  /// An object of the schema.
  private struct Row {
    let type, name, table, sql: String
    let isVirtual: Bool
  }

  private init(
    _ statement: StatementRunner, names: NeutralNames, keepsNames: Bool
  ) throws {
    self.names = names
    self.keepsNames = keepsNames
    functions = Set(
      try statement.texts("SELECT DISTINCT upper(name) FROM pragma_function_list"))
  }

  private static func rows(_ statement: StatementRunner) throws -> [Row] {
    try statement.rows(
      """
      SELECT type, name, tbl_name, coalesce(sql, ''), rootpage = 0 FROM sqlite_master
      WHERE name NOT LIKE 'sqlite\\_%' ESCAPE '\\' ORDER BY rowid
      """
    ).compactMap { row -> Row? in
      guard case .text(let type) = row[0], case .text(let name) = row[1],
        case .text(let table) = row[2], case .text(let sql) = row[3]
      else { return nil }
      return Row(
        type: type, name: name, table: table.uppercased(), sql: sql,
        isVirtual: type == "table" && row[4] == .integer(1))
    }
  }

  private static func columnNames(_ table: String, _ statement: StatementRunner) throws -> [String]
  {
    try statement.texts("SELECT name FROM pragma_table_xinfo(?1)", [.text(table)])
  }

  /// The schema of a copy whose names stay.
  init(keepingNamesOf snapshot: StoreSnapshot, model: ManagedModel?) throws {
    let statement = StatementRunner(snapshot.database)
    try self.init(
      statement,
      names: NeutralNames(model, entityNames: snapshot.entities.modelEntries.map(\.name)),
      keepsNames: true)
    for row in try Self.rows(statement) {
      objects[row.name.uppercased()] = row.name
      guard row.type == "table", !row.isVirtual else { continue }
      for name in try Self.columnNames(row.name, statement) {
        columns[row.name.uppercased(), default: [:]][name.uppercased()] = name
      }
    }
  }

  /// The schema of a copy with neutral names.
  ///
  /// - Parameters:
  ///   - old: The tables of the model, if it is known.
  ///   - new: The tables of the model with neutral names.
  init(
    _ snapshot: StoreSnapshot, names: NeutralNames, old: EntityTables?, new: EntityTables?
  ) throws {
    let statement = StatementRunner(snapshot.database)
    try self.init(statement, names: names, keepsNames: false)
    let rows = try Self.rows(statement)
    nameTables(rows, snapshot, old, new)
    for row in rows where row.type == "table" && !row.isVirtual {
      nameColumns(
        of: row.name.uppercased(), try Self.columnNames(row.name, statement))
    }
    for row in rows where row.type == "index" {
      objects[row.name.uppercased()] = indexName(
        row.name, row.table,
        try statement.texts(
          "SELECT coalesce(name, '') FROM pragma_index_info(?1) ORDER BY seqno", [.text(row.name)]))
    }
    for row in rows where row.type == "trigger" || row.type == "view" {
      objects[row.name.uppercased()] = otherName(row.name, row.type, row.table)
    }
  }

  // MARK: - Looking names up

  func object(_ name: String) -> String { objects[name.uppercased()] ?? name }

  func column(_ name: String, of table: String) -> String {
    columns[table.uppercased()]?[name.uppercased()] ?? name
  }

  // MARK: - Naming

  private mutating func number(of word: String, _ kind: String) -> Int {
    if let known = words[kind]?[word] { return known }
    let number = (words[kind]?.count ?? 0) + 1
    words[kind, default: [:]][word] = number
    return number
  }

  private mutating func nameTables(
    _ rows: [Row], _ snapshot: StoreSnapshot, _ old: EntityTables?, _ new: EntityTables?
  ) {
    let frameworkTables =
      ["Z_PRIMARYKEY", "Z_METADATA", "Z_MODELCACHE", "ACHANGE", "ATRANSACTION"]
      + ["ATRANSACTIONSTRING"] + snapshot.layout.mirroringTables
    for name in frameworkTables {
      objects[name.uppercased()] = name
      keptStatements.insert(name.uppercased())
    }
    for entry in snapshot.entities.modelEntries where entry.superNumber == 0 {
      objects["Z" + entry.name.uppercased()] = names.entities[entry.name].map {
        "Z" + $0.uppercased()
      }
    }
    if let old, let new { nameModelTables(old, new) }
    for row in rows where row.isVirtual {
      let stem = row.name.hasPrefix("Z_RT_") ? "Z_RT_" : "SEARCH"
      objects[row.name.uppercased()] = stem + String(number(of: row.name, "SEARCH"))
    }
    for row in rows where row.type == "table" && objects[row.name.uppercased()] == nil {
      if let index = rows.first(where: { $0.isVirtual && row.name.hasPrefix($0.name + "_") }) {
        objects[row.name.uppercased()] = object(index.name) + row.name.dropFirst(index.name.count)
        keptStatements.insert(row.name.uppercased())
      } else {
        objects[row.name.uppercased()] = unknownName(row.name, "TABLE")
      }
    }
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
        ?? keptStatements.contains(table)
      columns[table, default: [:]][name.uppercased()] =
        stays || isKnown(name.uppercased()) ? name : unknownName(name, "COLUMN")
    }
  }

  /// Returns a name of the same kind, with the prefix that the frameworks put before some names.
  private mutating func unknownName(_ name: String, _ kind: String) -> String {
    let name = name.uppercased()
    let beginning = name.prefixMatch(of: #/Z_FOK_|Z\d+_|Z_\d+|Z/#).map { String($0.output) } ?? ""
    return "\(beginning)\(kind)\(number(of: String(name.dropFirst(beginning.count)), kind))"
  }

  private mutating func indexName(_ name: String, _ table: String, _ indexed: [String]) -> String {
    if keptStatements.contains(table), name.hasPrefix("Z_") || name.hasPrefix(table + "_") {
      return name
    }
    for column in indexed where name.uppercased() == "\(table)_\(column.uppercased())_INDEX" {
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

  private mutating func otherName(
    _ name: String, _ type: String, _ table: String
  ) -> String {
    for suffix in ["_INSERT", "_UPDATE", "_DELETE"] where name.hasSuffix(suffix) {
      let index = name.dropLast(suffix.count).uppercased()
      if let newIndex = objects[index] {
        indexedTables[index] = table
        return newIndex + suffix
      }
    }
    let stem = ["Z_DA_", "ZT_"].first(where: name.hasPrefix) ?? type.uppercased()
    return "\(stem)\(number(of: name, "OTHER"))"
  }

  // MARK: - Statements

  /// Returns a statement of the schema with the new names, or `nil` if a name in it may be that of
  /// several columns.
  ///
  /// - Parameter replace: Returns what replaces a text or a number.
  mutating func statement(
    _ sql: String, on table: String, replacing replace: (StoredValue) -> StoredValue
  ) -> String? {
    let tokens = SQLToken.tokens(of: sql)
    let significant = tokens.filter { $0.kind != .blank }
    var scope = Scope(owner: table.uppercased())
    if significant.count > 1 {
      let kind = significant.prefix(3).map { $0.value.uppercased() }
      scope.isTable = kind[1] == "TABLE"
      scope.isVirtual = kind[1] == "VIRTUAL"
      if scope.isVirtual || kind.contains("TRIGGER") || kind.contains("VIEW") {
        scope.tables = Set(
          significant.filter { $0.kind != .other }.map { $0.value.uppercased() }
            .filter { columns[$0] != nil })
        if let table = indexedTables[scope.owner] { scope.tables.insert(table) }
        scope.hasPassedOn = !kind.contains("TRIGGER")
      }
    }
    scope.tables.insert(scope.owner)
    var text = ""
    var place = 0
    for token in tokens {
      defer { if token.kind != .blank { place += 1 } }
      switch token.kind {
      case .blank: text += token.value
      case .other: text += number(at: place, in: significant, scope, replace)
      case .text:
        text += token.sql(literal(token.value, scope, replace))
      case .name where keepsNames: text += token.value
      case .quotedName where keepsNames:
        text += token.sql(literal(token.value, scope, replace))
      case .name, .quotedName:
        guard let name = name(at: place, in: significant, &scope) else { return nil }
        text += token.sql(name)
      }
    }
    return text
  }

  /// The tables whose columns are looked up.
  private struct Scope {
    let owner: String
    var tables: Set<String> = []
    var isTable = false
    var isVirtual = false
    /// Whether the word `ON` of a trigger or an index, which a table follows, is passed.
    var hasPassedOn = false
  }

  private static let wordsBeforeTables: Set<String> = [
    "FROM", "JOIN", "UPDATE", "INTO", "TABLE", "INDEX", "TRIGGER", "VIEW", "EXISTS",
  ]

  /// The new name at a place among the tokens; `nil` if it may be one of several.
  private mutating func name(
    at place: Int, in tokens: [SQLToken], _ scope: inout Scope
  ) -> String? {
    let token = tokens[place]
    let word = token.value.uppercased()
    let before = place > 0 ? tokens[place - 1].value.uppercased() : ""
    let after = place + 1 < tokens.count ? tokens[place + 1].value : ""
    let isKeyword = token.kind == .name && sqlite3_keyword_check(word, CInt(word.utf8.count)) != 0
    let isTable = Self.wordsBeforeTables.contains(before) || before == "ON" && !scope.hasPassedOn
    if before == "ON" { scope.hasPassedOn = true }
    if isTable, !isKeyword || objects[word] != nil {
      return objects[word] ?? unknownWord(token.value)
    }
    if scope.isVirtual, before == "=", let table = objects[word] { return table }
    if after == "." {
      return objects[word] ?? (isKnown(word) ? token.value : unknownWord(token.value))
    }
    if after == "(", token.kind == .name, isKeyword || isFunction(word) { return token.value }
    var tables = scope.tables
    if before == ".", place > 1 {
      let qualifier = tokens[place - 2].value.uppercased()
      if qualifier == "NEW" || qualifier == "OLD" { tables = [scope.owner] }
      if columns[qualifier] != nil { tables = [qualifier] }
    }
    let candidates = self.candidates(word, in: tables)
    if let first = candidates.first {
      // The name of a column that stays may be that of a type, too.
      if candidates.count == 1 { return first.uppercased() == word ? token.value : first }
      return scope.isVirtual ? unknownWord(token.value) : nil
    }
    if isKeyword || isKnown(word) { return token.value }
    return objects[word] ?? unknownWord(token.value)
  }

  /// The new names that a column may have. Indexes of coordinates have two columns for each.
  private func candidates(_ word: String, in tables: Set<String>) -> Set<String> {
    let exact = Set(tables.compactMap { columns[$0]?[word] })
    guard exact.isEmpty else { return exact }
    for suffix in ["_MIN", "_MAX"] where word.hasSuffix(suffix) {
      let base = String(word.dropLast(suffix.count))
      return Set(tables.compactMap { columns[$0]?[base] }.map { $0 + suffix })
    }
    return []
  }

  /// Replaces a text, which is a name in calls of the frameworks' functions and in search indexes.
  private func literal(
    _ text: String, _ scope: Scope, _ replace: (StoredValue) -> StoredValue
  ) -> String {
    let word = text.uppercased()
    if text.isEmpty || isKnown(word) || keepsNames && isOfStore(text) { return text }
    if scope.isVirtual, text.split(separator: " ").allSatisfy({ isOption($0.uppercased()) }) {
      return text
    }
    if !keepsNames {
      if let name = objects[word] ?? names.entities[text] ?? names.properties[text] { return name }
      let candidates = self.candidates(word, in: scope.tables)
      if candidates.count == 1, let name = candidates.first { return name }
    }
    if case .text(let replaced) = replace(.text(text)) { return replaced }
    return ""
  }

  /// Whether a text is a name of the store: of an object of the schema, a column, an entity or a property.
  private func isOfStore(_ text: String) -> Bool {
    let word = text.uppercased()
    return objects[word] != nil || names.entities[text] != nil || names.properties[text] != nil
      || columns.values.contains { $0[word] != nil || $0["Z" + word] != nil }
  }

  /// Whether a word is a setting of a search index.
  private func isOption(_ word: String) -> Bool {
    isKnown(word) || word.utf8.allSatisfy { $0 >= 0x30 && $0 <= 0x39 }
  }

  /// The largest number that triggers and indexes of the frameworks have; they are numbers of entities and flags.
  private static let largestNumber: Int64 = 99_999

  /// Replaces a number or data, unless it is a length, a number of an entity or a flag.
  private func number(
    at place: Int, in tokens: [SQLToken], _ scope: Scope,
    _ replace: (StoredValue) -> StoredValue
  ) -> String {
    let value = tokens[place].value
    guard let first = value.utf8.first, tokens[place].isNumber || value.hasPrefix("x'") else {
      return value
    }
    guard first != UInt8(ascii: "x") else {
      return "x'" + String(repeating: "0", count: value.utf8.count - 3) + "'"
    }
    guard let number = Int64(value) else { return "0" }
    let before = place > 0 ? tokens[place - 1].value : ""
    let after = place + 1 < tokens.count ? tokens[place + 1].value : ""
    // VARCHAR(255) or DECIMAL(10, 2)
    let isLength =
      (before == "(" || before == ",") && (after == ")" || after == ",") && number < 1000
    let stays = scope.isTable ? number < 2 || isLength : number <= Self.largestNumber
    guard !stays, case .integer(let replaced) = replace(.integer(number)) else { return value }
    return String(replaced)
  }

  private mutating func unknownWord(_ word: String) -> String {
    "NAME\(number(of: word.uppercased(), "NAME"))"
  }

  // MARK: - Words of SQLite and the frameworks

  private func isFunction(_ word: String) -> Bool {
    functions.contains(word) || word.hasPrefix("NSCOREDATA")
  }

  private func isKnown(_ word: String) -> Bool {
    Self.knownWords.contains(word) || word.hasPrefix("NSCOLLATE")
      || sqlite3_keyword_check(word, CInt(word.utf8.count)) != 0
  }

  private static let knownWords: Set<String> = Set(
    """
    Z_PK Z_ENT Z_OPT REFLEXIVE ROWID OID _ROWID_ DOCID RANK NEW OLD MAIN TRUE FALSE STRICT
    INT INTEGER TINYINT SMALLINT MEDIUMINT BIGINT REAL DOUBLE FLOAT NUMERIC DECIMAL BOOLEAN BOOL
    CHAR CHARACTER VARCHAR NVARCHAR NCHAR TEXT CLOB BLOB DATE DATETIME TIMESTAMP ANY
    BINARY NOCASE RTRIM STORED
    RTREE RTREE_I32 GEOPOLY FTS3 FTS4 FTS5 CONTENT CONTENT_ROWID CONTENTLESS_DELETE TOKENIZE PREFIX
    COLUMNSIZE DETAIL NOTINDEXED LANGUAGEID MATCHINFO COMPRESS UNCOMPRESS UNINDEXED SIMPLE PORTER
    UNICODE61 ASCII TRIGRAM ICU REMOVE_DIACRITICS TOKENCHARS SEPARATORS CATEGORIES
    _COREDATATOKENIZER DELETE-ALL REBUILD OPTIMIZE MERGE AUTOMERGE INTEGRITY-CHECK
    """.split { $0 == " " || $0 == "\n" }.map(String.init))
}
