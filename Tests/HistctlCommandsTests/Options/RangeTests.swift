import Foundation
import TestSupport
import Testing

/// `A..B`: after A, up to and including B, in every command that has it.
@Suite(.bounded) struct RangeTests {
  static let numbers: [(String, [Int])] = [
    ("3..6", [4, 5, 6]), ("9..", [10, 11, 12]), ("..2", [1, 2]), ("0..last~10", [1, 2]),
    ("last~1..last", [12]), ("5..5", []), ("@../x/token..5", [4, 5]), ("@-..5", [4, 5]),
    ("2024-07-29T00:44:40Z..2024-07-29T00:46:40Z", [3, 4]),
  ]

  private static func sample() throws -> SampleFolder {
    let sample = try SampleFolder()
    try FileManager.default.createDirectory(
      atPath: sample.folder.file("x"), withIntermediateDirectories: false)
    try FileBytes.write(Array("3".utf8), to: sample.folder.file("x/token"))
    return sample
  }

  private static func transactions(_ result: Tool.Result) throws -> [Int] {
    #expect(result.status == 0 && result.errors == "")
    return try result.lines.map {
      let line = try JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: Any]
      return try #require(line?["transaction"] as? Int)
    }
  }

  @Test(arguments: numbers) func `a range selects the same transactions in every command`(
    _ range: String, _ expected: [Int]
  ) async throws {
    let sample = try Self.sample()
    let range = range.replacing("@../x", with: "@./x/../x")
    for arguments in [
      ["log", "sample.store", range, "--reverse", "--json"],
      ["log", "sample.store", "--range", range, "--reverse", "--json"],
      ["show", "sample.store", range, "--json"], ["export", "sample.store", "--range", range],
    ] {
      let result = try await sample.run(arguments, input: range.hasPrefix("@-") ? "3" : "")
      #expect(try Self.transactions(result) == expected, "\(arguments)")
    }
  }

  @Test func `stats and object take a range`() async throws {
    let sample = try Self.sample()
    let stats = try await sample.run("stats sample.store --range 3..6 --json")
    #expect(stats.text.contains("\"transactions\":3"))
    let object = try await sample.run("object sample.store Trip/p1 --range ..2 --json")
    let plain = try await sample.run("object sample.store Trip/p1 --until 2 --json")
    #expect(object.text == plain.text && object.status == 0 && !object.text.isEmpty)
  }

  @Test func `a range of diff is two tokens`() async throws {
    let sample = try Self.sample()
    for (range, tokens) in [
      ("3..6", "3 6"), ("9..", "9"), ("..5", "0 5"), ("6..3", "6 3"), ("first..last", "first last"),
    ] {
      let one = try await sample.run("diff sample.store \(range) --json")
      let two = try await sample.run("diff sample.store \(tokens) --json")
      #expect(one.text == two.text && !one.text.isEmpty && one.status == 0, "\(range)")
    }
  }

  @Test func `each transaction is shown in full`() async throws {
    let sample = try Self.sample()
    let range = try await sample.run("show sample.store 10..12")
    let one = try await sample.run("show sample.store 11")
    let other = try await sample.run("show sample.store 12")
    #expect(range.text == one.text + "\n" + other.text)
    let empty = try await sample.run("show sample.store 12..")
    #expect(empty.text == "" && empty.status == 0)
  }

  @Test(arguments: [
    ("log sample.store 5", "a single token is not a range; write A..B, A.. or ..B"),
    ("log sample.store --range sample.store", "it is a file; write A..B"),
    ("log sample.store ..", "it names no token"), ("log sample.store 3..x", "the side 'x'"),
    ("log sample.store 3..6 --after 2", "cannot be combined with --range, --after or --until"),
    ("log sample.store 3..6 --range 4..5", "cannot be combined with --range, --after or --until"),
    ("log sample.store --range 3..6 --until 9", "--range cannot be combined with --after or"),
    ("log sample.store 3..6 --follow", "--follow cannot be combined with --until or the end"),
    ("log sample.store 6..3", "6 is after 3, so it ends before it begins"),
    ("show sample.store 6..3", "6 is after 3, so it ends before it begins"),
    ("show sample.store 3...6", "write 3..6"),
    ("export sample.store --range 6..3", "so it ends before it begins"),
    ("export sample.store --range 3.. --bookmark a --output-dir b", "or the beginning of a range"),
    ("diff sample.store 3..6 8", "the range 3..6 cannot be combined with a second token, 8"),
    ("diff sample.store 3..6 --with other.store", "--with cannot be combined with a token"),
    ("object sample.store Trip/p1 --range 3..6 --after 2", "--range cannot be combined with"),
  ]) func `contradictions are refused`(_ line: String, _ words: String) async throws {
    let result = try await Self.sample().run(line)
    #expect(result.status == 64 && result.text == "")
    #expect(result.errors.contains(words), "\(result.errors)")
  }

  @Test(arguments: ["log sample.store", "show sample.store", "diff sample.store"])
  func `a token of a range that does not work ends with 4`(_ command: String) async throws {
    let sample = try Self.sample()
    try await sample.sqlite("DELETE FROM ATRANSACTION WHERE Z_PK < 4")
    for range in ["2..5", "5..99", "99..", "..3"] {
      let result = try await sample.run("\(command) \(range)")
      #expect(result.status == 4 && result.text == "", "\(range)")
      #expect(result.errors.contains("4"), "\(result.errors)")
    }
  }

  @Test func `a token of a range can be in a property list from standard input`() async throws {
    let list = """
      <plist><dict><key>app.token</key><string>{"storeTokens":{"\(SampleFolder.identifier)":9}}\
      </string></dict></plist>
      """
    let result = try await Self.sample().run(
      "log sample.store --range @-#app.token.. --json --reverse", input: list)
    #expect(try Self.transactions(result) == [10, 11, 12])
  }
}
