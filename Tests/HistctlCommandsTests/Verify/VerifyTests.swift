import Foundation
import HistoryArchive
import PersistentHistory
import TestSupport
import Testing

@testable import HistctlCommands

/// `verify`: what is told of stores and archives, sound and damaged.
@Suite(.bounded) struct VerifyTests {
  private static func objects(_ result: Tool.Result) throws -> [[String: Any]] {
    try result.lines.map {
      try #require(try JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: Any])
    }
  }

  /// The files of an archive, the catalog first.
  private static func files(_ folder: String) throws -> [String] {
    let names = try #require(FileManager.default.enumerator(atPath: folder)).compactMap {
      $0 as? String
    }
    return names.map { folder + "/" + $0 }.filter {
      var isFolder: ObjCBool = false
      _ = FileManager.default.fileExists(atPath: $0, isDirectory: &isFolder)
      return !isFolder.boolValue
    }.sorted {
      ($0.hasSuffix("catalog.jsonl") ? 0 : 1, $0) < ($1.hasSuffix("catalog.jsonl") ? 0 : 1, $1)
    }
  }

  @Test
  func `an intact store prints one line, and nothing with --quiet`() async throws {
    let sample = try SampleFolder()
    _ = try await sample.run("bookmark set sample.store widget 9")
    let result = try await sample.run("verify sample.store")
    #expect(
      result.text
        == "sample.store: ok, 12 transactions (1 to 12), 27 changes, 5 texts, 1 bookmark, "
        + "the pages of 6 tables\n")
    #expect(result.status == 0 && result.errors == "")
    let quiet = try await sample.run("verify sample.store --full --quiet")
    #expect(quiet.status == 0 && quiet.output.isEmpty && quiet.errors == "")
    let json = try Self.objects(await sample.run("verify sample.store --full --json"))
    #expect(json.count == 1)
    #expect(json[0]["ok"] as? Bool == true && json[0]["tables"] as? String == "all")
  }

  @Test
  func `damage ends with 5 and other findings with 1, each with place, meaning and remedy`()
    async throws
  {
    let sample = try SampleFolder()
    try await sample.sqlite("UPDATE ACHANGE SET Z_OPT = 3 WHERE Z_PK < 20")
    let odd = try await sample.run("verify sample.store --limit 2")
    #expect(odd.status == 1 && odd.errors == "")
    #expect(
      odd.text == """
        sample.store: 19 findings, no damage

        unexpectedValue, 19
          change 1 of transaction 1: Z_OPT holds the integer 3
          change 2 of transaction 1: Z_OPT holds the integer 3
          and 17 more
          means   \(StoreFindingKind.unexpectedValue.entry.meaning)
          remedy  \(StoreFindingKind.unexpectedValue.hint)

        checked 12 transactions (1 to 12), 27 changes, 5 texts, the pages of 6 tables

        """)
    try await sample.sqlite("DELETE FROM ATRANSACTION WHERE Z_PK = 1")
    let damaged = try await sample.run("verify sample.store --quiet")
    #expect(damaged.status == 5)
    #expect(damaged.text.hasPrefix("sample.store: damaged, 22 findings, 3 of them damage\n"))
    #expect(damaged.text.contains("\norphanChange, damage, 3\n  change 1 of transaction 1: "))
    let json = try await sample.run("verify sample.store --json --limit 1")
    #expect(json.status == 5)
    let objects = try Self.objects(json)
    #expect(objects.map { $0["type"] as? String } == ["finding", "finding", "verification"])
    #expect(objects.last?["kinds"] as? [String: Int] == ["orphanChange": 3, "unexpectedValue": 19])
    #expect((objects[0]["place"] as? [String: Int])?["change"] == 1)
  }

  @Test
  func `verify, info and check report a missing table and missing changes`()
    async throws
  {
    let folder = try TemporaryFolder()
    let demo = try await Tool.histctl.run(["demo", folder.file("demo")])
    try #require(demo.status == 0, "\(demo.errors)")
    let store = folder.file("demo/trips.store")
    try StoreQuery(path: store).run("DROP TABLE ZBUCKETLISTITEM")
    let dropped = try await Tool.histctl.run(["verify", store])
    #expect(dropped.status == 5)
    #expect((dropped.text + dropped.errors).contains("there is no table ZBUCKETLISTITEM"))
    try StoreQuery(path: store).run("DELETE FROM ACHANGE; VACUUM")
    for command in ["verify", "info", "check"] {
      let result = try await Tool.histctl.run(
        [command, store] + (command == "check" ? ["--max-size", "1G"] : []))
      let text = result.text + result.errors
      #expect(text.contains("transactions have no changes, and numbers up to"), "\(text)")
      #expect(!text.contains("which is normal"))
      #expect(result.status == (command == "verify" ? 5 : command == "check" ? 1 : 0))
    }
  }

  @Test
  func `an archive is verified, and the head of its chain is printed`() async throws {
    let sample = try SampleFolder()
    let sealed = try Self.objects(await sample.run("archive sample.store arch --json"))
    let head = try #require(sealed.first?["head"] as? String)
    let result = try await sample.run("verify arch --anchor \(head)")
    #expect(result.status == 0 && result.errors == "")
    #expect(result.text.hasPrefix("arch: ok, 1 segment of 1 store, 11 transactions, 24 changes, "))
    #expect(result.text.hasSuffix("\n  head \(head)\n"))
    let both = try await sample.run("verify sample.store --archive arch --anchor \(head)")
    #expect(both.status == 0)
    #expect(both.lines.count == 3)
    #expect(both.text.contains(", 11 transactions compared with the store\n"))
    // Another chain.
    let other = head.replacing(#/[0-9a-f]{8}$/#, with: "00000000")
    let wrong = try await sample.run("verify arch --json --anchor \(other)")
    #expect(wrong.status == 5)
    #expect(try Self.objects(wrong).first?["finding"] as? String == "otherAnchor")
    // An altered row of the store.
    try await sample.sqlite("UPDATE ACHANGE SET ZENTITYPK = 77 WHERE Z_PK = 2")
    let altered = try await sample.run("verify sample.store --archive arch --json")
    #expect(altered.status == 5)
    #expect(
      try Self.objects(altered).compactMap { $0["finding"] as? String }
        .contains("alteredTransaction"))
  }

  @Test
  func `a flipped bit in any file of an archive ends with 5 and the name of the file`() async throws
  {
    let sample = try SampleFolder()
    _ = try await sample.run("archive sample.store arch --before 6")
    _ = try await sample.run("archive sample.store arch")
    let folder = sample.folder.file("arch")
    let files = try Self.files(folder)
    #expect(files.count == 5)
    var random = SeededGenerator(seed: 4)
    for file in files {
      let sound = try FileBytes.read(file)
      for place in [0, sound.count - 1]
        + (0..<3).map({ _ in
          Int.random(in: 0..<sound.count, using: &random)
        })
      {
        var bytes = sound
        bytes[place] ^= 1 << UInt8.random(in: 0..<8, using: &random)
        try FileBytes.write(bytes, to: file)
        let result = try await sample.run("verify arch --json")
        #expect(result.status == 5, "\(file) \(place): \(result.text)")
        let name = file.dropFirst(sample.folder.path.count + 1)
        #expect(result.text.contains(name), "\(file) \(place): \(result.text)")
      }
      try FileBytes.write(sound, to: file)
    }
    #expect(try await sample.run("verify arch").status == 0)
  }

  @Test
  func `invalid options are refused`() async throws {
    let sample = try SampleFolder()
    _ = try await sample.run("archive sample.store arch")
    for (line, words) in [
      ("sample.store --limit 0", "--limit"), ("sample.store --subset 1/7", "need an archive"),
      ("arch --subset 0/7", "1/7"), ("arch --subset 8/7", "1/7"), ("arch --subset 0%", "5%"),
      ("arch --subset 101%", "5%"), ("arch --subset 10", "10M"), ("arch --subset x", "10M"),
      ("arch --anchor 5", "not the head of an archive"),
      ("arch --archive arch", "--archive needs a store"), ("sample.store --anchor x", "the head"),
    ] {
      let result = try await sample.run("verify " + line)
      #expect(result.status == 64 && result.output.isEmpty, "\(line)")
      #expect(result.errors.contains(words), "\(line): \(result.errors)")
    }
    for (line, status) in [("none", 9), (".", 8), ("sample.store --archive none", 8)] {
      let result = try await sample.run("verify \(line) --json")
      #expect(result.status == status, "\(line): \(result.errors)")
      #expect(result.errors.contains(#""type":"error""#))
    }
  }

  @Test
  func `findings of an archive are reported although it has no segments of the store`() async throws
  {
    let sample = try SampleFolder()
    _ = try await sample.run("archive sample.store cold")
    try await sample.sqlite("UPDATE Z_METADATA SET Z_UUID = '00000000-0000-4000-8000-000000000000'")
    try FileBytes.write([1], to: sample.folder.file("cold/stray"))
    let odd = try await sample.run("verify sample.store --archive cold")
    #expect(odd.text.contains("strayFile") && odd.errors.contains("cold"), "\(odd.text)")
    #expect(odd.status != 0 && odd.status != 5)
    try await sample.sqlite("UPDATE ACHANGE SET ZTRANSACTIONID = 4711 WHERE Z_PK = 5")
    let store = try await sample.run("verify sample.store")
    #expect(store.status == 5)
    let damaged = try await sample.run("verify sample.store --archive cold")
    #expect(damaged.status == 5 && damaged.errors == odd.errors)
    #expect(damaged.text.contains("strayFile"))
  }

  @Test(.enabled(if: Tool("python3") != nil))
  func `JSON fits the schema`() async throws {
    let sample = try SampleFolder()
    _ = try await sample.run("archive sample.store arch --before 6")
    var lines = try await sample.run("verify sample.store --archive arch --json").text
    try await sample.sqlite(
      """
      UPDATE ACHANGE SET Z_OPT = 3, ZTRANSACTIONID = NULL WHERE Z_PK < 3;
      UPDATE ATRANSACTION SET ZTIMESTAMP = ZTIMESTAMP - 500 WHERE Z_PK = 9;
      UPDATE ATRANSACTIONSTRING SET ZNAME = NULL WHERE Z_PK = 1;
      DELETE FROM ACHANGE WHERE ZTRANSACTIONID = 7; DELETE FROM ATRANSACTION WHERE Z_PK = 7;
      UPDATE Z_PRIMARYKEY SET Z_MAX = 1; UPDATE Z_MODELCACHE SET Z_CONTENT = x'00'
      """)
    lines += try await sample.run("verify sample.store --archive arch --json --full").text
    for file in try Self.files(sample.folder.file("arch")) {
      var bytes = try FileBytes.read(file)
      bytes[bytes.count / 2] ^= 1
      try FileBytes.write(bytes, to: file)
    }
    lines += try await sample.run("verify arch --json").text
    try await SchemaCheck.expectFits(lines)
  }

  @Test
  func `the manual page lists every finding and says which are damage`() throws {
    let lines = try Manual.page("histctl-verify.1")
    let found = Manual.section("FINDINGS", of: lines)
    func listed(_ severity: FindingEntry.Severity) -> [String] {
      StoreFindingKind.allCases.filter { $0.entry.severity == severity }.map(\.rawValue)
        + ArchiveFindingKind.allCases.filter { $0.entry.severity == severity }.map(\.rawValue)
    }
    var isDamage = false
    var names: [Bool: [String]] = [:]
    for line in found {
      if line.hasPrefix("Damage, ") { isDamage = true }
      if line.hasPrefix("Other findings, ") { isDamage = false }
      if line.hasPrefix(".It Cm ") {
        names[isDamage, default: []].append(String(line.dropFirst(7)))
      }
    }
    #expect(names[true] == listed(.damage))
    #expect(names[false] == listed(.other))
    // The words of the page are those of the program.
    let text = found.joined(separator: " ").replacing("\\-", with: "-").replacing(
      "\\(aq", with: "'")
    for meaning in StoreFindingKind.allCases.map(\.entry.meaning)
      + ArchiveFindingKind.allCases.map(\.entry.meaning)
    {
      #expect(text.contains(meaning.dropFirst()), "\(meaning)")
    }
  }

  @Test(.enabled(if: Tool.hasTerminals))
  func `names in a store are escaped on a terminal`() async throws {
    let sample = try SampleFolder()
    try await sample.sqlite(
      "CREATE TRIGGER \"a\u{1B}[2Jb\" AFTER INSERT ON ACHANGE BEGIN SELECT 1; END")
    let result = try await sample.run("verify sample.store --json")
    #expect(result.status == 1 && result.text.contains(#"a\u001b[2Jb"#))
    let terminal = try await Tool.histctl.runOnTerminal(["verify", sample.store])
    #expect(!terminal.text.contains("\u{1B}[2J"))
    #expect(terminal.text.contains(#"a\e[2Jb"#))
  }
}
