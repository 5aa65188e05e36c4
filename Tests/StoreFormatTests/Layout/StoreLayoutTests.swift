import TestSupport
import Testing

@testable import StoreFormat

/// Every layout is told by its tables and columns.
@Suite(.bounded) struct StoreLayoutTests {
  /// Writes a store, changes it by SQL, and reads from it.
  private static func read<Result>(
    _ shape: StoreWriter.Shape = StoreWriter.Shape(), isFilled: Bool = true, sql: [String] = [],
    _ body: (StoreSnapshot) throws -> Result
  ) throws -> Result {
    let folder = try TemporaryFolder()
    let writer = try StoreWriter(path: folder.file("trips.store"), shape: shape)
    if isFilled && shape.hasHistory { try SampleStore.fill(writer) }
    for statement in sql { try writer.sql(statement) }
    try writer.close()
    return try StoreFile(path: writer.path).read(body)
  }

  @Test
  func `the layout follows the tables, whatever their declarations look like`() throws {
    let changes = try Self.read(sql: [
      "ALTER TABLE ACHANGE ADD COLUMN \"Z\"\"odd name\" TEXT DEFAULT 'x'",
      "ALTER TABLE ACHANGE ADD COLUMN ZTWICE AS (ZENTITY * 2)",
      "CREATE INDEX PART ON ACHANGE (Z_OPT) WHERE Z_OPT > 1",
      "CREATE INDEX DOWN ON ACHANGE (ZENTITYPK DESC)",
      "CREATE INDEX TERM ON ACHANGE (ZENTITY + 1)",
    ]) { try $0.historyTables().changes }
    #expect(changes.isRowNumber("Z_PK"))
    #expect(!changes.isRowNumber("Z_ENT"))
    #expect(changes.columnNames.last == "Z\"odd name")
    #expect(changes.columns.suffix(2).map(\.isStored) == [false, false])
    #expect(changes.columns.last?.name == "ZTWICE")
    #expect(changes.isIndexed(by: "ZENTITYPK"))
    #expect(!changes.isIndexed(by: "Z_OPT"))
    #expect(changes.rootPage(ofIndexBy: "ZTRANSACTIONID") != nil)
    #expect(changes.rootPage(ofIndexBy: "ZENTITYPK") == nil)
    #expect(changes.rootPage(ofIndexBy: "Z_OPT") == nil)
    #expect(changes.rootPage(ofIndexBy: "ZNONE") == nil)
  }

  @Test
  func `the layout is read for each store, and again after a change`()
    throws
  {
    let folder = try TemporaryFolder()
    var shape = StoreWriter.Shape()
    shape.hasPlainStrings = true
    let writers = [
      try StoreWriter(path: folder.file("current.store"), shape: StoreWriter.Shape()),
      try StoreWriter(path: folder.file("plain.store"), shape: shape),
    ]
    func layout(_ place: Int) throws -> StoreLayout {
      try StoreFile(path: writers[place].path).read { $0.layout }
    }
    for _ in 0..<2 {
      #expect(try layout(0).history?.internsStrings == true)
      #expect(try layout(1).history?.internsStrings == false)
    }
    let before = try layout(0)
    #expect(try layout(0) == before)
    try writers[0].sql("ALTER TABLE ACHANGE ADD COLUMN ZTOMBSTONE9 BLOB")
    #expect(try layout(0).history?.tombstoneColumns.last == "ZTOMBSTONE9")
    try writers[0].sql("DROP INDEX ACHANGE_ZTRANSACTIONID_INDEX")
    #expect(try layout(0).history?.indexesChangesByTransaction == false)
    try writers[0].sql("CREATE TABLE ANSCKEVENT (Z_PK INTEGER PRIMARY KEY)")
    #expect(try layout(0).mirroringTables == ["ANSCKEVENT"])
    for writer in writers { try writer.close() }
  }

  private static let tombstones = (0..<6).map { "ZTOMBSTONE\($0)" }

  @Test
  func `the current layout is recognized`() throws {
    try Self.read { snapshot in
      let tables = try snapshot.historyTables()
      #expect(tables.internsStrings)
      #expect(tables.indexesChangesByTransaction)
      #expect(tables.tombstoneColumns == Self.tombstones)
      #expect(tables.unknownColumns(of: .change).isEmpty)
      #expect(tables.unknownColumns(of: .transaction).isEmpty)
      #expect(snapshot.layout.hasModelCache)
      #expect(snapshot.layout.mirroringTables.isEmpty)
      #expect(snapshot.entities.highestNumber(of: .transaction) == 12)
      #expect(snapshot.entities.highestNumber(of: .change) == 27)
      #expect(snapshot.entities.highestNumber(of: .string) == 5)
      #expect(try snapshot.transactionCount() == 12)
      #expect(try snapshot.changeCount() == 27)
      #expect(try snapshot.highestChangeNumber() == 27)
    }
  }

  @Test
  func `the layout of macOS 10.13 has the same history`() throws {
    var shape = StoreWriter.Shape()
    shape.hasPlainStrings = true
    let current = try Self.read { try ReadRows.transactions(of: $0) }
    try Self.read(shape) { snapshot in
      let tables = try snapshot.historyTables()
      #expect(!tables.internsStrings)
      #expect(tables.indexesChangesByTransaction)
      #expect(snapshot.entities.highestNumber(of: .string) == 0)
      let rows = try ReadRows.transactions(of: snapshot)
      #expect(rows == current)
      #expect(rows.map(\.author) == ["app", "widget", nil, "app"].cycled(12))
      #expect(rows[4].context == "import")
    }
  }

  @Test
  func `a store that was never saved to has an empty history`() throws {
    try Self.read(isFilled: false) { (snapshot: StoreSnapshot) throws in
      #expect(try ReadRows.transactions(of: snapshot).isEmpty)
      #expect(snapshot.entities.highestNumber(of: .transaction) == 0)
      #expect(snapshot.entities.entries.map(\.number) == [1, 2, 3, 4, 5])
      #expect(try snapshot.oldestTransaction() == nil)
      #expect(try snapshot.newestTransaction() == nil)
      #expect(try snapshot.changeCounts().isEmpty)
      #expect(try snapshot.textCounts(.author).counts.isEmpty)
      #expect(try snapshot.highestChangeNumber() == 0)
    }
  }

  @Test
  func `a store without history tables is recognized`() throws {
    var shape = StoreWriter.Shape()
    shape.hasHistory = false
    try Self.read(shape) { (snapshot: StoreSnapshot) throws in
      #expect(snapshot.layout.history == nil)
      let expected = StoreError.withoutHistory(path: snapshot.location.path)
      #expect(throws: expected) { try snapshot.historyTables() }
      #expect(throws: expected) { try snapshot.transactions(TransactionSelection()) }
      #expect(throws: expected) { try snapshot.changes(TransactionSelection()) }
      #expect(throws: expected) { try snapshot.changeCount() }
      #expect(throws: expected) { try snapshot.newestTransaction() }
      #expect(throws: expected) { try snapshot.textCounts(.bundle) }
      #expect(try snapshot.modelCache().model == TripsModel.model)
    }
  }

  @Test(arguments: [
    ("DROP TABLE ACHANGE", "its tables", "ACHANGE is missing"),
    ("DROP TABLE ATRANSACTION", "its tables", "ATRANSACTION is missing"),
    (
      "ALTER TABLE ACHANGE DROP COLUMN ZCOLUMNS", "ACHANGE",
      "the column ZCOLUMNS is missing"
    ),
    (
      "ALTER TABLE ACHANGE DROP COLUMN ZENTITYPK", "ACHANGE",
      "the column ZENTITYPK is missing"
    ),
    (
      "ALTER TABLE ATRANSACTION RENAME COLUMN ZTIMESTAMP TO ZTIME", "ATRANSACTION",
      "the column ZTIMESTAMP is missing"
    ),
  ])
  func `a missing part of the history tables is damage`(
    sql: String, place: String, detail: String
  ) throws {
    do {
      try Self.read(sql: [sql]) { _ in _ = Issue.record("it was read") }
    } catch StoreError.damaged(_, let foundPlace, let foundDetail) {
      #expect(foundPlace == place)
      #expect(foundDetail == detail)
    }
  }

  @Test
  func `the string table may be missing although its columns exist`() throws {
    try Self.read(sql: ["DROP TABLE ATRANSACTIONSTRING"]) { snapshot in
      #expect(try !snapshot.historyTables().internsStrings)
      let rows = try ReadRows.transactions(of: snapshot)
      #expect(rows.count == 12)
      #expect(rows.allSatisfy { $0.author == nil && $0.bundle == nil })
    }
  }

  @Test
  func `unknown columns are kept`() throws {
    let sql = [
      "ALTER TABLE ACHANGE ADD COLUMN \"a \"\"b\"\" ü\" BLOB",
      "ALTER TABLE ACHANGE ADD COLUMN ZTOMBSTONE BLOB",
      "ALTER TABLE ATRANSACTION ADD COLUMN ZNEW VARCHAR",
      "UPDATE ACHANGE SET \"a \"\"b\"\" ü\" = x'0102', ZTOMBSTONE = 7 WHERE Z_PK = 2",
      "UPDATE ATRANSACTION SET ZNEW = 'neu' WHERE Z_PK = 1",
    ]
    try Self.read(sql: sql) { snapshot in
      let tables = try snapshot.historyTables()
      #expect(tables.unknownColumns(of: .change) == ["a \"b\" ü", "ZTOMBSTONE"])
      #expect(tables.unknownColumns(of: .transaction) == ["ZNEW"])
      let rows = try ReadRows.transactions(of: snapshot)
      #expect(rows[0].extra == [ExtraColumn(column: "ZNEW", value: .text("neu"))])
      #expect(rows[1].extra.isEmpty)
      #expect(
        rows[0].changes[1].extra == [
          ExtraColumn(column: "a \"b\" ü", value: .blob([1, 2])),
          ExtraColumn(column: "ZTOMBSTONE", value: .integer(7)),
        ])
      #expect(rows[0].changes[0].extra.isEmpty)
    }
  }

  @Test
  func `a table may have as many columns as SQLite allows`() throws {
    let folder = try TemporaryFolder()
    let writer = try StoreWriter(path: folder.file("trips.store"))
    try writer.transaction(1)
    try writer.change(1, of: 1, 2, 5, 1)
    for (table, prefix) in [("ACHANGE", "ZTOMBSTONE"), ("ATRANSACTION", "ZNEW")] {
      // The columns are written into the schema at once: one by one would take minutes.
      let list = (6..<1900).map { "\(prefix)\($0) BLOB" }.joined(separator: ", ")
      try writer.sql("ALTER TABLE \(table) RENAME TO OLD")
      let columns = table == "ACHANGE" ? Self.changeColumns : Self.transactionColumns
      try writer.sql("CREATE TABLE \(table) (\(columns), \(list))")
      let names = columns.split(separator: ",").map {
        $0.split(separator: " ").first.map(String.init) ?? ""
      }.joined(separator: ", ")
      try writer.sql("INSERT INTO \(table) (\(names)) SELECT \(names) FROM OLD")
      try writer.sql("DROP TABLE OLD")
    }
    try writer.sql("UPDATE ACHANGE SET ZTOMBSTONE1899 = 'last'")
    try writer.sql("UPDATE ATRANSACTION SET ZNEW1899 = 'last'")
    try writer.close()
    let row = try #require(try ReadRows.transactions(of: writer.path).first)
    #expect(row.extra == [ExtraColumn(column: "ZNEW1899", value: .text("last"))])
    #expect(row.changes[0].tombstone.count == 1900)
    #expect(row.changes[0].tombstone.last == .text("last"))
  }

  private static let changeColumns =
    "Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, ZCHANGETYPE INTEGER, ZENTITY INTEGER, "
    + "ZENTITYPK INTEGER, ZTRANSACTIONID INTEGER, ZCOLUMNS BLOB"
  private static let transactionColumns =
    "Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, ZTIMESTAMP FLOAT"

  @Test
  func `tombstone columns are ordered numerically`() throws {
    var shape = StoreWriter.Shape()
    shape.tombstoneColumns = 0
    let sql = [10, 2, 0, 1, 9, 3].map { "ALTER TABLE ACHANGE ADD COLUMN ZTOMBSTONE\($0) BLOB" }
    let folder = try TemporaryFolder()
    let writer = try StoreWriter(path: folder.file("trips.store"), shape: shape)
    for statement in sql { try writer.sql(statement) }
    try writer.transaction(1)
    try writer.sql(
      """
      INSERT INTO ACHANGE (Z_PK, Z_ENT, ZCHANGETYPE, ZENTITY, ZENTITYPK, ZTRANSACTIONID,
        ZTOMBSTONE10, ZTOMBSTONE2, ZTOMBSTONE0) VALUES (1, 16001, 2, 5, 1, 1, 'ten', 'two', 'zero')
      """)
    try writer.close()
    try StoreFile(path: writer.path).read { (snapshot: StoreSnapshot) throws in
      #expect(
        try snapshot.historyTables().tombstoneColumns == [
          "ZTOMBSTONE0", "ZTOMBSTONE1", "ZTOMBSTONE2", "ZTOMBSTONE3", "ZTOMBSTONE9",
          "ZTOMBSTONE10",
        ])
      // Numbers 4 to 8 have no column, and number 10 is slot 10 all the same.
      let expected =
        [.text("zero"), .null, .text("two")]
        + [StoredValue](repeating: .null, count: 7) + [.text("ten")]
      #expect(try ReadRows.transactions(of: snapshot)[0].changes[0].tombstone == expected)
    }
  }

  @Test
  func `only well-formed tombstone numbers are recognized`() throws {
    let odd = ["ZTOMBSTONE01", "ZTOMBSTONE999999999", "ZTOMBSTONE+1", "ZTOMBSTONE2000"]
    var shape = StoreWriter.Shape()
    shape.tombstoneColumns = 2
    let sql =
      odd.map { "ALTER TABLE ACHANGE ADD COLUMN \"\($0)\" BLOB" }
      + [
        "UPDATE ACHANGE SET ZTOMBSTONE1 = 'one', ZTOMBSTONE01 = 'odd', ZTOMBSTONE999999999 = 'far'"
      ]
    let folder = try TemporaryFolder()
    let writer = try StoreWriter(path: folder.file("trips.store"), shape: shape)
    try writer.transaction(1)
    try writer.change(1, of: 1, 2, 5, 1)
    for statement in sql { try writer.sql(statement) }
    try writer.close()
    try StoreFile(path: writer.path).read { snapshot in
      let tables = try snapshot.historyTables()
      #expect(tables.tombstoneColumns == ["ZTOMBSTONE0", "ZTOMBSTONE1"])
      #expect(tables.unknownColumns(of: .change) == odd)
      let change = try ReadRows.transactions(of: snapshot)[0].changes[0]
      #expect(change.tombstone == [.null, .text("one")])
      #expect(
        change.extra == [
          ExtraColumn(column: "ZTOMBSTONE01", value: .text("odd")),
          ExtraColumn(column: "ZTOMBSTONE999999999", value: .text("far")),
        ])
    }
  }

  @Test(arguments: [
    ("", false), ("CREATE INDEX I ON ACHANGE (ZTRANSACTIONID)", true),
    ("CREATE INDEX I ON ACHANGE (ZTRANSACTIONID, ZENTITY)", true),
    ("CREATE INDEX I ON ACHANGE (ZENTITY, ZTRANSACTIONID)", false),
    ("CREATE INDEX I ON ACHANGE (ZTRANSACTIONID) WHERE ZENTITY = 1", false),
    ("CREATE INDEX I ON ACHANGE (ZTRANSACTIONID + 1)", false),
    ("CREATE INDEX I ON ATRANSACTION (Z_OPT)", false),
  ])
  func `an index by transaction is distinguished from others`(
    sql: String, expected: Bool
  ) throws {
    let statements = ["DROP INDEX ACHANGE_ZTRANSACTIONID_INDEX"] + (sql.isEmpty ? [] : [sql])
    try Self.read(sql: statements) { (snapshot: StoreSnapshot) throws in
      #expect(try snapshot.historyTables().indexesChangesByTransaction == expected)
      #expect(try ReadRows.transactions(of: snapshot).map(\.changes.count).reduce(0, +) == 27)
    }
  }

  @Test
  func `rows after highest numbers that are too low are read`() throws {
    try Self.read(sql: ["UPDATE Z_PRIMARYKEY SET Z_MAX = 3 WHERE Z_ENT > 16000"]) {
      (snapshot: StoreSnapshot) throws in
      #expect(snapshot.entities.highestNumber(of: .transaction) == 3)
      #expect(try snapshot.newestTransaction()?.number == 12)
      #expect(try ReadRows.transactions(of: snapshot).count == 12)
    }
  }

  @Test
  func `a store may have no model cache, or one without a model`() throws {
    var shape = StoreWriter.Shape()
    shape.hasModelCacheTable = false
    try Self.read(shape) { (snapshot: StoreSnapshot) throws in
      #expect(!snapshot.layout.hasModelCache)
      #expect(try snapshot.modelCache() == .missing)
      #expect(try ReadRows.transactions(of: snapshot).count == 12)
    }
    for (cache, expected) in [(nil, true), ([], true), ([1, 2, 3], false)] as [([UInt8]?, Bool)] {
      shape = StoreWriter.Shape()
      shape.modelCache = .some(cache)
      try Self.read(shape) { (snapshot: StoreSnapshot) throws in
        let read = try snapshot.modelCache()
        #expect((read == .missing) == expected)
        #expect(read.model == nil)
      }
    }
    try Self.read(sql: ["DELETE FROM Z_MODELCACHE"]) { (snapshot: StoreSnapshot) throws in
      #expect(try snapshot.modelCache() == .missing)
    }
    try Self.read(sql: ["UPDATE Z_MODELCACHE SET Z_CONTENT = 'text'"]) {
      (snapshot: StoreSnapshot) throws in
      guard case .unreadable = try snapshot.modelCache() else {
        Issue.record("a text was taken for a model")
        return
      }
    }
  }

  @Test
  func `the tables of mirroring are recognized`() throws {
    let sql = [
      "CREATE TABLE ANSCKRECORDMETADATA (Z_PK INTEGER)",
      "CREATE TABLE ANSCKMETADATAENTRY (Z_PK INTEGER)", "CREATE TABLE ZANSCK (Z_PK INTEGER)",
    ]
    try Self.read(sql: sql) { snapshot in
      #expect(snapshot.layout.mirroringTables == ["ANSCKMETADATAENTRY", "ANSCKRECORDMETADATA"])
    }
  }

  @Test
  func `views are not taken for tables`() throws {
    do {
      try Self.read(sql: [
        "ALTER TABLE ATRANSACTION RENAME TO B", "CREATE VIEW ATRANSACTION AS SELECT * FROM B",
      ]) { _ in _ = Issue.record("it was read") }
    } catch StoreError.damaged(_, _, let detail) {
      #expect(detail == "ATRANSACTION is missing")
    }
  }

  @Test(
    .needsRealStores,
    arguments: [
      ("knowledgec-10.13.db", 3, false, 536), ("photos-10.15.7.sqlite", 4, true, 516),
      ("photos-27.0beta.sqlite", 6, true, 528), ("rmadmin-ios14.sqlite", 4, true, 939),
      ("mediaanalysis-26.1.sqlite", 0, true, 0), ("viber-purged.sqlite", 0, true, 0),
      ("swiftdata-rm-0empty.store", 0, true, 0), ("photos-cloud-13.1.sqlite", 6, true, 196),
    ])
  func `the layouts of real stores are recognized`(
    name: String, tombstones: Int, interns: Bool, count: Int64
  ) throws {
    guard let source = RealStores.path(name) else { return }
    let folder = try TemporaryFolder()
    try StoreFile(path: folder.copy(store: source)).read { snapshot in
      let tables = try snapshot.historyTables()
      #expect(tables.tombstoneColumns == (0..<tombstones).map { "ZTOMBSTONE\($0)" })
      #expect(tables.internsStrings == interns)
      #expect(tables.indexesChangesByTransaction)
      #expect(tables.unknownColumns(of: .transaction).isEmpty)
      #expect(tables.unknownColumns(of: .change).isEmpty)
      #expect(try snapshot.transactionCount() == count)
    }
  }

  @Test(
    .needsRealStores,
    arguments: [
      ("notesv7-nocache.storedata", true), ("kik-old.sqlite", false), ("scout-v4.sqlite", true),
    ])
  func `real stores without history are recognized`(name: String, hasModelCache: Bool) throws {
    guard let source = RealStores.path(name) else { return }
    let folder = try TemporaryFolder()
    try StoreFile(path: folder.copy(store: source)).read { snapshot in
      #expect(snapshot.layout.history == nil)
      #expect(snapshot.layout.hasModelCache == hasModelCache)
    }
  }
}

extension [String?] {
  /// The elements over and over, as texts.
  fileprivate func cycled(_ count: Int) -> [RecordedText?] {
    (0..<count).map { self[$0 % self.count].map { RecordedText($0) } }
  }
}
