import Foundation
import TestSupport
import Testing

/// Exported lines in the place of a store.
@Suite(.bounded) struct ExportedLinesTests {
  private static let questions = [
    "log", "log --reverse --json", "log --json -n 4", "log --changes",
    "log --changes --reverse -n 3",
    "log --json --author widget", "log --json --not-author app --reverse", "log --no-author",
    "log --json --entity Trip --kind delete", "log --json --object Trip/p5 --only-matching",
    "log --json --attribute name", "log --json --attribute isConfirmed --kind update",
    "log --json --after 3 --until 10", "log --json --after 2024-07-29T00:45:00Z",
    "log --after first~2 --until last~2 --json", "log --entity Trap",
    "export", "export --after 2", "export --format csv", "export --format debezium",
    "export --format timesketch", "export --format bodyfile",
    "export --format cloudevents", "export --format changes --entity Trip",
    "export --only-matching --kind insert", "export --fields transaction,author,entity",
    "diff 0 --json", "diff 3 10 --json", "diff 0 --stat", "diff 0 --each --json",
    "diff 1 7 --name-only", "diff 0 12 --author app", "diff 3 8", "object Trip/p5 --json",
    "show first", "show last~11 --json", "show 8 --json", "show 4", "show 2024-07-29T00:45:00Z",
  ]

  /// A folder with the sample store and its lines in all forms.
  private static func folder() async throws -> SampleFolder {
    let sample = try SampleFolder()
    for name in ["history.jsonl", "history.jsonl.zst", "history.jsonl.gz"] {
      try #require(try await sample.run("export sample.store -o \(name)").status == 0)
    }
    return sample
  }

  /// A command line with another word in the place of the store.
  private static func line(_ question: String, _ store: String) -> [String] {
    var words = question.split(separator: " ").map(String.init)
    words.insert(store, at: words[0] == "token" ? 2 : 1)
    return words
  }

  @Test
  func `a byte order mark before the lines is skipped`() async throws {
    let sample = try await Self.folder()
    let path = sample.folder.file("history.jsonl")
    let lines = try FileBytes.read(path)
    try FileBytes.write([0xEF, 0xBB, 0xBF] + lines, to: path)
    let result = try await sample.run("export history.jsonl")
    #expect(result.status == 0 && result.output == lines, "\(result.errors)")
  }

  @Test(arguments: ["jsonl", "jsonl.zst", "jsonl.gz", "-"])
  func `every command answers the same for lines as for their store`(_ form: String) async throws {
    let sample = try await Self.folder()
    let input = form == "-" ? try await sample.run("export sample.store").text : ""
    // How lines are packed matters to none of them in its own way.
    let step = form == "jsonl" ? 1 : 5
    for (index, question) in Self.questions.enumerated() where index % step == 0 {
      let expected = try await sample.run(Self.line(question, "sample.store"))
      let found = try await sample.run(
        Self.line(question, form == "-" ? "-" : "history." + form), input: input)
      // Entities have an order in their store that lines do not tell.
      let isNet = question.hasPrefix("diff") && !question.contains("--each")
      #expect(
        (isNet ? found.lines.sorted() : found.lines)
          == (isNet ? expected.lines.sorted() : expected.lines), "\(question): \(found.errors)")
      #expect(found.status == expected.status, "\(question): \(found.errors)")
    }
  }

  @Test
  func `statistics and tokens of lines agree with their store`() async throws {
    let sample = try await Self.folder()
    let expected = try await sample.run("stats sample.store --csv")
    let found = try await sample.run("stats history.jsonl.zst --csv")
    #expect(found.status == 0 && found.errors == "")
    func counts(_ text: String) -> [String] {
      text.split(separator: "\n").map { $0.split(separator: ",").prefix(3).joined(separator: ",") }
    }
    #expect(counts(found.text) == counts(expected.text))
    let tokens = try await sample.run("token check history.jsonl 0 3 12 13")
    #expect(
      tokens.rows.map { $0.split(separator: " ")[1] } == ["valid", "valid", "valid", "ahead"])
    #expect(tokens.status == 1)
    try await sample.sqlite("DELETE FROM ATRANSACTION WHERE Z_PK < 6")
    let late = try await sample.run("export sample.store")
    let expired = try await sample.run("log - --after 3", input: late.text)
    #expect(expired.status == 4 && expired.text == "")
  }

  @Test
  func `lines may be newest first, or rewritten by other programs`() async throws {
    let sample = try await Self.folder()
    let expected = try await sample.run("export sample.store")
    let newest = try await sample.run("log sample.store --json")
    #expect(try await sample.run("export -", input: newest.text).text == expected.text)
    #expect(try await sample.run("log - --json", input: expected.text).text == newest.text)
    let jq = try #require(Tool("jq"))
    for options in [["-c"], ["-cS"]] {
      let other = try await jq.run(options + ["."], input: newest.text)
      let found = try await sample.run(
        "export -", input: other.text.replacing("\n", with: "\r\n\n"))
      #expect(found.status == 0, "\(found.errors)")
      // A number may be written in another way.
      let (left, right) = (
        try await jq.run(["-cS", "."], input: found.text),
        try await jq.run(["-cS", "."], input: expected.text)
      )
      #expect(left.text == right.text)
      let authors = try await sample.run("log - --author widget --entity Trip", input: other.text)
      #expect(
        authors.text
          == (try await sample.run("log sample.store --author widget --entity Trip")).text)
    }
  }

  @Test(
    .needsRealStores,
    arguments: ["swiftdata-rm-4wal.store", "photos-10.15.7.sqlite", "truthsocial-ios17.sqlite"])
  func `lines of real stores answer like the stores`(name: String) async throws {
    guard let store = RealStores.path(name) else { return }
    let folder = try TemporaryFolder()
    let lines = folder.file("x.jsonl.zst")
    _ = try await InProcess.run(["export", store, "-o", lines])
    for question in [
      ["export"], ["log", "--json", "--kind", "delete"], ["export", "--format", "csv"],
      ["log", "--changes", "--date", "utc"], ["diff", "0", "--json"],
      ["diff", "first~2", "--json"],
    ] {
      let expected = try await InProcess.run([question[0], store] + question.dropFirst())
      let found = try await InProcess.run([question[0], lines] + question.dropFirst())
      // The order of entities is the store's own.
      let isNet = question[0] == "diff"
      // Lines do not say whether what looks like a UUID was one or a text, which people see in quotes.
      let isForPeople = question.contains("--changes")
      func comparable(_ result: Tool.Result) -> [String] {
        let lines = isNet ? result.lines.sorted() : result.lines
        return isForPeople ? lines.map { $0.replacing("\"", with: "") } : lines
      }
      #expect(comparable(found) == comparable(expected), "\(question): \(found.errors)")
      #expect(found.status == expected.status)
    }
  }

  @Test
  func `a line of megabytes and the lines around it are read`() async throws {
    let folder = try TemporaryFolder()
    let store = try LongHistory.write(
      to: folder.file("long.store"), transactions: 40, changesEach: 3, sizes: [7: 20_000, 8: 4000])
    let expected = try await InProcess.run(["export", store])
    #expect(expected.output.count > 2 << 20)
    let newest = try await InProcess.run(["log", store, "--json"])
    for input in [expected, newest] {
      let found = try await InProcess.run(["export", "-"], input: input.text)
      #expect(found.output == expected.output, "\(found.errors)")
    }
    let one = try await InProcess.run(["show", "-", "7", "--json"], input: expected.text)
    #expect(one.lines == [expected.lines[6]])
  }

  @Test
  func `a malformed line is reported with its file and number`() async throws {
    let sample = try await Self.folder()
    let lines = try await sample.run("export sample.store").lines
    var cases: [(text: [String], words: String)] = []
    func add(_ text: [String], _ words: String) { cases.append((text, words)) }
    add(
      [lines[0], lines[1], String(lines[2].dropLast(9))], "x.jsonl, line 3: the line is not JSON")
    add([lines[0], "", lines[1], lines[1]], "x.jsonl, line 4: transaction 2 is repeated")
    add([lines[0], "null"], "x.jsonl, line 2: in the line, the line is not an object")
    add([lines[0], #"{"schema":2,"type":"transaction"}"#], "line 2: the line follows schema 2")
    add(
      [lines[0], #"{"schema":1,"type":"change"}"#],
      "line 2: the line is that of a single change")
    add([#"{"foo":1}"#], "line 1: the line has no schema, so it is not a line of history")
    add(
      [lines[0], #"{"schema":1,"type":"note"}"#], "line 2: the line is a record of the unknown")
    let zero = lines[0].replacing(#""transaction":1,"#, with: #""transaction":0,"#)
    add([zero], "line 1: no transaction can have the number 0")
    let word = lines[0].replacing(#""pk":1"#, with: #""pk":"one""#)
    add([word], "line 1: in the line, pk is not")
    let partial = lines[0].replacing("]}", with: #"],"partial":true}"#)
    add([partial], "line 1: the line of transaction 1 is partial")
    add([String(repeating: "[", count: 5 << 20)], "x.jsonl, line 1: ")
    let control = lines[1].replacing("[", with: "[\u{1}")
    add([lines[0], control], "line 2: the line is not JSON")
    let names = lines[1].replacing(
      #""attributes":["#, with: #""attributes":["a","b","c","d","e","f","#)
    add([lines[0], names], "line 2: in the line, attributes is not")
    for (text, words) in cases {
      try FileBytes.write(
        Array(text.joined(separator: "\n").utf8), to: sample.folder.file("x.jsonl"))
      for command in ["log x.jsonl --json", "stats x.jsonl", "token check x.jsonl 1"] {
        let result = try await sample.run(command)
        #expect(result.status == 5, "\(words): \(result.errors)")
        #expect(result.errors.contains(words), "\(result.errors)")
        #expect(result.text == "")
      }
    }
  }

  @Test
  func `lines with another file name are not taken for an encrypted store`() async throws {
    let sample = try await Self.folder()
    let lines = try await sample.run("export sample.store")
    try FileBytes.write(lines.output, to: sample.folder.file("my lines.txt"))
    try FileBytes.write(
      try FileBytes.read(sample.folder.file("history.jsonl.zst")),
      to: sample.folder.file("packed"))
    for (name, word) in [("my lines.txt", "'my lines.txt'"), ("packed", "packed")] {
      let result = try await sample.run(["log", name])
      #expect(result.status == 8)
      #expect(result.errors.contains("histctl log - < \(word)\n"), "\(result.errors)")
    }
    try FileBytes.write(Array(repeating: 0x55, count: 9000), to: sample.folder.file("noise"))
    #expect(try await sample.run("log noise").errors.contains("decrypted"))
  }

  @Test
  func `the object command reads exported lines, which are not an archive`() async throws {
    let sample = try await Self.folder()
    let deleted = try await sample.run("object history.jsonl.zst Trip/p1")
    #expect(deleted.text.contains("\ndeleted in transaction 4, "))
    let lines = try await sample.run("export sample.store --until 3")
    let kept = try await sample.run("object - Trip/p1", input: lines.text)
    #expect(kept.lines.last == "not deleted, as far as the export goes")
  }

  @Test
  func `damaged packed text and text that inflates without limit are errors`() async throws {
    let sample = try await Self.folder()
    for name in ["history.jsonl.zst", "history.jsonl.gz"] {
      let bytes = try FileBytes.read(sample.folder.file(name))
      var flipped = bytes
      flipped[bytes.count / 2] ^= 0x10
      for damaged in [Array(bytes.dropLast(4)), flipped, bytes + [1, 2, 3, 4]] {
        try FileBytes.write(damaged, to: sample.folder.file(name))
        let result = try await sample.run("log \(name)")
        #expect(result.status == 5, "\(result.errors)")
        #expect(result.errors.contains(name))
      }
    }
    let shell = try #require(Tool("sh"))
    try #require(Tool("zstd") != nil)
    for (packer, name) in [("zstd -q -c", "bomb.jsonl.zst"), ("gzip -1 -c", "bomb.jsonl.gz")] {
      _ = try await shell.run(
        ["-c", "head -c 300000000 /dev/zero | tr '\\0' '[' | \(packer) > \(name)"],
        folder: sample.folder.path)
      let result = try await sample.run("log \(name)")
      #expect(result.status == 5 && result.errors.contains("line 1: "), "\(result.errors)")
    }
  }

  @Test
  func `empty input is an empty history, a gap is kept, and several stores are an error`()
    async throws
  {
    let sample = try await Self.folder()
    let empty = try await sample.run("log - --json")
    #expect(empty.status == 0 && empty.text == "")
    #expect(empty.errors.contains(#""kind":"emptyInput""#), "\(empty.errors)")
    let lines = try await sample.run("export sample.store").lines
    let gap =
      #"{"schema":1,"type":"gap","store":"\#(SampleFolder.identifier)","after":3,"oldest":8}"#
    let text = (Array(lines[..<3]) + [gap] + Array(lines[7...])).map { $0 + "\n" }.joined()
    let found = try await sample.run("export -", input: text)
    #expect(found.text == text && found.status == 4)
    let other = "2D070E6D-8F4B-4E3A-9C61-0A5B7C9D2E3F"
    let both = lines[0] + "\n" + lines[1].replacing(SampleFolder.identifier, with: other)
    let several = try await sample.run("log -", input: both)
    #expect(several.status == 64 && several.errors.contains(other))
    let one = try await sample.run("log - --json --store-identifier \(other)", input: both)
    #expect(one.status == 0 && one.lines.count == 1 && one.text.contains(other))
  }

  @Test
  func `commands that exported lines do not support are refused`() async throws {
    let sample = try await Self.folder()
    for (line, status) in [
      ("log history.jsonl --archive x", 64), ("log - --archive x", 64),
      ("log history.jsonl --follow", 64),
      ("export - --output-dir logs --bookmark n", 64), ("info history.jsonl", 8), ("info -", 8),
      ("prune - --keep-last 3 --yes", 8), ("log missing.jsonl", 9),
      ("diff - --with sample.store", 8),
      ("verify history.jsonl", 8),
    ] {
      let result = try await sample.run(line)
      #expect(result.status == status, "\(line): \(result.errors)")
      #expect(result.errors.contains("hint: "), "\(line): \(result.errors)")
    }
    let line = "export history.jsonl --output-dir logs --bookmark n"
    #expect(try await sample.run(line).status == 0)
    #expect(try await sample.exported() == Array(1...12))
    #expect(try await sample.run(line).status == 0)
    #expect(try await sample.files().count == 1)
  }
}
