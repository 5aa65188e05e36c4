import GRDB
import Synchronization

/// Which of the known layouts a store has: its history tables, their columns and indexes.
///
/// The layout is read from the tables themselves, never from the framework's version, and never
/// from the text of a `CREATE TABLE` (a migration appends columns to it).
package struct StoreLayout: Hashable, Sendable {
  /// The history tables, or `nil` in a store that was written without persistent history tracking.
  package let history: HistoryTables?
  package let tableNames: Set<String>
  /// The tables that mirroring to CloudKit keeps, by name; empty in a store that is not mirrored.
  package let mirroringTables: [String]

  /// Whether there is a table for the cached model; stores before 2015 have none.
  var hasModelCache: Bool { tableNames.contains("Z_MODELCACHE") }

  /// The maximum number of tables that are read; a Core Data store has fewer.
  private static let maxTables = 20_000

  /// Looks at the schema.
  ///
  /// - Throws: ``StoreError/notAStore(path:reason:)`` where Core Data's own tables are missing, and
  ///   ``StoreError/damaged(path:place:detail:)`` where one of two history tables is missing.
  package init(database: Database, path: String) throws {
    let digest = try Self.digest(of: database)
    if let last = Self.last.withLock({ $0 }), last.digest == digest {
      self = last.layout
      return
    }
    try self.init(reading: database, path)
    let layout = self
    Self.last.withLock { $0 = (digest, layout) }
  }

  /// The layout that was read last. Stores of one app often have the same tables, and asking SQLite for the
  /// columns and indexes of each takes a twentieth of the time in which a small store is exported.
  private static let last = Mutex<(digest: Int, layout: StoreLayout)?>(nil)

  /// Returns a digest of the declarations of all tables and indexes and of their places in the file.
  ///
  /// The seed of `Hasher` is random in each process, so no file can be made to have the digest of another.
  private static func digest(of database: Database) throws -> Int {
    var hasher = Hasher()
    let cursor = try StatementCursor(
      database, sql: "SELECT name, type, tbl_name, rootpage, sql FROM sqlite_master")
    while try cursor.step() {
      for column in 0..<5 {
        // A hostile file can have another type of value with the same text.
        hasher.combine(cursor.type(at: column))
        let bytes = cursor.bytes(at: column)
        hasher.combine(bytes.count)
        hasher.combine(bytes: bytes)
      }
    }
    return hasher.finalize()
  }

  private init(reading database: Database, _ path: String) throws {
    let tables = Set(
      try String.fetchAll(
        database,
        sql: "SELECT name FROM sqlite_master WHERE type = 'table' LIMIT \(StoreLayout.maxTables)"))
    guard tables.contains("Z_METADATA") || tables.contains("Z_PRIMARYKEY") else {
      throw StoreLocation.notAStore(path, .withoutCoreDataTables)
    }
    tableNames = tables
    mirroringTables = tables.filter { $0.hasPrefix("ANSCK") }.sorted()
    switch (tables.contains("ATRANSACTION"), tables.contains("ACHANGE")) {
    case (false, false):
      history = nil
    case (true, true):
      let hasStringTable = tables.contains("ATRANSACTIONSTRING")
      history = try HistoryTables(
        transactions: Self.historyTable("ATRANSACTION", database, path),
        changes: Self.historyTable("ACHANGE", database, path),
        strings: hasStringTable ? Self.historyTable("ATRANSACTIONSTRING", database, path) : nil,
        path: path)
    case (true, false):
      throw StoreError.damaged(path: path, place: "its tables", detail: "ACHANGE is missing")
    case (false, true):
      throw StoreError.damaged(path: path, place: "its tables", detail: "ATRANSACTION is missing")
    }
  }

  /// Reads the declaration of a history table, and refuses one whose `Z_PK` is not the number of the row.
  ///
  /// Every framework declares it `INTEGER PRIMARY KEY`. Another column may hold text, fractions or a number
  /// twice, which makes orders and ranges of rows meaningless.
  private static func historyTable(
    _ name: String, _ database: Database, _ path: String
  ) throws -> TableDeclaration {
    let table = try TableDeclaration(of: name, in: database)
    guard table.isRowNumber("Z_PK") else {
      throw StoreError.damaged(
        path: path, place: name, detail: "the column Z_PK is not declared INTEGER PRIMARY KEY")
    }
    return table
  }
}

/// The columns and indexes of a store's history tables.
package struct HistoryTables: Hashable, Sendable {
  /// The columns of `ATRANSACTION`, in table order.
  package let transactionColumns: [String]
  /// The columns of `ACHANGE`, in table order.
  package let changeColumns: [String]
  /// The columns `ZTOMBSTONE0`, `ZTOMBSTONE1`, … by their number; later migrations append to them.
  package let tombstoneColumns: [String]
  /// The numbers in the names of ``tombstoneColumns``, which are the slots that they hold.
  package let tombstoneSlots: [Int]
  /// Whether authors, bundles, processes and contexts are interned in `ATRANSACTIONSTRING`.
  ///
  /// Stores of macOS 10.13 and iOS 11 keep the plain text in the transaction instead.
  package let internsStrings: Bool
  /// Whether the changes of one transaction can be found without reading the others.
  package let indexesChangesByTransaction: Bool
  let transactions: TableDeclaration
  let changes: TableDeclaration
  /// What SQLite calculates for rows of these tables, by table; empty in every store of the frameworks.
  private let calculations: [String: String]

  /// Columns that every layout has; without one of them the tables mean nothing.
  private static let required = (
    transaction: ["Z_PK", "ZTIMESTAMP"],
    change: ["Z_PK", "ZCHANGETYPE", "ZENTITY", "ZENTITYPK", "ZTRANSACTIONID", "ZCOLUMNS"]
  )

  init(
    transactions: TableDeclaration, changes: TableDeclaration, strings: TableDeclaration?,
    path: String
  ) throws {
    self.transactions = transactions
    self.changes = changes
    let transactionColumns = transactions.columnNames
    self.transactionColumns = transactionColumns
    changeColumns = changes.columnNames
    for (name, table, required) in [
      ("ATRANSACTION", transactions, Self.required.transaction),
      ("ACHANGE", changes, Self.required.change),
    ] {
      if let missing = required.first(where: { !table.columnNames.contains($0) }) {
        let isCalculated = table.columns.contains { $0.name == missing }
        throw StoreError.damaged(
          path: path, place: name,
          detail: "the column \(missing) is \(isCalculated ? "calculated" : "missing")")
      }
    }
    let tombstones =
      changeColumns
      .compactMap { name in TombstoneColumn.number(of: name).map { (slot: $0, name: name) } }
      .sorted { $0.slot < $1.slot }
    tombstoneColumns = tombstones.map(\.name)
    tombstoneSlots = tombstones.map(\.slot)
    internsStrings =
      strings != nil
      && StringRole.allCases.contains { transactionColumns.contains($0.identifierColumn) }
    indexesChangesByTransaction = changes.isIndexed(by: "ZTRANSACTIONID")
    calculations = [
      "ATRANSACTION": transactions.calculation, "ACHANGE": changes.calculation,
      "ATRANSACTIONSTRING": strings?.calculation,
    ].compactMapValues { $0 }
  }

  /// Checks that adding and deleting rows makes SQLite calculate nothing, which could take any time and memory.
  ///
  /// - Throws: ``StoreError/calculated(path:table:part:)``.
  package func checkRowsAreOnlyStored(path: String) throws(StoreError) {
    guard let (table, part) = calculations.min(by: { $0.key < $1.key }) else { return }
    throw .calculated(path: path, table: table, part: part)
  }

  /// Columns of a table that no known layout has.
  func unknownColumns(of table: Table) -> [String] {
    switch table {
    case .transaction:
      let known = Set(
        ["Z_PK", "Z_ENT", "Z_OPT", "ZTIMESTAMP", "ZQUERYGEN"]
          + StringRole.allCases.flatMap { [$0.plainColumn, $0.identifierColumn] })
      return transactionColumns.filter { !known.contains($0) }
    case .change:
      let known = Set(
        [
          "Z_PK", "Z_ENT", "Z_OPT", "ZCHANGETYPE", "ZENTITY", "ZENTITYPK", "ZTRANSACTIONID",
          "ZCOLUMNS",
        ] + tombstoneColumns)
      return changeColumns.filter { !known.contains($0) }
    }
  }

  package enum Table { case transaction, change }
}

/// The names `ZTOMBSTONE0`, `ZTOMBSTONE1`, …
package enum TombstoneColumn {
  /// The maximum number of columns of a SQLite table; a higher slot would fill memory with nulls.
  private static let maxColumns = 2000

  /// The number in such a name, or `nil` for any other column, and for a number written another way.
  package static func number(of name: String) -> Int? {
    guard name.hasPrefix("ZTOMBSTONE") else { return nil }
    let digits = name.dropFirst("ZTOMBSTONE".count)
    guard let number = Int(digits), (0..<maxColumns).contains(number), "\(number)" == digits else {
      return nil
    }
    return number
  }
}

/// The four texts that a transaction carries, each interned in the string table or plain.
package enum StringRole: Int, CaseIterable, Hashable, Sendable {
  case author
  /// The bundle identifier of the program that saved.
  case bundle
  case process
  /// The name of the context that was saved.
  case context

  /// The column that holds the number of a row of `ATRANSACTIONSTRING`.
  package var identifierColumn: String { plainColumn + "TS" }

  /// The column that holds the text itself, in the layout of 2017.
  package var plainColumn: String {
    switch self {
    case .author: "ZAUTHOR"
    case .bundle: "ZBUNDLEID"
    case .process: "ZPROCESSID"
    case .context: "ZCONTEXTNAME"
    }
  }
}

/// The meaning of a store's history rows: the store, the entities of the numbers, and the model that orders
/// masks and tombstones.
///
/// A migration changes it; a save does not. Values can be compared only within one run of a program.
package struct StoreShape: Hashable, Sendable {
  private let storeIdentifier: StoredValue
  private let schemaVersion: Int64
  private let entities: [[StoredValue]]
  private let modelDigest: Int

  package init(_ statement: StatementRunner) throws {
    func rows(_ table: String, _ sql: String) throws -> [[StoredValue]] {
      let exists = try statement.integer(
        "SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = ?1", [.text(table)])
      return exists == nil ? [] : try statement.rows(sql)
    }
    storeIdentifier =
      try rows("Z_METADATA", "SELECT Z_UUID FROM Z_METADATA ORDER BY Z_VERSION LIMIT 1")
      .first?.first ?? .null
    schemaVersion = try statement.integer("PRAGMA schema_version") ?? 0
    // The highest numbers, which every save raises, are left out.
    entities = try rows(
      "Z_PRIMARYKEY", "SELECT Z_ENT, Z_NAME FROM Z_PRIMARYKEY WHERE Z_ENT < 16001 ORDER BY Z_ENT")
    var hasher = Hasher()
    if case .blob(let bytes)? = try rows(
      "Z_MODELCACHE", "SELECT Z_CONTENT FROM Z_MODELCACHE LIMIT 1"
    ).first?.first {
      bytes.withUnsafeBytes { hasher.combine(bytes: $0) }
    }
    modelDigest = hasher.finalize()
  }
}

extension StoreSnapshot {
  package func shape() throws -> StoreShape { try StoreShape(StatementRunner(database)) }
}
