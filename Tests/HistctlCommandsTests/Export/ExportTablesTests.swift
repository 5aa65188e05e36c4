import Foundation
import StoreFormat
import TestSupport
import Testing

/// `export --format sqlite`: the tables, read by Python's own SQLite, beside the lines of the same history.
@Suite(.bounded, .enabled(if: Tool("python3") != nil && Tool("sqlite3") != nil))
struct ExportTablesTests {
  /// What differs between a database and lines, both in a folder.
  private static func problems(
    _ database: String, _ lines: String, in folder: TemporaryFolder
  ) async throws -> String {
    let tool = Manual.path("Tests/Tools/compare_tables.py")
    let result = try await #require(Tool("python3")).run(
      [tool, folder.file(database), folder.file(lines)])
    return result.status == 0 ? "" : "\(result.text)\(result.errors)"
  }

  /// Exports a history both ways with the same options, and compares.
  private static func compare(
    _ history: String, _ options: String = "", in folder: TemporaryFolder, status: Int = 0
  ) async throws {
    let words = options.split(separator: " ").map(String.init)
    for file in ["x.jsonl", "x.sqlite"] {
      let result = try await InProcess.run(
        ["export", history, "-o", file, "--overwrite"] + words, folder: folder.path)
      #expect(result.status == status, "\(options): \(result.errors)")
    }
    #expect(try await problems("x.sqlite", "x.jsonl", in: folder) == "", "\(history) \(options)")
  }

  private static func ask(_ database: String, _ sql: String) async throws -> [String] {
    let result = try await #require(Tool("sqlite3")).run([database, sql])
    #expect(result.status == 0, "\(result.errors)")
    return result.lines
  }

  // MARK: - Content

  @Test
  func `tables have the same content as lines, whatever is selected`() async throws {
    let sample = try SampleFolder()
    for options in [
      "", "--author widget", "--after 4 --until 6", "--entity Trip --only-matching",
      "--author nobody-at-all", "--no-author",
    ] {
      try await Self.compare("sample.store", options, in: sample.folder)
    }
    let names = try sample.names()
    #expect(names.allSatisfy { !$0.contains("partial") && !$0.hasSuffix("-journal") })
    try await sample.sqlite("DELETE FROM ACHANGE; DELETE FROM ATRANSACTION")
    try await Self.compare("sample.store", in: sample.folder)
  }

  @Test(arguments: 1...8)
  func `tables of random stores have the same content as lines`(seed: Int) async throws {
    let folder = try TemporaryFolder()
    try RandomStore.write(to: folder.file("a.store"), seed: UInt64(seed))
    if seed % 2 == 0 {
      try StoreQuery(path: folder.file("a.store")).run(
        """
        UPDATE ACHANGE SET Z_PK = (Z_PK * 7919 + 13) % 100003 + 200000;
        UPDATE ACHANGE SET ZCHANGETYPE = 7 WHERE Z_PK % 7 = 0;
        UPDATE ACHANGE SET ZENTITY = 99 WHERE Z_PK % 5 = 0;
        UPDATE ACHANGE SET ZENTITYPK = NULL WHERE Z_PK % 11 = 0;
        UPDATE ACHANGE SET ZCOLUMNS = x'00ff00ff00ff' WHERE Z_PK % 13 = 0;
        UPDATE ACHANGE SET Z_OPT = 3 WHERE Z_PK % 17 = 0
        """)
    }
    try await Self.compare("a.store", in: folder)
  }

  @Test(
    .needsRealStores,
    arguments: [
      "swiftdata-rm-4wal.store", "notes-ios17-josh.sqlite", "truthsocial-ios17.sqlite",
      "photos-10.15.7.sqlite", "viber-purged.sqlite",
    ])
  func `tables of real stores have the same content as lines`(name: String) async throws {
    guard let store = RealStores.path(name) else { return }
    let folder = try TemporaryFolder()
    try await Self.compare(folder.copy(store: store), in: folder)
  }

  @Test
  func `old and new values have a table, which --no-values leaves empty`() async throws {
    let trips = try OpenTrips()
    try trips.save { $0.update(OpenTrips.trip(1), values: ["name": .text("Roma")]) }
    try trips.save { $0.insert("Trip", values: ["name": .text("Faro"), "score": .integer(7)]) }
    try trips.save { $0.delete(OpenTrips.trip(2)) }
    try await Self.compare("Trips.store", in: trips.folder)
    let file = trips.folder.file("x.sqlite")
    #expect(
      try await Self.ask(
        file, "SELECT object, attribute, old, new, source FROM namedValues WHERE known = 'both'"
      )
      .contains("Trip/p1|name|Rome|Roma|log"))
    try await Self.compare("Trips.store", "--no-values", in: trips.folder)
    #expect(try await Self.ask(file, "SELECT count(*) FROM changeValues") == ["0"])
  }

  @Test
  func `archives, a store with its archive, and lines are exported like a store`() async throws {
    let sample = try SampleFolder()
    #expect(try await sample.run("export sample.store -o whole.jsonl").status == 0)
    #expect(
      try await sample.run("prune sample.store --before 5 --archive sealed --yes").status == 0)
    for arguments in ["sample.store --archive sealed", "whole.jsonl"] {
      #expect(
        try await sample.run("export \(arguments) -o x.sqlite --overwrite").status == 0)
      #expect(
        try await Self.problems("x.sqlite", "whole.jsonl", in: sample.folder) == "", "\(arguments)")
    }
    try await Self.compare("sealed", in: sample.folder)
    // What is missing at the beginning is told.
    try await Self.compare("sample.store", "--after 0", in: sample.folder)
  }

  @Test
  func `tables written by several threads have a huge transaction in pieces`() async throws {
    let sample = try SampleFolder()
    try await sample.sqlite(
      """
      WITH RECURSIVE n(i) AS (SELECT 13 UNION ALL SELECT i + 1 FROM n WHERE i < 9000)
      INSERT INTO ATRANSACTION (Z_PK, Z_ENT, ZTIMESTAMP) SELECT i, 16002, 743906500.5 + i FROM n;
      WITH RECURSIVE n(i) AS (SELECT 100 UNION ALL SELECT i + 1 FROM n WHERE i < 160000)
      INSERT INTO ACHANGE (Z_PK, Z_ENT, ZCHANGETYPE, ZENTITY, ZENTITYPK, ZTRANSACTIONID, ZCOLUMNS)
      SELECT i, 16001, i % 2, 5, i, CASE WHEN i > 80000 THEN 8000 ELSE 13 + i / 20 END,
        CASE WHEN i % 2 THEN x'0c00' END FROM n;
      """)
    try await Self.compare("sample.store", in: sample.folder)
  }

  @Test
  func `views have names, and the same history produces the same bytes`() async throws {
    let sample = try SampleFolder()
    #expect(try await sample.run("export sample.store -o a.sqlite").status == 0)
    #expect(try await sample.run("export sample.store -o b.db").status == 0)
    let file = sample.folder.file("a.sqlite")
    #expect(try FileBytes.read(file) == FileBytes.read(sample.folder.file("b.db")))
    for (view, filter) in [
      ("namedTransactions", #".author // "-""#),
      ("namedChanges", #".changes[].entity // "-""#),
      ("namedAttributes", #".changes[] | .attributes // [] | .[]"#),
    ] {
      let column = ["author", "entity", "attribute"][
        ["namedTransactions", "namedChanges", "namedAttributes"].firstIndex(of: view) ?? 0]
      let found = try await Self.ask(file, "SELECT coalesce(\(column), '-') FROM \(view)")
      let lines = try await sample.run("export sample.store")
      let expected = try await #require(Tool("jq")).run(["-r", filter], input: lines.text)
      #expect(found.sorted() == expected.lines.sorted(), "\(view)")
    }
    #expect(
      try await Self.ask(file, "PRAGMA user_version; PRAGMA journal_mode") == ["1", "delete"])
  }

  // MARK: - Places

  @Test
  func `a database is not more widely readable than the store, and replaced only on request`()
    async throws
  {
    let sample = try SampleFolder()
    let shell = try #require(Tool("sh"))
    _ = try await shell.run(["-c", "chmod 640 '\(sample.store)'"])
    #expect(try await sample.run("export sample.store -o x.sqlite").status == 0)
    let mode = try await shell.run(["-c", "stat -c %a '\(sample.folder.file("x.sqlite"))'"])
    #expect(mode.text == "640\n")
    let bytes = try FileBytes.read(sample.folder.file("x.sqlite"))
    let again = try await sample.run("export sample.store -o x.sqlite --author app")
    #expect(again.status == 9 && again.errors.contains("--overwrite"))
    #expect(try FileBytes.read(sample.folder.file("x.sqlite")) == bytes)
    #expect(try await sample.run("export sample.store -o sample.store --format sqlite").status != 0)
  }

  @Test
  func `a full disk ends with 9 and leaves nothing`() async throws {
    let sample = try SampleFolder()
    let histctl = Tool.histctl.path
    let limited = try await #require(Tool("sh")).run(
      ["-c", "ulimit -f 100; trap '' XFSZ; '\(histctl)' export '\(sample.store)' -o out.sqlite"],
      folder: sample.folder.path)
    #expect(limited.status == 9, "\(limited.errors)")
    #expect(limited.errors.contains("out.sqlite") && !limited.errors.contains("partial"))
    #expect(try sample.names().allSatisfy { !$0.hasPrefix("out") })
  }

  @Test
  func `each run writes a database of new history and finds that of an interrupted run`()
    async throws
  {
    let sample = try SampleFolder()
    let line = "export sample.store --output-dir logs --bookmark n --format sqlite"
    #expect(try await sample.run(line + " --until 5").status == 0)
    let bookmarks = try FileBytes.read(sample.store + "-bookmarks.json")
    #expect(try await sample.run(line).status == 0)
    let names = ["000000000001-000000000005.sqlite", "000000000006-000000000012.sqlite"]
    #expect(try await sample.files() == names)
    let path = sample.folder.file("logs/\(SampleFolder.identifier)/\(names[1])")
    let bytes = try FileBytes.read(path)
    try FileBytes.write(bookmarks, to: sample.store + "-bookmarks.json")
    let again = try await sample.run(line)
    #expect(again.status == 0, "\(again.errors)")
    #expect(try await sample.files() == names)
    #expect(try await sample.run("token check sample.store @n").text.contains("12"))
    for sql in [
      "UPDATE changes SET pk = pk + 1 WHERE id = (SELECT max(id) FROM changes)",
      "DELETE FROM changes WHERE id = (SELECT max(id) FROM changes)",
      "INSERT INTO changes (id, transactionId) VALUES (999, 12)",
      "UPDATE authors SET name = name || '!'", "UPDATE tombstones SET value = 'other'",
      "UPDATE attributeSets SET columnsRaw = columnsRaw || '00'", "DROP TABLE gaps",
      "PRAGMA user_version = 2",
    ] {
      try FileBytes.write(bookmarks, to: sample.store + "-bookmarks.json")
      _ = try await Self.ask(path, sql)
      let other = try await sample.run(line)
      #expect(other.status == 4, "\(sql): \(other.errors)")
      try FileBytes.write(bytes, to: path)
    }
    for torn in [Array(bytes.dropLast(4096)), Array("SQLite".utf8), []] {
      try FileBytes.write(bookmarks, to: sample.store + "-bookmarks.json")
      try FileBytes.write(torn, to: path)
      #expect(try await sample.run(line).status == 4)
    }
  }

  @Test
  func `several stores, partitions and maintain write databases too`() async throws {
    let sample = try SampleFolder()
    #expect(try await sample.run("demo trips --ending 2026-11-20 -q").status == 0)
    let several = try await sample.run(
      "export sample.store trips/trips.store --output-dir lake --format sqlite "
        + "--partition store,month --bookmark lake")
    #expect(several.status == 0, "\(several.errors)")
    let found = try await #require(Tool("sh")).run(
      [
        "-c",
        "find lake -name '*.sqlite' -path '*month=*' | wc -l; find lake -name '*.zst' | wc -l",
      ],
      folder: sample.folder.path)
    let counts = found.lines.compactMap { Int($0.filter(\.isNumber)) }
    #expect(counts.count == 2 && counts[0] > 2 && counts[1] == 0)
    let config =
      "[trips]\nstore = sample.store\nexport.output-dir = out\nexport.bookmark = b\n"
      + "export.format = sqlite\n"
    try FileBytes.write(Array(config.utf8), to: sample.folder.file("m.conf"))
    let maintain = try await sample.run("maintain --config m.conf")
    #expect(maintain.status == 0, "\(maintain.errors)")
    let own = sample.folder.file(
      "out/\(SampleFolder.identifier)/000000000001-000000000012.sqlite")
    #expect(try await Self.ask(own, "SELECT count(*) FROM transactions") == ["12"])
    try FileBytes.write(
      Array((config + "export.compress = zstd\n").utf8), to: sample.folder.file("m.conf"))
    let refused = try await sample.run("maintain --config m.conf")
    #expect(refused.status != 0 && refused.errors.contains("a database, which is not compressed"))
  }

  // MARK: - What is wrong

  @Test
  func `two changes with the same number are damage and leave no file`() async throws {
    let sample = try SampleFolder()
    let line = #"{"schema":1,"type":"transaction","transaction":1,"changes":[CHANGE,CHANGE]}"#
      .replacingOccurrences(
        of: "CHANGE", with: #"{"change":3,"kind":"insert","entity":"A","pk":1}"#)
    try FileBytes.write(Array((line + "\n").utf8), to: sample.folder.file("twice.jsonl"))
    let result = try await sample.run("export twice.jsonl -o x.sqlite")
    #expect(result.status == 5, "\(result.errors)")
    #expect(result.errors.contains("same"))
    #expect(try sample.names().allSatisfy { !$0.hasPrefix("x.") })
  }
}
