import Foundation
import TestSupport
import Testing

/// Texts from a store: programs get them as they are, terminals never see what acts on them.
@Suite(.bounded) struct HostileTextTests {
  struct Text: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let text: String
    /// As a terminal shows it.
    let shown: String

    init(_ name: String, _ text: String, shown: String) {
      testDescription = name
      self.text = text
      self.shown = shown
    }
  }

  static let texts = [
    Text("clear screen", "a\u{1B}[2Jb", shown: #"a\e[2Jb"#),
    Text("window title", "a\u{1B}]0;x\u{7}b", shown: #"a\e]0;x\u{7}b"#),
    Text("eight-bit sequence", "a\u{9B}31mb", shown: #"a\u{9B}31mb"#),
    Text("backwards", "a\u{202E}txt.exe", shown: #"a\u{202E}txt.exe"#),
    Text("isolate", "a\u{2066}b\u{2069}", shown: #"a\u{2066}b\u{2069}"#),
    Text("lines", "a\nb\r\nc", shown: #"a\nb\r\nc"#),
    Text("overwritten line", "aaa\rb", shown: #"aaa\rb"#),
    Text("line separator", "a\u{2028}b", shown: #"a\u{2028}b"#),
    Text("tab and bell", "a\tb\u{7}c\u{8}d\u{7F}", shown: #"a\tb\u{7}c\u{8}d\u{7F}"#),
    Text("invisible", "a\u{200B}b\u{FEFF}c\u{E0041}", shown: #"a\u{200B}b\u{FEFF}c\u{E0041}"#),
    Text("plain", "café 東京 👩‍👩‍👧", shown: "café 東京 👩‍👩‍👧"),
  ]

  /// A transaction for each text, which is its author, bundle, process and context, and stands in
  /// a tombstone.
  private static func store(of texts: [String], in folder: TemporaryFolder) throws -> String {
    let writer = try StoreWriter(path: folder.file("x.store"))
    for (index, text) in texts.enumerated() {
      let number = Int64(index + 1)
      try writer.transaction(number, author: text, bundle: text, process: text, context: text)
      try writer.change(
        number, of: number, 2, TripsModel.number("LivingAccommodation"), number,
        tombstone: [.text(text)])
    }
    try writer.close()
    return writer.path
  }

  @Test func `a report has hostile text as escapes`() async throws {
    let folder = try TemporaryFolder()
    let store = try Self.store(of: Self.texts.map(\.text), in: folder)
    let result = try await Tool.histctl.run(["report", store, "-o", "-"])
    #expect(result.status == 0, "\(result.errors)")
    for scalar in "\u{1B}\u{9B}\u{202E}\u{2066}\u{2028}".unicodeScalars {
      let escape = "\\u" + String(String(scalar.value + 0x10000, radix: 16).dropFirst())
      #expect(result.text.lowercased().contains(escape), "\(escape)")
      #expect(!result.text.unicodeScalars.contains(scalar), "\(escape)")
    }
  }

  @Test(
    .enabled(if: Tool.hasTerminals),
    arguments: [
      ["log"], ["log", "--changes"], ["info"], ["show", "1"], ["diff", "0"],
      ["diff", "0", "--each"], ["object", "LivingAccommodation/p1"],
      ["log", "--entity"],
    ])
  func `no command writes control characters of a store to a terminal`(
    _ line: [String]
  ) async throws {
    let folder = try TemporaryFolder()
    let store = try Self.store(of: Self.texts.map(\.text), in: folder)
    var arguments = [line[0], store] + line.dropFirst()
    // An error message has the text from the command line.
    let isError = line.last == "--entity"
    if isError { arguments.append(Self.texts.map(\.text).joined(separator: "|")) }
    let result = try await Tool.histctl.runOnTerminal(
      arguments + ["--no-pager", "--color", "never"], columns: 400)
    #expect(result.status == (isError ? 64 : 0))
    for text in ["show", "object"].contains(line[0]) ? Array(Self.texts.prefix(1)) : Self.texts {
      #expect(result.text.contains(text.shown), "\(text): \(result.text)")
    }
    #expect(Self.isHarmless(result.text), "\(result.text)")
  }

  @Test(
    .enabled(if: Tool.hasTerminals),
    arguments: [
      ["log", "--json", "--reverse"], ["export"], ["export", "--format", "changes"],
      ["export", "--format", "cloudevents"], ["export", "--format", "csv"],
      ["show", "2", "--json"],
      ["info", "--json"], ["stats", "--json"], ["log", "--json", "--entity", "x\u{9B}31m\u{202E}"],
    ])
  func `records for programs keep their values on a terminal, with escaped controls`(
    _ line: [String]
  ) async throws {
    let folder = try TemporaryFolder()
    let store = try Self.store(of: Self.texts.map(\.text), in: folder)
    let arguments = [line[0], store] + line.dropFirst()
    let result = try await Tool.histctl.runOnTerminal(arguments, columns: 400)
    #expect(Self.isHarmless(result.text), "\(result.text)")
    let piped = try await Tool.histctl.run(arguments)
    #expect(result.status == piped.status)
    guard !line.contains("csv") else {
      #expect(result.text.contains(#"a\e[2Jb"#) && result.text.contains(#"a\u{9B}31mb"#))
      return
    }
    let lines =
      piped.lines.isEmpty ? piped.errors.split(separator: "\n").map(String.init) : piped.lines
    #expect(result.lines.count == lines.count)
    for (shown, line) in zip(result.lines, lines) {
      func object(_ text: String) throws -> NSDictionary {
        try #require(try JSONSerialization.jsonObject(with: Data(text.utf8)) as? NSDictionary)
      }
      #expect(try object(shown) == object(line))
    }
  }

  /// Whether nothing in a text acts on a terminal.
  static func isHarmless(_ text: String) -> Bool {
    text.unicodeScalars.allSatisfy { scalar in
      scalar == "\n" || scalar == "\u{200D}"
        || ![.control, .format, .lineSeparator, .paragraphSeparator].contains(
          scalar.properties.generalCategory)
    }
  }

  @Test(.enabled(if: Tool.hasTerminals))
  func `hostile names of archives and folders are escaped`() async throws {
    let folder = try TemporaryFolder()
    let store = try Self.store(of: Self.texts.map(\.text), in: folder)
    let archive = folder.file("a\u{1B}[2J\u{202E}b")
    func run(_ arguments: [String]) async throws -> Tool.Result {
      let result = try await Tool.histctl.runOnTerminal(
        arguments + ["--color", "never"], columns: 400, environment: ["TERM": "dumb"])
      #expect(Self.isHarmless(result.text), "\(arguments): \(result.text)")
      return result
    }
    let sealed = try await run(["archive", store, archive])
    #expect(sealed.status == 0)
    for command in [
      ["log", archive], ["log", archive, "--changes"], ["show", archive, "1"],
      ["diff", archive, "0", "--each"], ["object", archive, "LivingAccommodation/p1"],
      ["stats", archive], ["info", archive], ["log", store, "--archive", archive],
    ] {
      let result = try await run(command + ["--no-pager"])
      #expect(result.status == 0, "\(command): \(result.text)")
      if command[0] == "log" {
        // The newest transaction is not sealed.
        for text in Self.texts.dropLast() {
          #expect(result.text.contains(text.shown), "\(command), \(text): \(result.text)")
        }
      }
    }
    for command in [
      ["verify", archive], ["verify", store, "--archive", archive],
      ["restore", store, archive, "--dry-run"],
      ["prune", store, "--keep-last", "3", "--archive", archive, "--dry-run"],
      ["prune", store, "--keep-last", "3", "--archive", archive, "--yes"],
      ["restore", store, archive, "--yes"],
    ] {
      let result = try await run(command)
      #expect(result.status == 0, "\(command): \(result.text)")
    }
    // Damage is named with its file.
    let catalog = archive + "/catalog.jsonl"
    let bytes = try FileBytes.read(catalog)
    var flipped = bytes
    flipped[20] ^= 1
    try FileBytes.write(flipped, to: catalog)
    for command in [["verify", archive], ["log", archive], ["info", archive]] {
      let result = try await run(command + (command[0] == "verify" ? [] : ["--no-pager"]))
      #expect(result.status == 5 && result.text.contains(#"a\e[2J\u{202E}b"#), "\(result.text)")
    }
  }

  @Test(
    .enabled(if: Tool.hasTerminals)
  )
  func `hostile text in values and names is escaped on a terminal`() async throws {
    let folder = try TemporaryFolder()
    let store = try Self.store(of: Self.texts.map(\.text), in: folder)
    let query = try StoreQuery(path: store)
    let hostile = "CAST(x'611B5B324AE280AE620A63' AS TEXT)"
    try query.run(
      """
      UPDATE ACHANGE SET Z_OPT = \(hostile) WHERE Z_PK = 1;
      UPDATE ACHANGE SET ZENTITY = \(hostile) WHERE Z_PK = 2;
      UPDATE ATRANSACTION SET ZTIMESTAMP = \(hostile) WHERE Z_PK = 3;
      UPDATE ATRANSACTION SET ZAUTHORTS = \(hostile) WHERE Z_PK = 4;
      UPDATE Z_PRIMARYKEY SET Z_NAME = \(hostile) WHERE Z_NAME = 'Tag';
      CREATE TABLE "a\u{1B}[2Jb\u{202E}" (x); ALTER TABLE ACHANGE ADD COLUMN "\u{1B}[2J" DEFAULT 1;
      CREATE TRIGGER "t\u{1B}[2Jb\u{202E}" AFTER INSERT ON ACHANGE BEGIN SELECT 1; END
      """)
    for options in [[], ["--full"], ["--limit", "1"]] {
      let result = try await Tool.histctl.runOnTerminal(
        ["verify", store, "--color", "never"] + options, columns: 400,
        environment: ["TERM": "dumb"])
      #expect([1, 5].contains(result.status), "\(result.text)")
      #expect(Self.isHarmless(result.text), "\(result.text)")
      #expect(result.text.contains(#"\e[2J"#), "\(result.text)")
    }
    let lines = try await Tool.histctl.run(["verify", store, "--json"])
    for line in lines.lines {
      _ = try JSONSerialization.jsonObject(with: Data(line.utf8))
    }
  }

  @Test func `hostile text in a pipe keeps one line for each transaction`() async throws {
    let folder = try TemporaryFolder()
    let store = try Self.store(of: Self.texts.map(\.text), in: folder)
    let log = try await Tool.histctl.run(["log", store, "--reverse"])
    // One line for each transaction, whatever its texts hold.
    let rows = Array(log.output.split(separator: UInt8(ascii: "\n")).dropFirst())
    try #require(rows.count == Self.texts.count)
    let lines = try await Tool.histctl.run(["log", store, "--reverse", "--json"])
    let objects = lines.output.split(separator: UInt8(ascii: "\n"))
    try #require(objects.count == Self.texts.count)
    for (index, text) in Self.texts.enumerated() {
      // A pipe may lead to a terminal.
      #expect(String(decoding: rows[index], as: UTF8.self).contains("  \(text.shown)  "))
      let object = try #require(
        try JSONSerialization.jsonObject(with: Data(objects[index])) as? [String: Any])
      for key in ["author", "bundle", "process", "context"] {
        #expect((object[key] as? String).map { Array($0.utf8) } == Array(text.text.utf8))
      }
    }
    // An author is found by the same bytes.
    for index in [0, 5, 10] {
      let found = try await Tool.histctl.run(
        ["log", store, "--author", Self.texts[index].text, "--json"])
      #expect(found.output == Array(objects[index]) + [UInt8(ascii: "\n")])
    }
  }

  @Test(
    .enabled(if: Tool("sqlite3") != nil),
    arguments: [
      ("FF", "/w=="), ("61FF62", "Yf9i"), ("C3", "ww=="), ("ED A0 80", "7aCA"), ("610062", "YQBi"),
    ]) func `bytes that are not text are kept as Base64 in JSON`(
      _ hexadecimal: String, _ base64: String
    ) async throws
  {
    let sample = try SampleFolder()
    try await sample.sqlite(
      "UPDATE ATRANSACTIONSTRING SET ZNAME = CAST(x'\(hexadecimal.replacing(" ", with: ""))' AS TEXT) "
        + "WHERE ZNAME = 'widget'")
    let lines = try await sample.run("show sample.store 10 --json")
    #expect(lines.status == 0)
    #expect(lines.text.contains("\"author\":{\"$text\":\"\(base64)\"}"), "\(lines.text)")
    for line in ["log sample.store", "show sample.store 10", "info sample.store"] {
      let result = try await sample.run(line)
      #expect(result.status == 0)
      #expect(result.errors == "")
      #expect(String(validating: result.output, as: UTF8.self) != nil)
    }
    if Tool.hasTerminals {
      let terminal = try await Tool.histctl.runOnTerminal(
        ["show", sample.store, "10", "--no-pager", "--color", "never"])
      #expect(terminal.output.allSatisfy { $0 >= 0x20 || $0 == 0x0A })
    }
  }

  @Test func `an author of ten megabytes is shown and exported`() async throws {
    let folder = try TemporaryFolder()
    let author = String(repeating: "0123456789", count: 1 << 20)
    let writer = try StoreWriter(path: folder.file("x.store"))
    try writer.transaction(1, author: author)
    try writer.close()
    let store = writer.path
    let line = try await Tool.histctl.run(["log", store, "--json"])
    #expect(line.status == 0)
    #expect(line.output.count > author.utf8.count && line.output.last == UInt8(ascii: "\n"))
    if Tool.hasTerminals {
      let log = try await Tool.histctl.runOnTerminal(["log", store, "--no-pager"])
      #expect(log.status == 0)
      #expect(log.lines.allSatisfy { $0.count < 200 })
      #expect(log.lines.count == 2)
    }
  }
}
