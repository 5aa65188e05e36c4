import CSQLiteSupport
import GRDB
import PropertyLists
import StoreFormat
import StoreTransactions

/// Builds a scrubbed copy of a store, row by row in a new file.
///
/// The file never contains anything of the original, so no traces can remain: tables and indexes are created
/// again, as `VACUUM` does, and their rows are replaced on the way.
package struct StoreScrubber {
  let plan: ScrubPlan
  /// Whether authors, bundles and processes are replaced.
  let replacesAuthors: Bool
  private let snapshot: StoreSnapshot
  private var values: ValueScrubber
  private var names: ScrubNames?
  private var schema: SchemaNames
  /// The tables whose indexes were created while they were filled.
  private var indexedTables: Set<String> = []

  private static let rowsPerReport: Int64 = 1000
  /// The maximum size of a property list whose parts are replaced, in bytes; decoded it takes many times as much.
  private static let longestPropertyList = 1 << 20
  /// The size of a row in bytes above which SQLite's copy of it is released early.
  private static let largeRow = 1 << 20

  package init(
    _ snapshot: StoreSnapshot, plan: ScrubPlan, key: ScrubKey, replacesAuthors: Bool
  ) {
    self.snapshot = snapshot
    self.plan = plan
    self.replacesAuthors = replacesAuthors
    values = ValueScrubber(key: key)
    names = plan.names
    schema = plan.names?.schema ?? plan.keptSchema
  }

  /// What was written.
  package struct Summary: Hashable, Sendable {
    package fileprivate(set) var rowCount: Int64 = 0
    /// The number of values that were replaced or shifted.
    package fileprivate(set) var valueCount: Int64 = 0
  }

  /// Writes the copy.
  ///
  /// - Parameter progress: Called regularly with the number of rows; an error ends the writing.
  mutating func write(
    to path: String, progress: (Int64) throws -> Void
  ) throws -> Summary {
    try StoreDraft.claim(path, permissions: snapshot.location.filePermissions())
    var summary = Summary()
    let queue = try open(path)
    try queue.writeWithoutTransaction { copy in
      try setUp(copy)
      try copy.inTransaction(.immediate) {
        for table in plan.tables {
          try run(sql(table.sql, on: table.name), "CREATE TABLE", in: copy)
          try fill(table, in: copy, &summary, progress)
        }
        try createIndexes(in: copy) { try progress(summary.rowCount) }
        try addSchema(to: copy)
        return .commit
      }
    }
    try queue.close()
    // The search indexes are known to a connection that reads the whole schema.
    let second = try open(path)
    try second.writeWithoutTransaction { copy in
      try copy.inTransaction(.immediate) {
        for index in plan.indexes where index.treatment == .coordinates {
          try fillCoordinates(of: index.name, in: copy)
        }
        return .commit
      }
      if try snapshot.usesLog() {
        try copy.execute(sql: "PRAGMA journal_mode = WAL; PRAGMA wal_checkpoint(TRUNCATE)")
      }
    }
    try second.close()
    return summary
  }

  // MARK: - The file

  private func open(_ path: String) throws -> DatabaseQueue {
    var configuration = Configuration()
    configuration.foreignKeysEnabled = false
    configuration.prepareDatabase { database in
      try StoreConnection.keepLocks(of: database)
      try WritingConnection.check(csqlite_harden_for_building(database.sqliteConnection))
      // An unfinished copy is discarded, and the draft syncs a finished one.
      try database.execute(
        sql: """
          PRAGMA mmap_size = 0; PRAGMA cache_size = -16000; PRAGMA journal_mode = OFF;
          PRAGMA synchronous = OFF; PRAGMA ignore_check_constraints = ON
          """)
    }
    return try DatabaseQueue(path: path, configuration: configuration)
  }

  /// Gives the new file the settings of the original.
  private func setUp(_ copy: Database) throws {
    for name in ["page_size", "auto_vacuum"] {
      let value = try Int64.fetchOne(snapshot.database, sql: "PRAGMA \(name)") ?? 0
      try copy.execute(sql: "PRAGMA \(name) = \(value)")
    }
    let encoding = try String.fetchOne(snapshot.database, sql: "PRAGMA encoding") ?? "UTF-8"
    if encoding.hasPrefix("UTF-16") { try copy.execute(sql: "PRAGMA encoding = '\(encoding)'") }
  }

  /// Returns a statement of the schema as the copy has it, or `nil` if it cannot have it.
  private mutating func sql(_ sql: String, on table: String) -> String? {
    var values = values
    return schema.statement(sql, on: table) { values.scrub($0) }
  }

  /// The name that a table, an index, a trigger or a view has in the copy.
  private func copyName(_ name: String) -> String { schema.object(name) }

  /// Runs the one statement that a schema has for a table or an index.
  private func run(_ sql: String?, _ beginning: String, in copy: Database) throws {
    guard let sql, sql.uppercased().hasPrefix(beginning) else {
      throw StoreError.damaged(
        path: plan.path, place: "its tables",
        detail: "the schema has a statement that is not \(beginning)")
    }
    try copy.makeStatement(sql: sql).execute()
  }

  /// Creates the indexes of a table, or with `nil` all that do not exist yet.
  private mutating func createIndexes(
    of only: String? = nil, in copy: Database, progress: () throws -> Void
  ) throws {
    let rows = try StatementRunner(snapshot.database).rows(
      """
      SELECT sql, tbl_name FROM sqlite_master WHERE type = 'index' AND sql IS NOT NULL ORDER BY rowid
      """)
    for row in rows {
      guard case .text(let sql) = row[0], case .text(let table) = row[1],
        only == nil ? !indexedTables.contains(table) : table == only
      else { continue }
      try run(self.sql(sql, on: table), "CREATE", in: copy)
      try progress()
    }
  }

  /// Adds triggers, views and virtual tables as text: many of them call functions that only the
  /// frameworks have.
  private mutating func addSchema(to copy: Database) throws {
    let rows = try StatementRunner(snapshot.database).rows(
      """
      SELECT type, name, tbl_name, 0, sql FROM sqlite_master
      WHERE type IN ('trigger', 'view') OR type = 'table' AND rootpage = 0 ORDER BY rowid
      """)
    guard !rows.isEmpty else { return }
    try copy.execute(sql: "PRAGMA writable_schema = ON")
    let runner = StatementRunner(copy)
    for var row in rows {
      if case .text(let name) = row[1], case .text(let table) = row[2],
        case .text(let text) = row[4]
      {
        guard let newText = sql(text, on: table) else { continue }
        row = [
          row[0], .text(copyName(name)), .text(copyName(table)), row[3], .text(newText),
        ]
      }
      try runner.run(
        "INSERT INTO sqlite_master (type, name, tbl_name, rootpage, sql) VALUES (?1, ?2, ?3, ?4, ?5)",
        row)
    }
    try copy.execute(sql: "PRAGMA writable_schema = OFF")
  }

  // MARK: - Rows

  private mutating func fill(
    _ table: ScrubPlan.Table, in copy: Database, _ summary: inout Summary,
    _ progress: (Int64) throws -> Void
  ) throws {
    if table.isPartOfIndex { return try fillEmptyIndex(table.name, in: copy) }
    guard table.treatment != .emptied, !table.columns.isEmpty else { return }
    let (source, target, isInOrder) = try cursors(of: table, in: copy)
    var row: [StoredValue] = []
    while try source.step() {
      row.removeAll(keepingCapacity: true)
      var byteCount = 0
      for index in table.columns.indices {
        row.append(source.value(at: index))
        byteCount += row[index].byteCount
      }
      if byteCount > Self.largeRow, indexedTables.insert(table.name).inserted {
        // Created afterwards, an index would take the memory of all large values at once to be sorted.
        try createIndexes(of: table.name, in: copy) {}
      }
      let keepsAuthor = !replacesAuthors && source.integer(at: table.columns.count) != 0
      let entity = source.integerIfAny(at: table.columns.count + 1)
      var isLast = false
      if isInOrder, byteCount > Self.largeRow {
        // SQLite releases its copy of the values before there is another one.
        let (next, overflows) = source.integer(at: table.columns.count + 2).addingReportingOverflow(
          1)
        isLast = overflows
        try source.bind(next)
      }
      for (index, column) in table.columns.enumerated() {
        let value = row[index]
        row[index] = .null
        let scrubbed = try scrub(value, column.rule, entity: entity, keepsAuthor: keepsAuthor)
        if scrubbed != value { summary.valueCount += 1 }
        row[index] = scrubbed
      }
      try target.run(row)
      summary.rowCount += 1
      if summary.rowCount.isMultiple(of: Self.rowsPerReport) { try progress(summary.rowCount) }
      if isLast { break }
    }
  }

  /// Returns a statement that reads the rows of a table, one that writes them to the copy, and whether the rows come
  /// by their numbers, so that reading can go on from one.
  private func cursors(
    of table: ScrubPlan.Table, in copy: Database
  ) throws -> (source: StatementCursor, target: StatementCursor, isInOrder: Bool) {
    let columns = table.columns.map { quoted($0.name) }
    // Names in the string table stay while an author, a bundle or a process has them.
    let isAuthor = table.name == "ATRANSACTIONSTRING" ? try authorCondition() : "1"
    let entities = ["ACHANGE": "ZENTITY", "Z_PRIMARYKEY": "Z_ENT"]
    let entity = entities[table.name] ?? "NULL"
    let rowNumber = snapshot.rowNumberColumn(of: table.name, columns: table.columns.map(\.name))
    let source = try StatementCursor(
      snapshot.database,
      sql: """
        SELECT \(columns.joined(separator: ", ")), \(isAuthor), \(entity), \(rowNumber ?? "NULL")
        FROM \(quoted(table.name)) AS original
        """ + (rowNumber.map { " WHERE \($0) >= ?1 ORDER BY \($0)" } ?? ""))
    if rowNumber != nil { try source.bind(Int64.min) }
    let places = (1...columns.count).map { "?\($0)" }.joined(separator: ", ")
    let copyColumns = table.columns.map {
      quoted(schema.column($0.name, of: table.name))
    }
    let target = try StatementCursor(
      copy,
      sql: """
        INSERT INTO \(quoted(copyName(table.name))) (\(copyColumns.joined(separator: ", ")))
        VALUES (\(places))
        """)
    return (source, target, rowNumber != nil)
  }

  private mutating func scrub(
    _ value: StoredValue, _ rule: ScrubPlan.Rule, entity: Int64?, keepsAuthor: Bool
  ) throws -> StoredValue {
    switch (rule, value) {
    case (_, .null), (.number, .integer), (.boolean, .integer(0...1)): return value
    case (.emptied(let mayBeNull), _): return mayBeNull ? .null : value.emptied
    case (.date, _): return values.shift(value)
    case (.caseName(let name), .text(let text)) where text == name:
      return .text(names?.names.properties[name] ?? name)
    case (.entityName, .text) where names == nil: return value
    case (.model, .blob(let bytes)) where names == nil:
      return ModelCache.isExact(content: bytes) ? value : .null
    case (.model, _) where names == nil: return .null
    case (.mask, .blob(let bytes)) where bytes.count > entity.flatMap({ plan.maskLengths[$0] }) ?? 0:
      return values.scrub(value)
    case (.mask, .blob) where names == nil: return value
    case (.entityName, .text), (.model, _), (.mask, .blob):
      return try names?.replace(value, rule, entity: entity, &values) ?? .null
    case (.author, .text(let text)) where Self.prefix(ofFrameworks: text) != nil:
      return .text(scrub(ofFrameworks: text, Self.authors))
    case (.author, .text) where keepsAuthor: return value
    case (.frameworkKey, .text(let text)) where Self.prefix(ofFrameworks: text) != nil:
      return .text(scrub(ofFrameworks: text, Self.keys))
    case (.largeData, .blob(let bytes)), (.unknown, .blob(let bytes)):
      return .blob(scrub(largeData: bytes, isKnown: rule == .largeData))
    case (.tombstone(let number), _):
      let rules = entity.flatMap { plan.tombstoneRules[$0] } ?? []
      let rule = rules.indices.contains(number) ? rules[number] : .unknown
      return try scrub(value, rule, entity: nil, keepsAuthor: false)
    case (.propertyList, .blob(let bytes)): return try scrub(metadata: bytes)
    case (.token, .blob(let bytes)) where bytes.count <= Self.longestPropertyList:
      return scrub(token: bytes)
    default: return values.scrub(value)
    }
  }

  private func authorCondition() throws -> String {
    let columns = snapshot.layout.history?.transactionColumns ?? []
    let roles: [StringRole] = [.author, .bundle, .process]
    let uses = roles.map(\.identifierColumn).filter(columns.contains).map {
      "EXISTS (SELECT 1 FROM ATRANSACTION WHERE \($0) = original.Z_PK)"
    }
    return uses.isEmpty ? "0" : uses.joined(separator: " OR ")
  }

  /// The beginning of a name that the frameworks set, whose code looks for it.
  private static func prefix(ofFrameworks name: String) -> String? {
    [Self.migrator, "NSCloudKitMirroringDelegate", "PFCloudKit", "com.apple.coredata."].first {
      name.utf8.starts(with: $0.utf8)
    }
  }

  /// The beginning of the author of a migration; the digest of a model follows.
  private static let migrator =
    "com.apple.coredata.schemamigrator: lightweight migration from model with digest "

  private static let authors: Set<String> = Set(
    ["import", "export", "reset", "setup"].map { "NSCloudKitMirroringDelegate." + $0 })

  private static let keys: Set<String> = Set(
    """
    NSCloudKitMirroringDelegateLastHistoryTokenKey NSCloudKitMirroringDelegateServerChangeTokensKey
    NSCloudKitMirroringDelegateCKIdentityRecordNameDefaultsKey
    NSCloudKitMirroringDelegateCheckedCKIdentityDefaultsKey
    NSCloudKitMirroringDelegateBypassHistoryOnExportKey
    NSCloudKitMirroringDelegateScanForRowsMissingFromHistoryKey
    PFCloudKitMetadataFrameworkVersionMetadataKey PFCloudKitMetadataModelVersionHashesKey
    PFCloudKitMetadataClientVersionHashesMetadataKey PFCloudKitMetadataNeedsMetadataMigrationKey
    PFCloudKitMetadataNeedsZoneFetchAfterClientMigrationKey
    """.split { $0 == " " || $0 == "\n" }.map(String.init))

  /// Keeps a name of the frameworks if it is known, and otherwise its beginning.
  private func scrub(ofFrameworks name: String, _ known: Set<String>) -> String {
    guard !known.contains(name), let prefix = Self.prefix(ofFrameworks: name) else { return name }
    let rest = String(decoding: name.utf8.dropFirst(prefix.utf8.count), as: UTF8.self)
    // A digest identifies the model, and so do the names that stay.
    let isDigest =
      prefix == Self.migrator && rest.wholeMatch(of: #/\{ [A-Za-z0-9+\/]{86}== \}/#) != nil
    return isDigest && names == nil ? name : prefix + values.scrub(rest)
  }

  /// Replaces data after its first byte, which says where it is stored. A reference to a file becomes short data.
  private mutating func scrub(largeData bytes: [UInt8], isKnown: Bool) -> [UInt8] {
    func scrubRest() -> [UInt8] {
      bytes.withUnsafeBytes {
        values.scrub(UnsafeRawBufferPointer(rebasing: $0.dropFirst()), after: $0.first)
      }
    }
    // Large data is not copied to look at its first byte.
    if LargeValueColumn.isInline(bytes) { return scrubRest() }
    switch try? LargeValueColumn(bytes) {
    case .file(let name):
      return [1] + Array(values.scrub(Array(name.text.utf8)).prefix(16))
    case nil where isKnown && !bytes.isEmpty: return scrubRest()
    case .inline, nil: return values.scrub(bytes)
    }
  }

  // MARK: - Property lists

  /// Keeps the keys of the frameworks, with their values if these are of the known form; all others are the app's.
  private mutating func scrub(metadata bytes: [UInt8]) throws -> StoredValue {
    guard bytes.count <= Self.longestPropertyList else {
      throw StoreError.damaged(
        path: plan.path, place: "Z_METADATA",
        detail: "its property list has \(bytes.count) bytes (limit \(Self.longestPropertyList))")
    }
    guard case .dictionary(let properties)? = try? BinaryPropertyList(bytes).root else {
      return .null
    }
    var scrubbed: [String: PropertyListValue] = [:]
    for (key, value) in properties {
      let isOfFrameworks = StoreMetadata.frameworkKeys.contains(key)
      scrubbed[isOfFrameworks || names == nil ? key : values.scrub(key)] =
        isOfFrameworks ? scrub(value, ofFrameworkKey: key) : scrub(value)
    }
    for (key, value) in names?.versionProperties ?? [:] where scrubbed[key] != nil {
      scrubbed[key] = value
    }
    return (try? BinaryPropertyListWriter.bytes(of: .dictionary(scrubbed))).map(StoredValue.blob)
      ?? .null
  }

  private mutating func scrub(
    _ value: PropertyListValue, ofFrameworkKey key: String
  ) -> PropertyListValue {
    func isBase64(_ count: Int) -> Bool {
      value.string?.utf8.count == count
        && value.string?.wholeMatch(of: #/[A-Za-z0-9+\/]+=*/#) != nil
    }
    let isKnown =
      switch key {
      case "NSStoreType": value.string == "SQLite"
      case "NSPersistenceFrameworkVersion", "NSPersistenceMaximumFrameworkVersion",
        "NSStoreModelVersionHashesVersion":
        value.integer != nil
      case "_NSAutoVacuumLevel": ["0", "1", "2"].contains(value.string)
      case "NSStoreModelVersionIdentifiers": value.array?.allSatisfy { $0.string != nil } ?? false
      case "NSStoreModelVersionHashesDigest": isBase64(88)
      case "NSStoreModelVersionChecksumKey": isBase64(44)
      case "migrationManagerClass":
        ["NSSQLiteInPlaceMigrationManager", "NSMigrationManager"].contains(value.string)
      default: false
      }
    if isKnown { return value }
    switch key {
    case "NSStoreModelVersionHashes": return scrub(hashes: value, of: entityNames)
    case "_NSStoreAncillaryModelVersionHashesMetadataKey":
      let names = ScrubNames.historyNames.union(["NSPersistentHistoryTrackingKey"])
      return scrub(hashes: value, of: names)
    default: return scrub(value)
    }
  }

  /// Keeps the hashes of entities of these names.
  private mutating func scrub(
    hashes value: PropertyListValue, of names: Set<String>
  ) -> PropertyListValue {
    guard case .dictionary(let members) = value else { return scrub(value) }
    var scrubbed: [String: PropertyListValue] = [:]
    for (name, member) in members {
      let isKnown = names.contains(name)
      switch member {
      case .data(let hash) where isKnown && hash.count == 32: scrubbed[name] = member
      case .dictionary where isKnown: scrubbed[name] = scrub(hashes: member, of: names)
      default: scrubbed[isKnown ? name : values.scrub(name)] = scrub(member)
      }
    }
    return .dictionary(scrubbed)
  }

  private var entityNames: Set<String> { Set(snapshot.entities.modelEntries.map(\.name)) }

  private mutating func scrub(_ value: PropertyListValue) -> PropertyListValue {
    switch value {
    case .null, .boolean, .uid: return value
    case .integer(let number): return .integer(values.scrub(number))
    case .unsigned(let number): return .real(values.scrub(Double(number)))
    case .real(let number): return .real(values.scrub(number))
    case .date(let date):
      if case .real(let shifted) = values.shift(.real(date)) { return .date(shifted) }
      return value
    case .data(let bytes): return .data(values.scrub(bytes))
    case .string(let text): return .string(values.scrub(text))
    case .array(let elements):
      var scrubbed: [PropertyListValue] = []
      for element in elements { scrubbed.append(scrub(element)) }
      return .array(scrubbed)
    case .dictionary(let members):
      var scrubbed: [String: PropertyListValue] = [:]
      for (key, member) in members { scrubbed[values.scrub(key)] = scrub(member) }
      return .dictionary(scrubbed)
    }
  }

  /// A token in an archive names the store, whose identifier is replaced; other data is replaced as a
  /// whole.
  private mutating func scrub(token bytes: [UInt8]) -> StoredValue {
    guard case .dictionary(let archive)? = try? PropertyListValue(propertyList: bytes),
      let objects = archive["$objects"]?.array,
      objects.contains(where: { $0.dictionary?["NSPersistentHistoryTokenDictionary"] != nil })
    else { return .blob(values.scrub(bytes)) }
    let scrubbed = archive.filter { Self.wordsOfTokens.contains($0.key) }
      .mapValues { scrub(ofToken: $0) }
    return (try? BinaryPropertyListWriter.bytes(of: .dictionary(scrubbed))).map(StoredValue.blob)
      ?? .blob(values.scrub(bytes))
  }

  /// The keys and texts of an archived token; any other text is the identifier of a store, or nothing that is known.
  private static let wordsOfTokens: Set<String> = [
    "$archiver", "NSKeyedArchiver", "$version", "$top", "root", "$objects", "$null", "$class",
    "$classname", "$classes", "$classhints", "NS.keys", "NS.objects", "NSObject", "NSDictionary",
    "NSMutableDictionary", "NSNumber", "NSPersistentHistoryToken", "_NSPersistentHistoryToken",
    "NSPersistentHistoryTokenDictionary",
  ]

  private mutating func scrub(ofToken value: PropertyListValue) -> PropertyListValue {
    switch value {
    case .string(let text):
      return .string(Self.wordsOfTokens.contains(text) ? text : values.scrub(text))
    case .array(let elements):
      var scrubbed: [PropertyListValue] = []
      for element in elements { scrubbed.append(scrub(ofToken: element)) }
      return .array(scrubbed)
    case .dictionary(let members):
      var scrubbed: [String: PropertyListValue] = [:]
      for (key, member) in members where Self.wordsOfTokens.contains(key) {
        scrubbed[key] = scrub(ofToken: member)
      }
      return .dictionary(scrubbed)
    case .null, .boolean, .uid, .integer, .unsigned: return value
    case .real, .date, .data: return scrub(value)
    }
  }

  // MARK: - Search indexes

  /// Gives a table of a search index the rows that it has when the index is new.
  private func fillEmptyIndex(_ table: String, in database: Database) throws {
    let index = plan.indexes.first { table.hasPrefix($0.name + "_") }
    let copy = quoted(copyName(table))
    let source = StatementRunner(snapshot.database)
    let target = StatementRunner(database)
    switch (index?.module, index.map { String(table.dropFirst($0.name.count)) }) {
    case ("rtree", "_node"):
      let length = try source.integer("SELECT length(data) FROM \(quoted(table)) WHERE nodeno = 1")
      try target.run(
        "INSERT INTO \(copy) (nodeno, data) VALUES (1, zeroblob(?1))",
        [.integer(length ?? 0)])
    case ("fts5", "_data"):
      try target.run(
        "INSERT INTO \(copy) (id, block) VALUES (1, x''), (10, x'00000000000000')")
    case ("fts5", "_config"):
      let version = try source.integer("SELECT v FROM \(quoted(table)) WHERE k = 'version'")
      try target.run(
        "INSERT INTO \(copy) (k, v) VALUES ('version', ?1)", [.integer(version ?? 4)])
    default: break
    }
  }

  /// Fills an index of coordinates from the scrubbed columns that its trigger fills it from.
  private func fillCoordinates(of name: String, in copy: Database) throws {
    let runner = StatementRunner(copy)
    let copyName = copyName(name)
    let columns = try runner.columns(of: copyName).map(\.name)
    let owners = try runner.texts(
      "SELECT tbl_name FROM sqlite_master WHERE type = 'trigger' AND name = ?1",
      [.text(copyName + "_INSERT")])
    guard let owner = owners.first,
      plan.tables.contains(where: {
        self.copyName($0.name) == owner && $0.treatment == .objects
      })
    else { return }
    let sources = columns.map { column in
      ["_MIN", "_MAX"].first { column.hasSuffix($0) }.map { String(column.dropLast($0.count)) }
        ?? column
    }
    guard sources.first == "Z_PK",
      try Set(sources).isSubset(of: runner.columns(of: owner).map(\.name))
    else { return }
    let present = try StatementCursor(
      snapshot.database, sql: "SELECT rowid FROM \(quoted(name + "_rowid"))")
    while try present.step() {
      try runner.run(
        """
        INSERT OR IGNORE INTO \(quoted(copyName)) (\(columns.map(quoted).joined(separator: ", ")))
        SELECT \(sources.map(quoted).joined(separator: ", ")) FROM \(quoted(owner)) WHERE Z_PK = ?1
        """, [.integer(present.integer(at: 0))])
    }
  }
}

extension StoredValue {
  /// A value of the same type without content.
  fileprivate var emptied: StoredValue {
    switch self {
    case .null: .null
    case .integer: .integer(0)
    case .real: .real(0)
    case .text, .malformedText: .text("")
    case .blob: .blob([])
    }
  }
}

extension StoreSnapshot {
  /// Returns the name under which SQL knows the numbers of a table's rows; `nil` if its rows have none, or its
  /// columns take all such names.
  fileprivate func rowNumberColumn(of table: String, columns: [String]) -> String? {
    let names = Set(columns.map { $0.lowercased() })
    return ["_rowid_", "rowid", "oid"].first { !names.contains($0) }.flatMap { name in
      let probe = try? StatementCursor(
        database, sql: "SELECT original.\(name) FROM \(quoted(table)) AS original")
      return probe == nil ? nil : "original.\(name)"
    }
  }
}
