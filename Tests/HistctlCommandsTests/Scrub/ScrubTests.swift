import Foundation
import PersistentHistory
import StoreFormat
import TestSupport
import Testing

/// `scrub`: copies that can be given away.
@Suite(.bounded) struct ScrubTests {
  private static let checker = URL(fileURLWithPath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
    .appendingPathComponent("Tools/scrub_check.py").path

  /// Makes two copies, the second without authors, and has them checked by a program that knows nothing
  /// of ours.
  ///
  /// With neutral names, the histories are compared as well: as `log` reads them and, where there is
  /// one, as an independent decoder does.
  @discardableResult
  static func check(
    _ store: String, in folder: TemporaryFolder, names: Bool = false
  ) async throws -> [String] {
    let copies = [folder.file("copy.store"), folder.file("other.store")]
    for (copy, options) in zip(copies, [[], ["--authors"]]) {
      let line =
        ["scrub", store, "-o", copy, "--yes", "--quiet"] + options + (names ? ["--names"] : [])
      let result = try await Tool.histctl.run(line)
      #expect(result.status == 0, "\(result.errors)")
    }
    let python = try #require(Tool("python3"))
    var readers: [(tool: Tool, options: [String])] = [
      (.histctl, ["log", "--json", "--changes", "--no-values"])
    ]
    if let oracle = RealStores.oracle { readers.append((python, [oracle])) }
    var histories: [String] = []
    for reader in names ? readers : [] {
      for path in [store, copies[0]] {
        histories.append(folder.file("history\(histories.count)"))
        let lines = try await reader.tool.run(reader.options + [path]).output
        try FileBytes.write(lines, to: histories[histories.count - 1])
      }
    }
    let result = try await python.run([checker, store] + copies + histories)
    #expect(result.status == 0, "\(result.text)\(result.errors)")
    return copies
  }

  /// A line of history without what a copy has replaced.
  private static func shape(_ value: Any, of key: String = "") -> String {
    switch (key, value) {
    case ("store", _), ("timestamp", _), ("timestampRaw", _), ("queryGenerationRaw", _):
      return key
    case ("context", let text as String): return "\(text.utf8.count)"
    case ("tombstone", let values as [String: Any]):
      return values.map { name, value in
        name + ((value as? String).map { "\($0.utf8.count)" } ?? "\(type(of: value))")
      }.sorted().joined()
    case ("tombstoneRaw", let values as [Any]): return "\(values.count)"
    case (_, let values as [Any]): return values.map { shape($0) }.joined(separator: ",")
    case (_, let values as [String: Any]):
      return values.map { "\($0):" + shape($1, of: $0) }.sorted().joined(separator: ",")
    default: return "\(value)"
    }
  }

  private static func history(_ store: String) async throws -> (lines: [String], status: Int) {
    let result = try await InProcess.run(["log", store, "--json", "--changes", "--no-values"])
    let lines = try result.lines.map {
      shape(try JSONSerialization.jsonObject(with: Data($0.utf8)))
    }
    return (lines, result.status)
  }

  /// All with their names, and some in every run without, which takes Python five times as long.
  @Test(
    .enabled(if: !RealStores.paths.isEmpty && Tool("python3") != nil),
    arguments: RealStores.paths.map { ($0, false) }
      + Campaign.sample(5, of: RealStores.paths).map { ($0, true) })
  func `scrubbed real stores keep their form and lose their content`(
    _ path: String, names: Bool
  ) async throws {
    let folder = try TemporaryFolder()
    let store = try folder.copy(store: path)
    let bytes = try FileBytes.read(store)
    let copy = try await Self.check(store, in: folder, names: names)[0]
    #expect(try FileBytes.read(store) == bytes)
    let (before, after) = (try await Self.history(store), try await Self.history(copy))
    if names {
      #expect(before.lines.count == after.lines.count && before.status == after.status)
    } else {
      #expect(before == after)
    }
    var statuses: [Int] = []
    for path in [store, copy] {
      statuses.append(try await InProcess.run(["verify", path, "--full", "--quiet"]).status)
    }
    #expect(statuses[0] == statuses[1])
  }

  /// A store with everything that a copy treats in its own way.
  static func oddities(_ folder: TemporaryFolder) throws -> String {
    let store = folder.file("odd.store")
    var shape = StoreWriter.Shape()
    shape.keepsLog = true
    let writer = try StoreWriter(path: store, shape: shape)
    try SampleStore.fill(writer)
    let archive = try HistoryToken(storeIdentifier: StoreWriter.identifier, transaction: 5)
      .archivedPropertyList()
    try MirroredTables.add(to: writer, token: .blob(archive))
    try writer.sql(
      """
      CREATE TABLE NOTES (text VARCHAR);
      INSERT INTO NOTES VALUES ('a secret of the owner');
      CREATE VIRTUAL TABLE WORDS USING fts5(word);
      INSERT INTO WORDS VALUES ('another secret word');
      CREATE TABLE ZTRIP (Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZNAME VARCHAR,
        ZPHOTO BLOB, ZVISITS INTEGER, ZX FLOAT, UNIQUE (ZNAME));
      CREATE UNIQUE INDEX ONCE ON ZTRIP (ZVISITS);
      WITH RECURSIVE n (i) AS (SELECT 1 UNION SELECT i + 1 FROM n WHERE i < 900)
      INSERT INTO ZTRIP SELECT i, 2, 1, char(97 + i % 26, 97 + i / 26), randomblob(i % 40), i, i
      FROM n;
      UPDATE ZTRIP SET ZPHOTO =
        CAST(x'02' || '8A2B7C1E-0000-4000-8000-000000000000' || x'00' AS BLOB) WHERE Z_PK = 1;
      CREATE TRIGGER LOUD AFTER UPDATE ON ZTRIP BEGIN SELECT NSCoreDataNonsense(1); END;
      CREATE VIEW LOOK AS SELECT * FROM ZTRIP;
      ANALYZE;
      DELETE FROM ZTRIP WHERE Z_PK > 800;
      """)
    try writer.close()
    return store
  }

  @Test(arguments: [[], ["--names"]])
  func `a history is recognized by the names of its columns`(_ options: [String]) async throws {
    let sample = try SampleFolder()
    let query = try StoreQuery(path: sample.store)
    let columns = try query.lines(
      "SELECT group_concat(name) FROM pragma_table_info('ACHANGE') WHERE name <> 'Z_PK'")[0]
    try query.run(
      """
      ALTER TABLE ACHANGE RENAME TO OLD;
      CREATE TABLE ACHANGE (Z_PK INTEGER PRIMARY KEY, \(columns));
      INSERT INTO ACHANGE (Z_PK, \(columns)) SELECT Z_PK, \(columns) FROM OLD;
      DROP TABLE OLD;
      CREATE INDEX ACHANGE_ZTRANSACTIONID_INDEX ON ACHANGE (ZTRANSACTIONID);
      UPDATE ACHANGE SET ZCOLUMNS = 'a secret of the owner' WHERE Z_PK = 4
      """)
    let result = try await Tool.histctl.run(
      ["scrub", sample.store, "-o", sample.folder.file("copy.store"), "--yes", "--quiet"] + options)
    #expect(result.status == 0, "\(result.errors)")
    let copy = try StoreQuery(path: sample.folder.file("copy.store"))
    let numbers = "SELECT Z_PK, ZTRANSACTIONID, ZCHANGETYPE, ZENTITY, ZENTITYPK FROM ACHANGE"
    #expect(try copy.lines(numbers) == query.lines(numbers))
    let text =
      "SELECT typeof(ZCOLUMNS), length(ZCOLUMNS), ZCOLUMNS GLOB '*secret*' FROM ACHANGE WHERE Z_PK = 4"
    #expect(try copy.lines(text) == ["text|21|0"])
  }

  @Test(.enabled(if: Tool("python3") != nil)) func `unusual values, tables and files are scrubbed`()
    async throws
  {
    let folder = try TemporaryFolder()
    let store = try Self.oddities(folder)
    let copy = folder.file("copy.store")
    let result = try await Tool.histctl.run(["scrub", store, "-o", copy, "--yes", "--json"])
    #expect(result.status == 0, "\(result.errors)")
    let line = try #require(result.lines.first)
    let plan = try #require(
      try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])
    #expect(plan["emptiedTables"] as? [String] == ["NOTES", "WORDS"])
    let (before, after) = (try StoreQuery(path: store), try StoreQuery(path: copy))
    for (sql, expected) in [
      ("PRAGMA integrity_check", "ok"), ("PRAGMA journal_mode", "wal"),
      ("SELECT count(*) FROM NOTES", "0"),
      ("SELECT count(*) FROM sqlite_master WHERE name LIKE 'sqlite_stat%'", "0"),
      (
        "SELECT count(*) || '|' || count(DISTINCT ZNAME) || '|' || count(DISTINCT ZVISITS) FROM ZTRIP",
        "800|800|800"
      ),
      (
        "SELECT length(ZPHOTO) || '|' || hex(substr(ZPHOTO, 1, 1)) FROM ZTRIP WHERE Z_PK = 1",
        "17|01"
      ),
      ("SELECT count(*) FROM WORDS WHERE WORDS MATCH 'secret'", "0"),
      ("SELECT count(*) FROM sqlite_master WHERE type IN ('view', 'trigger')", "2"),
    ] {
      #expect(try after.lines(sql) == [expected], "\(sql)")
    }
    // Keys of the frameworks stay, and the mirror's token names the copy.
    let keys = "SELECT ZKEY FROM ANSCKMETADATAENTRY ORDER BY Z_PK"
    #expect(try after.lines(keys) == before.lines(keys))
    let info = try await InProcess.run(["info", copy, "--json"])
    #expect(info.text.contains(#""exported""#) || info.text.contains("mirror"))
    let identifier = try after.lines("SELECT Z_UUID FROM Z_METADATA")[0]
    #expect(identifier != StoreWriter.identifier)
    let token = try after.rows(
      "SELECT ZTRANSFORMEDVALUE FROM ANSCKMETADATAENTRY WHERE ZKEY LIKE '%Token%'")[0][0]
    guard case .blob(let tokenBytes) = token else {
      Issue.record("no token")
      return
    }
    #expect(String(decoding: tokenBytes, as: UTF8.self).contains(identifier))
    let bytes = String(decoding: try FileBytes.read(copy), as: UTF8.self)
    for secret in ["a secret of the owner", "another secret", "Rome 4", StoreWriter.identifier] {
      #expect(!bytes.contains(secret), "\(secret)")
    }
  }

  @Test(.enabled(if: Tool("python3") != nil))
  func `a copy has no secret from any column, the schema, the header or the log`()
    async throws
  {
    let folder = try TemporaryFolder()
    let demo = try await Tool.histctl.run(["demo", folder.file("demo")])
    try #require(demo.status == 0, "\(demo.errors)")
    try StoreQuery(path: folder.file("demo/trips.store")).run("PRAGMA wal_checkpoint(TRUNCATE)")
    let script = URL(fileURLWithPath: Self.checker).deletingLastPathComponent()
      .appendingPathComponent("scrub_secrets.py").path
    let result = try await #require(Tool("python3")).run(
      [script, Tool.histctl.path, folder.file("demo/trips.store"), folder.path])
    #expect(result.status == 0, "\(result.text)\(result.errors)")
  }

  @Test func `a dry run shows what would be scrubbed`() async throws {
    let sample = try SampleFolder()
    let result = try await sample.run("scrub sample.store -o copy.store --dry-run")
    #expect(result.status == 0, "\(result.errors)")
    for line in [
      "copy        copy.store", "leaves out  external data, free pages, SQLite's statistics",
      "            12 transactions with their numbers, 27 changes with names of attributes",
      "key         used once and kept nowhere",
    ] {
      #expect(result.textOfRows.contains(line), "\(result.textOfRows)")
    }
    #expect(result.text.contains("(--authors replaces them): ") && result.text.contains("app, "))
    let all = try await sample.run("scrub sample.store -o copy.store -n --authors --key k")
    #expect(!all.text.contains("app, "))
    #expect(all.text.contains("the model with all its names (--names replaces them)"))
    let renamed = try await sample.run("scrub sample.store -o copy.store -n --names")
    for line in [
      "            names of entities, attributes, relationships, tables, columns, indexes",
      "            of the model: expressions, fetch indexes, rules of validation, user info",
      "keeps       tables, the model, keys, relationships",
      "            12 transactions with their numbers, 27 changes and which attributes they set",
    ] {
      #expect(renamed.textOfRows.contains(line), "\(renamed.textOfRows)")
    }
    #expect(try !sample.folder.names().contains { ["copy.store", "k"].contains($0) })
  }

  @Test func `copies scrubbed with the same key are alike`() async throws {
    let sample = try SampleFolder()
    for (copy, key) in [("a", "--key k"), ("b", "--key k"), ("c", ""), ("d", "")] {
      let result = try await sample.run("scrub sample.store -o \(copy) --yes \(key)")
      #expect(result.status == 0, "\(result.errors)")
      #expect(result.text.hasPrefix("\(copy): "))
    }
    let bytes = try ["a", "b", "c", "d"].map { try FileBytes.read(sample.folder.file($0)) }
    #expect(bytes[0] == bytes[1])
    #expect(Set(bytes).count == 3)
    for copy in ["e1", "e2"] {
      let result = try await sample.run("scrub sample.store -o \(copy) --yes --key k --names")
      #expect(result.status == 0, "\(result.errors)")
    }
    let named = try ["e1", "e2"].map { try FileBytes.read(sample.folder.file($0)) }
    #expect(named[0] == named[1])
    let attributes = try FileManager.default.attributesOfItem(atPath: sample.folder.file("k"))
    #expect(attributes[.posixPermissions] as? Int == 0o600)
    let digits = String(decoding: try FileBytes.read(sample.folder.file("k")), as: UTF8.self)
    #expect(digits.wholeMatch(of: #/[0-9a-f]{64}\n/#) != nil)
    for wrong in ["12 34", String(repeating: "a", count: 63), String(repeating: "f", count: 70)] {
      try FileBytes.write(Array(wrong.utf8), to: sample.folder.file("wrong"))
      let result = try await sample.run("scrub sample.store -o e --yes --key wrong")
      #expect(result.status == 9)
      #expect(result.errors.contains("it does not have exactly 64 hexadecimal digits"))
    }
    #expect(try !sample.folder.names().contains("e"))
  }

  @Test func `impossible copies are refused`() async throws {
    let sample = try SampleFolder()
    let bytes = try FileBytes.read(sample.store)
    for (line, status, words) in [
      ("scrub sample.store -o copy.store", 64, "--yes to write it"),
      ("scrub sample.store -o sample.store --yes --overwrite", 64, "take the place"),
      ("scrub none.store -o copy.store --yes", 9, "no file at none.store"),
      ("scrub sample.store -o there --yes", 9, "there"),
      ("scrub sample.store --yes", 64, "-o"),
    ] {
      try FileBytes.write([1], to: sample.folder.file("there"))
      let result = try await sample.run(line)
      #expect(result.status == status, "\(line): \(result.errors)")
      #expect(result.errors.contains(words), "\(result.errors)")
    }
    #expect(try FileBytes.read(sample.store) == bytes)
    #expect(try !sample.folder.names().contains("copy.store"))
    // With its middle overwritten.
    var damaged = bytes
    damaged.replaceSubrange(
      8192..<bytes.count, with: [UInt8](repeating: 0xff, count: bytes.count - 8192))
    try FileBytes.write(damaged, to: sample.store)
    let result = try await sample.run("scrub sample.store -o copy.store --yes")
    #expect(result.status == 5, "\(result.errors)")
    #expect(try !sample.folder.names().contains("copy.store"))
  }

  @Test(.enabled(if: AnsweredQuestion.isPossible), arguments: ["y", "n"])
  func `scrub asks for confirmation`(_ answer: String) async throws {
    let sample = try SampleFolder()
    let copy = sample.folder.file("copy.store")
    let result = try await AnsweredQuestion.run(
      ["scrub", sample.store, "-o", copy], answer: answer)
    #expect(result.status == (answer == "y" ? 0 : 1), "\(result.text)")
    #expect(FileManager.default.fileExists(atPath: copy) == (answer == "y"))
  }

  @Test func `a property list that is too large to scrub is not called damage`() async throws {
    let sample = try SampleFolder()
    try await sample.sqlite("UPDATE Z_METADATA SET Z_PLIST = zeroblob(2000000)")
    let result = try await sample.run("scrub sample.store -o copy.store --yes")
    #expect(result.status == 2, "\(result.errors)")
    #expect(
      result.errors.contains(
        "the property list in Z_METADATA of sample.store has 2000000 bytes (limit 1048576)"),
      "\(result.errors)")
    #expect(!result.errors.contains("damaged"), "\(result.errors)")
  }
}
