import Foundation
import StoreFormat
import TestSupport
import Testing

/// `prune` as a person and a script meet it.
@Suite(.bounded) struct PruneTests {
  private static func numbers(_ path: String) throws -> [String] {
    try StoreQuery(path: path).lines("SELECT Z_PK FROM ATRANSACTION ORDER BY Z_PK")
  }

  private static func objects(_ result: Tool.Result) throws -> [[String: Any]] {
    try result.lines.map {
      try #require(try JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: Any])
    }
  }

  private static func setBookmark(_ name: String, _ number: Int, _ sample: SampleFolder) throws {
    let time = 743_906_500 + number * 60
    try FileBytes.write(
      Array(
        """
        {"schema":1,"bookmarks":[{"name":"\(name)","timestampRaw":\(time),
        "token":{"storeTokens":{"\(SampleFolder.identifier)":\(number)}}}]}
        """.utf8), to: sample.store + "-bookmarks.json")
  }

  @Test func `a dry run shows the plan and changes nothing`() async throws {
    let sample = try SampleFolder()
    try Self.setBookmark("widget", 9, sample)
    let before = try FileBytes.read(sample.store)
    let result = try await sample.run(
      "prune sample.store --keep-last 3 --before 11 --check-token 8 --check-token 9 --dry-run --date utc"
    )
    let text = result.text.replacing(#/\d+\.\d KiB/#, with: "N KiB")
    #expect(
      text == """
        store       sample.store
        history     12 transactions, 27 changes, N KiB
        deletes     8 transactions, 18 changes, about N KiB
        keeps       4 transactions, 9 to 12, from 2024-07-29T00:50:40Z on

        RULE OR GUARD  KEEPS FROM           WHY
        before 11      11
        keep-last 3    10
        @widget        9           decides  its consumer goes on after transaction 9

        BOOKMARK  NUMBER  NOW    AFTERWARDS
        @widget   9       valid  kept

        TOKEN  NUMBER  TIME                  NOW    AFTERWARDS
        8      8       2024-07-29T00:49:40Z  valid  expired
        9      9       2024-07-29T00:50:40Z  valid  valid

        """)
    #expect(result.errors == "")
    // A token that was asked about would not work.
    #expect(result.status == 1)
    #expect(try FileBytes.read(sample.store) == before)
  }

  @Test func `--yes deletes and prints one line`() async throws {
    let sample = try SampleFolder()
    let result = try await sample.run("prune sample.store --keep-last 3 --yes --date utc")
    #expect(result.status == 0)
    #expect(result.errors == "")
    #expect(
      result.text.replacing(#/\d+\.\d KiB/#, with: "N KiB") == """
        sample.store: deleted 9 transactions, 21 changes, about N KiB, all before 10 of \
        2024-07-29T00:51:40Z (keep-last)

        """)
    #expect(try Self.numbers(sample.store) == ["10", "11", "12"])
    let again = try await sample.run("prune sample.store --keep-last 3 --yes")
    #expect(again.text == "sample.store: nothing to delete (keep-last)\n")
    #expect(again.status == 0)
    let quiet = try await sample.run("prune sample.store --keep-last 1 --yes --quiet")
    #expect(quiet.output.isEmpty && quiet.errors == "" && quiet.status == 0)
    #expect(try Self.numbers(sample.store) == ["12"])
  }

  @Test func `tokens of deleted history expire`() async throws {
    let sample = try SampleFolder()
    _ = try await sample.run("prune sample.store --before 7 --yes")
    let check = try await sample.run("token check sample.store 6 7 12 --json")
    #expect(
      try Self.objects(check).map { $0["state"] as? String } == ["expired", "valid", "valid"])
    #expect(check.status == 1)
    #expect(try await sample.run("log sample.store --after 6").status == 4)
  }

  @Test func `JSON has the plan and the result`() async throws {
    let sample = try SampleFolder()
    try Self.setBookmark("widget", 4, sample)
    let result = try await sample.run(
      "prune sample.store --keep-last 3 --max-behind 5 --check-token 2 --yes --json")
    let objects = try Self.objects(result)
    #expect(objects.map { $0["type"] as? String } == ["prunePlan", "prune"])
    for (plan, done) in zip(objects, objects.dropFirst()) {
      for key in ["transactions", "changes"] {
        #expect(plan[key] as? Int == done[key] as? Int)
      }
      #expect(plan["transactions"] as? Int == 9)
      #expect(plan["cut"] as? Int == 10)
      #expect(plan["decidedBy"] as? [String] == ["keep-last"])
      let bookmark = (plan["bookmarks"] as? [[String: Any]])?.first
      #expect(bookmark?["fate"] as? String == "lost")
      #expect(bookmark?["tooFarBehind"] as? Bool == true)
      #expect(done["complete"] as? Bool == true)
    }
    #expect(result.errors == "")
    #expect(result.status == 0)
  }

  @Test(.enabled(if: Tool("python3") != nil)) func `the JSON fits its schema`() async throws {
    let sample = try SampleFolder()
    try Self.setBookmark("widget", 4, sample)
    var lines = ""
    for options in [
      "--keep-last 3 --max-behind 5 --check-token 2 -n", "--all -n", "--keep-last 99 -n",
      "--max-size 5K --if-larger 900G -n", "--entity #77 -n", "--keep-within 30d --yes",
      "--keep-last 2 --ignore-guard bookmarks --yes",
    ] {
      lines += try await sample.run("prune sample.store --json " + options).text
    }
    try await sample.sqlite("CREATE TABLE ANSCKEVENT (Z_PK INTEGER PRIMARY KEY)")
    lines += try await sample.run("prune sample.store --all -n --json").text
    let python = try #require(Tool("python3"))
    let check = try await python.run(
      [Manual.path("Tests/Tools/validate_lines.py")], input: lines)
    #expect(check.status == 0, "\(check.errors)\n\(lines)")
  }

  @Test func `an expiring bookmark is reported`() async throws {
    let sample = try SampleFolder()
    try Self.setBookmark("widget", 4, sample)
    let result = try await sample.run(
      "prune sample.store --keep-last 3 --max-behind 5 --yes --quiet")
    #expect(
      result.errors
        == "histctl: warning: sample.store: the bookmark @widget expires with this: it is too far behind\n"
    )
    #expect(result.status == 0)
    #expect(try await sample.run("token check sample.store @widget").status == 1)
  }

  @Test(arguments: [
    ("", "no retention rule given"), ("--keep-last 0", "must be 1 or more"),
    ("--keep-last 30d", "not a number"), ("--keep-last -3", "--keep-last"),
    ("--keep-within 0d", "must be greater than zero"),
    ("--keep-within 30", "has a number without a unit"),
    ("--keep-within 10000y", "too long"),
    ("--keep-within 99999999999d", "too long"),
    ("--max-size 50", "the unit is missing"), ("--max-size 0M", "less than a byte"),
    ("--keep-last 3 --max-behind 0", "must be 1 or more"),
    ("--keep-last 3 --ignore-guard widget", "no guard is named 'widget'"),
    ("--keep-last 3 --entity Trip", "run the command twice"),
    ("--keep-last 3 --if-larger 7", "the unit is missing"), ("--before nonsense", "is not a token"),
    ("--entity Nothing", "no entity is named 'Nothing'"),
  ])
  func `wrong options are refused and delete nothing`(
    _ options: String, _ words: String
  ) async throws {
    let sample = try SampleFolder()
    let result = try await sample.run("prune sample.store --yes " + options)
    #expect(result.status == 64, "\(result.errors)")
    #expect(result.errors.contains(words), "\(result.errors)")
    #expect(result.output.isEmpty)
    #expect(try Self.numbers(sample.store).count == 12)
  }

  @Test func `a prune without a terminal needs --yes`() async throws {
    let sample = try SampleFolder()
    for options in ["", " --json"] {
      let result = try await sample.run("prune sample.store --keep-last 3" + options)
      #expect(result.status == 64)
      #expect(result.errors.contains("cannot ask for confirmation"))
      #expect(result.errors.contains("--dry-run"))
    }
    #expect(try Self.numbers(sample.store).count == 12)
  }

  @Test(.enabled(if: AnsweredQuestion.isPossible), arguments: [true, false])
  func `a prune on a terminal asks for confirmation`(_ agrees: Bool) async throws {
    let sample = try SampleFolder()
    let result = try await AnsweredQuestion.run(
      ["prune", sample.store, "--keep-last", "3"], answer: agrees ? "y" : "n")
    #expect(result.text.contains("Delete 9 transactions? [y/N]"))
    #expect(result.text.contains("RULE OR GUARD"))
    #expect(try Self.numbers(sample.store).count == (agrees ? 3 : 12))
    #expect(result.status == (agrees ? 0 : 1))
    #expect(result.text.contains(agrees ? "deleted 9 transactions" : "nothing was deleted"))
  }

  @Test func `several stores have a line each, and the worst status wins`() async throws {
    let sample = try SampleFolder()
    let second = sample.folder.file("second.store")
    try FileBytes.write(try FileBytes.read(sample.store), to: second)
    try FileBytes.write(Array("no store at all".utf8), to: sample.folder.file("third.store"))
    let result = try await sample.run(
      "prune sample.store missing.store third.store second.store --keep-last 2 --yes")
    #expect(
      result.lines.map { String($0.prefix { $0 != ":" }) } == ["sample.store", "second.store"])
    #expect(result.errors.contains("missing.store"))
    #expect(result.errors.contains("third.store"))
    #expect(result.status == 9)
    #expect(try Self.numbers(second) == ["11", "12"])
    #expect(try Self.numbers(sample.store) == ["11", "12"])
    let plans = try await sample.run("prune sample.store second.store --keep-last 1 -n")
    #expect(plans.lines.allSatisfy { $0.contains("would delete 1 transaction,") })
    #expect(plans.lines.count == 2)
  }

  @Test func `a wrong token is reported once, and other errors with their store`() async throws {
    let sample = try SampleFolder()
    try FileBytes.write(
      try FileBytes.read(sample.store), to: sample.folder.file("second.store"))
    let once = try await sample.run("prune sample.store second.store --before nonsense --yes")
    #expect(once.status == 64)
    #expect(once.errors.split(separator: "\n").count == 2)
    let each = try await sample.run("prune sample.store second.store --entity Gone --yes")
    #expect(each.status == 64)
    #expect(each.errors.contains("histctl: sample.store: no entity is named 'Gone'"))
    #expect(each.errors.contains("histctl: second.store: no entity is named 'Gone'"))
    let json = try await sample.run("prune sample.store --entity Trip --yes --json")
    #expect(json.errors.contains(#""store":"sample.store""#))
    let ahead = try await sample.run("prune sample.store --before 99 --yes")
    #expect(ahead.status == 4)
    #expect(try Self.numbers(sample.store).count == 12)
  }

  @Test func `a mirrored store is refused`() async throws {
    let sample = try SampleFolder()
    try await sample.sqlite("CREATE TABLE ANSCKMETADATAENTRY (Z_PK INTEGER PRIMARY KEY)")
    let refused = try await sample.run("prune sample.store --keep-last 2 --yes")
    #expect(refused.status == 6)
    #expect(refused.errors.contains("mirrored to CloudKit"))
    #expect(try Self.numbers(sample.store).count == 12)
    let ignored = try await sample.run(
      "prune sample.store --keep-last 2 --yes --ignore-guard mirroring")
    #expect(ignored.status == 0)
    #expect(try Self.numbers(sample.store) == ["11", "12"])
  }

  /// What happens is nothing, and whoever reads only the first lines must not think otherwise.
  @Test func `a refused plan begins with the refusal`() async throws {
    let sample = try SampleFolder()
    try await sample.sqlite("CREATE TABLE ANSCKMETADATAENTRY (Z_PK INTEGER PRIMARY KEY)")
    let refused = try await sample.run(
      "prune sample.store --keep-last 2 --dry-run --check-token 3 --date utc")
    #expect(refused.status == 6)
    let text = refused.text.replacing(#/\d+\.\d KiB/#, with: "N KiB")
    #expect(
      text.hasPrefix(
        """
        store       sample.store
        history     12 transactions, 27 changes, N KiB
        deletes     nothing: refused (mirroring)
        otherwise   10 transactions, 23 changes, about N KiB, with --ignore-guard mirroring
        keeps       12 transactions, 1 to 12, from 2024-07-29T00:42:40Z on

        RULE OR GUARD  KEEPS FROM           WHY
        keep-last 2    11
        mirroring      refuses     decides  the store is mirrored to CloudKit
        """), "\(text)")
    #expect(
      text.hasSuffix(
        """

        TOKEN  NUMBER  TIME                  NOW    OTHERWISE
        3      3       2024-07-29T00:44:40Z  valid  expired

        """), "\(text)")
    let several = try await sample.run("prune sample.store none.store --keep-last 2 --dry-run")
    #expect(several.status == 9 && several.errors.contains("none.store"))
    #expect(
      several.lines.first?.hasPrefix(
        "sample.store: would delete nothing: refused (mirroring); with --ignore-guard mirroring it "
          + "would delete 10 transactions, ") == true)
    let all = try await sample.run("prune sample.store --all --dry-run")
    #expect(all.text.contains("\nkeeps       12 transactions, 1 to 12, "))
  }

  @Test func `an entity of the model is refused`() async throws {
    let sample = try SampleFolder()
    let refused = try await sample.run("prune sample.store --entity Trip --yes")
    #expect(refused.status == 6)
    try await sample.sqlite("UPDATE ACHANGE SET ZENTITY = 77 WHERE Z_PK < 4")
    let result = try await sample.run("prune sample.store --entity #77 --yes")
    #expect(result.text.hasPrefix("sample.store: deleted 3 changes of #77"))
    #expect(try Self.numbers(sample.store).count == 12)
  }

  @Test func `unreadable bookmarks stop a prune`() async throws {
    let sample = try SampleFolder()
    try FileBytes.write(Array("{".utf8), to: sample.store + "-bookmarks.json")
    let result = try await sample.run("prune sample.store --keep-last 2 --yes")
    #expect(result.status == 9)
    #expect(try Self.numbers(sample.store).count == 12)
    let ignored = try await sample.run(
      "prune sample.store --keep-last 2 --yes --ignore-guard bookmarks")
    #expect(ignored.status == 0)
  }

  /// It may be mistyped, or its volume not be mounted.
  @Test func `a given file of bookmarks must exist`() async throws {
    let sample = try SampleFolder()
    for options in ["--yes", "--dry-run"] {
      let result = try await sample.run(
        "prune sample.store --keep-last 2 \(options) --bookmark-file other.json")
      #expect(result.status == 9)
      #expect(result.errors.contains("other.json") && result.errors.contains("--ignore-guard"))
    }
    try FileBytes.write(
      Array("[s]\nstore = sample.store\nbookmark-file = other.json\nprune.keep-last = 2\n".utf8),
      to: sample.folder.file("m.conf"))
    let maintained = try await sample.run("maintain --config m.conf")
    #expect(maintained.status == 9 && maintained.errors.contains("other.json"))
    #expect(try Self.numbers(sample.store).count == 12)
    #expect(
      try await sample.run("bookmark set sample.store w 9 --bookmark-file other.json").status == 0)
    #expect(
      try await sample.run("prune sample.store --keep-last 2 --yes --bookmark-file other.json")
        .status == 0)
    #expect(try Self.numbers(sample.store).count == 4)
  }

  @Test func `a busy store ends with 7 and is left unchanged`() async throws {
    let sample = try SampleFolder()
    let query = try StoreQuery(path: sample.store)
    try query.run("BEGIN IMMEDIATE")
    let result = try await sample.run("prune sample.store --keep-last 2 --yes --busy-timeout 0.2")
    #expect(result.status == 7)
    #expect(result.errors.contains("is locked by another program"))
    try query.run("ROLLBACK")
    #expect(try Self.numbers(sample.store).count == 12)
  }

  /// A save that was broken off is undone first, as by every program that writes to the store; only
  /// looking changes nothing.
  @Test(.enabled(if: Tool("python3") != nil))
  func `an unfinished save is rolled back by a prune and left by a dry run`() async throws {
    let sample = try SampleFolder()
    try await UnfinishedSave.leave(in: sample.store)
    let half = try FileBytes.read(sample.store)
    let plan = try await sample.run("prune sample.store --keep-last 3 --dry-run")
    #expect(plan.status == 9)
    #expect(plan.errors.contains("in the middle of a save"))
    #expect(try FileBytes.read(sample.store) == half)
    let result = try await sample.run("prune sample.store --keep-last 3 --yes")
    #expect(result.status == 0, "\(result.errors)")
    #expect(try Self.numbers(sample.store) == ["10", "11", "12"])
    let query = try StoreQuery(path: sample.store)
    #expect(try query.lines("SELECT DISTINCT hex(substr(X, 1, 4)) FROM ZFILLER") == ["00000000"])
    #expect(try query.lines("PRAGMA integrity_check") == ["ok"])
  }

  @Test(.enabled(if: OtherUser.isAvailable))
  func `an unwritable store ends with 9 and is left unchanged`() async throws {
    let sample = try SampleFolder()
    try OtherUser.letRead(sample.folder)
    let result = try await OtherUser.run(["prune", sample.store, "--keep-last", "2", "--yes"])
    #expect(result.status == 9, "\(result.errors)")
    #expect(result.errors.contains("cannot write"))
    #expect(try Self.numbers(sample.store).count == 12)
  }

  @Test func `a store without history ends with 8`() async throws {
    let folder = try TemporaryFolder()
    var shape = StoreWriter.Shape()
    shape.hasHistory = false
    try StoreWriter(path: folder.file("a.store"), shape: shape).close()
    let result = try await InProcess.run(
      ["prune", folder.file("a.store"), "--keep-last", "2", "--yes"])
    #expect(result.status == 8)
    #expect(result.output.isEmpty)
    #expect(result.errors.contains("a.store keeps no history"), "\(result.errors)")
  }

  /// A part is done when a reader ends it: the status says so, and the next run does the rest.
  @Test func `a reader that pins the log ends a prune with 3, and the next run continues`()
    async throws
  {
    let folder = try TemporaryFolder()
    let path = try LongHistory.write(
      to: folder.file("a.store"), transactions: 60_000, changesEach: 6)
    let reader = try StoreQuery(path: path)
    try reader.run("CREATE TABLE ELSEWHERE (X)")
    try reader.run("BEGIN")
    #expect(try reader.lines("SELECT count(*) FROM ATRANSACTION") == ["60000"])
    let options = ["prune", path, "--keep-last", "1", "--yes", "--busy-timeout", "0.3"]
    let stopped = try await InProcess.run(options + ["--json"])
    #expect(stopped.status == 3, "\(stopped.errors)")
    #expect(stopped.errors.contains(#""kind":"pinnedLog""#))
    #expect(try Self.objects(stopped).last?["complete"] as? Bool == false)
    #expect(try reader.lines("SELECT count(*) FROM ATRANSACTION") == ["60000"])
    try reader.run("COMMIT")
    let rest = try await InProcess.run(options)
    #expect(rest.status == 0, "\(rest.errors)")
    #expect(try Self.numbers(path) == ["60000"])
  }
}
