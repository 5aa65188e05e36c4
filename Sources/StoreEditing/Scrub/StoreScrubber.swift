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
  let snapshot: StoreSnapshot
  var values: ValueScrubber
  var names: ScrubNames?
  /// The tables whose indexes were created while they were filled.
  private var indexedTables: Set<String> = []

  private static let rowsPerReport: Int64 = 1000
  /// The size of a row in bytes above which SQLite's copy of it is released early.
  private static let largeRow = 1 << 20
  /// How many KiB of pages the connection of the copy keeps in memory: usually, and beside large rows.
  private static let (cacheSize, smallCacheSize) = (16_000, 1000)

  package init(
    _ snapshot: StoreSnapshot, plan: ScrubPlan, key: ScrubKey, replacesAuthors: Bool
  ) {
    self.snapshot = snapshot
    self.plan = plan
    self.replacesAuthors = replacesAuthors
    values = ValueScrubber(key: key)
    names = plan.names
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
          try run(sql(table.sql, of: table.name), "CREATE TABLE", in: copy)
          try fill(table, in: copy, &summary, progress)
        }
        try createIndexes(in: copy) { try progress(summary.rowCount) }
        if names == nil { try addSchema(to: copy) }
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
          PRAGMA mmap_size = 0; PRAGMA cache_size = -\(Self.cacheSize); PRAGMA journal_mode = OFF;
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

  /// Returns the statement of a table or an index as the copy has it; `nil` if the copy does not have the index.
  private func sql(_ sql: String, of object: String) -> String? {
    if let names { return names.schema.statements[object] }
    return withoutTexts(sql)
  }

  private func withoutTexts(_ sql: String) -> String {
    var values = values
    return plan.schemaText.statement(sql) { values.scrub($0) }
  }

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
  private func createIndexes(
    of only: String? = nil, in copy: Database, progress: () throws -> Void
  ) throws {
    let rows = try StatementRunner(snapshot.database).rows(
      """
      SELECT sql, tbl_name, name FROM sqlite_master WHERE type = 'index' AND sql IS NOT NULL ORDER BY rowid
      """)
    for row in rows {
      guard case .text(let sql) = row[0], case .text(let table) = row[1],
        case .text(let name) = row[2],
        only == nil ? !indexedTables.contains(table) : table == only,
        let statement = self.sql(sql, of: name)
      else { continue }
      try run(statement, "CREATE", in: copy)
      try progress()
    }
  }

  /// Adds triggers, views and virtual tables as text: many of them call functions that only the frameworks have.
  private func addSchema(to copy: Database) throws {
    let rows = try StatementRunner(snapshot.database).rows(
      """
      SELECT type, name, tbl_name, 0, sql FROM sqlite_master
      WHERE type IN ('trigger', 'view') OR type = 'table' AND rootpage = 0 ORDER BY rowid
      """)
    guard !rows.isEmpty else { return }
    try copy.execute(sql: "PRAGMA writable_schema = ON")
    let runner = StatementRunner(copy)
    for var row in rows {
      if case .text(let text) = row[4] { row[4] = .text(withoutTexts(text)) }
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
    var hasSmallCache = false
    defer { if hasSmallCache { try? Self.setCacheSize(Self.cacheSize, of: copy) } }
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
      if byteCount > Self.largeRow, !hasSmallCache {
        // SQLite makes a record of the row, and one for each index with the value, beside which pages have no room.
        try Self.setCacheSize(Self.smallCacheSize, of: copy)
        hasSmallCache = true
      }
      if isInOrder, byteCount > Self.largeRow {
        // SQLite releases its copy of the values before there is another one.
        let (next, overflows) = source.integer(at: table.columns.count + 2).addingReportingOverflow(
          1)
        isLast = overflows
        try source.bind(next)
        try WritingConnection.check(
          csqlite_release_pages(snapshot.database.sqliteConnection))
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

  /// Changes how much memory the pages of the copy may take, and releases what they take now.
  private static func setCacheSize(_ size: Int, of copy: Database) throws {
    try copy.execute(sql: "PRAGMA cache_size = -\(size)")
    try WritingConnection.check(csqlite_release_pages(copy.sqliteConnection))
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
      quoted(names?.schema.column($0.name, of: table.name) ?? $0.name)
    }
    let target = try StatementCursor(
      copy,
      sql: """
        INSERT INTO \(quoted(names?.schema.object(table.name) ?? table.name)) (\(copyColumns.joined(separator: ", ")))
        VALUES (\(places))
        """)
    return (source, target, rowNumber != nil)
  }

  private func authorCondition() throws -> String {
    let columns = snapshot.layout.history?.transactionColumns ?? []
    let roles: [StringRole] = [.author, .bundle, .process]
    let uses = roles.map(\.identifierColumn).filter(columns.contains).map {
      "EXISTS (SELECT 1 FROM ATRANSACTION WHERE \($0) = original.Z_PK)"
    }
    return uses.isEmpty ? "0" : uses.joined(separator: " OR ")
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
