import Foundation
import TestSupport
import Testing

/// An index of the changes that lists other rows than the table has: nothing is sealed or deleted by it.
@Suite(.bounded) struct IncorrectIndexTests {
  private static let index = "ACHANGE_ZTRANSACTIONID_INDEX"

  /// Makes the index anew without some of its entries.
  static func hide(_ condition: String, in query: StoreQuery) throws {
    try query.run(
      """
      DROP INDEX \(index);
      CREATE INDEX \(index) ON ACHANGE (ZTRANSACTIONID) WHERE NOT (\(condition));
      PRAGMA writable_schema = ON;
      UPDATE sqlite_master SET sql = 'CREATE INDEX \(index) ON ACHANGE (ZTRANSACTIONID)'
        WHERE name = '\(index)';
      PRAGMA writable_schema = RESET
      """)
  }

  @Test(
    arguments: [
      "ZTRANSACTIONID BETWEEN 3 AND 4", "ZTRANSACTIONID = 1", "ZTRANSACTIONID < 9", "Z_PK = 7",
    ],
    [
      "archive sample.store arch --before 7", "prune sample.store --before 7 --yes",
      "prune sample.store --before 7 --archive arch --yes",
      "prune sample.store --before 7 --archive arch --dry-run",
    ])
  func `hidden changes are neither left out of an archive nor deleted`(
    _ condition: String, _ line: String
  ) async throws {
    let sample = try SampleFolder()
    let query = try StoreQuery(path: sample.store)
    try Self.hide(condition, in: query)
    let before = try query.contents()
    let refused = try await sample.run(line)
    #expect(refused.status == 5, "\(refused.text)\(refused.errors)")
    #expect(try query.contents() == before)
    let sealed = FileManager.default.enumerator(atPath: sample.folder.file("arch"))?
      .contains { ($0 as? String)?.hasSuffix(".zst") ?? false }
    #expect(sealed != true)
  }

  @Test
  func
    `only sealed changes are deleted if damage is ignored, and none without its transaction`()
    async throws
  {
    for condition in ["ZTRANSACTIONID BETWEEN 3 AND 4", "ZTRANSACTIONID = 6", "Z_PK = 7"] {
      let sample = try SampleFolder()
      let query = try StoreQuery(path: sample.store)
      #expect(try await sample.run("archive sample.store arch --before 9").status == 0)
      try Self.hide(condition, in: query)
      let before = try query.contents()
      for archive in ["--archive arch", ""] {
        let pruned = try await sample.run(
          "prune sample.store --before 7 \(archive) --yes --ignore-guard damage")
        #expect(pruned.status != 0, "\(condition) \(archive)")
        #expect(try query.contents() == before)
      }
    }
  }

  @Test
  func `an entry that names another row deletes no row of a later transaction`() async throws {
    let sample = try SampleFolder()
    let query = try StoreQuery(path: sample.store)
    // The index of a table in which two changes have exchanged their transactions.
    try query.run(
      """
      CREATE TABLE other AS SELECT * FROM ACHANGE;
      UPDATE other SET ZTRANSACTIONID = CASE rowid
        WHEN 2 THEN (SELECT ZTRANSACTIONID FROM ACHANGE WHERE Z_PK = 25)
        ELSE (SELECT ZTRANSACTIONID FROM ACHANGE WHERE Z_PK = 2) END WHERE rowid IN (2, 25);
      CREATE INDEX other_index ON other (ZTRANSACTIONID);
      PRAGMA writable_schema = ON;
      UPDATE sqlite_master AS m SET rootpage = (SELECT rootpage FROM sqlite_master AS o
        WHERE o.name IN ('other_index', '\(Self.index)') AND o.name <> m.name)
        WHERE name IN ('other_index', '\(Self.index)')
      """)
    let rows = "SELECT * FROM ACHANGE NOT INDEXED ORDER BY Z_PK"
    let before = try StoreQuery(path: sample.store).lines(rows)
    for line in [
      "prune sample.store --before 7 --yes", "prune sample.store --before 7 --archive arch --yes",
      "prune sample.store --before 7 --yes --ignore-guard damage",
    ] {
      let refused = try await sample.run(line)
      #expect(refused.status != 0, "\(line): \(refused.text)\(refused.errors)")
      #expect(try StoreQuery(path: sample.store).lines(rows) == before)
    }
  }

  /// Makes an index of a column that lists other rows than its table has.
  private static func damage(
    _ index: String, on table: String, _ column: String, in query: StoreQuery
  ) throws {
    let sql = "CREATE INDEX \(index) ON \(table) (\(column))"
    try query.run(
      """
      DROP INDEX IF EXISTS \(index);
      \(sql) WHERE Z_PK % 2 = 0;
      PRAGMA writable_schema = ON;
      UPDATE sqlite_master SET sql = '\(sql)' WHERE name = '\(index)';
      PRAGMA writable_schema = RESET
      """)
    let found = try query.lines("PRAGMA integrity_check(\(table))")
    #expect(found.contains { $0.contains("missing from index \(index)") }, "\(found)")
  }

  @Test(arguments: [
    ("ATRANSACTION_ZAUTHORTS_INDEX", "ATRANSACTION", "ZAUTHORTS"),
    ("ZBUCKETLISTITEM_ZTRIP_INDEX", "ZBUCKETLISTITEM", "ZTRIP"),
  ])
  func
    `a copy of a store with an incorrect index says so, and has a correct one unless it is a snapshot`(
      _ index: String, _ table: String, _ column: String
    ) async throws
  {
    let folder = try TemporaryFolder()
    func run(_ line: String) async throws -> Tool.Result {
      try await InProcess.run(
        line.split(separator: " ").map(String.init), folder: folder.file("demo"))
    }
    let demo = try await InProcess.run(["demo", folder.file("demo"), "-q"])
    #expect(demo.status == 0, "\(demo.errors)")
    let store = folder.file("demo/trips.store")
    let sound = try await run("rehearse trips.store last -o sound.store")
    #expect(sound.status == 0 && sound.errors == "", "\(sound.errors)")
    try Self.damage(index, on: table, column, in: StoreQuery(path: store))
    let rows = "SELECT * FROM \(table) NOT INDEXED ORDER BY Z_PK"
    let before = try StoreQuery(path: store).lines(rows)
    for line in [
      "rehearse trips.store 52", "recover trips.store --transaction 350",
      "snapshot trips.store last",
    ] {
      let name = line.prefix { $0 != " " }
      let result = try await run(line + " -o \(name).store")
      #expect(result.status == 0, "\(line): \(result.errors)")
      #expect(
        result.errors.contains("warning: the indexes of \(table) list other rows"),
        "\(line): \(result.errors)")
      do {
        let copy = try StoreQuery(path: folder.file("demo/\(name).store"))
        let problems = try copy.lines("PRAGMA integrity_check")
        #expect((problems == ["ok"]) == (name != "snapshot"), "\(line): \(problems)")
        #expect(Set(try copy.lines(rows)).isSuperset(of: before), "\(line)")
      }
      let json = try await run(line + " -o \(name).store --overwrite --json")
      #expect(json.errors.contains(#""kind":"incorrectIndexes""#), "\(json.errors)")
      try await SchemaCheck.expectFits(json.errors)
    }
    // The hint of a snapshot helps.
    let sqlite = try #require(Tool("sqlite3"))
    let path = folder.file("demo/snapshot.store")
    #expect(try await sqlite.run([path, "REINDEX"]).status == 0)
    #expect(try StoreQuery(path: path).lines("PRAGMA integrity_check") == ["ok"])
    #expect(try await run("snapshot snapshot.store last -o again.store").errors == "")
  }

  @Test
  func `a unique index of a table with repeated rows is not built again, and nothing is left`()
    async throws
  {
    let folder = try TemporaryFolder()
    func run(_ line: String) async throws -> Tool.Result {
      try await InProcess.run(
        line.split(separator: " ").map(String.init), folder: folder.file("demo"))
    }
    let demo = try await InProcess.run(["demo", folder.file("demo"), "-q"])
    #expect(demo.status == 0, "\(demo.errors)")
    let query = try StoreQuery(path: folder.file("demo/trips.store"))
    // The index lists one row of each name.
    let sql = "CREATE UNIQUE INDEX Z_Trip_UNIQUE_name ON ZTRIP (ZNAME COLLATE BINARY ASC)"
    try query.run(
      """
      INSERT INTO ZTRIP (Z_PK, Z_ENT, Z_OPT, ZNAME)
        SELECT 900, Z_ENT, 1, ZNAME FROM ZTRIP ORDER BY Z_PK LIMIT 1;
      UPDATE Z_PRIMARYKEY SET Z_MAX = 900 WHERE Z_NAME = 'Trip';
      \(sql) WHERE Z_PK < 900;
      PRAGMA writable_schema = ON;
      UPDATE sqlite_master SET sql = '\(sql)' WHERE name = 'Z_Trip_UNIQUE_name';
      PRAGMA writable_schema = RESET
      """)
    let found = try query.lines("PRAGMA integrity_check(ZTRIP)")
    #expect(found.contains { $0.contains("missing from index Z_Trip_UNIQUE_name") }, "\(found)")
    func names() throws -> [String] {
      try FileManager.default.contentsOfDirectory(atPath: folder.file("demo"))
        .filter { !$0.hasPrefix("trips.store") }.sorted()
    }
    let before = try names()
    for line in ["rehearse trips.store 60", "recover trips.store --transaction 350"] {
      let result = try await run(line + " -o copy.store")
      #expect(result.status == 5, "\(line): \(result.errors)")
      #expect(
        result.errors.contains("trips.store is damaged: "),
        "\(result.errors)")
      #expect(result.errors.contains("ZTRIP.ZNAME"), "\(result.errors)")
      #expect(result.errors.contains("or take it from a backup"), "\(result.errors)")
      #expect(try names() == before, "\(line)")
      let json = try await run(line + " -o copy.store --json")
      #expect(json.errors.contains(#""kind":"damaged","code":5"#), "\(json.errors)")
      try await SchemaCheck.expectFits(json.errors)
      #expect(try names() == before, "\(line)")
    }
  }
}
