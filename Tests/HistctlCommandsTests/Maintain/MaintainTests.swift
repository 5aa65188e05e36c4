import Foundation
import TestSupport
import Testing

/// `maintain` as a schedule runs it.
@Suite(.bounded) struct MaintainTests {
  private static let text = """
    [defaults]
    export.output-dir = logs
    export.bookmark = nightly
    prune.keep-last = 3
    compact = yes
    [trips]
    store = sample.store

    """

  private static func folder(_ text: String = text) throws -> SampleFolder {
    let sample = try SampleFolder()
    try FileBytes.write(Array(text.utf8), to: sample.folder.file("m.conf"))
    return sample
  }

  private static func object(_ line: String) throws -> [String: Any] {
    try #require(try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])
  }

  private static func numbers(_ path: String) throws -> [String] {
    try StoreQuery(path: path).lines("SELECT Z_PK FROM ATRANSACTION ORDER BY Z_PK")
  }

  @Test
  func `all steps run in order, and a second run does nothing`() async throws {
    let sample = try Self.folder()
    let dry = try await sample.run("maintain --config m.conf --dry-run")
    let bytes = try FileBytes.read(sample.store)
    // What the export would have read need not be kept for it.
    #expect(
      dry.text.replacing(#/\d+\.\d KiB/#, with: "N KiB") == """
        sample.store: would export 12 transactions, 1 to 12; would delete 9 transactions, \
        21 changes, about N KiB; would free the pages that pruning empties

        """, "\(dry.errors)")
    #expect(dry.status == 0 && dry.errors == "")
    #expect(try FileBytes.read(sample.store) == bytes)
    #expect(try !sample.names().contains { $0.hasPrefix("logs") || $0.contains("bookmarks") })

    let run = try await sample.run("maintain --config m.conf")
    let file = "logs/\(SampleFolder.identifier)/000000000001-000000000012.jsonl.zst"
    #expect(
      run.text.replacing(#/\d+\.\d KiB/#, with: "N KiB").hasPrefix(
        """
        sample.store: exported 12 transactions, 1 to 12, to \(file); deleted 9 transactions, \
        21 changes, about N KiB
        """), "\(run.text)")
    #expect(run.status == 0 && run.errors == "")
    #expect(try await sample.exported() == Array(1...12))
    #expect(try Self.numbers(sample.store) == ["10", "11", "12"])
    #expect(try StoreQuery(path: sample.store).lines("PRAGMA freelist_count") == ["0"])
    #expect(try StoreQuery(path: sample.store).lines("PRAGMA integrity_check") == ["ok"])

    // SQLite may leave an empty log and its index, and take them away.
    func names() throws -> [String] {
      try sample.names().filter { !$0.hasSuffix("-wal") && !$0.hasSuffix("-shm") }
    }
    let before = try names()
    let bookmarks = try FileBytes.read(sample.store + "-bookmarks.json")
    let again = try await sample.run("maintain --config m.conf")
    #expect(again.status == 0 && again.output.isEmpty && again.errors == "")
    #expect(try names() == before)
    #expect(try FileBytes.read(sample.store + "-bookmarks.json") == bookmarks)
    #expect(!before.contains { $0.hasSuffix(".lock") })

    try await sample.append(13...14)
    let more = try await sample.run("maintain --config m.conf --json")
    let object = try Self.object(more.text)
    #expect((object["export"] as? [String: Any])?["transactions"] as? Int == 2)
    #expect((object["prune"] as? [String: Any])?["cut"] as? Int == 12)
    #expect(object["changed"] as? Bool == true && object["section"] as? String == "trips")
    let quiet = try await sample.run("maintain --config m.conf --json")
    #expect(try Self.object(quiet.text)["changed"] as? Bool == false)
    try await SchemaCheck.expectFits(more.text + quiet.text)
    #expect(try await sample.exported() == Array(1...14))
  }

  @Test
  func `a store that fails does not stop the other`() async throws {
    let sample = try Self.folder(
      """
      [defaults]
      prune.keep-last = 3
      [bad]
      store = bad.store
      [none]
      store = none.store
      [good]
      store = sample.store

      """)
    try FileBytes.write(Array("no store at all".utf8), to: sample.folder.file("bad.store"))
    let result = try await sample.run("maintain --config m.conf --json")
    // 8 for what is no store, 9 for what is not there: the worse one counts.
    #expect(result.status == 9)
    let objects = try result.lines.map(Self.object)
    #expect(objects.map { $0["status"] as? Int } == [8, 9, nil])
    #expect(objects.map { $0["changed"] as? Bool } == [false, false, true])
    #expect(try Self.numbers(sample.store) == ["10", "11", "12"])
    try await SchemaCheck.expectFits(result.text)
    let text = try await sample.run("maintain --config m.conf")
    #expect(text.output.isEmpty)
    #expect(text.errors.contains("bad.store") && text.errors.contains("none.store"))
  }

  @Test(.enabled(if: Tool("python3") != nil))
  func `all stores are maintained although the reader of the output has gone`()
    async throws
  {
    let sample = try Self.folder(
      """
      [defaults]
      prune.keep-last = 3
      [a]
      store = a.store
      [b]
      store = none.store
      store = b.store

      """)
    for name in ["a.store", "b.store"] {
      try FileBytes.write(try FileBytes.read(sample.store), to: sample.folder.file(name))
    }
    let python = try #require(Tool("python3"))
    let result = try await python.run(
      [
        "-c",
        """
        import os, sys
        reading, writing = os.pipe()
        os.dup2(writing, 1)
        os.close(reading)
        os.execv(sys.argv[1], sys.argv[1:])
        """, Tool.histctl.path, "maintain", "--config", "m.conf",
      ], folder: sample.folder.path)
    #expect(result.status == 9 && result.errors.contains("none.store"), "\(result.errors)")
    for name in ["a.store", "b.store"] {
      #expect(try Self.numbers(sample.folder.file(name)) == ["10", "11", "12"])
    }
  }

  @Test
  func `a dry run of a store with the lowest possible number works`() async throws {
    let sample = try Self.folder()
    try StoreQuery(path: sample.store).run(
      """
      UPDATE ACHANGE SET ZTRANSACTIONID = -9223372036854775808 WHERE ZTRANSACTIONID = 1;
      UPDATE ATRANSACTION SET Z_PK = -9223372036854775808 WHERE Z_PK = 1
      """)
    let result = try await sample.run("maintain --config m.conf --dry-run --json")
    #expect(result.status == 0, "\(result.errors)")
    let export = try #require(try Self.object(result.text)["export"] as? [String: Any])
    #expect(export["transactions"] as? Int == 12)
    #expect(try await sample.run("export sample.store").lines.count == 12)
  }

  @Test
  func `history that could not be exported is not pruned`() async throws {
    let sample = try Self.folder()
    _ = try await sample.run("bookmark set sample.store nightly 2")
    try await sample.sqlite("DELETE FROM ATRANSACTION WHERE Z_PK < 5")
    let before = try Self.numbers(sample.store)
    for option in ["", " --dry-run"] {
      let result = try await sample.run("maintain --config m.conf" + option)
      #expect(result.status == 4 && result.output.isEmpty)
      #expect(result.errors.contains("expired"))
    }
    #expect(try Self.numbers(sample.store) == before)
    // A folder that cannot be made is a failure like any other.
    let file = try Self.folder()
    try FileBytes.write([], to: file.folder.file("logs"))
    #expect(try await file.run("maintain --config m.conf").status == 9)
    #expect(try Self.numbers(file.store).count == 12)
  }

  @Test
  func `bookmarks hold history back, and lost ones are reported`() async throws {
    let sample = try Self.folder(
      "[a]\nstore = sample.store\nprune.keep-last = 3\n")
    _ = try await sample.run("bookmark set sample.store widget 5")
    #expect(try await sample.run("maintain --config m.conf").status == 0)
    #expect(try Self.numbers(sample.store).first == "5")
    try FileBytes.write(
      Array("[a]\nstore = sample.store\nprune.keep-last = 3\nprune.max-behind = 2\n".utf8),
      to: sample.folder.file("m.conf"))
    let result = try await sample.run("maintain --config m.conf --quiet")
    #expect(result.errors.contains("the bookmark @widget expires with this"))
    #expect(result.status == 0 && result.output.isEmpty)
    #expect(try Self.numbers(sample.store).first == "10")
  }

  @Test
  func `history of a mirrored store is not deleted`() async throws {
    let sample = try Self.folder("[a]\nstore = sample.store\nprune.keep-last = 3\n")
    try await sample.sqlite("CREATE TABLE ANSCKEVENT (Z_PK INTEGER PRIMARY KEY)")
    let result = try await sample.run("maintain --config m.conf")
    #expect(result.status == 6 && result.output.isEmpty)
    #expect(try Self.numbers(sample.store).count == 12)
  }

  @Test(.enabled(if: Tool("python3") != nil))
  func `an interrupted save is rolled back first`() async throws {
    let sample = try Self.folder()
    try await UnfinishedSave.leave(in: sample.store)
    let half = try FileBytes.read(sample.store)
    #expect(try await sample.run("maintain --config m.conf --dry-run").status == 9)
    #expect(try FileBytes.read(sample.store) == half)
    let run = try await sample.run("maintain --config m.conf")
    #expect(run.errors.contains("an interrupted save was rolled back"))
    #expect(try await sample.exported() == Array(1...12))
    #expect(try Self.numbers(sample.store) == ["10", "11", "12"])
    #expect(try StoreQuery(path: sample.store).lines("PRAGMA integrity_check") == ["ok"])
  }

  @Test(.enabled(if: Tool("python3") != nil))
  func `concurrent runs do not work on the same store`() async throws {
    let sample = try Self.folder()
    let python = try #require(Tool("python3"))
    let script = """
      import fcntl, os, subprocess, sys, threading, time
      tool, folder = sys.argv[1:]
      os.chdir(folder)
      lock = os.open("sample.store-bookmarks.json.lock", os.O_RDWR | os.O_CREAT, 0o600)
      fcntl.flock(lock, fcntl.LOCK_EX)
      def run(*options):
        return subprocess.run([tool, "maintain", "--config", "m.conf", *options],
          capture_output=True, text=True)
      held = run()
      print(held.returncode, held.stdout, held.stderr)
      print(run("--dry-run").returncode)
      timer = threading.Timer(0.5, lambda: os.close(lock))
      timer.start()
      print(run("--lock-wait", "5min").returncode)
      # What a killed run has left, which nobody holds.
      open("sample.store-bookmarks.json.lock", "w").close()
      print(run().returncode, os.path.exists("sample.store-bookmarks.json.lock"))
      """
    let result = try await python.run(["-c", script, Tool.histctl.path, sample.folder.path])
    #expect(result.status == 0, "\(result.errors)")
    let lines = result.lines.filter { !$0.isEmpty }
    #expect(
      lines.first == "7  histctl: another histctl maintain is at work on sample.store",
      "\(result.text)")
    #expect(Array(lines.suffix(3)) == ["0", "0", "0 False"], "\(result.text)")
    #expect(try await sample.exported() == Array(1...12))
  }

  @Test
  func `concurrent runs write each transaction to exactly one file`() async throws {
    let sample = try Self.folder()
    try await withThrowingTaskGroup(of: Tool.Result.self) { group in
      for _ in 0..<6 {
        group.addTask { try await sample.run("maintain --config m.conf --lock-wait 5min") }
      }
      for try await result in group { #expect(result.status == 0, "\(result.errors)") }
    }
    #expect(try await sample.exported() == Array(1...12))
    #expect(try Self.numbers(sample.store) == ["10", "11", "12"])
  }

  @Test
  func `runs killed at any moment lose and repeat nothing`() async throws {
    let sample = try Self.folder()
    let shell = try #require(Tool("sh"))
    var last = 12
    for round in 0..<25 {
      // Later and later, over the whole length of a run and beyond it.
      let pause = "0.\(String(round * 2 + 1000).dropFirst())"
      _ = try await shell.run(
        [
          "-c",
          """
          '\(Tool.histctl.path)' maintain --config m.conf -q & pid=$!
          sleep \(pause); kill -9 $pid 2>/dev/null; wait $pid 2>/dev/null; exit 0
          """,
        ], folder: sample.folder.path)
      try await sample.append(last + 1...last + 2)
      last += 2
      let query = try StoreQuery(path: sample.store)
      #expect(try query.lines("PRAGMA integrity_check") == ["ok"])
      #expect(
        try query.lines("SELECT max(Z_PK) - min(Z_PK) + 1 = count(*) FROM ATRANSACTION") == ["1"])
    }
    #expect(try await sample.run("maintain --config m.conf").status == 0)
    #expect(try await sample.exported() == Array(1...last))
    #expect(try Self.numbers(sample.store) == (last - 2...last).map(String.init))
    #expect(try !sample.names().contains { $0.hasSuffix(".lock") })
  }

  @Test
  func `a store without history is skipped if a pattern finds it, and an error if it is named`()
    async throws
  {
    func folder(_ stores: String) throws -> SampleFolder {
      let sample = try Self.folder("[all]\nstore = \(stores)\nprune.keep-last = 3\n")
      var shape = StoreWriter.Shape()
      shape.hasHistory = false
      try StoreWriter(path: sample.folder.file("quiet.store"), shape: shape).close()
      return sample
    }
    let sample = try folder("*.store")
    let run = try await sample.run("maintain --config m.conf --metrics m.prom")
    #expect(run.status == 0 && run.errors == "", "\(run.errors)")
    #expect(run.text.hasPrefix("sample.store: deleted 9 transactions"), "\(run.text)")
    let metrics = try String(decoding: FileBytes.read(sample.folder.file("m.prom")), as: UTF8.self)
    #expect(metrics.contains("sample.store") && !metrics.contains("quiet.store"))
    let dry = try await sample.run("maintain --config m.conf --dry-run")
    #expect(dry.status == 0)
    #expect(dry.errors == "1 store without history was skipped: quiet.store\n")
    let json = try await sample.run("maintain --config m.conf --json")
    #expect(json.status == 0 && json.errors == "", "\(json.errors)")
    #expect(json.lines.filter { $0.contains(#""skipped":"withoutHistory""#) }.count == 1)
    try await SchemaCheck.expectFits(json.text)
    for named in [
      try await folder("quiet.store").run("maintain --config m.conf"),
      try await folder("*.store").run("maintain --config m.conf --only quiet.store"),
    ] {
      #expect(named.status == 8 && named.errors.contains("keeps no history"), "\(named.errors)")
    }
  }

  @Test func `a store on the command line has a hint that names the option for it`() async throws {
    let sample = try Self.folder()
    let result = try await sample.run("maintain --config m.conf sample.store")
    #expect(result.status == 64)
    #expect(
      result.errors == """
        histctl: 'sample.store' is a store, and maintain takes the stores from its config file
        hint: to maintain one of them: --only sample.store

        """)
    #expect(try await sample.run("maintain --config m.conf --only sample.store").status == 0)
  }
}
