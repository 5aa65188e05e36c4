import Foundation
import TestSupport
import Testing

/// What the changes of the sample store come to, and how that is written.
@Suite(.bounded) struct DiffTests {
  struct Golden: Sendable, CustomTestStringConvertible {
    let line: String
    let output: String
    let status: Int
    var testDescription: String { line }

    init(_ line: String, status: Int = 0, _ output: String) {
      self.line = line
      self.output = output.isEmpty ? "" : output + "\n"
      self.status = status
    }
  }

  /// Every four transactions insert three objects, update them and delete them again.
  static let goldens = [
    Golden("diff sample.store 0", ""),
    Golden("diff sample.store 4 8", ""),
    Golden("diff sample.store last", ""),
    Golden("diff sample.store 4 8 --exit-code", ""),
    Golden(
      "diff sample.store 1 5",
      """
      - LivingAccommodation/p1  3-4     placeName: "Hotel"
      + LivingAccommodation/p5  5
      - BucketListItem/p1       2-4
      + BucketListItem/p5       5
      - Trip/p1                 2-4     identifier: 00010203-0405-0607-0809-0A0B0C0D0E0F, isFavorite: \
      true, name: "Rome 4", score: 40, startDate: 2024-07-29T00:42:37Z, token: 3 bytes
      + Trip/p5                 5

      6 objects: 3 inserted, 3 deleted
      """),
    Golden(
      "diff sample.store 5 7",
      """
      ~ LivingAccommodation/p5  7       trip, isConfirmed
      ~ BucketListItem/p5       6       isDone
      ~ Trip/p5                 6       name, startDate, items

      3 objects: 3 updated
      """),
    Golden(
      "diff sample.store 0 1 --name-only", "LivingAccommodation/p1\nBucketListItem/p1\nTrip/p1"),
    Golden("diff sample.store 0 1 --exit-code --name-only --entity Trip", status: 1, "Trip/p1"),
    Golden(
      "diff sample.store 8 10 --entity Trip",
      "+ Trip/p9  9-10\n\n1 object: 1 inserted"),
    // Changes are chosen before they are folded: of the widget's point of view it is an update.
    Golden(
      "diff sample.store 8 10 --entity Trip --author widget",
      "~ Trip/p9  10      name, startDate, items\n\n1 object: 1 updated"),
    Golden(
      "diff sample.store 8 --entity Trip --not-author app",
      "~ Trip/p9  10      name, startDate, items\n\n1 object: 1 updated"),
    Golden(
      "diff sample.store 1 --object Trip/p1 --object Trip/p5 --name-only", "Trip/p1"),
    Golden(
      "diff sample.store 0 --attribute isDone --name-only",
      "BucketListItem/p1\nBucketListItem/p5\nBucketListItem/p9"),
    // The kind is that of the answer.
    Golden("diff sample.store 1 5 --kind insert --name-only --entity Trip", "Trip/p5"),
    Golden("diff sample.store 1 5 --kind update", ""),
    Golden("diff sample.store 8 10 --kind update", ""),
    Golden(
      "diff sample.store 9 11 --each",
      """
         10  2024-07-29 00:51:40  widget  ~ Trip/p9                 name, startDate, items
         10  2024-07-29 00:51:40  widget  ~ BucketListItem/p9       isDone
         11  2024-07-29 00:52:40          ~ LivingAccommodation/p9  trip, isConfirmed
      """),
    Golden(
      "diff sample.store 8 10 --each --kind update --entity BucketListItem --qualified",
      "1D070E6D-8F4B-4E3A-9C61-0A5B7C9D2E3F:10  2024-07-29 00:51:40  widget  "
        + "~ BucketListItem/p9  isDone"),
    Golden(
      "diff sample.store 1 7 --stat",
      """
      BucketListItem       +1 -1  ████████████████████████████████████████████████████
      LivingAccommodation  +1 -1  ████████████████████████████████████████████████████
      Trip                 +1 -1  ████████████████████████████████████████████████████

      6 objects: 3 inserted, 3 deleted
      """),
    Golden("diff sample.store 4 8 --stat", ""),
    Golden("diff sample.store 4 5 --stat --exit-code --entity Tag", ""),
  ]

  @Test(arguments: goldens) func `diff writes the net effect in each form`(
    _ golden: Golden
  ) async throws {
    let sample = try SampleFolder()
    let result = try await sample.run(golden.line)
    #expect(result.textOfRows == golden.output)
    #expect(result.errors == "")
    #expect(result.status == golden.status)
  }

  // MARK: - Lines for programs

  static let lines = [
    Golden(
      "diff sample.store 1 5 --json --entity Trip",
      #"""
      {"schema":1,"type":"diff","store":"1D070E6D-8F4B-4E3A-9C61-0A5B7C9D2E3F","after":1,"until":5}
      {"schema":1,"type":"netChange","entity":"Trip","pk":1,"object":"Trip/p1","kind":"delete",\#
      "tombstone":{"identifier":"00010203-0405-0607-0809-0A0B0C0D0E0F","isFavorite":true,\#
      "name":"Rome 4","score":40,"startDate":"2024-07-29T00:42:37.824189Z",\#
      "token":{"$blob":"AQID"}},"firstTransaction":2,"lastTransaction":4,"changeCount":2}
      {"schema":1,"type":"netChange","entity":"Trip","pk":5,"object":"Trip/p5","kind":"insert",\#
      "firstTransaction":5,"lastTransaction":5,"changeCount":1}
      """#),
    Golden(
      "diff sample.store 6 7 --json",
      #"""
      {"schema":1,"type":"diff","store":"1D070E6D-8F4B-4E3A-9C61-0A5B7C9D2E3F","after":6,"until":7}
      {"schema":1,"type":"netChange","entity":"LivingAccommodation","pk":5,\#
      "object":"LivingAccommodation/p5","kind":"update","attributes":["trip","isConfirmed"],\#
      "columnsRaw":"a0","firstTransaction":7,"lastTransaction":7,"changeCount":1}
      """#),
    Golden(
      "diff sample.store 0 1 --json --stat --entity Trip --exit-code", status: 1,
      #"""
      {"schema":1,"type":"diff","store":"1D070E6D-8F4B-4E3A-9C61-0A5B7C9D2E3F","after":0,"until":1}
      {"schema":1,"type":"netCount","entity":"Trip","inserts":1,"updates":0,"deletes":0,"replaces":0}
      """#),
    Golden(
      "diff sample.store 10 11 --each --json",
      #"""
      {"schema":1,"type":"diff","store":"1D070E6D-8F4B-4E3A-9C61-0A5B7C9D2E3F","after":10,"until":11}
      {"schema":1,"type":"change","store":"1D070E6D-8F4B-4E3A-9C61-0A5B7C9D2E3F","transaction":11,\#
      "timestamp":"2024-07-29T00:52:40.000000Z","timestampRaw":743907160.0,"bundle":"com.example.Trips","process":"Trips",\#
      "change":24,"kind":"update","entity":"LivingAccommodation","pk":9,\#
      "object":"LivingAccommodation/p9","attributes":["trip","isConfirmed"],"columnsRaw":"a0"}
      """#),
    Golden(
      "diff sample.store last --json --exit-code",
      #"""
      {"schema":1,"type":"diff","store":"1D070E6D-8F4B-4E3A-9C61-0A5B7C9D2E3F","after":12,"until":12}
      """#),
  ]

  @Test(arguments: lines) func `diff writes lines of JSON`(_ golden: Golden) async throws {
    let result = try await SampleFolder().run(golden.line)
    #expect(result.text == golden.output)
    #expect(result.errors == "")
    #expect(result.status == golden.status)
  }

  // MARK: - Ranges

  @Test func `a reversed range is reported`() async throws {
    let sample = try SampleFolder()
    let forward = try await sample.run("diff sample.store 1 5")
    let person = try await sample.run("diff sample.store 5 1")
    #expect(person.text == forward.text)
    #expect(person.status == 0)
    #expect(person.errors.contains("the second token is before the first"))
    #expect(person.errors.contains("after 1 up to 5"))
    let program = try await sample.run("diff sample.store last first --json")
    #expect(program.lines.first?.hasSuffix(#""after":1,"until":12,"reversed":true}"#) == true)
    let warning = try #require(
      try JSONSerialization.jsonObject(with: Data(program.errors.utf8)) as? [String: Any])
    #expect(warning["kind"] as? String == "reversedRange")
    #expect(warning["type"] as? String == "warning")
  }

  @Test(arguments: [
    ("first last", 1, 12), ("0", 0, 12), ("2024-07-29T00:44:40Z 2024-07-29T00:46:40Z", 2, 4),
    ("last~3 last~1", 9, 11), ("1D070E6D-8F4B-4E3A-9C61-0A5B7C9D2E3F:3 @./token", 3, 7),
    ("@mark", 7, 12),
  ]) func `diff takes tokens of any form`(_ tokens: String, _ after: Int, _ until: Int) async throws
  {
    let sample = try SampleFolder()
    try FileBytes.write(Array("7\n".utf8), to: sample.folder.file("token"))
    let bookmark = #"{"storeTokens":{"\#(SampleFolder.identifier)":7}}"#
    try FileBytes.write(
      Array(#"{"schema":1,"bookmarks":[{"name":"mark","token":\#(bookmark)}]}"#.utf8),
      to: sample.store + "-bookmarks.json")
    let result = try await sample.run("diff sample.store \(tokens) --json")
    #expect(result.lines.first?.hasSuffix(#""after":\#(after),"until":\#(until)}"#) == true)
    #expect(result.status == 0)
  }

  @Test func `changes that cannot be folded are reported`() async throws {
    let sample = try SampleFolder()
    try await sample.sqlite("UPDATE ACHANGE SET ZCHANGETYPE = 7 WHERE Z_PK IN (1, 2)")
    let person = try await sample.run("diff sample.store 0 1")
    #expect(
      person.textOfRows
        == "+ LivingAccommodation/p1  1\n\n1 object: 1 inserted\n")
    #expect(person.errors.contains("2 changes skipped"))
    #expect(person.errors.contains("hint: --each shows every change"))
    let each = try await sample.run("diff sample.store 0 1 --each")
    #expect(each.rows.count == 3)
    #expect(each.text.contains("? Trip/p1") && each.text.contains("ZCHANGETYPE = 7"))
  }

  @Test func `another object under the same key is shown as replaced`() async throws {
    let sample = try SampleFolder()
    try await sample.sqlite("UPDATE ACHANGE SET ZENTITYPK = 1 WHERE ZTRANSACTIONID IN (5, 6, 7)")
    let person = try await sample.run("diff sample.store 1 7")
    #expect(
      person.rows.prefix(2).map { String($0) } == [
        "± LivingAccommodation/p1  3-7     another object has its key now  placeName: \"Hotel\"",
        "± BucketListItem/p1       2-6     another object has its key now",
      ])
    #expect(person.lines.last == "3 objects: 3 replaced")
    // The old one is gone, and there is a new one.
    for kind in ["insert", "delete"] {
      let found = try await sample.run("diff sample.store 1 7 --name-only --kind \(kind)")
      #expect(found.lines.count == 3)
    }
    let stat = try await sample.run("diff sample.store 1 7 --stat --json --entity Trip")
    #expect(stat.lines.last?.hasSuffix(#""deletes":0,"replaces":1}"#) == true)
  }

  @Test func `columns have numbers without a model`() async throws {
    let sample = try SampleFolder()
    try await sample.sqlite("UPDATE Z_MODELCACHE SET Z_CONTENT = NULL")
    let result = try await sample.run("diff sample.store 5 7")
    #expect(result.rows[0] == "~ LivingAccommodation/p5  7       columns 0, 2")
    #expect(result.errors.contains("has no model cache"))
    #expect(result.status == 0)
    try await sample.sqlite("DELETE FROM Z_PRIMARYKEY WHERE Z_ENT = 5")
    let unnamed = try await sample.run("diff sample.store 5 7 --name-only")
    #expect(unnamed.lines.last == "#5/p5")
    let line = try await sample.run("diff sample.store 5 7 --json")
    #expect(line.lines.last?.contains(#""type":"netChange","entityRaw":5,"pk":5,"kind":"#) == true)
  }

  @Test func `a store without history ends with 8`() async throws {
    let folder = try TemporaryFolder()
    var shape = StoreWriter.Shape()
    shape.hasHistory = false
    try StoreWriter(path: folder.file("x.store"), shape: shape).close()
    let result = try await InProcess.run(["diff", "x.store", "0"], folder: folder.path)
    #expect(result.status == 8)
    #expect(result.text == "")
    #expect(result.errors.contains("x.store keeps no history"))
  }

  // MARK: - On a terminal

  @Test(.enabled(if: Tool.hasTerminals), arguments: [20, 30, 50, 80, 200])
  func `diff keeps to the width of the terminal`(_ columns: Int) async throws {
    let sample = try SampleFolder()
    for options in [[], ["--each"], ["--stat"], ["--qualified", "--each"]] {
      let result = try await Tool.histctl.runOnTerminal(
        ["diff", sample.store, "1", "7", "--no-pager", "--color", "never", "--quiet"] + options,
        columns: columns)
      #expect(result.status == 0)
      let summary = result.lines.filter { $0.hasPrefix("6 objects") }
      #expect(summary.count == (options.contains("--each") ? 0 : 1))
      #expect(
        result.lines.allSatisfy { $0.count <= columns || summary.contains($0) }, "\(result.text)")
    }
  }

  @Test(.enabled(if: Tool.hasTerminals)) func `a terminal gets titles and colors`() async throws {
    let sample = try SampleFolder()
    let result = try await Tool.histctl.runOnTerminal(
      ["diff", sample.store, "5", "6", "--entity", "Trip", "--no-pager"])
    #expect(
      result.text == """
        \u{1B}[1mOBJECT\u{1B}[0m     \u{1B}[1mTOKENS\u{1B}[0m  \u{1B}[1mDETAILS\u{1B}[0m
        \u{1B}[33m~ Trip/p5\u{1B}[0m  \u{1B}[36m6\u{1B}[0m       name, startDate, items

        1 object: \u{1B}[33m1 updated\u{1B}[0m

        """)
  }

  @Test(
    .enabled(if: Tool.hasTerminals),
    arguments: [
      (["last"], "no change after 12 up to 12\n"),
      (["0"], "the 27 changes after 0 up to 12 have no net effect"),
      (["0", "--bundle", "x"], "no change after 0 up to 12 that matches\n"),
      (["0", "--kind", "insert"], "have no net effect that matches\n"),
      (["0", "--each", "--entity", "Tag"], "no change after 0 up to 12 that matches\n"),
    ]) func `a terminal explains an empty diff`(_ options: [String], _ words: String) async throws
  {
    let sample = try SampleFolder()
    let person = try await Tool.histctl.runOnTerminal(
      ["diff", sample.store] + options + ["--no-pager"])
    #expect(person.text.contains(words), "\(person.text)")
    #expect(person.status == 0)
    let program = try await sample.run(["diff", "sample.store"] + options)
    let isUnknown = options.contains("--bundle")
    #expect(
      program.text == ""
        && program.errors.contains("no transaction has the bundle 'x'") == isUnknown)
  }
}
