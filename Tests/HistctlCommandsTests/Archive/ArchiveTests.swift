import Foundation
import TestSupport
import Testing

/// `archive` and `prune --archive` as a person and a script meet them.
@Suite(.bounded) struct ArchiveTests {
  private static func object(_ line: String) throws -> [String: Any] {
    try #require(try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])
  }

  private static func numbers(_ path: String) throws -> [String] {
    try StoreQuery(path: path).lines("SELECT Z_PK FROM ATRANSACTION ORDER BY Z_PK")
  }

  @Test
  func `archive prints what it seals and the head of the chain, and nothing if nothing is new`()
    async throws
  {
    let sample = try SampleFolder()
    let before = try FileBytes.read(sample.store)
    let dry = try await sample.run("archive sample.store arch --dry-run")
    #expect(dry.text == "sample.store: would seal 11 transactions, 1 to 11\n")
    #expect(try !sample.folder.names().contains("arch"))
    let result = try await sample.run("archive sample.store arch --before 9")
    #expect(
      result.text.replacing(#/[0-9.]+ K?i?B/#, with: "N B").replacing(#/[0-9a-f]{64}/#, with: "H")
        == "sample.store: sealed 8 transactions, 1 to 8, in 1 segment, N B\nhead 1:H\n",
      "\(result.errors)")
    #expect(result.status == 0 && result.errors == "")
    let quiet = try await sample.run("archive sample.store arch --quiet")
    #expect(quiet.status == 0 && quiet.text == "" && quiet.errors == "")
    let again = try await sample.run("archive sample.store arch")
    #expect(again.status == 0 && again.text == "" && again.errors == "")
    #expect(try FileBytes.read(sample.store) == before)
  }

  @Test(.enabled(if: Tool("zstd") != nil))
  func `zstd unpacks the same lines as export`() async throws {
    let sample = try SampleFolder()
    let exported = try await sample.run("export sample.store").output
    for end in ["5", "6", "2100-01-01"] {
      let result = try await sample.run("archive sample.store arch --before \(end)")
      #expect(result.status == 0, "\(result.errors)")
    }
    let folder = sample.folder.file("arch/" + SampleFolder.identifier)
    let names = try FileManager.default.contentsOfDirectory(atPath: folder).sorted()
      .filter { $0.hasSuffix(".zst") }
    #expect(
      names == [
        "000000000001-000000000004.jsonl.zst", "000000000005-000000000005.jsonl.zst",
        "000000000006-000000000012.jsonl.zst",
      ])
    let zstd = try #require(Tool("zstd"))
    let unpacked = try await zstd.run(["-dc"] + names, folder: folder)
    #expect(unpacked.output == exported)
  }

  @Test
  func `the JSON has what was sealed and the last digest of the catalog`() async throws {
    let sample = try SampleFolder()
    let plan = try Self.object(
      try await sample.run("archive sample.store arch --dry-run --json").lines[0])
    #expect(plan["type"] as? String == "archivePlan" && plan["last"] as? Int == 11)
    let result = try Self.object(try await sample.run("archive sample.store arch --json").lines[0])
    #expect(result["transactions"] as? Int == 11 && result["sealed"] as? Int == 11)
    let catalog = try FileBytes.read(sample.folder.file("arch/catalog.jsonl"))
    let digest = try await #require(Tool("sha256sum")).run(
      [], input: String(decoding: catalog, as: UTF8.self)
    ).text.prefix(64)
    #expect(result["head"] as? String == "1:\(digest)")
    let segments = try #require(result["segments"] as? [[String: Any]])
    #expect(segments.count == 1 && segments[0]["changes"] as? Int == 24)
  }

  @Test
  func `each failure of archive has its exit status`() async throws {
    let sample = try SampleFolder()
    try FileBytes.write(FileBytes.read(sample.store), to: sample.folder.file("copy.store"))
    let first = try await sample.run("archive sample.store arch")
    #expect(first.status == 0)
    for (line, status, words) in [
      ("archive sample.store .", 9, "it has other files"),
      ("archive sample.store arch --segment-size 5", 64, "the unit is missing"),
      ("archive sample.store arch --segment-size 5K", 64, "64K to 16G"),
      ("archive sample.store arch --before 99", 4, "99"),
      ("archive missing.store other", 9, "no file"),
      ("archive arch/catalog.jsonl other", 8, "not a Core Data"),
      ("archive sample.store sample.store-bookmarks.json", 64, "would overwrite"),
      ("archive sample.store sample.store-values.db", 64, "would overwrite"),
    ] {
      let result = try await sample.run(line)
      #expect(result.status == status, "\(line): \(result.errors)")
      #expect(result.errors.contains(words), "\(line): \(result.errors)")
      #expect(result.output.isEmpty)
    }
    #expect(try Set(sample.folder.names()).isDisjoint(with: ["other", "sample.store-values.db"]))
    try StoreQuery(path: sample.folder.file("copy.store")).run(
      "UPDATE ATRANSACTION SET ZTIMESTAMP = 1.5 WHERE Z_PK = 11")
    let diverged = try await sample.run("archive copy.store arch --json")
    #expect(diverged.status == 4)
    #expect(try Self.object(diverged.errors)["kind"] as? String == "diverged")
  }

  @Test
  func `a second run waits for the first as long as --lock-wait says`() async throws {
    let sample = try SampleFolder()
    let script = """
      import fcntl, os, subprocess, sys, time
      os.mkdir("arch"); open("arch/catalog.jsonl", "w").close()
      held = os.open("arch", os.O_RDONLY); fcntl.flock(held, fcntl.LOCK_EX)
      tool = sys.argv[1]
      run = subprocess.run([tool, "archive", "sample.store", "arch"], capture_output=True)
      print(run.returncode)
      run = subprocess.Popen([tool, "archive", "sample.store", "arch", "--lock-wait", "5min"])
      time.sleep(0.3)
      os.close(held)
      print(run.wait())
      """
    let result = try await #require(Tool("python3")).run(
      ["-c", script, Tool.histctl.path], folder: sample.folder.path)
    #expect(result.lines.first == "7" && result.lines.last == "0", "\(result.text)\(result.errors)")
  }

  // MARK: - prune --archive

  @Test
  func `prune seals the history it deletes and reports it`() async throws {
    let sample = try SampleFolder()
    let exported = try await sample.run("export sample.store").output
    let dry = try await sample.run(
      "prune sample.store --keep-last 3 --archive arch --dry-run --json")
    #expect(dry.status == 0, "\(dry.errors)")
    let plan = try Self.object(dry.lines[0])
    #expect(plan["cut"] as? Int == 10)
    // Nothing is there yet.
    let text = try await sample.run("prune sample.store --keep-last 3 --archive arch --dry-run")
    #expect(!text.text.contains("arch has everything"), "\(text.text)")
    #expect(text.text.contains("arch will have everything up to transaction 10"), "\(text.text)")
    #expect(try !sample.folder.names().contains("arch"))
    let result = try await sample.run("prune sample.store --keep-last 3 --archive arch --yes")
    #expect(result.status == 0, "\(result.errors)")
    #expect(result.text.contains("sealed 10 transactions, 1 to 10"))
    #expect(result.text.contains("deleted 9 transactions"))
    #expect(try Self.numbers(sample.store) == ["10", "11", "12"])
    let rest = try await sample.run("export sample.store").output
    let segment = "arch/\(SampleFolder.identifier)/000000000001-000000000010.jsonl.zst"
    let zstd = try #require(Tool("zstd"))
    let sealed = try await zstd.run(["-dc", segment], folder: sample.folder.path).output
    #expect(exported.starts(with: sealed))
    #expect(exported.suffix(rest.count) == rest[...])
    let again = try await sample.run(
      "prune sample.store --keep-last 3 --archive arch --yes --quiet")
    #expect(again.status == 0 && again.text == "")
    let all = try await sample.run("prune sample.store --all --archive arch --yes --quiet")
    #expect(all.status == 0, "\(all.errors)")
    #expect(try Self.numbers(sample.store) == [])
  }

  @Test
  func `prune deletes nothing that the archive lacks or has differently`() async throws {
    let sample = try SampleFolder()
    let first = try await sample.run("archive sample.store arch --before 6")
    #expect(first.status == 0)
    let segment = sample.folder.file(
      "arch/\(SampleFolder.identifier)/000000000001-000000000005.jsonl.zst")
    var bytes = try FileBytes.read(segment)
    bytes[bytes.count / 2] ^= 4
    try FileBytes.write(bytes, to: segment)
    let all = (1...12).map(String.init)
    let damaged = try await sample.run(
      "prune sample.store --keep-last 3 --archive arch --yes")
    #expect(damaged.status == 5 && damaged.errors.contains("000000000001-000000000005"))
    #expect(try Self.numbers(sample.store) == all)
    bytes[bytes.count / 2] ^= 4
    try FileBytes.write(bytes, to: segment)
    // History that is not in the archive, before history that is.
    try FileBytes.write([], to: sample.folder.file("arch/catalog.jsonl"))
    try FileManager.default.removeItem(
      atPath: sample.folder.file("arch/" + SampleFolder.identifier))
    try StoreQuery(path: sample.store).run(
      "CREATE TABLE aside AS SELECT * FROM ATRANSACTION WHERE Z_PK < 6; "
        + "DELETE FROM ATRANSACTION WHERE Z_PK < 6")
    #expect(try await sample.run("archive sample.store arch").status == 0)
    try StoreQuery(path: sample.store).run("INSERT INTO ATRANSACTION SELECT * FROM aside")
    let hole = try await sample.run("prune sample.store --keep-last 3 --archive arch --yes")
    #expect(hole.status == 6, "\(hole.text)\(hole.errors)")
    #expect(try Self.numbers(sample.store) == all)
    let ignored = try await sample.run(
      "prune sample.store --keep-last 3 --archive arch --yes --ignore-guard archive --quiet")
    #expect(ignored.status == 0, "\(ignored.errors)")
    #expect(try Self.numbers(sample.store) == ["10", "11", "12"])
    for line in [
      "prune sample.store --keep-last 1 --lock-wait 5s --yes",
      "prune sample.store --entity Trip --archive arch --yes",
    ] {
      #expect(try await sample.run(line).status == 64)
    }
  }

  @Test
  func `prune deletes nothing after a gap of the archive`() async throws {
    let sample = try SampleFolder()
    #expect(try await sample.run("archive sample.store arch --before 4").status == 0)
    try StoreQuery(path: sample.store).run(
      "CREATE TABLE aside AS SELECT * FROM ATRANSACTION WHERE Z_PK < 6; "
        + "DELETE FROM ATRANSACTION WHERE Z_PK < 6")
    // Where nothing is to be deleted, the archive may lack anything.
    let nothing = try await sample.run("prune sample.store --keep-last 9 --archive arch --yes")
    #expect(nothing.status == 0, "\(nothing.errors)")
    #expect(try await sample.run("archive sample.store arch").status == 4)
    #expect(try await sample.run("archive sample.store arch --allow-gap").status == 0)
    try StoreQuery(path: sample.store).run("INSERT INTO ATRANSACTION SELECT * FROM aside")
    let refused = try await sample.run("prune sample.store --keep-last 3 --archive arch --yes")
    #expect(refused.status == 6, "\(refused.text)\(refused.errors)")
    #expect(refused.errors.contains("arch has up to transaction 3, and more was to be deleted"))
    #expect(try Self.numbers(sample.store).count == 12)
  }

  @Test
  func `prune with an archive plans for the highest number of all`() async throws {
    let sample = try SampleFolder()
    try StoreQuery(path: sample.store).run(
      """
      UPDATE ATRANSACTION SET Z_PK = 9223372036854775807 WHERE Z_PK = 12;
      UPDATE ACHANGE SET ZTRANSACTIONID = 9223372036854775807 WHERE ZTRANSACTIONID = 12;
      UPDATE Z_PRIMARYKEY SET Z_MAX = 9223372036854775807 WHERE Z_NAME = 'TRANSACTION'
      """)
    let plan = try await sample.run(
      "prune sample.store --keep-last 1 --archive arch --dry-run --json")
    #expect(plan.status == 0, "\(plan.errors)")
    #expect(try Self.object(plan.lines[0])["transactions"] as? Int == 11)
  }

  @Test
  func `maintain seals what it prunes`() async throws {
    let sample = try SampleFolder()
    try FileBytes.write(
      Array(
        "[trips]\nstore = sample.store\nprune.keep-last = 4\nprune.archive = arch\n".utf8),
      to: sample.folder.file("m.conf"))
    let dry = try await sample.run("maintain --config m.conf --dry-run")
    #expect(dry.text.contains("would delete 8 transactions"), "\(dry.errors)")
    let result = try await sample.run("maintain --config m.conf")
    #expect(result.status == 0, "\(result.errors)")
    #expect(result.text.contains("sealed 9 transactions in arch; deleted 8 transactions"))
    #expect(try Self.numbers(sample.store) == ["9", "10", "11", "12"])
    let again = try await sample.run("maintain --config m.conf")
    #expect(again.status == 0 && again.text == "" && again.errors == "")
  }
}
