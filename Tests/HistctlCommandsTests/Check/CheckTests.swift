import Foundation
import TestSupport
import Testing

/// `check`: limits on histories, for people, programs and Prometheus.
@Suite(.bounded) struct CheckTests {
  private static func object(_ line: String) throws -> [String: Any] {
    try #require(try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])
  }

  private static func findings(_ result: Tool.Result) throws -> [String] {
    let findings = try object(result.text)["findings"] as? [[String: Any]] ?? []
    return findings.compactMap { $0["finding"] as? String }
  }

  @Test
  func `a store within its limits has one line, and none with --quiet`() async throws {
    let sample = try SampleFolder()
    _ = try await sample.run("bookmark set sample.store widget")
    let line = "check sample.store --max-size 50M --max-age 900y --keep-last 100 --date utc"
    let result = try await sample.run(line)
    #expect(
      result.text.replacing(#/\d+\.\d KiB/#, with: "N KiB")
        == "sample.store: ok, 12 transactions, N KiB, oldest: 2024-07-29T00:42:40Z, 1 bookmark\n"
    )
    #expect(result.status == 0 && result.errors == "")
    let quiet = try await sample.run(line + " --quiet")
    #expect(quiet.status == 0 && quiet.output.isEmpty && quiet.errors == "")
  }

  @Test
  func `the size agrees with dbstat, and the limit itself is allowed`() async throws {
    let sample = try SampleFolder()
    let json = try Self.object(await sample.run("check sample.store --json").text)
    let info = try Self.object(await sample.run("info sample.store --json").text)
    let bytes = try #require(json["bytes"] as? Int)
    let counted = try StoreQuery(path: sample.store).lines(
      """
      SELECT count(*), (SELECT count(*) FROM pragma_page_count) FROM ATRANSACTION
      """)
    #expect(counted == ["\(try #require(json["transactions"] as? Int))|1"])
    #expect((info["history"] as? [String: Any])?["bytes"] as? Int ?? bytes == bytes)
    #expect(try await sample.run("check sample.store --max-size \(bytes)B").status == 0)
    let less = try await sample.run("check sample.store --max-size \(bytes - 1)B")
    #expect(less.status == 1 && less.errors == "")
    #expect(less.text.hasPrefix("sample.store: the history is "))
  }

  @Test
  func `the age is that of the oldest transaction`() async throws {
    let sample = try SampleFolder()
    // An hour old, by the clock of the machine.
    let seconds = Date().timeIntervalSinceReferenceDate - 3600
    try await sample.sqlite("UPDATE ATRANSACTION SET ZTIMESTAMP = \(seconds) + Z_PK")
    #expect(try await sample.run("check sample.store --max-age 2h").status == 0)
    let old = try await sample.run("check sample.store --max-age 30min --json")
    #expect(old.status == 1)
    #expect(try Self.findings(old) == ["tooOld"])
    // A store without transactions has none that is too old.
    try await sample.sqlite("DELETE FROM ATRANSACTION; DELETE FROM ACHANGE")
    #expect(try await sample.run("check sample.store --max-age 1s").status == 0)
  }

  @Test
  func
    `a history pruned by the same duration is within the limit, with its newest transaction`()
    async throws
  {
    let sample = try SampleFolder()
    #expect(try await sample.run("check sample.store --max-age 60d").status == 1)
    #expect(try await sample.run("prune sample.store --keep-within 60d --yes").status == 0)
    let check = try await sample.run("check sample.store --max-age 60d")
    #expect(check.status == 0 && check.text.contains("ok, 1 transaction"), "\(check.text)")
  }

  @Test
  func `a metric counts consumers beyond the limit`() async throws {
    let sample = try SampleFolder()
    _ = try await sample.run("bookmark set sample.store slow 3")
    _ = try await sample.run("bookmark set sample.store quick 11")
    let metrics = try await sample.run("check sample.store --max-behind 2 --prometheus")
    let lines = metrics.lines.filter { $0.hasPrefix("histctl_bookmark_beyond_limit{") }
    #expect(lines.count == 2)
    #expect(lines.contains { $0.contains("slow") && $0.hasSuffix(" 1") })
    #expect(lines.contains { $0.contains("quick") && $0.hasSuffix(" 0") })
    #expect(
      metrics.lines.contains {
        $0.hasPrefix("# HELP histctl_bookmark_beyond_limit ") && $0.contains("--max-behind")
      })
    #expect(!metrics.text.contains("lost"))
    let without = try await sample.run("check sample.store --prometheus")
    #expect(!without.text.contains("beyond_limit"))
  }

  @Test
  func `bookmarks that do not work, are too far behind or expire too soon are found`() async throws
  {
    let sample = try SampleFolder()
    let now = Date().timeIntervalSinceReferenceDate
    // Transaction N is 13 - N days old.
    try await sample.sqlite(
      "UPDATE ATRANSACTION SET ZTIMESTAMP = \(now) - (13 - Z_PK) * 86400.0")
    _ = try await sample.run("bookmark set sample.store fast 12")
    _ = try await sample.run("bookmark set sample.store slow 6")
    func check(_ options: String) async throws -> (Int, [String]) {
      let result = try await sample.run("check sample.store --json " + options)
      return (result.status, try Self.findings(result))
    }
    #expect(try await check("") == (0, []))
    // Its first unread transaction is 6 days old.
    #expect(try await check("--max-behind 7d") == (0, []))
    #expect(try await check("--max-behind 5d") == (1, ["lostBookmark"]))
    #expect(try await check("--max-behind 5") == (1, ["lostBookmark"]))
    // Its own transaction is 7 days old, so that it has 3 days left.
    #expect(try await check("--keep-within 10d --min-headroom 2d") == (0, []))
    #expect(try await check("--keep-within 10d --min-headroom 4d") == (1, ["shortHeadroom"]))
    #expect(try await check("--keep-within 5d") == (1, ["shortHeadroom"]))
    try await sample.sqlite("DELETE FROM ATRANSACTION WHERE Z_PK = 6")
    #expect(try await check("") == (1, ["unusableBookmark"]))
    let text = try await sample.run("check sample.store")
    #expect(text.text == "sample.store: the bookmark @slow does not work: it is expired\n")
    let both = try await sample.run("check sample.store --max-size 1B --json")
    #expect(try Self.findings(both) == ["tooLarge", "unusableBookmark"])
  }

  @Test
  func `an unreadable store does not delay the others, and the worst status wins`() async throws {
    let sample = try SampleFolder()
    try FileBytes.write(Array("no store".utf8), to: sample.folder.file("text.store"))
    let result = try await sample.run("check none.store text.store sample.store --max-size 1B")
    #expect(result.status == 9)
    #expect(result.lines.count == 1 && result.text.hasPrefix("sample.store: the history is"))
    #expect(result.errors.contains("none.store") && result.errors.contains("text.store"))
  }

  @Test
  func `a file of bookmarks for several stores leaves each to its own store`() async throws {
    let sample = try SampleFolder()
    try FileBytes.write(
      try FileBytes.read(sample.store), to: sample.folder.file("other.store"))
    _ = try await sample.run("bookmark set sample.store widget --bookmark-file all.json")
    _ = try await InProcess.run(["info", sample.folder.file("other.store")])
    let sqlite = try #require(Tool("sqlite3"))
    _ = try await sqlite.run([
      sample.folder.file("other.store"),
      "UPDATE Z_METADATA SET Z_UUID = '00000000-8F4B-4E3A-9C61-0A5B7C9D2E3F'",
    ])
    let line = "check other.store --bookmark-file all.json"
    #expect(try await sample.run(line).status == 1)
    #expect(try await sample.run(line + " sample.store").status == 0)
  }

  @Test
  func `bookmarks that cannot be read are a finding, and the rest is checked`() async throws {
    let sample = try SampleFolder()
    try FileBytes.write(Array("{bad json".utf8), to: sample.store + "-bookmarks.json")
    let json = try await sample.run("check sample.store --max-size 1B --json")
    #expect(json.status == 9)
    #expect(try Self.findings(json) == ["tooLarge", "unreadableBookmarks"])
    #expect(try Self.object(json.text)["transactions"] as? Int == 12)
    #expect(json.errors.contains(#""kind":"unreadableBookmarks","code":9"#))
    try await SchemaCheck.expectFits(json.text)
    let text = try await sample.run("check sample.store")
    #expect(text.status == 9)
    #expect(!text.text.contains("ok, ") && text.text.contains("sample.store-bookmarks.json"))
    let metrics = try await sample.run("check sample.store --prometheus")
    #expect(metrics.status == 9)
    #expect(metrics.lines.contains { $0.hasPrefix("histctl_findings{") && $0.hasSuffix("} 1") })
    #expect(metrics.lines.contains { $0.hasPrefix("histctl_history_transactions{") })
  }

  @Test
  func `a file of bookmarks that is named must exist`() async throws {
    let sample = try SampleFolder()
    for line in ["check sample.store", "bookmark check sample.store", "bookmark list sample.store"]
    {
      let result = try await sample.run(line + " --bookmark-file typo.json")
      #expect(result.status == 9 && result.errors.contains("no bookmark file at typo.json"))
      #expect(try await sample.run(line).status == 0)
    }
    let info = try await sample.run("info sample.store --bookmark-file typo.json")
    #expect(info.text.contains("no bookmark file at typo.json"))
  }

  @Test
  func `contradictory or malformed limits are refused`() async throws {
    let sample = try SampleFolder()
    for (line, words) in [
      ("--min-headroom 7d", "--keep-within or --keep-last"),
      ("--max-size 50", "the unit is missing"),
      ("--max-age 0d", "must be greater than zero"),
      ("--json --prometheus", "cannot be combined"),
    ] {
      let result = try await sample.run("check sample.store " + line)
      #expect(result.status == 64 && result.output.isEmpty)
      #expect(result.errors.contains(words), "\(line): \(result.errors)")
    }
  }

  @Test(.enabled(if: Tool("python3") != nil))
  func `JSON fits the schema`() async throws {
    let sample = try SampleFolder()
    _ = try await sample.run("bookmark set sample.store slow 3")
    var lines = ""
    for options in [
      "", "--max-size 1B --max-age 1d --max-behind 2", "--keep-last 5 --min-headroom 1d",
    ] {
      lines += try await sample.run("check sample.store --json " + options).text
    }
    try await sample.sqlite("DELETE FROM ATRANSACTION; DELETE FROM ACHANGE")
    lines += try await sample.run("check sample.store --json").text
    try await SchemaCheck.expectFits(lines)
  }

  @Test
  func `metrics are grouped, and labels are escaped`() async throws {
    let sample = try SampleFolder()
    _ = try await sample.run("bookmark set sample.store widget 9")
    let odd = "a\"b\\c\nd.store"
    try FileBytes.write(try FileBytes.read(sample.store), to: sample.folder.file(odd))
    let result = try await sample.run(
      ["check", "sample.store", odd, "none.store", "--prometheus", "--keep-last", "100"])
    #expect(result.status == 9)
    let lines = result.lines
    let identifier = SampleFolder.identifier
    let store = #"{path="sample.store",store="\#(identifier)""#
    #expect(lines.contains(#"histctl_history_transactions\#(store)} 12"#))
    #expect(
      lines.contains(
        #"histctl_bookmark_behind_transactions\#(store),bookmark="widget"} 3"#))
    #expect(
      lines.contains {
        $0.hasPrefix(#"histctl_history_largest_object_share\#(store),object=""#)
          && $0.hasSuffix("} \(3.0 / 27)")
      })
    #expect(
      lines.contains {
        $0.hasPrefix(#"histctl_history_largest_attribute_share\#(store),entity=""#)
          && $0.hasSuffix("} \(3.0 / 27)")
      })
    #expect(
      lines.contains(#"histctl_bookmark_headroom_seconds\#(store),bookmark="widget"} +Inf"#))
    #expect(
      lines.contains(#"histctl_history_oldest_timestamp_seconds\#(store)} 1722213760"#))
    #expect(lines.contains(#"histctl_store_readable{path="a\"b\\c\nd.store"} 1"#))
    #expect(lines.contains(#"histctl_store_readable{path="none.store"} 0"#))
    // Each metric has its two lines of description once, and nothing of another between its samples.
    var names: [String] = []
    for line in lines where !line.hasPrefix("#") {
      let name = String(line.prefix { $0 != "{" })
      if names.last != name { names.append(name) }
      #expect(line.contains(#/^[a-z_0-9]+\{.*\} ([0-9.e+]+|\+Inf)$/#))
    }
    #expect(Set(names).count == names.count)
    #expect(lines.filter { $0.hasPrefix("# TYPE") } == names.map { "# TYPE \($0) gauge" })
    #expect(lines.filter { $0.hasPrefix("# HELP") }.count == names.count)
  }
}
