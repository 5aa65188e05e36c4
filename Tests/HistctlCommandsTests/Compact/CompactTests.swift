import Foundation
import TestSupport
import Testing

/// `compact`: what it gives back, what it leaves alone, and what stands in its way.
@Suite(.bounded, .enabled(if: Tool("python3") != nil && Tool("sqlite3") != nil)) struct CompactTests
{
  /// Adds rows of 3 KiB each, and deletes every other: that many free pages, all over the file.
  private static func grow(_ sample: SampleFolder, rows: Int) async throws {
    try await sample.sqlite(
      """
      CREATE TABLE ZPHOTO (Z_PK INTEGER PRIMARY KEY, ZDATA BLOB);
      WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < \(rows))
      INSERT INTO ZPHOTO SELECT i, randomblob(3000) FROM n;
      DELETE FROM ZPHOTO WHERE Z_PK % 2;
      """)
  }

  private static func facts(_ sample: SampleFolder) throws -> [String] {
    let query = try StoreQuery(path: sample.store)
    return try ["journal_mode", "auto_vacuum", "page_size", "user_version", "integrity_check"]
      .flatMap { try query.lines("PRAGMA \($0)") }
  }

  private static func freePages(_ sample: SampleFolder) throws -> String {
    try StoreQuery(path: sample.store).lines("PRAGMA freelist_count")[0]
  }

  private static func object(_ result: Tool.Result) throws -> [String: Any] {
    try #require(try JSONSerialization.jsonObject(with: Data(result.output)) as? [String: Any])
  }

  @Test func `without free pages compact leaves the log and its states`() async throws {
    let sample = try SampleFolder()
    let script = """
      import os, shutil, sqlite3, sys
      store = sys.argv[1]
      db = sqlite3.connect(store)
      db.execute("pragma journal_mode = wal"); db.execute("pragma wal_autocheckpoint = 0")
      db.execute("insert into ATRANSACTION (Z_PK, ZTIMESTAMP) values (1000, 8e8)")
      db.execute("update Z_PRIMARYKEY set Z_MAX = 1000 where Z_ENT = 16002"); db.commit()
      for end in ["", "-wal"]: shutil.copy(store + end, store + ".kept" + end)
      db.close()
      for end in ["", "-wal"]: os.rename(store + ".kept" + end, store + end)
      """
    let python = try await #require(Tool("python3")).run(["-c", script, sample.store])
    #expect(python.status == 0, "\(python.errors)")
    let log = try FileBytes.read(sample.store + "-wal")
    #expect(!log.isEmpty)
    let result = try await sample.run("compact sample.store")
    #expect(result.status == 0 && result.text.contains("nothing to free"), "\(result.errors)")
    #expect(try FileBytes.read(sample.store + "-wal") == log)
    #expect(!FileManager.default.fileExists(atPath: sample.store + "-values.db"))
    let info = try Self.object(try await sample.run("info sample.store --json"))
    #expect(info["logBytes"] as? Int == log.count)
  }

  @Test(arguments: ["", " --full"])
  func `compact returns free pages and changes nothing else`(_ option: String) async throws {
    let sample = try SampleFolder()
    try await Self.grow(sample, rows: 600)
    let content = try StoreQuery(path: sample.store).contents()
    let facts = try Self.facts(sample)
    let free = try #require(Int(try Self.freePages(sample)))
    #expect(free > 200)
    let size = try FileBytes.read(sample.store).count

    let plan = try await sample.run("compact sample.store --dry-run --json" + option)
    #expect(try Self.object(plan)["freeBytesBefore"] as? Int == free * 4096)
    #expect(try FileBytes.read(sample.store).count == size)

    let result = try await sample.run("compact sample.store --json" + option)
    #expect(result.status == 0, "\(result.errors)")
    let object = try Self.object(result)
    #expect(object["freeBytes"] as? Int == 0)
    #expect(object["finished"] as? Bool == true)
    let after = try FileBytes.read(sample.store).count
    #expect(object["fileBytes"] as? Int == after)
    #expect(after <= size - free * 4096 * 9 / 10)
    #expect(try StoreQuery(path: sample.store).contents() == content)
    #expect(try Self.facts(sample) == facts)
    try await SchemaCheck.expectFits(plan.text + result.text)

    let again = try await sample.run("compact sample.store" + option)
    #expect(again.status == 0)
    #expect(again.text.contains("nothing to free"))
    #expect(try await sample.run("compact sample.store --quiet" + option).text == "")
  }

  @Test(.needsRealStores, arguments: RealStores.paths)
  func `compacted real stores keep every row`(_ path: String) async throws {
    let folder = try TemporaryFolder()
    let store = try folder.copy(store: path)
    func compact(_ options: [String]) async throws -> Int {
      try await InProcess.run(
        ["compact", store, "--busy-timeout", "0", "--ignore-guard", "damage"] + options
      ).status
    }
    var query: StoreQuery? = try StoreQuery(path: store)
    let content = try query?.contents()
    let isShared = try query?.lines("PRAGMA journal_mode") == ["wal"]
    #expect(try await compact([]) == 0)
    // This test has the store open itself.
    if isShared { #expect(try await compact(["--full"]) == 7) }
    #expect(try query?.contents() == content)
    #expect(try query?.lines("PRAGMA freelist_count") == ["0"])
    query = nil
    #expect(try await compact(["--full"]) == 0)
    #expect(try StoreQuery(path: store).contents() == content)
  }

  @Test
  func `compact works while an app saves all the time, without blocking it`() async throws {
    let sample = try SampleFolder()
    try await Self.grow(sample, rows: 4000)
    let script = """
      import sqlite3, subprocess, sys, time
      store, tool = sys.argv[1:3]
      db = sqlite3.connect(store, isolation_level=None, timeout=10)
      run = subprocess.Popen([tool, "compact", store], stdout=subprocess.PIPE)
      saves = 0
      while run.poll() is None or saves < 20:
          db.execute("insert into ZPHOTO (ZDATA) values (randomblob(100))")
          saves += 1
          time.sleep(0.005)
      assert run.returncode == 0, run.returncode
      assert db.execute("select count(*) from ZPHOTO").fetchone()[0] == 2000 + saves
      assert db.execute("pragma integrity_check").fetchone()[0] == "ok"
      assert db.execute("pragma freelist_count").fetchone()[0] < 100
      print("well")
      """
    let python = try #require(Tool("python3"))
    let result = try await python.run(["-c", script, sample.store, Tool.histctl.path])
    #expect(result.text == "well\n", "\(result.errors)")
  }

  @Test(.enabled(if: OtherUser.isAvailable))
  func `a read-only store is reported as such`() async throws {
    let sample = try SampleFolder()
    try await Self.grow(sample, rows: 100)
    try OtherUser.letRead(sample.folder)
    for option in [[], ["--full"]] {
      let result = try await OtherUser.run(["compact", sample.store] + option)
      #expect(result.status == 9 && !result.errors.contains("disk I/O"), "\(result.errors)")
    }
    let result = try await OtherUser.run(["compact", sample.store, "--full"])
    #expect(result.errors.contains("cannot write \(sample.store): Permission denied"))
  }

  @Test
  func `a reader that pins the log ends compact with 3, and the next run continues`() async throws {
    let sample = try SampleFolder()
    try await Self.grow(sample, rows: 32000)
    let script = """
      import os, sqlite3, subprocess, sys
      store, tool = sys.argv[1:3]
      db = sqlite3.connect(store, isolation_level=None)
      db.execute("begin")
      db.execute("select count(*) from ZPHOTO").fetchone()
      run = subprocess.run([tool, "compact", store, "--busy-timeout", "0.2", "--json"],
                           capture_output=True, text=True)
      assert run.returncode == 3, (run.returncode, run.stderr)
      assert '"finished":false' in run.stdout and '"kind":"partlyDone"' in run.stderr
      # Without a limit it would become as long as the store.
      assert os.path.getsize(store + "-wal") < 32_000_000, os.path.getsize(store + "-wal")
      db.execute("commit")
      run = subprocess.run([tool, "compact", store], capture_output=True, text=True)
      assert run.returncode == 0, run.stderr
      assert db.execute("pragma freelist_count").fetchone()[0] == 0
      assert db.execute("pragma integrity_check").fetchone()[0] == "ok"
      print("well")
      """
    let python = try #require(Tool("python3"))
    let result = try await python.run(["-c", script, sample.store, Tool.histctl.path])
    #expect(result.text == "well\n", "\(result.errors)")
  }

  @Test
  func `a store without incremental vacuum can only be rebuilt`() async throws {
    let sample = try SampleFolder()
    try await sample.sqlite("PRAGMA journal_mode = DELETE; PRAGMA auto_vacuum = 0; VACUUM;")
    #expect(try await sample.run("compact sample.store").status == 0)
    try await Self.grow(sample, rows: 60)
    let bytes = try FileBytes.read(sample.store)
    for options in ["", " --dry-run"] {
      let result = try await sample.run("compact sample.store" + options)
      #expect(result.status == 6)
      #expect(result.errors.contains("--full"))
    }
    #expect(try FileBytes.read(sample.store) == bytes)
    #expect(try await sample.run("compact sample.store --full").status == 0)
    #expect(try Self.facts(sample) == ["delete", "0", "4096", "0", "ok"])
    #expect(try Self.freePages(sample) == "0")
  }

  @Test
  func `a rebuild is refused while another process has the store open, even idle`() async throws {
    let sample = try SampleFolder()
    try await Self.grow(sample, rows: 60)
    let script = """
      import hashlib, sqlite3, subprocess, sys
      store, tool = sys.argv[1:3]
      db = sqlite3.connect(store)
      db.execute("select count(*) from ZPHOTO").fetchone()
      digest = lambda: hashlib.sha256(open(store + "-wal", "rb").read()).hexdigest()
      before = digest()
      run = subprocess.run([tool, "compact", store, "--full", "--busy-timeout", "0.3"],
                           capture_output=True, text=True)
      assert run.returncode == 7, (run.returncode, run.stderr)
      assert "locked by another program" in run.stderr, run.stderr
      assert digest() == before
      db.close()
      run = subprocess.run([tool, "compact", store, "--full"], capture_output=True, text=True)
      assert run.returncode == 0, run.stderr
      print("well")
      """
    let python = try #require(Tool("python3"))
    let result = try await python.run(["-c", script, sample.store, Tool.histctl.path])
    #expect(result.text == "well\n", "\(result.errors)")
  }

  @Test
  func `a rebuild is refused if it would renumber rows`() async throws {
    let sample = try SampleFolder()
    try await sample.sqlite(
      """
      CREATE TABLE note (text); INSERT INTO note VALUES ('a'), ('b'), ('c');
      CREATE TABLE refers (row INTEGER); INSERT INTO refers VALUES (3);
      """)
    // Numbered from 1 on, they stay as they are.
    #expect(try await sample.run("compact sample.store --full").status == 0)
    try await sample.sqlite("DELETE FROM note WHERE text = 'a'")
    let bytes = try FileBytes.read(sample.store)
    for options in [" --dry-run", ""] {
      let result = try await sample.run("compact sample.store --full" + options)
      #expect(result.status == 6)
      #expect(result.errors.contains("renumber rows in note, which has no primary key"))
    }
    #expect(try FileBytes.read(sample.store) == bytes)
    #expect(try await sample.run("compact sample.store").status == 0)
    #expect(
      try StoreQuery(path: sample.store).lines(
        "SELECT text FROM note WHERE rowid = (SELECT row FROM refers)") == ["c"])
  }

  @Test(arguments: [true, false])
  func `compact killed at any moment leaves a whole store, and the next run finishes`(
    isFull: Bool
  ) async throws {
    let sample = try SampleFolder()
    try await Self.grow(sample, rows: 3000)
    let count = try StoreQuery(path: sample.store).lines("SELECT count(*) FROM ZPHOTO")
    let shell = try #require(Tool("sh"))
    let option = isFull ? "--full" : "--quiet"
    for round in 0..<12 {
      let pause = "0.\(String(1000 + round * 8).dropFirst())"
      _ = try await shell.run(
        [
          "-c",
          """
          '\(Tool.histctl.path)' compact sample.store \(option) >/dev/null 2>&1 & pid=$!
          sleep \(pause); kill -9 $pid 2>/dev/null; wait $pid 2>/dev/null; exit 0
          """,
        ], folder: sample.folder.path)
      #expect(try Self.facts(sample) == ["wal", "2", "4096", "0", "ok"])
    }
    #expect(try await sample.run("compact sample.store \(option)").status == 0)
    #expect(try Self.freePages(sample) == "0")
    #expect(try StoreQuery(path: sample.store).lines("SELECT count(*) FROM ZPHOTO") == count)
  }

  @Test
  func `files that are not stores are refused`() async throws {
    let folder = try TemporaryFolder()
    let query = try StoreQuery(path: folder.file("other.sqlite"))
    try query.run("CREATE TABLE t (a); INSERT INTO t VALUES (1)")
    try FileBytes.write(
      Array("text, longer than a header".utf8 + Array(repeating: 32, count: 200)),
      to: folder.file("text"))
    for (name, status) in [("other.sqlite", 8), ("text", 8), ("missing", 9), (".", 8)] {
      for option in ["--quiet", "--full", "--dry-run"] {
        let result = try await InProcess.run(["compact", folder.file(name), option])
        #expect(result.status == status, "\(name) \(option): \(result.errors)")
      }
    }
  }
}
