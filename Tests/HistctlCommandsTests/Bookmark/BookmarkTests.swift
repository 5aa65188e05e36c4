import Foundation
import TestSupport
import Testing

/// `bookmark set`, `list`, `check` and `remove`.
@Suite(.bounded) struct BookmarkTests {
  private static func objects(_ result: Tool.Result) throws -> [[String: Any]] {
    try result.lines.map {
      try #require(try JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: Any])
    }
  }

  @Test
  func `a bookmark is set at the newest transaction and is a token`() async throws {
    let sample = try SampleFolder()
    let set = try await sample.run("bookmark set sample.store widget")
    #expect(set.status == 0 && set.text == "" && set.errors == "")
    #expect(try await sample.run("bookmark set sample.store app 5").status == 0)
    let list = try await sample.run("bookmark list sample.store --date utc")
    #expect(
      list.textOfRows == """
        @app      valid  5           7       15  2024-07-29T00:47:40Z
        @widget   valid  12          0        0  -

        """)
    let log = try await sample.run("log sample.store --after @app --json")
    #expect(log.lines.count == 7)
    // The file is what the man page says.
    let data = try Data(FileBytes.read(sample.store + "-bookmarks.json"))
    let file = try #require(try JSONSerialization.jsonObject(with: data) as? [String: Any])
    let first = try #require((file["bookmarks"] as? [[String: Any]])?.first)
    #expect(file["schema"] as? Int == 1)
    #expect(first["name"] as? String == "app")
    #expect(first["timestampRaw"] as? Double == 743_906_800)
    let token = (first["token"] as? [String: Any])?["storeTokens"] as? [String: Int]
    #expect(token == [SampleFolder.identifier: 5])
  }

  @Test
  func `lags agree with sqlite3 in any order of the bookmarks`() async throws {
    let sample = try SampleFolder()
    for number in [0, 1, 4, 7, 11, 12] {
      _ = try await sample.run("bookmark set sample.store b\(number) \(number)")
    }
    let query = try StoreQuery(path: sample.store)
    let objects = try Self.objects(await sample.run("bookmark list sample.store --json"))
    #expect(objects.count == 6)
    for object in objects {
      let number = try #require(object["transaction"] as? Int)
      let counts = try query.lines(
        """
        SELECT (SELECT count(*) FROM ATRANSACTION WHERE Z_PK > \(number)),
          (SELECT count(*) FROM ACHANGE WHERE ZTRANSACTIONID > \(number))
        """)
      let transactions = try #require(object["transactionsBehind"] as? Int)
      let changes = try #require(object["changesBehind"] as? Int)
      #expect(counts == ["\(transactions)|\(changes)"])
      #expect((object["unreadSince"] == nil) == (number == 12))
    }
  }

  @Test
  func `a bookmark moves forward only, unless forced`() async throws {
    let sample = try SampleFolder()
    _ = try await sample.run("bookmark set sample.store widget 7")
    #expect(try await sample.run("bookmark set sample.store widget 7").status == 0)
    let back = try await sample.run("bookmark set sample.store widget 6")
    #expect(back.status == 6)
    #expect(back.errors.contains("stands at transaction 7") && back.errors.contains("--force"))
    #expect(try await sample.run("bookmark set sample.store widget 6 --force").status == 0)
    // One file for two stores.
    try await sample.sqlite(
      "UPDATE Z_METADATA SET Z_UUID = '00000000-8F4B-4E3A-9C61-0A5B7C9D2E3F'")
    let other = try await sample.run("bookmark set sample.store widget 9")
    #expect(other.status == 6)
    #expect(other.errors.contains("of another store (\(SampleFolder.identifier))"))
    let list = try await sample.run("bookmark list sample.store")
    #expect(list.textOfRows.hasPrefix("@widget   foreign  \(SampleFolder.identifier):6 "))
    #expect(list.status == 0)
  }

  @Test
  func `a token that does not work and a malformed name are refused`() async throws {
    let sample = try SampleFolder()
    try await sample.sqlite("DELETE FROM ATRANSACTION WHERE Z_PK < 4")
    for (line, status) in [
      ("widget 3", 4), ("widget 99", 4), ("../x 3", 64), (".x", 64), ("a/b", 64), ("a:b", 64),
      ("\(String(repeating: "x", count: 129))", 64), ("widget nonsense", 64),
    ] {
      let result = try await sample.run("bookmark set sample.store \(line)")
      #expect(result.status == status, "\(line): \(result.errors)")
    }
    #expect(try sample.folder.names().contains("sample.store-bookmarks.json") == false)
  }

  @Test
  func `a diverged copy is noticed`() async throws {
    let sample = try SampleFolder()
    _ = try await sample.run("bookmark set sample.store widget 7")
    try await sample.sqlite("UPDATE ATRANSACTION SET ZTIMESTAMP = ZTIMESTAMP + 1 WHERE Z_PK = 7")
    let check = try await sample.run("bookmark check sample.store")
    #expect(check.status == 1)
    #expect(check.textOfRows.hasPrefix("@widget   diverged  7 "))
    #expect(check.errors.contains("comes from another copy"))
    let json = try Self.objects(await sample.run("bookmark check sample.store --json"))
    #expect(json.first?["error"] as? String == "historyTokenDiverged")
  }

  @Test
  func `a bookmark whose consumer has more left to read than is allowed is lost`() async throws {
    let sample = try SampleFolder()
    _ = try await sample.run("bookmark set sample.store near 10")
    _ = try await sample.run("bookmark set sample.store far 2")
    let check = try await sample.run("bookmark check sample.store --max-behind 9")
    #expect(check.status == 1)
    #expect(check.rows.map { $0.split(separator: " ")[1] } == ["behind", "valid"])
    #expect(
      check.errors.contains("@far is too far behind: its consumer has not read 10 transactions"))
    #expect(try await sample.run("bookmark check sample.store --max-behind 10").status == 0)
    #expect(try await sample.run("bookmark check sample.store near --max-behind 9").status == 0)
    // Everything of 2024 has been waiting for longer than a day, but not what was read.
    #expect(try await sample.run("bookmark check sample.store --max-behind 1d").status == 1)
    _ = try await sample.run("bookmark set sample.store near")
    #expect(try await sample.run("bookmark check sample.store near --max-behind 1d").status == 0)
    let json = try Self.objects(
      await sample.run("bookmark list sample.store --max-behind 9 --json"))
    #expect(json.map { $0["lost"] as? Bool } == [true, nil])
    for limit in ["0", "0d", "-3", "3x", "m"] {
      let result = try await sample.run("bookmark check sample.store --max-behind \(limit)")
      #expect(result.status == 64, "\(limit)")
    }
  }

  @Test
  func `headroom is estimated from the recent rate of transactions`() async throws {
    let sample = try SampleFolder()
    // One transaction a day, the newest just now: twelve within eleven days.
    try await sample.sqlite(
      """
      UPDATE ATRANSACTION SET ZTIMESTAMP =
        (strftime('%s', 'now') - 978307200) - (12 - Z_PK) * 86400.0
      """)
    _ = try await sample.run("bookmark set sample.store b 5")
    func headroom(_ options: String) async throws -> (String?, Double?) {
      let objects = try Self.objects(
        await sample.run("bookmark list sample.store --json \(options)"))
      return (
        objects.first?["headroom"] as? String, objects.first?["headroomSeconds"] as? Double
      )
    }
    let day = 86_400.0
    for (options, days) in [
      ("--keep-within 10d", 3.0), ("--keep-last 10", 3 / (12 / 11.0)),
      ("--keep-last 8", 1 / (12 / 11.0)), ("--keep-within 10d --keep-last 8", 3.0),
      ("--keep-within 6d --keep-last 10", 3 / (12 / 11.0)),
    ] {
      let (kind, seconds) = try await headroom(options)
      #expect(kind == "limited")
      #expect(abs((seconds ?? 0) - days * day) < 3700, "\(options): \(seconds ?? 0)")
    }
    for options in ["--keep-within 6d", "--keep-last 7", "--keep-last 1"] {
      #expect(try await headroom(options).0 == "exhausted", "\(options)")
      let check = try await sample.run("bookmark check sample.store \(options)")
      #expect(check.status == 1)
      #expect(check.text.contains("at once"))
    }
    // Nothing has been saved for a long time.
    try await sample.sqlite("UPDATE ATRANSACTION SET ZTIMESTAMP = ZTIMESTAMP - 86400 * 100")
    _ = try await sample.run("bookmark set sample.store b 5 --force")
    #expect(try await headroom("--keep-last 8").0 == "unlimited")
    #expect(try await sample.run("bookmark list sample.store --keep-last 0").status == 64)
  }

  @Test(arguments: [
    "{", "[]", #"{"schema":2,"bookmarks":[]}"#, #"{"schema":1,"bookmarks":[{"name":5}]}"#,
    #"{"schema":1,"bookmarks":[{"name":"\u001b[2J","token":{"storeTokens":{"A":1}}}]}"#,
    String(repeating: "[", count: 400_000), String(repeating: "x", count: 2 << 20),
  ])
  func `a malformed file is reported and left unchanged`(content: String) async throws {
    let sample = try SampleFolder()
    let path = sample.store + "-bookmarks.json"
    try FileBytes.write(Array(content.utf8), to: path)
    for line in [
      "set sample.store x", "list sample.store", "check sample.store",
      "remove sample.store x",
    ] {
      let result = try await sample.run("bookmark " + line)
      #expect(result.status == 9, "\(line): \(result.errors)")
      #expect(result.errors.contains("cannot read the bookmarks in"))
      #expect(result.errors.contains("--bookmark-file"))
    }
    #expect(try FileBytes.read(path) == Array(content.utf8))
    let elsewhere = try await sample.run("bookmark set sample.store x --bookmark-file mine.json")
    #expect(elsewhere.status == 0)
  }

  @Test
  func `concurrent runs that set bookmarks lose none`() async throws {
    let sample = try SampleFolder()
    try await withThrowingTaskGroup(of: Int.self) { group in
      for number in 0..<24 {
        group.addTask {
          try await sample.run("bookmark set sample.store b\(number) \(number % 12 + 1)").status
        }
      }
      for try await status in group { #expect(status == 0) }
    }
    #expect(try await sample.run("bookmark list sample.store").rows.count == 24)
    #expect(try sample.folder.names().filter { $0.contains("partial") } == [])
  }

  @Test
  func `removing takes all named bookmarks or none, and a link to the file stays a link`()
    async throws
  {
    let sample = try SampleFolder()
    let link = sample.store + "-bookmarks.json"
    try FileManager.default.createSymbolicLink(
      atPath: link, withDestinationPath: sample.folder.file("kept.json"))
    try FileBytes.write(
      Array(#"{"schema":1,"bookmarks":[]}"#.utf8), to: sample.folder.file("kept.json"))
    for name in ["a", "b", "c"] { _ = try await sample.run("bookmark set sample.store \(name) 5") }
    let missing = try await sample.run("bookmark remove sample.store a nobody")
    #expect(missing.status == 64)
    #expect(missing.errors.contains("there are: a, b, c"))
    let removed = try await sample.run("bookmark remove sample.store a c --json")
    #expect(removed.lines.count == 2 && removed.status == 0)
    #expect(try await sample.run("bookmark list sample.store").rows.count == 1)
    #expect(
      try FileManager.default.destinationOfSymbolicLink(atPath: link)
        == sample.folder.file("kept.json"))
    let other = try SampleFolder()
    #expect(try await other.run("bookmark remove sample.store a").status == 64)
    #expect(try other.folder.names() == ["sample.store"])
  }

  @Test(.enabled(if: Tool("python3") != nil))
  func `lists fit the schema`() async throws {
    let sample = try SampleFolder()
    _ = try await sample.run("bookmark set sample.store a 5")
    _ = try await sample.run("bookmark set sample.store b")
    let list = try await sample.run(
      "bookmark list sample.store --json --keep-within 1d --max-behind 1")
    let removed = try await sample.run("bookmark remove sample.store a --json")
    try await SchemaCheck.expectFits(list.text + removed.text)
  }
}
