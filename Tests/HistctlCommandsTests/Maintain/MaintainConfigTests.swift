import Foundation
import TestSupport
import Testing

/// The config file of `maintain`: what it means, and every mistake in it.
@Suite(.bounded) struct MaintainConfigTests {
  /// A file, and what is said of it: the lines of mistakes, with words of each.
  struct Mistake: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let text: String
    let messages: [(line: Int?, words: String)]

    init(_ name: String, _ text: String, _ messages: (Int?, String)...) {
      testDescription = name
      self.text = text
      self.messages = messages.map { (line: $0.0, words: $0.1) }
    }
  }

  static let mistakes = [
    Mistake("empty", "", (nil, "it names no store")),
    Mistake("only defaults", "[defaults]\ncompact = yes\n", (nil, "it names no store")),
    Mistake(
      "a key by a slip of the pen", "[a]\nstore = x\nprune.keep-withn = 30d\n",
      (3, "did you mean prune.keep-within or prune.keep-last?")),
    Mistake(
      "the name of an option", "[a]\nstore = x\nkeep-within = 30d\n",
      (3, "did you mean prune.keep-within or forget.keep-within?")),
    Mistake(
      "an option as it is typed", "[a]\nstore = x\n--keep-last = 3\n",
      (3, "did you mean prune.keep-last or forget.keep-last?")),
    Mistake(
      "with a dash", "[a]\nstore = x\nexport-format = csv\n", (3, "did you mean export.format?")),
    Mistake(
      "what there is not", "[a]\nstore = x\ncompact = yes\narchive = cold\n",
      (4, "there is no key 'archive'")),
    Mistake(
      "nothing like it", "[a]\nstore = x\ncompact = yes\nzzzzzzzz = 1\n", (4, "the keys are store,")
    ),
    Mistake(
      "a time without a unit", "[a]\nstore = x\nprune.keep-within = 30\n",
      (3, "'prune.keep-within' cannot be '30': ")),
    Mistake(
      "no time", "[a]\nstore = x\nprune.keep-within = 0d\n", (3, "must be greater than zero")),
    Mistake(
      "a size without a unit", "[a]\nstore = x\nprune.max-size = 50\n", (3, "the unit is missing")),
    Mistake(
      "no number", "[a]\nstore = x\nprune.keep-last = all\n", (3, "not a number of transactions")),
    Mistake("zero", "[a]\nstore = x\nprune.keep-last = 0\n", (3, "1 or more")),
    Mistake("neither yes nor no", "[a]\nstore = x\ncompact = maybe\n", (3, "write yes or no")),
    Mistake(
      "a guard that there is not",
      "[a]\nstore = x\nprune.keep-last = 3\nprune.ignore-guard = all\n",
      (4, "no guard is named")),
    Mistake(
      "a format that there is not",
      "[a]\nstore = x\nexport.output-dir = o\nexport.bookmark = b\nexport.format = xml\n",
      (5, "write jsonl, changes")),
    Mistake(
      "no bookmark", "[a]\nstore = x\nexport.output-dir = o\n", (3, "add export.bookmark = NAME")),
    Mistake(
      "a bookmark of blanks",
      "[a]\nstore = x\nexport.output-dir = o\nexport.bookmark = my bookmark\n",
      (4, "cannot be the name of a bookmark")),
    Mistake(
      "a condition without a rule", "[a]\nstore = x\nprune.if-larger = 1M\ncompact = yes\n",
      (3, "does nothing by itself")),
    Mistake(
      "a bookmark without a folder", "[a]\nstore = x\nexport.bookmark = b\ncompact = yes\n",
      (3, "add export.output-dir")),
    Mistake("nothing to do", "[a]\nstore = x\n", (1, "has no action")),
    Mistake("no store", "\n[a]\ncompact = yes\n", (2, "names no store")),
    Mistake("an empty store", "[a]\nstore =\ncompact = yes\n", (2, "it is empty")),
    Mistake(
      "twice", "[a]\nstore = x\ncompact = yes\ncompact = no\n", (4, "is already given in line 3")),
    Mistake(
      "a section twice", "[a]\nstore = x\ncompact = yes\n[a]\nstore = y\ncompact = yes\n",
      (4, "the section [a] is already defined in line 1")),
    Mistake("before a section", "compact = yes\n", (1, "before the first section")),
    Mistake("no key and value", "[a]\nstore = x\ncompact\n", (3, "write key = value")),
    Mistake("no key", "[a]\nstore = x\ncompact = yes\n= 5\n", (4, "a value without a key")),
    Mistake("half a section", "[a\nstore = x\n", (1, "is not a section")),
    Mistake("a section without a name", "[ ]\nstore = x\n", (1, "is not a section")),
    Mistake(
      "quotation marks", "[a]\nstore = \"x y\"\ncompact = yes\n", (2, "no quotation marks")),
    Mistake(
      "a comment behind a value", "[a]\nstore = x\nprune.keep-within = 30d # a month\n",
      (3, "a comment has a line of its own")),
    Mistake(
      "no default", "[defaults]\nstore = x\n[a]\nstore = y\ncompact = yes\n",
      (2, "'store' cannot be a default")),
    Mistake(
      "a mistake in the defaults is told of once",
      "[defaults]\nprune.keep-within = 30\n[a]\nstore = x\n[b]\nstore = y\n",
      (2, "cannot be '30'")),
    Mistake(
      "one file of bookmarks for two",
      "[a]\nstore = x\ncompact = yes\nbookmark-file = b\n"
        + "[b]\nstore = y\ncompact = yes\nbookmark-file = b\n",
      (5, "is that of [a] already")),
    Mistake("a control character", "[a]\nstore = x\u{1}y\n", (2, "U+1")),
    Mistake(
      "all of them", "[a]\nstore = x\nprune.keep-last = no\ncompat = yes\n\n[b]\ncompact = si\n",
      (3, "not a number of transactions"), (4, "did you mean compact?"), (6, "names no store"),
      (7, "yes or no")),
  ]

  @Test
  func `every option of a step is a key, and is parsed as the option is`() async throws {
    let sample = try SampleFolder()
    func check(_ text: String) async throws -> Tool.Result {
      try FileBytes.write(
        Array("[a]\nstore = sample.store\n\(text)".utf8), to: sample.folder.file("m.conf"))
      return try await sample.run("maintain --config m.conf --check-config")
    }
    let all = try await check(
      """
      export.output-dir = e
      export.bookmark = n
      export.format = csv
      export.fields = author,entity
      export.safe-cells = yes
      export.entity = Trip
      export.partition = store,month
      prune.before = last
      prune.archive = arch
      prune.segment-size = 1M
      prune.allow-gap = yes
      prune.no-values = no
      forget.before = first
      forget.merge = yes
      forget.segment-size = 2M
      compact = yes
      compact.full = yes

      """)
    #expect(all.status == 0 && all.errors == "", "\(all.errors)")
    #expect(all.text.contains("before last") && all.text.contains("export.entity = Trip"))
    for (text, line, words) in [
      (
        "export.output-dir = e\nexport.bookmark = n\nexport.safe-cells = yes\n", 5,
        "export.format csv"
      ),
      ("export.output-dir = e\nexport.bookmark = n\nexport.fields = nope\n", 3, "nope"),
      ("prune.keep-last = 3\nprune.segment-size = 1M\n", 4, "name it with prune.archive"),
      ("prune.keep-last = 3\nprune.entity = Trip\n", 4, "run the command twice"),
      ("prune.keep-last = 3\nprune.archive = a\nforget.segment-size = 1K\n", 5, "64K"),
      ("compact.full = yes\n", 3, "does nothing by itself"),
    ] {
      let result = try await check(text)
      #expect(result.status == 64, "\(text)")
      #expect(result.errors.contains("m.conf:\(line): "), "\(result.errors)")
      #expect(result.errors.contains(words), "\(result.errors)")
    }
  }

  @Test
  func `an export with conditions writes what they select, and a dry run counts it`()
    async throws
  {
    let sample = try SampleFolder()
    try FileBytes.write(
      Array(
        """
        [a]
        store = sample.store
        export.output-dir = e
        export.bookmark = n
        export.entity = Trip
        export.kind = delete
        export.only-matching = yes

        """.utf8), to: sample.folder.file("m.conf"))
    let expected = try await sample.run(
      "export sample.store --entity Trip --kind delete --only-matching")
    let count = expected.lines.count
    #expect(count > 0)
    let plan = try await sample.run("maintain --config m.conf --dry-run")
    #expect(plan.text.contains("would export \(count) transaction"), "\(plan.text)\(plan.errors)")
    let done = try await sample.run("maintain --config m.conf")
    #expect(done.text.contains("exported \(count) transaction"), "\(done.text)\(done.errors)")
  }

  @Test(arguments: mistakes) func `each mistake in a file is reported with its line`(
    _ mistake: Mistake
  ) async throws {
    let sample = try SampleFolder()
    try FileBytes.write(Array(mistake.text.utf8), to: sample.folder.file("m.conf"))
    let before = try sample.names()
    for option in ["", " --check-config", " --dry-run"] {
      let result = try await sample.run("maintain --config m.conf" + option)
      #expect(result.status == 64 && result.output.isEmpty)
      let heads = result.errors.split(separator: "\n").filter { $0.hasPrefix("histctl: ") }
      #expect(heads.count >= mistake.messages.count, "\(result.errors)")
      for message in mistake.messages {
        let place = "histctl: m.conf:" + (message.line.map { "\($0):" } ?? "")
        #expect(result.errors.contains(place), "\(result.errors)")
        #expect(result.errors.contains(message.words), "\(result.errors)")
      }
    }
    let json = try await sample.run("maintain --config m.conf --json")
    #expect(json.status == 64)
    for line in json.errors.split(separator: "\n") {
      let object = try #require(
        try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])
      #expect(object["kind"] as? String == "config" && object["path"] as? String == "m.conf")
    }
    #expect(try sample.names() == before)
  }

  @Test
  func `a file that is not UTF-8 and a missing file are errors`() async throws {
    let sample = try SampleFolder()
    try FileBytes.write([0x5B, 0xFF, 0x5D], to: sample.folder.file("m.conf"))
    let result = try await sample.run("maintain --config m.conf")
    #expect(result.status == 64 && result.errors.contains("not UTF-8"))
    #expect(try await sample.run("maintain --config none.conf").status == 9)
    #expect(try await sample.run("maintain --config .").status == 9)
    try FileBytes.write([UInt8](repeating: 0x23, count: 2 << 20), to: sample.folder.file("m.conf"))
    let large = try await sample.run("maintain --config m.conf")
    #expect(large.status == 9 && large.errors.contains("larger than 1 MiB"))
  }

  @Test
  func `the printed plan has paths relative to its folder, and sections override defaults`()
    async throws
  {
    let sample = try SampleFolder()
    let folder = sample.folder
    try FileManager.default.createDirectory(
      atPath: folder.file("et[c]"), withIntermediateDirectories: true)
    for name in ["a.store", "b c.store", "b c.store-wal", "b c.store-bookmarks.json"] {
      try FileBytes.write(try FileBytes.read(sample.store), to: folder.file("et[c]/\(name)"))
    }
    let text = """
      \u{FEFF}; As some editors save it.\r
      [ defaults ]\r
      \tprune.keep-within=30d\r
      prune.max-behind = 90d
      compact = yes

      # Many.
      [many]
      store = *.store
      store = a.store
      prune.max-size = 1.5M
      [one]
      store = ../sample.store
      compact =
      prune.keep-within =
      prune.keep-last = 5
      """
    try FileBytes.write(Array(text.utf8), to: folder.file("et[c]/m.conf"))
    let result = try await sample.run("maintain --config et[c]/m.conf --check-config")
    #expect(
      result.text == """
        [many]
        store    et[c]/a.store
        store    et[c]/b c.store
        prune    keep-within 30d, max-size 1.5 MiB, bookmarks at most 90d behind
        compact  free pages are returned to the file system

        [one]
        store    et[c]/../sample.store
        prune    keep-last 5, bookmarks at most 90d behind

        """, "\(result.errors)")
    #expect(result.status == 0 && result.errors == "")
    let json = try await sample.run("maintain --config et[c]/m.conf --check-config --json")
    #expect(json.lines.count == 2)
    try await SchemaCheck.expectFits(json.text)
  }

  @Test
  func `stores that are missing, listed twice or share bookmarks are reported`() async throws {
    let sample = try SampleFolder()
    func check(_ text: String) async throws -> Tool.Result {
      try FileBytes.write(Array(text.utf8), to: sample.folder.file("m.conf"))
      return try await sample.run("maintain --config m.conf --check-config")
    }
    let missing = try await check("[a]\nstore = none.store\nstore = x*.store\ncompact = yes\n")
    #expect(missing.status == 64)
    #expect(missing.errors.contains("none.store") && missing.errors.contains("x*.store"))
    let allowed = try await check(
      "[a]\nstore = none.store\nstore = x*.store\nmissing-ok = yes\ncompact = yes\n")
    #expect(allowed.status == 0 && allowed.errors == "")
    let twice = try await check(
      "[a]\nstore = sample.store\ncompact = yes\n[b]\nstore = *.store\ncompact = yes\n")
    #expect(twice.status == 64 && twice.errors.contains("is in [a] already, and in [b] too"))
    // Nothing is done either: what one section says is not what the other wants.
    let before = try FileBytes.read(sample.store)
    let run = try await sample.run(["maintain", "--config", "m.conf"])
    #expect(run.status == 64 && run.errors.contains("is in [a] already, and in [b] too"))
    #expect(try FileBytes.read(sample.store) == before)
    try FileBytes.write(
      try FileBytes.read(sample.store), to: sample.folder.file("other.store"))
    let shared = try await check("[a]\nstore = *.store\nbookmark-file = b.json\ncompact = yes\n")
    #expect(shared.status == 64 && shared.errors.contains("bookmark-file is for one store"))
    let completed = try await check(
      "[defaults]\nexport.output-dir = e\n[a]\nstore = sample.store\nexport.bookmark = n\n")
    #expect(completed.status == 0, "\(completed.errors)")
    // Two ways to write one folder are one folder.
    let ways = try await check(
      """
      [defaults]
      export.bookmark = n
      [a]
      store = other.store
      export.output-dir = e
      [b]
      store = sample.store
      export.output-dir = ./x/../e
      """)
    #expect(ways.status == 64 && ways.errors.contains("has the identifier of"))
    // Copies with one identifier would take each other's files for their own.
    let copies = try await check(
      "[a]\nstore = *.store\nexport.output-dir = e\nexport.bookmark = n\n")
    #expect(copies.status == 64)
    #expect(copies.errors.contains("sample.store has the identifier of other.store"))
  }

  @Test
  func `a pattern matches no file that belongs to a store`() async throws {
    let sample = try SampleFolder()
    try FileManager.default.createDirectory(
      atPath: sample.folder.file("data"), withIntermediateDirectories: false)
    for ending in [
      "-wal", "-shm", "-bookmarks.json", "-bookmarks.json.lock", "-bookmarks.json.partial-k3",
      "-unfinished-save", "-unfinished-save.partial-1a", "-values.db", "-values.db-wal",
    ] {
      try FileBytes.write([1], to: sample.folder.file("data/sample.store" + ending))
    }
    try FileBytes.write(
      try FileBytes.read(sample.store), to: sample.folder.file("data/sample.store"))
    try FileBytes.write(
      Array("[a]\nstore = data/*\ncompact = yes\n".utf8), to: sample.folder.file("m.conf"))
    let result = try await sample.run("maintain --config m.conf --check-config")
    #expect(result.status == 0, "\(result.errors)")
    #expect(result.lines.filter { $0.hasPrefix("store") } == ["store    data/sample.store"])
  }

  @Test(arguments: [
    ("", "x\n"), ("", "[a]\n"), ("[a]\nstore = x\n", "x = 1\n"), ("[a]\n", "store =\n"),
    ("[a]\nstore = x\nprune.keep-last = 3\n", "prune.ignore-guard = no one\n"),
  ])
  func `only the first of many mistakes are reported`(
    _ beginning: String, _ text: String
  ) async throws {
    let sample = try SampleFolder()
    let name = sample.folder.file("m.conf")
    try FileBytes.write(Array((beginning + String(repeating: text, count: 20_000)).utf8), to: name)
    let result = try await sample.run("maintain --config m.conf")
    let heads = result.errors.split(separator: "\n").filter { $0.hasPrefix("histctl: ") }
    #expect(result.status == 64 && heads.count == 101)
    #expect(heads.last == "histctl: m.conf: there are more mistakes than these 100")
  }

  @Test
  func `an unknown name in --only is refused with a similar one`() async throws {
    let sample = try SampleFolder()
    try FileBytes.write(
      Array("[trips]\nstore = sample.store\ncompact = yes\n".utf8),
      to: sample.folder.file("m.conf"))
    let result = try await sample.run("maintain --config m.conf --only trisp")
    #expect(result.status == 64 && result.errors.contains("did you mean trips?"))
    for name in ["trips", "sample.store", sample.store] {
      let result = try await sample.run([
        "maintain", "--config", "m.conf", "--check-config", "--only", name,
      ])
      #expect(result.status == 0 && result.text.hasPrefix("[trips]\n"))
    }
  }
}
