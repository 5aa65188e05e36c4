import Foundation
import StoreFormat
import TestSupport
import Testing

/// `restore` as a person and a script meet it.
@Suite(.bounded) struct RestoreTests {
  private static let name = "sample.store"

  /// A sample whose history is in an archive, as far as that goes, and was pruned after that.
  private static func sample(
    before: String? = nil, keeping count: Int = 3
  ) async throws -> (sample: SampleFolder, original: [String: [[StoredValue]]]) {
    let sample = try SampleFolder()
    let original = try StoreQuery(path: sample.store).contents()
    let sealed = try await sample.run(
      "archive \(name) archive --quiet" + (before.map { " --before \($0)" } ?? ""))
    #expect(sealed.status == 0, "\(sealed.errors)")
    let pruned = try await sample.run("prune \(name) --keep-last \(count) --yes --quiet")
    #expect(pruned.status == 0, "\(pruned.errors)")
    return (sample, original)
  }

  private static func numbers(_ path: String) throws -> [String] {
    try StoreQuery(path: path).lines("SELECT Z_PK FROM ATRANSACTION ORDER BY Z_PK")
  }

  private static func objects(_ text: String) throws -> [[String: Any]] {
    try text.split(separator: "\n").map {
      try #require(try JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: Any])
    }
  }

  /// The files of the archive by name.
  private static func file(_ suffix: String, _ sample: SampleFolder) throws -> String {
    let folder = sample.folder.file("archive/" + SampleFolder.identifier)
    let name = try FileManager.default.contentsOfDirectory(atPath: folder)
      .first { $0.hasSuffix(suffix) }
    return folder + "/" + (try #require(name))
  }

  @Test func `a dry run shows the plan and changes nothing`() async throws {
    let (sample, _) = try await Self.sample()
    let before = try FileBytes.read(sample.store)
    let bookmarks = """
      {"schema":1,"bookmarks":[{"name":"widget","timestampRaw":743906860,
      "token":{"storeTokens":{"\(SampleFolder.identifier)":6}}}]}
      """
    try FileBytes.write(Array(bookmarks.utf8), to: sample.store + "-bookmarks.json")
    let result = try await sample.run("restore \(Self.name) archive --dry-run --date utc")
    #expect(
      result.text == """
        store       sample.store
        archive     archive
        history     10 to 12, from 2024-07-29T00:51:40Z on
        restores    9 transactions, 21 changes, 1 to 9
        tokens      work from 1 on, of 2024-07-29T00:42:40Z

        BOOKMARK  NUMBER  AFTERWARDS
        @widget   6       works again

        """)
    #expect(result.status == 0)
    #expect(result.errors == "")
    #expect(try FileBytes.read(sample.store) == before)
  }

  /// An interrupted restore leaves changes whose transaction it had not written yet.
  @Test(arguments: [1, 2000])
  func `a prune with the archive removes what an interrupted restore has left`(
    _ changeCount: Int
  ) async throws {
    let sample = try SampleFolder()
    let query = try StoreQuery(path: sample.store)
    try query.run(
      """
      UPDATE ACHANGE SET Z_PK = Z_PK + 10000 WHERE ZTRANSACTIONID > 2;
      WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < \(changeCount))
        INSERT INTO ACHANGE (Z_PK, Z_ENT, ZCHANGETYPE, ZENTITY, ZENTITYPK, ZTRANSACTIONID)
        SELECT 1000 + i, 16001, 0, 3, 100 + i, 2 FROM n;
      UPDATE Z_PRIMARYKEY SET Z_MAX = 10027 WHERE Z_ENT = 16001
      """)
    let tables = ["ATRANSACTION", "ACHANGE"].map { "SELECT * FROM \($0) ORDER BY Z_PK" }
    let original = try tables.map(query.lines)
    let sealed = try await sample.run("archive \(Self.name) archive --quiet")
    #expect(sealed.status == 0, "\(sealed.errors)")
    try query.run(
      "DELETE FROM ACHANGE WHERE ZTRANSACTIONID = 1; DELETE FROM ATRANSACTION WHERE Z_PK < 3")
    let pruned = try await sample.run(
      "prune \(Self.name) --keep-last 4 --archive archive --yes --quiet")
    #expect(pruned.status == 0, "\(pruned.errors)")
    #expect(try Self.numbers(sample.store) == ["9", "10", "11", "12"])
    #expect(try query.lines("SELECT min(ZTRANSACTIONID) FROM ACHANGE") == ["9"])
    let restored = try await sample.run("restore \(Self.name) archive --yes --quiet")
    #expect(restored.status == 0, "\(restored.errors)")
    #expect(try tables.map(query.lines) == original)
  }

  @Test
  func `history sealed before a gap cannot be restored, and the gap is reported`() async throws {
    let (sample, _) = try await Self.sample(before: "4", keeping: 6)
    let sealed = try await sample.run("archive \(Self.name) archive --allow-gap --quiet")
    #expect(sealed.status == 0, "\(sealed.errors)")
    for options in ["--dry-run", "--yes", "--yes --json"] {
      let result = try await sample.run("restore \(Self.name) archive " + options)
      #expect(result.status == 4)
      #expect(
        result.errors.contains(
          "archive has transactions up to 3 that cannot come back: transactions 4 to 6 are gone"))
      #expect(!result.text.contains("has all of it"))
    }
    // As the hint says.
    let log = try await sample.run("log archive --json")
    #expect([1, 2, 3].allSatisfy { log.text.contains("\"transaction\":\($0),") })
  }

  @Test(.enabled(if: Tool("flock") != nil))
  func `restore waits for another program that uses the archive`() async throws {
    let (sample, original) = try await Self.sample()
    let shell = try #require(Tool("sh"))
    let histctl = Tool.histctl.path
    // Somebody holds the archive until a file is there.
    let hold = """
      flock -x archive sh -c 'for i in $(seq 12000); do [ -e done ] && break; sleep 0.05; done' &
      for i in $(seq 60000); do flock -n -x archive true || break; sleep 0.01; done
      """
    let command = "'\(histctl)' restore \(Self.name) archive --yes -q"
    let busy = try await shell.run(
      ["-c", "\(hold)\n\(command); status=$?; touch done; wait; rm done; exit $status"],
      folder: sample.folder.path)
    #expect(busy.status == 7 && busy.errors.contains("--lock-wait"), "\(busy.errors)")
    #expect(try Self.numbers(sample.store).count == 3)
    let waited = try await shell.run(
      [
        "-c",
        "\(hold)\n\(command) --lock-wait 5min & pid=$!; sleep 0.5; touch done; wait $pid",
      ], folder: sample.folder.path)
    #expect(waited.status == 0, "\(waited.errors)")
    #expect(
      try StoreQuery(path: sample.store).contents()["ATRANSACTION"] == original["ATRANSACTION"])
    // Several may read.
    let (other, _) = try await Self.sample()
    let shared = try await shell.run(
      ["-c", "flock -s archive '\(histctl)' restore \(Self.name) archive --yes -q"],
      folder: other.folder.path)
    #expect(shared.status == 0, "\(shared.errors)")
  }

  @Test func `--yes restores and prints one line`() async throws {
    let (sample, original) = try await Self.sample()
    let some = try await sample.run("restore \(Self.name) archive --from 6 --yes --date utc")
    #expect(
      some.text == """
        sample.store: restored 4 transactions, 9 changes; tokens work from 6 of \
        2024-07-29T00:47:40Z on

        """)
    #expect(some.status == 0)
    #expect(try Self.numbers(sample.store).first == "6")
    let rest = try await sample.run("restore \(Self.name) archive --yes --quiet")
    #expect(rest.output.isEmpty && rest.errors == "" && rest.status == 0)
    #expect(try StoreQuery(path: sample.store).contents() == original)
    let again = try await sample.run("restore \(Self.name) archive --yes")
    #expect(again.text == "sample.store: nothing to restore\n")
    #expect(again.status == 0)
    let check = try await sample.run("token check \(Self.name) 1 5 12")
    #expect(check.status == 0)
    #expect(try await sample.run("log \(Self.name) --after 1").status == 0)
  }

  @Test func `JSON has the plan and the result`() async throws {
    let (sample, _) = try await Self.sample()
    let result = try await sample.run("restore \(Self.name) archive --from 4 --yes --json")
    #expect(result.status == 0)
    let objects = try Self.objects(result.text)
    #expect(objects.map { $0["type"] as? String } == ["restorePlan", "restore"])
    #expect(objects.allSatisfy { $0["transactions"] as? Int == 6 && $0["changes"] as? Int == 15 })
    #expect((objects[0]["first"] as? [String: Any])?["transaction"] as? Int == 4)
    #expect((objects[0]["last"] as? [String: Any])?["transaction"] as? Int == 9)
    #expect(objects[1]["complete"] as? Bool == true)
    try await SchemaCheck.expectFits(result.text)
    let nothing = try await sample.run("restore \(Self.name) archive --from 12 --dry-run --json")
    #expect(try Self.objects(nothing.text).first?["transactions"] as? Int == 0)
    try await SchemaCheck.expectFits(nothing.text)
  }

  @Test(.enabled(if: AnsweredQuestion.isPossible), arguments: [true, false])
  func `a restore on a terminal asks for confirmation`(_ agrees: Bool) async throws {
    let (sample, _) = try await Self.sample()
    let result = try await AnsweredQuestion.run(
      ["restore", sample.store, sample.folder.file("archive")], answer: agrees ? "yes" : "")
    #expect(result.text.contains("Restore 9 transactions? [y/N]"))
    #expect(try Self.numbers(sample.store).count == (agrees ? 12 : 3))
    #expect(result.status == (agrees ? 0 : 1))
    #expect(result.text.contains(agrees ? "restored 9 transactions" : "nothing was restored"))
  }

  @Test func `wrong command lines are refused with their status`() async throws {
    let (sample, _) = try await Self.sample()
    let cases: [(String, Int, String)] = [
      ("restore \(Self.name) archive", 64, "--dry-run"),
      ("restore \(Self.name) archive --yes --ignore-guard bookmarks", 64, "mirroring"),
      ("restore \(Self.name) archive --yes --from yesteryear", 64, "yesteryear"),
      ("restore \(Self.name) archive --yes --from 13", 4, "13"),
      ("restore \(Self.name) nowhere --yes", 8, "nowhere"),
      ("restore \(Self.name) \(Self.name) --yes", 8, Self.name),
      ("restore nothing.store archive --yes", 9, "nothing.store"),
      ("restore archive/catalog.jsonl archive --yes", 8, "catalog.jsonl"),
    ]
    let before = try FileBytes.read(sample.store)
    for (line, status, word) in cases {
      let result = try await sample.run(line)
      #expect(result.status == status, "\(line): \(result.errors)")
      #expect(result.errors.contains(word), "\(line): \(result.errors)")
      #expect(result.output.isEmpty)
      let json = try await sample.run(line + " --json")
      #expect(json.status == status)
      #expect(try Self.objects(json.errors).first?["code"] as? Int == status)
    }
    #expect(try FileBytes.read(sample.store) == before)
  }

  @Test
  func `unsealed history, other stores and diverged copies end with 4`() async throws {
    let (sample, _) = try await Self.sample(before: "7")
    let gap = try await sample.run("restore \(Self.name) archive --yes")
    #expect(gap.status == 4)
    #expect(gap.errors.contains("ends with transaction 6"))
    let (copy, _) = try await Self.sample()
    try await copy.sqlite("UPDATE ATRANSACTION SET ZTIMESTAMP = ZTIMESTAMP + 1 WHERE Z_PK = 10")
    let diverged = try await copy.run("restore \(Self.name) archive --yes --json")
    #expect(diverged.status == 4)
    #expect(try Self.objects(diverged.errors).first?["kind"] as? String == "diverged")
    let (other, _) = try await Self.sample()
    try await other.sqlite("UPDATE Z_METADATA SET Z_UUID = 'E7C7B3A9-0000-4000-8000-000000000000'")
    let foreign = try await other.run("restore \(Self.name) archive --yes --json")
    #expect(foreign.status == 4)
    #expect(try Self.objects(foreign.errors).first?["kind"] as? String == "otherStore")
  }

  @Test(arguments: 0..<6)
  func `damage is reported, and nothing is written`(_ number: Int) async throws {
    let (sample, _) = try await Self.sample()
    let before = try FileBytes.read(sample.store)
    let segment = try Self.file(".jsonl.zst", sample)
    let manifest = try Self.file(".json", sample)
    let catalog = sample.folder.file("archive/catalog.jsonl")
    let path = [segment, segment, manifest, catalog, segment, manifest][number]
    if number < 4 {
      var bytes = try FileBytes.read(path)
      // The end of a segment is its seek table, the middle its only frame.
      bytes[number == 0 ? bytes.count / 2 : bytes.count - 20] ^= 1
      try FileBytes.write(bytes, to: path)
    } else {
      try FileManager.default.removeItem(atPath: path)
    }
    for option in ["--yes", "--dry-run"] {
      let result = try await sample.run("restore \(Self.name) archive \(option)")
      #expect(result.status == 5, "\(result.errors)")
      let name = URL(fileURLWithPath: path).lastPathComponent
      #expect(result.errors.contains(name), "\(result.errors)")
      #expect(result.output.isEmpty)
    }
    #expect(try FileBytes.read(sample.store) == before)
  }

  @Test
  func `history is translated or refused after a migration`() async throws {
    let (sample, _) = try await Self.sample(keeping: 1)
    func migrate(_ model: ManagedModel) throws {
      let cache = try ModelArchive.cache(of: model).map {
        ($0 < 16 ? "0" : "") + String($0, radix: 16)
      }
      try StoreQuery(path: sample.store).run(
        "UPDATE Z_MODELCACHE SET Z_CONTENT = x'\(cache.joined())'")
    }
    func model(_ properties: ([ManagedProperty]) -> [ManagedProperty]) -> ManagedModel {
      ManagedModel(
        entities: TripsModel.model.entities.values.map { entity in
          guard entity.name == "BucketListItem" else { return entity }
          return ManagedEntity(name: entity.name, properties: properties(entity.properties))
        })
    }
    try migrate(model { $0.filter { $0.name != "isDone" } })
    let refused = try await sample.run("restore \(Self.name) archive --yes")
    #expect(refused.status == 6)
    #expect(refused.errors.contains("BucketListItem no longer has isDone"))
    #expect(try Self.numbers(sample.store) == ["12"])
    try migrate(model { [.attribute(.init(name: "area", type: .string))] + $0 })
    let plan = try await sample.run("restore \(Self.name) archive --dry-run")
    #expect(plan.text.contains("new model   in its order, by name: BucketListItem"))
    #expect(try await sample.run("restore \(Self.name) archive --yes").status == 0)
    let log = try await sample.run("show \(Self.name) 2 --json")
    #expect(log.text.contains(#""attributes":["isDone"]"#), "\(log.text)")
  }

  @Test func `a mirror without a token refuses a restore unless ignored`() async throws {
    let (sample, _) = try await Self.sample()
    try await sample.sqlite("CREATE TABLE ANSCKMETADATAENTRY (Z_PK INTEGER PRIMARY KEY)")
    let refused = try await sample.run("restore \(Self.name) archive --dry-run")
    #expect(refused.status == 6)
    #expect(refused.text.contains("mirroring") && refused.errors.contains("CloudKit"))
    #expect(refused.text.contains("\nrestores    nothing: refused (mirroring)\n"))
    #expect(
      refused.text.contains(#/\notherwise   \d+ transactions, .*, with --ignore-guard mirroring\n/#)
    )
    let ignored = try await sample.run(
      "restore \(Self.name) archive --yes --ignore-guard mirroring --quiet")
    #expect(ignored.status == 0)
  }

  @Test(
    .needsRealStores,
    arguments: RealStores.paths)
  func `archive, prune and restore leave real stores unchanged`(_ store: String) async throws {
    let folder = try TemporaryFolder()
    let path = try folder.copy(store: store)
    let query = try StoreQuery(path: path)
    let before = try query.contents()
    guard before["ATRANSACTION"]?.isEmpty == false else { return }
    let archive = folder.file("archive")
    let commands = [
      ["archive", path, archive, "--quiet", "--ignore-guard", "damage"],
      ["prune", path, "--keep-last", "1", "--yes", "--quiet", "--ignore-guard", "damage"],
      ["restore", path, archive, "--yes", "--quiet", "--ignore-guard", "damage"],
    ]
    for command in commands {
      let result = try await InProcess.run(command)
      #expect(result.status == 0, "\(command[0]): \(result.errors)")
    }
    let after = try query.contents()
    #expect(after.keys.filter { after[$0] != before[$0] } == [])
    #expect(after.count == before.count)
    #expect(try query.lines("PRAGMA integrity_check") == ["ok"])
  }
}
