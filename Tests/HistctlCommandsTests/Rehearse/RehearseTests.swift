import Foundation
import TestSupport
import Testing

/// `rehearse`: copies in which tokens have expired, by the frameworks' own rule.
@Suite(.bounded) struct RehearseTests {
  private static func objects(_ result: Tool.Result) throws -> [[String: Any]] {
    try result.lines.map {
      try #require(try JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: Any])
    }
  }

  private static func rows(_ path: String, _ sql: String) throws -> [String] {
    try StoreQuery(path: path).lines(sql)
  }

  /// The names in the folder, without what SQLite keeps beside a store while it is read.
  private static func names(_ sample: SampleFolder) throws -> [String] {
    try sample.folder.names().filter { !$0.hasSuffix("-wal") && !$0.hasSuffix("-shm") }
  }

  private static let transactions = "SELECT Z_PK FROM ATRANSACTION ORDER BY 1"

  @Test(arguments: ["9", "--expire 5"])
  func `no trigger of the store runs in the copy`(_ options: String) async throws {
    let sample = try SampleFolder()
    try StoreQuery(path: sample.store).run(
      """
      CREATE TABLE WITNESS (x INTEGER);
      CREATE TRIGGER A AFTER DELETE ON ACHANGE BEGIN INSERT INTO WITNESS VALUES (1); END;
      CREATE TRIGGER B AFTER DELETE ON ATRANSACTION BEGIN SELECT NSCoreDataFunction(1); END
      """)
    let result = try await sample.run("rehearse sample.store \(options) -o copy.store")
    #expect(result.status == 0, "\(result.errors)")
    #expect(
      try Self.rows(sample.folder.file("copy.store"), "SELECT count(*) FROM WITNESS") == ["0"])
  }

  @Test
  func `a copy has only the history after the token, which works`() async throws {
    let sample = try SampleFolder()
    let copy = sample.folder.file("copy.store")
    let bytes = try FileBytes.read(sample.store)
    _ = try await sample.run("bookmark set sample.store widget 7")
    _ = try await sample.run("bookmark set sample.store app 9")
    let result = try await sample.run(
      "rehearse sample.store 9 -o copy.store --check-token 8 --check-token last --check-token 2w")
    #expect(result.status == 0, "\(result.errors)")
    #expect(
      result.textOfRows == """
        copy        copy.store
        works       9 and all after it
        deleted     8 transactions, 18 changes
        left        4 transactions

        8        valid         expired      error 134301, SwiftDataError.historyTokenExpired; nothing after it is missing
        last     valid         valid        0 transactions
        2w       valid         valid        0 transactions
        @app     valid         valid        3 transactions
        @widget  valid         expired      error 134301, SwiftDataError.historyTokenExpired; after it 8 is missing

        """)
    #expect(try FileBytes.read(sample.store) == bytes)
    #expect(try Self.rows(copy, Self.transactions) == ["9", "10", "11", "12"])
    // The rest is as it was, as when an app purges its history.
    let changes = "SELECT * FROM ACHANGE WHERE ZTRANSACTIONID >= 9 ORDER BY Z_PK"
    #expect(try Self.rows(copy, changes) == Self.rows(sample.store, changes))
    #expect(try Self.rows(copy, "SELECT min(ZTRANSACTIONID) FROM ACHANGE") == ["9"])
    for table in ["Z_PRIMARYKEY", "Z_METADATA", "Z_MODELCACHE", "ATRANSACTIONSTRING"] {
      let all = "SELECT * FROM \(table)"
      #expect(try Self.rows(copy, all) == Self.rows(sample.store, all))
    }
    for (pragma, value) in [
      ("journal_mode", "wal"), ("auto_vacuum", "2"), ("integrity_check", "ok"),
    ] {
      #expect(try Self.rows(copy, "PRAGMA \(pragma)") == [value])
    }
    // The copy agrees, for every token.
    let states = try await sample.run("token check copy.store 1 2 3 4 5 6 7 8 9 10 11 12")
    #expect(
      states.rows.map { String($0.split(separator: " ")[1]) }
        == Array(repeating: "expired", count: 8) + Array(repeating: "valid", count: 4))
  }

  @Test(arguments: [1, 5, 12])
  func `exactly one token expires`(number: Int) async throws {
    let sample = try SampleFolder()
    let result = try await sample.run(
      "rehearse sample.store --expire \(number) -o copy.store --check-token \(number) --json")
    #expect(result.status == 0, "\(result.errors)")
    let objects = try Self.objects(result)
    #expect(objects[0]["expired"] as? [Int] == [number])
    #expect(objects[0]["transactionsDeleted"] as? Int == 1)
    #expect(objects[1]["stateBefore"] as? String == "valid")
    #expect(objects[1]["state"] as? String == "expired")
    #expect(objects[1]["code"] as? Int == 134_301)
    #expect(objects[1]["error"] as? String == "SwiftDataError.historyTokenExpired")
    let numbers = (1...12).map(String.init).joined(separator: " ")
    let states = try await sample.run("token check copy.store \(numbers)")
    #expect(
      states.rows.map { String($0.split(separator: " ")[1]) }
        == (1...12).map { $0 == number ? "expired" : "valid" })
    // No change is left without its transaction.
    #expect(
      try Self.rows(
        sample.folder.file("copy.store"),
        "SELECT count(*) FROM ACHANGE WHERE ZTRANSACTIONID NOT IN (SELECT Z_PK FROM ATRANSACTION)")
        == ["0"])
    try await SchemaCheck.expectFits(result.text)
  }

  @Test
  func `the report has what the frameworks return`() async throws {
    let sample = try SampleFolder()
    _ = try await sample.run("bookmark set sample.store other 11")
    try await sample.sqlite("UPDATE ATRANSACTION SET ZTIMESTAMP = ZTIMESTAMP + 1 WHERE Z_PK = 11")
    let result = try await sample.run(
      "rehearse sample.store 4 --expire 6 -o copy.store --json --check-token 99 --check-token 0 "
        + "--check-token 00000000-8F4B-4E3A-9C61-0A5B7C9D2E3F:4 --check-token 6 --check-token 5")
    let objects = try Self.objects(result).dropFirst()
    #expect(
      objects.map { "\($0["state"] ?? "") \($0["outcome"] ?? "") \($0["transactions"] ?? "")" }
        == [
          "ahead error ", "valid history 8", "foreign nothing ", "expired error ",
          "valid history 6", "diverged history 1",
        ])
    try await SchemaCheck.expectFits(result.text)
  }

  @Test
  func `large values beside the store are copied, and only regular files`() async throws {
    let sample = try SampleFolder()
    let files = FileManager.default
    let data = sample.folder.file(".sample_SUPPORT/_EXTERNAL_DATA")
    try files.createDirectory(atPath: data, withIntermediateDirectories: true)
    let big = (0..<600_000).map { UInt8(truncatingIfNeeded: $0 &* 31) }
    try FileBytes.write(big, to: data + "/6E2B")
    try FileBytes.write([], to: data + "/empty")
    try files.setAttributes([.posixPermissions: 0o600], ofItemAtPath: data + "/6E2B")
    try files.createSymbolicLink(atPath: data + "/link", withDestinationPath: "/etc/passwd")
    let result = try await sample.run("rehearse sample.store 9 -o copy.store --json")
    let written = try #require(try Self.objects(result).first, "\(result.errors)")
    #expect(written["externalFiles"] as? Int == 2)
    let copied = sample.folder.file(".copy_SUPPORT/_EXTERNAL_DATA")
    #expect(try files.contentsOfDirectory(atPath: copied).sorted() == ["6E2B", "empty"])
    #expect(try FileBytes.read(copied + "/6E2B") == big)
    let mode = try files.attributesOfItem(atPath: copied + "/6E2B")[.posixPermissions] as? Int
    #expect(mode == 0o600)

    // Replacing the copy replaces its folder; a name that leads to the store's own is refused.
    try files.removeItem(atPath: data + "/empty")
    let again = try await sample.run("rehearse sample.store 9 -o copy.store")
    #expect(again.status == 9)
    let replaced = try await sample.run("rehearse sample.store 5 -o copy.store --overwrite")
    #expect(replaced.status == 0, "\(replaced.errors)")
    #expect(try files.contentsOfDirectory(atPath: copied) == ["6E2B"])
    let own = try await sample.run("rehearse sample.store 5 -o sample.sqlite --overwrite")
    #expect(own.status == 64)
    #expect(try files.contentsOfDirectory(atPath: data).sorted() == ["6E2B", "link"])
    #expect(
      try Self.names(sample) == [
        ".copy_SUPPORT", ".sample_SUPPORT", "copy.store", "sample.store",
      ])
  }

  @Test
  func `a copy does not replace the store, and other files only with --overwrite`() async throws {
    let sample = try SampleFolder()
    let bytes = try FileBytes.read(sample.store)
    try FileManager.default.linkItem(atPath: sample.store, toPath: sample.folder.file("hard.store"))
    try FileManager.default.createSymbolicLink(
      atPath: sample.folder.file("soft.store"), withDestinationPath: sample.store)
    try FileBytes.write(
      Array("SQLite format 3\0".utf8), to: sample.folder.file("there.store"))
    for (line, status) in [
      ("9 -o sample.store --overwrite", 64), ("9 -o ./sample.store --overwrite", 64),
      ("9 -o hard.store --overwrite", 64), ("9 -o soft.store --overwrite", 64),
      ("9 -o there.store", 9), ("9 -o missing/copy.store", 9), ("-o copy.store", 64),
      ("9 --expire 9 -o copy.store", 64), ("99 -o copy.store", 4), ("0 -o copy.store", 4),
      ("9", 64),
    ] {
      let result = try await sample.run("rehearse sample.store " + line)
      #expect(result.status == status, "\(line): \(result.errors)")
    }
    #expect(try FileBytes.read(sample.store) == bytes)
    #expect(
      try Self.names(sample) == ["hard.store", "sample.store", "soft.store", "there.store"])
    #expect(
      try await sample.run("rehearse sample.store 9 -o there.store --overwrite").status == 0)
  }

  @Test(arguments: [0o600, 0o640, 0o644])
  func `a copy is not more widely readable than the store`(mode: Int) async throws {
    let sample = try SampleFolder()
    let files = FileManager.default
    try files.setAttributes([.posixPermissions: mode], ofItemAtPath: sample.store)
    #expect(try await sample.run("rehearse sample.store 9 -o copy.store").status == 0)
    let copy = try files.attributesOfItem(atPath: sample.folder.file("copy.store"))
    let found = try #require(copy[.posixPermissions] as? Int)
    #expect(found & ~mode == 0)
  }

  @Test(.enabled(if: Tool("python3") != nil))
  func `a copy made while an app saves is of one moment, with the log`() async throws {
    let sample = try SampleFolder()
    let script = """
      import sqlite3, subprocess, sys, time
      store, copy, tool = sys.argv[1:4]
      db = sqlite3.connect(store, isolation_level=None)
      db.execute("pragma wal_autocheckpoint = 0")
      number = 12
      def save():
          global number
          number += 1
          db.execute("begin immediate")
          db.execute("insert into ATRANSACTION (Z_PK, Z_ENT, ZTIMESTAMP) values (?, 16002, ?)",
                     (number, 743906500.0 + number))
          for key in range(20):
              db.execute("insert into ACHANGE (Z_ENT, ZCHANGETYPE, ZENTITY, ZENTITYPK,"
                         " ZTRANSACTIONID) values (16001, 0, 5, ?, ?)", (key + 1, number))
          db.execute("update Z_PRIMARYKEY set Z_MAX = ? where Z_ENT = 16002", (number,))
          db.execute("update Z_PRIMARYKEY set Z_MAX = (select max(Z_PK) from ACHANGE)"
                     " where Z_ENT = 16001")
          db.execute("commit")
      for _ in range(200): save()
      for _ in range(5):
          low = number
          run = subprocess.Popen([tool, "rehearse", store, "20", "-o", copy, "--overwrite", "-q"],
                                 stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
          while run.poll() is None:
              save()
              # A program that is not optimized, on a busy machine, needs seconds to start.
              time.sleep(0.001)
              if number > 50_000: run.kill(); sys.exit("it did not end while 50,000 saves were made")
          assert run.returncode == 0, run.stderr.read()
          new = sqlite3.connect(copy)
          assert new.execute("pragma integrity_check").fetchone()[0] == "ok"
          rows = [row[0] for row in new.execute("select Z_PK from ATRANSACTION order by 1")]
          assert rows == list(range(20, rows[-1] + 1)) and rows[-1] >= low, (rows[0], rows[-1], low)
          maximum = new.execute("select Z_MAX from Z_PRIMARYKEY where Z_ENT = 16002").fetchone()[0]
          assert maximum == rows[-1]
          late = "select count(*) from ACHANGE where ZTRANSACTIONID >= 20"
          assert new.execute(late).fetchone()[0] == 20 * (rows[-1] - 19)
          new.close()
      print("well")
      """
    let python = try #require(Tool("python3"))
    let result = try await python.run([
      "-c", script, sample.store, sample.folder.file("copy.store"), Tool.histctl.path,
    ])
    #expect(result.text == "well\n", "\(result.errors)")
  }

  @Test(.enabled(if: Tool("sh") != nil && Tool("sqlite3") != nil))
  func `a signal leaves no files`() async throws {
    let sample = try SampleFolder()
    try await sample.sqlite(
      """
      CREATE TABLE ZPHOTO (Z_PK INTEGER PRIMARY KEY, ZDATA BLOB);
      WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 20000)
      INSERT INTO ZPHOTO SELECT i, randomblob(3000) FROM n;
      """)
    let data = sample.folder.file(".sample_SUPPORT/_EXTERNAL_DATA")
    try FileManager.default.createDirectory(atPath: data, withIntermediateDirectories: true)
    for number in 0..<200 {
      try FileBytes.write(Array(repeating: 7, count: 50_000), to: data + "/\(number)")
    }
    let before = try sample.folder.names()
    let shell = try #require(Tool("sh"))
    var interrupted = 0
    for round in 0..<16 {
      let pause = "0.\(String(1000 + round * 20).dropFirst())"
      let result = try await shell.run(
        [
          "-c",
          """
          '\(Tool.histctl.path)' rehearse sample.store 9 -o copy.store >/dev/null 2>&1 & pid=$!
          sleep \(pause); kill -TERM $pid 2>/dev/null; wait $pid
          """,
        ], folder: sample.folder.path)
      let left = try sample.folder.names().filter { !before.contains($0) && !$0.hasSuffix("-shm") }
      if result.status == 143, !left.contains("copy.store") {
        interrupted += 1
        #expect(left.filter { !$0.hasSuffix("-wal") } == [])
      } else {
        #expect(left.filter { !$0.hasSuffix("-wal") } == [".copy_SUPPORT", "copy.store"])
        try FileManager.default.removeItem(atPath: sample.folder.file("copy.store"))
        try FileManager.default.removeItem(atPath: sample.folder.file(".copy_SUPPORT"))
      }
    }
    #expect(interrupted > 0)
  }

  @Test(.needsRealStores, arguments: RealStores.paths)
  func `rehearsing leaves real stores unchanged and their copies intact`(
    _ path: String
  ) async throws {
    let folder = try TemporaryFolder()
    let store = try folder.copy(store: path)
    let copy = folder.file("rehearsed.store")
    let before = try UnchangedStoreTests.files(folder)
    let words = [
      "rehearse", store, "last~3", "-o", copy, "--check-token", "last~3", "--check-token", "first",
    ]
    var result = try await InProcess.run(words)
    if result.status == 5 {
      // A damaged store has a copy only where that is said.
      let verified = try await InProcess.run(["verify", store, "--full"])
      #expect(verified.status == 5, "\(result.errors)")
      result = try await InProcess.run(words + ["--ignore-guard", "damage"])
    }
    try UnchangedStoreTests.expectUnchanged(
      before, in: folder, store, besides: ["rehearsed.store"])
    guard result.status == 0 else {
      #expect([4, 8].contains(result.status), "\(result.errors)")
      return
    }
    let numbers = "SELECT Z_PK FROM ATRANSACTION ORDER BY 1"
    #expect(try Self.rows(copy, numbers) == Self.rows(store, numbers).suffix(4))
    #expect(
      try Self.rows(copy, "SELECT * FROM Z_PRIMARYKEY")
        == Self.rows(store, "SELECT * FROM Z_PRIMARYKEY"))
    let states = try await InProcess.run(["token", "check", copy, "last~3"])
    #expect(states.status == 0)
  }
}
