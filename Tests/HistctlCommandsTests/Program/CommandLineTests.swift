import Foundation
import Synchronization
import TestSupport
import Testing

/// What is wrong with a command line is said where it can be seen, with a suggestion that fits.
@Suite(.bounded) struct CommandLineTests {
  @Test(arguments: [
    ("log sample.store --from 2024-01-01", "--from'", "did you mean '--after'?\n"),
    ("stats --objects sample.store", "--objects'", "did you mean '--object'?\n"),
    ("export sample.store --to 5", "--to'", "did you mean '--until'?\n"),
    ("prune sample.store --keeplast 5", "--keeplast'", "did you mean '--keep-last'?\n"),
    ("prune sample.store --frob", "--frob'", "usage: histctl prune "),
    ("archive --frob", "--frob'", "usage: histctl archive "),
    ("stats --top 0 --csv --frob sample.store", "--frob'", "usage: histctl stats "),
    ("diff --frob", "--frob'", "usage: histctl diff "),
    ("log sample.store -n abc --frob", "--frob'", "usage: histctl log "),
    ("log --kind x --frob", "--frob'", "usage: histctl log "),
    ("log sample.store --from=3", "--from'", "did you mean '--after'?\n"),
    ("log sample.store -n x --before", "--before'", "did you mean '--until'?\n"),
    ("token check --frob", "--frob'", "usage: histctl token check "),
  ])
  func `an unknown option is named before any other mistake`(
    _ line: String, _ name: String, _ hint: String
  ) async throws {
    let result = try await SampleFolder().run(line)
    #expect(result.status == 64)
    #expect(
      result.errors.hasPrefix("histctl: unknown option '\(name)\nhint: \(hint)"),
      "\(result.errors)")
  }

  @Test(arguments: ["check -dash.store --max-size 1K", "info -dash.store", "verify -h.store"])
  func `a file name that begins with a dash does not show the help`(_ line: String) async throws {
    let result = try await SampleFolder().run(line)
    let name = line.split(separator: " ")[1]
    #expect(result.status == 64 && result.text == "")
    #expect(
      result.errors
        == "histctl: unknown option '\(name)'\nhint: for a file of that name, write ./\(name)\n")
    #expect(try await SampleFolder().run("compact sample.store -nh").text.contains("USAGE: "))
  }

  @Test
  func `--since is --after, and -f, -n and -o x.csv are understood`() async throws {
    let sample = try SampleFolder()
    let after = try await sample.run("log sample.store --after 9")
    #expect(try await sample.run("log sample.store --since 9").text == after.text)
    #expect(try await sample.run("export sample.store --since 9").lines.count == 3)
    #expect(try await sample.run("compact sample.store -n").status == 0)
    _ = try await sample.run("export sample.store -o x.csv")
    _ = try await sample.run("export sample.store -o y.csv.gz")
    let csv = try await sample.run("export sample.store --format csv")
    #expect(try FileBytes.read(sample.folder.file("x.csv")) == csv.output)
    let gzip = try #require(Tool("gzip"))
    #expect(
      try await gzip.run(["-dc", sample.folder.file("y.csv.gz")]).output == csv.output)
  }

  @Test
  func `info lists everything with --all`() async throws {
    let folder = try TemporaryFolder()
    let writer = try StoreWriter(path: folder.file("x.store"))
    for number in 1...Int64(30) { try writer.transaction(number, author: "author \(number)") }
    try writer.close()
    let some = try await InProcess.run(["info", writer.path])
    #expect(some.text.contains("and 10 more"))
    let all = try await InProcess.run(["info", writer.path, "--all"])
    #expect(!all.text.contains(" more\n") && all.text.contains("author 30 "))
  }

  @Test
  func `a spreadsheet gets no formula with --safe-cells`() async throws {
    let sample = try SampleFolder()
    try await sample.sqlite("UPDATE ATRANSACTIONSTRING SET ZNAME = '=1+1' WHERE ZNAME = 'app'")
    let plain = try await sample.run("export sample.store --format csv --fields author")
    #expect(plain.lines.contains("=1+1") && !plain.lines.contains("'=1+1"))
    let safe = try await sample.run("export sample.store --format csv --fields author --safe-cells")
    #expect(safe.lines.contains("'=1+1") && !safe.lines.contains("=1+1"))
    let stats = try await sample.run("stats sample.store --csv --safe-cells")
    #expect(stats.text.contains("\nauthor,'=1+1,"))
    #expect(try await sample.run("export sample.store --safe-cells").status == 64)
  }

  @Test(arguments: ["", "-wal"])
  func `the store is refused as its own bookmark file`(_ suffix: String) async throws {
    let sample = try SampleFolder()
    let before = try FileBytes.read(sample.store)
    for line in [
      "bookmark set sample.store x 3", "log sample.store", "prune sample.store --all -n",
    ] {
      let result = try await sample.run("\(line) --bookmark-file sample.store\(suffix)")
      #expect(result.status == 64 && result.errors.contains("--bookmark-file names sample.store"))
    }
    #expect(try FileBytes.read(sample.store) == before)
    let own = try await sample.run(
      "bookmark set sample.store x 3 --bookmark-file sample.store-bookmarks.json")
    #expect(own.status == 0, "\(own.errors)")
  }

  @Test
  func `a pattern does not lead out of its folder through a link`() async throws {
    let sample = try SampleFolder()
    let inside = sample.folder.file("inside")
    try FileManager.default.createDirectory(atPath: inside, withIntermediateDirectories: false)
    try FileManager.default.createSymbolicLink(
      atPath: inside + "/x.store", withDestinationPath: "../sample.store")
    for (line, status) in [("", 0), ("follow-links = yes\n", 0)] {
      let config = "[s]\nstore = inside/*.store\n\(line)prune.keep-last = 3\n"
      try FileBytes.write(Array(config.utf8), to: sample.folder.file("m.conf"))
      let result = try await sample.run("maintain --config m.conf -n")
      #expect(result.status == status)
      #expect(result.errors.contains("is skipped: it is a link to") == line.isEmpty)
      #expect(result.text.contains("would delete 9 transactions") != line.isEmpty)
    }
  }

  @Test
  func `long changes wrap on a terminal, and a table in a pipe has a heading`() async throws {
    let sample = try SampleFolder()
    let pipe = try await sample.run("log sample.store -n 1")
    #expect(pipe.lines.first == "TOKEN  TIME                 AUTHOR  PROCESS  CHANGES")
    guard Tool("python3") != nil else { return }
    let screen = try await Tool.histctl.runOnTerminal(
      ["object", sample.store, "Trip/p9", "--no-pager"], columns: 50
    ).text
    for name in ["items", "name", "startDate"] { #expect(screen.contains(name), "\(screen)") }
    #expect(!screen.contains("…"), "\(screen)")
  }

  // MARK: - Wrong command lines

  /// Commands that end by themselves and touch nothing outside of their folder.
  private static let commands = CommandNames.leaves.filter {
    !["completion", "demo", "find", "mcp", "record"].contains($0)
  }
  private static let words = [
    "--after", "99", "-3", "x", "--until", "2024-13-45", "--entity", "Trop", "--author", "nobody",
    "--json", "--archive", "missing", "--keep-last", "0", "--max-size", "9Q", "@none", "@./none",
    "Trip/p1", "Nope/p1", "--frob", "--bookmark-file", ".", "-o", "sample.store", "/dev/null",
    "--overwrite", "--kind", "sideways", "last~99", "--store-identifier", "abc", "--with",
    "--values-file", "--format", "csv", "--fields", "nope", "--config", "empty", "--yes",
    "--check-token", "00000000-8F4B-4E3A-9C61-0A5B7C9D2E3F:2", "--busy-timeout", "1e9", "0", "",
  ]
  private static let stores = [
    "sample.store", "empty", "text", "folder", "missing", "pruned.store", "torn.store",
    "plain.store", "sample.store-wal", "nohistory.store",
  ]

  /// Commands that a hint quotes.
  private static func quoted(_ hint: String) -> [[String]] {
    hint.matches(of: #/histctl ((?:[a-z]+ )?[a-z]+(?: --?[a-z-]+)*)/#).map {
      $0.1.split(separator: " ").map(String.init)
    }
  }

  private static let knownHelp = Mutex<[[String]: String]>([:])

  /// The help of a command, if there is one; many hints quote the same commands.
  private static func help(of command: [String]) async throws -> String? {
    if let known = knownHelp.withLock({ $0[command] }) { return known }
    let result = try await InProcess.run(command + ["--help"])
    guard result.status == 0 else { return nil }
    knownHelp.withLock { $0[command] = result.text }
    return result.text
  }

  // In parts, which run side by side: each line waits for a place among the commands of all tests.
  @Test(arguments: 0..<8 as Range<UInt64>)
  func `each of 200 wrong command lines fails with a message, a hint and the path`(
    _ part: UInt64
  ) async throws {
    let sample = try SampleFolder()
    let folder = sample.folder
    try FileBytes.write([], to: folder.file("empty"))
    try FileBytes.write(
      Array("no store at all, but a text that is long".utf8), to: folder.file("text"))
    try FileManager.default.createDirectory(
      atPath: folder.file("folder"), withIntermediateDirectories: false)
    for name in ["pruned.store", "torn.store"] {
      try FileBytes.write(try FileBytes.read(sample.store), to: folder.file(name))
    }
    try StoreQuery(path: folder.file("pruned.store")).run(
      "DELETE FROM ACHANGE WHERE ZTRANSACTIONID < 6; DELETE FROM ATRANSACTION WHERE Z_PK < 6")
    try StoreQuery(path: folder.file("torn.store")).run("UPDATE Z_PRIMARYKEY SET Z_MAX = 3")
    var shape = StoreWriter.Shape()
    shape.hasPlainStrings = true
    try SampleStore.write(to: folder.file("plain.store"), shape: shape)
    var bare = StoreWriter.Shape()
    bare.hasHistory = false
    try StoreWriter(path: folder.file("nohistory.store"), shape: bare).close()

    let seed = Campaign.seed &+ part
    var random = SeededGenerator(seed: seed)
    for number in 0..<Campaign.count(25, 375) {
      let command = Self.commands.randomElement(using: &random) ?? "log"
      var line = command.split(separator: " ").map(String.init)
      if Int.random(in: 0..<10, using: &random) > 0 {
        line.append(Self.stores.randomElement(using: &random) ?? "sample.store")
      }
      for _ in 0..<Int.random(in: 1...4, using: &random) {
        line.append(Self.words.randomElement(using: &random) ?? "")
      }
      let place: Comment = "seed \(seed), line \(number): \(line)"
      let result = try await sample.run(line + ["--json"])
      #expect(result.status < 128, place)
      guard result.status > 1 else { continue }
      let records = result.errors.split(separator: "\n").compactMap {
        try? JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: Any]
      }
      let error = records.first { $0["type"] as? String == "error" }
      guard let error else {
        // A finding in the report, or a warning, says what the status is about.
        #expect(!records.isEmpty || !result.text.isEmpty, place)
        continue
      }
      #expect((error["message"] as? String)?.isEmpty == false, place)
      let hint = error["hint"] as? String
      #expect(hint?.isEmpty == false, place)
      for words in Self.quoted(hint ?? "") where !(hint ?? "").hasPrefix("usage:") {
        let help = try await Self.help(of: words.filter { !$0.hasPrefix("-") })
        #expect(help != nil, "\(place): \(words)")
        for option in words where option.hasPrefix("--") {
          #expect(help?.contains(option) == true, "\(place): \(option)")
        }
      }
    }
  }
}
