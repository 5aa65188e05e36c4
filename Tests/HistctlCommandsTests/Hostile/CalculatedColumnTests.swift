import Foundation
import TestSupport
import Testing

/// Columns and indexes that SQLite calculates whenever a row is added or deleted: a hostile one can take any
/// time and memory, so nothing is written to such a table.
@Suite(.bounded) struct CalculatedColumnTests {
  private static let hostile = "length(hex(zeroblob(400000000)))"

  @Test(arguments: [
    (
      "ALTER TABLE ACHANGE ADD COLUMN ZH AS (\(CalculatedColumnTests.hostile))",
      "ACHANGE: the column ZH"
    ),
    (
      "ALTER TABLE ATRANSACTION ADD COLUMN ZH AS (\(CalculatedColumnTests.hostile))",
      "ATRANSACTION: the column ZH"
    ),
    (
      "ALTER TABLE ATRANSACTIONSTRING ADD COLUMN ZH AS (\(CalculatedColumnTests.hostile))",
      "ATRANSACTIONSTRING: the column ZH"
    ),
    ("CREATE INDEX hog ON ACHANGE (ZENTITY + 1)", "ACHANGE: the index hog"),
    ("CREATE INDEX hog ON ATRANSACTION (Z_ENT) WHERE Z_ENT > 5", "ATRANSACTION: the index hog"),
  ])
  func `calculated columns and indexes stop commands that write history`(
    _ sql: String, _ place: String
  ) async throws {
    let folder = try TemporaryFolder()
    let store = try SampleStore.write(to: folder.file("x.store"))
    let archive = folder.file("archive")
    let sealed = try await Tool.histctl.run(["archive", store, archive])
    #expect(sealed.status == 0, "\(sealed.errors)")
    try StoreQuery(path: store).run(sql)
    let rows = try StoreQuery(path: store).lines("SELECT Z_PK FROM ATRANSACTION")
    for words in [
      ["prune", store, "--keep-last", "1", "--yes"],
      ["prune", store, "--keep-last", "1", "--yes", "--ignore-guard", "damage"],
      ["prune", store, "--keep-last", "1", "--yes", "--archive", folder.file("other")],
      ["restore", store, archive, "--yes"],
    ] {
      let result = try await Tool.histctl.run(words)
      #expect(result.status == 5, "\(words): \(result.errors)")
      #expect(result.errors.contains("\(place) is calculated"), "\(result.errors)")
      #expect(result.errors.contains("hint: remove the "), "\(result.errors)")
    }
    #expect(try StoreQuery(path: store).lines("SELECT Z_PK FROM ATRANSACTION") == rows)
    let log = try await Tool.histctl.run(["log", store, "--json"])
    #expect(log.status == 0 && log.lines.count == rows.count, "\(log.errors)")
  }

  @Test func `scrub leaves tables with calculated columns empty`() async throws {
    let folder = try TemporaryFolder()
    let store = try SampleStore.write(to: folder.file("x.store"))
    try StoreQuery(path: store).run("ALTER TABLE ACHANGE ADD COLUMN ZH AS (\(Self.hostile))")
    let copy = folder.file("copy.store")
    let result = try await Tool.histctl.run(["scrub", store, "-o", copy, "--yes", "--json"])
    #expect(result.status == 0, "\(result.errors)")
    #expect(result.text.contains(#""emptiedTables":["ACHANGE"]"#), "\(result.text)")
    #expect(try StoreQuery(path: copy).lines("SELECT count(*) FROM ACHANGE") == ["0"])
    #expect(try StoreQuery(path: copy).lines("SELECT count(*) FROM ATRANSACTION") != ["0"])
  }

  /// What SQLite would calculate is a finding, and the rest is verified.
  @Test(arguments: [
    ("CREATE INDEX hog ON ACHANGE (\(Self.costly))", "the index hog"),
    ("CREATE INDEX hog ON ACHANGE (ZENTITY) WHERE \(Self.costly) > 1", "the index hog"),
    ("CREATE INDEX hog ON ZNOTE (ZNAME) WHERE ZNAME LIKE '%a%'", "the index hog"),
    ("ALTER TABLE ZNOTE ADD COLUMN ZH AS (\(Self.costly))", "the column ZH"),
  ])
  func `verify names what it does not calculate`(_ sql: String, _ part: String) async throws {
    let folder = try TemporaryFolder()
    let store = try SampleStore.write(to: folder.file("x.store"))
    try StoreQuery(path: store).run(Self.notes)
    try StoreQuery(path: store).run(sql)
    let result = try await Tool.histctl.run(["verify", store, "--full", "--json"])
    #expect(result.status == 1, "\(result.text) \(result.errors)")
    #expect(result.text.contains(#""calculatedTable":1"#), "\(result.text)")
    #expect(result.text.contains("\(part) is calculated"), "\(result.text)")
    try await SchemaCheck.expectFits(result.text, schema: "man/histctl-reports.schema.json")
    // A page of another table is still compared.
    try StoreQuery(path: store).run(
      "PRAGMA writable_schema = ON; UPDATE sqlite_master SET rootpage = 3 WHERE name = 'Z_METADATA'"
    )
    #expect(try await Tool.histctl.run(["verify", store, "--full"]).status == 5)
  }

  /// Takes 40 MB and most of a second for each row.
  private static let costly = "length(hex(zeroblob(20000000 + ZENTITY)))"
  /// A table of an app, of no entity in the model.
  private static let notes = """
    CREATE TABLE ZNOTE (Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZENTITY INTEGER,
      ZNAME VARCHAR);
    INSERT INTO ZNOTE VALUES (1, 1, 1, 1, 'a');
    """

  @Test func `indexes with conditions that only compare are not a finding`() async throws {
    let folder = try TemporaryFolder()
    let store = try SampleStore.write(to: folder.file("x.store"))
    try StoreQuery(path: store).run(Self.notes)
    try StoreQuery(path: store).run(
      """
      CREATE INDEX a ON ZNOTE (ZNAME) WHERE ZNAME IS NOT NULL AND (Z_OPT > 0 OR Z_ENT IN (1, 2));
      CREATE INDEX b ON ACHANGE (ZENTITY) WHERE ZENTITY <> 4
      """)
    let result = try await Tool.histctl.run(["verify", store, "--full"])
    #expect(result.status == 0, "\(result.text)")
  }

  @Test(arguments: [["rehearse", "last"], ["snapshot", "last"]])
  func `copies of damaged stores are refused`(_ words: [String]) async throws {
    let folder = try TemporaryFolder()
    var shape = StoreWriter.Shape()
    shape.keepsLog = true
    let store = try SampleStore.write(to: folder.file("x.store"), shape: shape)
    try StoreQuery(path: store).run("UPDATE Z_PRIMARYKEY SET Z_MAX = 1 WHERE Z_NAME = 'CHANGE'")
    let copy = folder.file("copy.store")
    let line = [words[0], store, words[1], "-o", copy]
    let result = try await Tool.histctl.run(line)
    #expect(result.status == 5, "\(result.errors)")
    #expect(try !folder.names().contains("copy.store"))
    let ignoring = try await Tool.histctl.run(line + ["--ignore-guard", "damage"])
    #expect(ignoring.status == 0 || ignoring.status == 2, "\(ignoring.errors)")
  }

  @Test func `scrub reports rows that break a constraint of the store as damage of the store`()
    async throws
  {
    let folder = try TemporaryFolder()
    let store = try SampleStore.write(to: folder.file("x.store"))
    func setUnique(_ old: String, _ new: String) throws {
      try StoreQuery(path: store).run(
        """
        PRAGMA writable_schema = ON;
        UPDATE sqlite_master SET sql = replace(sql, 'CREATE \(old)', 'CREATE \(new)')
        WHERE name = 'Z_TRANSACTIONSTRING_UNIQUE_NAME'
        """)
    }
    try setUnique("UNIQUE INDEX", "INDEX")
    try StoreQuery(path: store).run(
      """
      INSERT INTO ATRANSACTIONSTRING (Z_PK, Z_ENT, Z_OPT, ZNAME)
      SELECT max(Z_PK) + 1, Z_ENT, Z_OPT, ZNAME FROM ATRANSACTIONSTRING
      """)
    try setUnique("INDEX", "UNIQUE INDEX")
    let copy = folder.file("copy.store")
    let result = try await Tool.histctl.run(["scrub", store, "-o", copy, "--yes"])
    #expect(result.status == 5, "\(result.errors)")
    #expect(result.errors.contains("x.store is damaged"), "\(result.errors)")
    #expect(try !folder.names().contains("copy.store"))
  }

  @Test func `a refused row is not retried`() async throws {
    let folder = try TemporaryFolder()
    let store = try SampleStore.write(to: folder.file("x.store"))
    let archive = folder.file("archive")
    let pruned = try await Tool.histctl.run([
      "prune", store, "--keep-last", "1", "--yes", "--archive", archive,
    ])
    #expect(pruned.status == 0, "\(pruned.errors)")
    let first = try StoreQuery(path: store).lines("SELECT min(Z_PK) FROM ACHANGE")
    try StoreQuery(path: store).run(
      "ALTER TABLE ACHANGE ADD COLUMN ZREFUSED INTEGER CHECK (Z_PK >= \(first[0]))")
    let result = try await Tool.histctl.run(["restore", store, archive, "--yes"])
    #expect(result.status == 5, "\(result.errors)")
    #expect(result.errors.contains("CHECK constraint failed"), "\(result.errors)")
    #expect(!result.errors.contains("run the command again"))
  }
}
