import Foundation
import TestSupport
import Testing

/// A token that does not work is never answered with a part of the history: status 4, the oldest
/// token that works, and the way on.
@Suite(.bounded, .enabled(if: Tool("sqlite3") != nil)) struct HistoryGapTests {
  struct Case: Sendable, CustomTestStringConvertible {
    let token: String
    let state: String
    let words: [String]
    var testDescription: String { "\(state) \(token)" }
  }

  static let cases = [
    Case(
      token: "2", state: "Expired",
      words: ["token 2 has expired in sample.store", "transaction 2 is gone"]),
    Case(
      token: SampleFolder.identifier + ":3", state: "Expired",
      words: ["has expired in sample.store", "transaction 3 is gone, and after it 7 is missing"]),
    // A hole in the middle counts as well: the frameworks want exactly this number.
    Case(token: "7", state: "Expired", words: ["transaction 7 itself is gone"]),
    Case(
      token: "13", state: "Ahead",
      words: ["token 13 is ahead of sample.store", "newest number ever issued there is 12"]),
    Case(
      token: "00000000-8F4B-4E3A-9C61-0A5B7C9D2E3F:5", state: "Foreign",
      words: ["belongs to another store", "sample.store is " + SampleFolder.identifier]),
    Case(
      token: "@copy", state: "Diverged",
      words: ["token @copy comes from another copy of sample.store", "2001-01-01 00:00:02"]),
  ]

  @Test(
    arguments: cases,
    [
      "log sample.store --after=TOKEN", "log sample.store --until=TOKEN",
      "show sample.store TOKEN", "diff sample.store TOKEN", "diff sample.store 5 TOKEN --stat",
    ])
  func `every command reports a gap with its kind and a hint`(
    _ gap: Case, _ line: String
  ) async throws {
    let sample = try SampleFolder()
    try await sample.sqlite("DELETE FROM ATRANSACTION WHERE Z_PK < 4 OR Z_PK = 7")
    let bookmarks = """
      {"schema":1,"bookmarks":[{"name":"copy","token":{"storeTokens":\
      {"\(SampleFolder.identifier)":5}},"timestampRaw":2.25}]}
      """
    try FileBytes.write(Array(bookmarks.utf8), to: sample.store + "-bookmarks.json")
    let line = line.replacing("TOKEN", with: gap.token)

    let person = try await sample.run(line)
    #expect(person.status == 4)
    #expect(person.text == "")
    for word in gap.words { #expect(person.errors.contains(word), "\(person.errors)") }
    #expect(
      person.errors.contains("the oldest token that works is 4, of 2024-07-29 00:45:40"),
      "\(person.errors)")
    #expect(person.errors.contains("\nhint: "))
    let endsRange =
      gap.token != "7" && (line.contains("--until") || line.contains("--stat"))
    // An option is named where it is the one that was given; the end of a range is no beginning.
    let wayOn =
      switch gap.state {
      case "Ahead": "give that copy\n"
      case "Foreign": "give the store that the token came from\n"
      default:
        // Another hint is that of the nearest tokens.
        line.contains("--after") || line == "diff sample.store " + gap.token
          ? gap.token == "7"
            ? "after which comes exactly what follows 7, from transaction 8 on\n"
            : "0, which has all that is kept, from transaction 4 on\n"
          : gap.token == "7"
            ? "the nearest is 6 or 8\n"
            : gap.state == "Expired"
              ? endsRange
                ? "nothing up to \(gap.token.suffix(1)) is left here; read an archive or an older copy that has it\n"
                : "the nearest is 4\n"
              : "give a token that works: 4 to 12\n"
      }
    #expect(person.errors.hasSuffix(wayOn), "\(person.errors)")

    let program = try await sample.run(line + " --json")
    #expect(program.status == 4)
    #expect(program.text == "")
    let object = try #require(
      try JSONSerialization.jsonObject(with: Data(program.errors.utf8)) as? [String: Any])
    #expect(object["kind"] as? String == "historyToken" + gap.state)
    #expect(object["state"] as? String == gap.state.lowercased())
    #expect(object["code"] as? Int == 4)
    #expect(object["oldest"] as? Int == 4)
    #expect(object["oldestTimestamp"] as? String == "2024-07-29T00:45:40.000000Z")
  }

  /// An empty history has nothing to go on from but its beginning.
  @Test func `an emptied history continues from its beginning only`() async throws {
    let sample = try SampleFolder()
    try await sample.sqlite("DELETE FROM ACHANGE; DELETE FROM ATRANSACTION")
    let expired = try await sample.run("log sample.store --after 5")
    #expect(expired.status == 4)
    #expect(expired.errors.contains("the history is empty"))
    #expect(expired.errors.contains("--after 0"))
    let anew = try await sample.run("log sample.store --after 0")
    #expect(anew.status == 0 && anew.text == "" && anew.errors.contains("the history is empty"))
  }

  @Test(arguments: ["sealed", "lines.jsonl"])
  func `a token after the end of an archive or of lines names the store, not a newer copy`(
    _ input: String
  ) async throws {
    let sample = try SampleFolder()
    _ = try await sample.run("archive sample.store sealed --before 7")
    _ = try await sample.run("export sample.store --until 6 -o lines.jsonl")
    for line in ["log \(input) --after 10", "diff \(input) 2 10", "show \(input) 10"] {
      let result = try await sample.run(line)
      #expect(result.status == 4)
      #expect(result.errors.contains("which ends with transaction 6;"), "\(result.errors)")
      #expect(
        result.errors.hasSuffix(
          "hint: read the store, or archive or export what was saved since\n"),
        "\(result.errors)")
    }
  }
}
