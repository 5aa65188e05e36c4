import Foundation
import TestSupport
import Testing

/// `token check` and `token show`.
@Suite(.bounded) struct TokenTests {
  @Test func `tokens that work end with 0`() async throws {
    let result = try await SampleFolder().run("token check sample.store 5 0 12 last 2001-01-01")
    #expect(
      result.textOfRows == """
        5           valid  5       2024-07-29 00:46:40
        0           valid  0       -
        12          valid  12      2024-07-29 00:53:40
        last        valid  12      2024-07-29 00:53:40
        2001-01-01  valid  0       -

        """)
    #expect(result.errors == "")
    #expect(result.status == 0)
  }

  @Test func `a token that does not work ends with 1`() async throws {
    let result = try await SampleFolder().run(
      "token check sample.store 5 99 00000000-8F4B-4E3A-9C61-0A5B7C9D2E3F:4")
    #expect(result.rows.map { $0.split(separator: " ")[1] } == ["valid", "ahead", "foreign"])
    #expect(result.status == 1)
    #expect(result.errors.contains("token 99 is ahead of sample.store"))
    #expect(result.errors.contains("belongs to another store"))
  }

  @Test func `JSON has the same states`() async throws {
    let sample = try SampleFolder()
    try await sample.sqlite("DELETE FROM ATRANSACTION WHERE Z_PK < 4")
    let bookmarks = """
      {"schema":1,"bookmarks":[{"name":"copy","token":{"storeTokens":\
      {"\(SampleFolder.identifier)":5}},"timestampRaw":1.5}]}
      """
    try FileBytes.write(Array(bookmarks.utf8), to: sample.store + "-bookmarks.json")
    let result = try await sample.run(
      "token check sample.store 3 4 13 @copy 00000000-8F4B-4E3A-9C61-0A5B7C9D2E3F:4 --json")
    #expect(result.status == 1)
    #expect(result.errors == "")
    let objects = try result.lines.map {
      try #require(try JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: Any])
    }
    #expect(
      objects.map { $0["state"] as? String } == [
        "expired", "valid", "ahead", "diverged", "foreign",
      ])
    #expect(
      objects.map { $0["error"] as? String } == [
        "historyTokenExpired", nil, "historyTokenAhead", "historyTokenDiverged",
        "historyTokenForeign",
      ])
    #expect(objects.map { $0["oldest"] as? Int } == [4, nil, 4, 4, 4])
    #expect(objects.allSatisfy { $0["type"] as? String == "token" })
    #expect(objects[1]["portable"] as? String == SampleFolder.identifier + ":4")
    #expect(objects[1]["timestamp"] as? String == "2024-07-29T00:45:40.000000Z")
  }

  @Test func `every form is shown`() async throws {
    let result = try await SampleFolder().run("token show sample.store last~7 --date raw")
    #expect(
      result.text == """
        number      5
        portable    1D070E6D-8F4B-4E3A-9C61-0A5B7C9D2E3F:5
        json        {"storeTokens":{"1D070E6D-8F4B-4E3A-9C61-0A5B7C9D2E3F":5}}
        time        743906800.0
        state       valid

        """)
    #expect(result.status == 0)
  }

  @Test(arguments: [
    ("number", "5\n"), ("portable", "1D070E6D-8F4B-4E3A-9C61-0A5B7C9D2E3F:5\n"),
    ("json", "{\"storeTokens\":{\"1D070E6D-8F4B-4E3A-9C61-0A5B7C9D2E3F\":5}}\n"),
  ]) func `a single form is written alone`(_ form: String, _ text: String) async throws {
    let result = try await SampleFolder().run("token show sample.store 5 --as \(form)")
    #expect(result.text == text)
    #expect(result.errors == "")
    #expect(result.status == 0)
  }

  /// Python's plistlib is the independent reader of the archive.
  @Test(.enabled(if: Tool("python3") != nil)) func `the archived form is a property list`()
    async throws
  {
    let sample = try SampleFolder()
    let archive = try await sample.run("token show sample.store 5 --as plist")
    let script = """
      import plistlib, sys
      p = plistlib.loads(sys.stdin.buffer.read())
      o = p["$objects"]
      get = lambda r: o[r["CF$UID"]]
      root = get(p["$top"]["root"])
      pairs = get(root["NSPersistentHistoryTokenDictionary"])
      print(p["$archiver"], get(root["$class"])["$classname"])
      print([(get(k), get(v)) for k, v in zip(pairs["NS.keys"], pairs["NS.objects"])])
      """
    let python = try #require(Tool("python3"))
    let read = try await python.run(["-c", script], input: archive.text)
    #expect(
      read.text == """
        NSKeyedArchiver _NSPersistentHistoryToken
        [('1D070E6D-8F4B-4E3A-9C61-0A5B7C9D2E3F', 5)]

        """)
    #expect(read.errors == "")
  }

  @Test(arguments: ["portable", "json", "plist", "number"])
  func `each form is a token for the same position`(
    _ form: String
  ) async throws {
    let sample = try SampleFolder()
    let written = try await sample.run("token show sample.store 11 --as \(form)")
    let log = try await sample.run("log sample.store --after @-", input: written.text)
    #expect(log.textOfRows == LogTests.rows[11] + "\n")
  }

  /// A date is turned into a position that a consumer can keep: one that works.
  @Test(arguments: [("2001-01-01", "0"), ("2024-07-29T00:51:40Z", "7"), ("2200-01-01", "12")])
  func `a moment becomes a token that works`(_ moment: String, _ number: String) async throws {
    let sample = try SampleFolder()
    try await sample.sqlite("DELETE FROM ATRANSACTION WHERE Z_PK IN (1, 2, 3, 8, 9)")
    let form = try await sample.run("token show sample.store \(moment) --as number")
    #expect(form.text == number + "\n")
    let check = try await sample.run("token check sample.store \(number)")
    #expect(check.status == 0)
  }

  @Test func `JSON cannot be combined with another form`() async throws {
    let result = try await SampleFolder().run("token show sample.store 5 --as plist --json")
    #expect(result.status == 64)
    #expect(result.text == "")
    #expect(result.errors.hasPrefix(#"{"schema":1,"type":"error","kind":"usage","code":64,"#))
  }
}
