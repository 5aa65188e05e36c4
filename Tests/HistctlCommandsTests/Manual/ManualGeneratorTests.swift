import Foundation
import TestSupport
import Testing

/// The generator loses no character, takes no text for markup, and says what is missing.
@Suite(.bounded) struct ManualGeneratorTests {
  private static let statuses = #"{"status":0,"meaning":"done"}"# + "\n"

  /// A dump of a program with one option and a hidden command.
  private static func dump(
    abstract: String, version: Int = 0, value: String = "5.0"
  ) throws -> String {
    func argument(_ members: [String: Any]) -> [String: Any] {
      ["isOptional": true, "isRepeating": false, "shouldDisplay": true].merging(members) { $1 }
    }
    let option = argument([
      "kind": "option",
      "names": [["kind": "long", "name": "limit"], ["kind": "short", "name": "l"]],
      "valueName": "count", "defaultValue": value, "abstract": abstract,
    ])
    let object: [String: Any] = [
      "serializationVersion": version,
      "command": [
        "commandName": "tool", "abstract": abstract, "arguments": [option],
        "subcommands": [
          ["commandName": "secret", "abstract": "x", "shouldDisplay": false],
          ["commandName": "help", "abstract": "Show help."],
        ],
      ],
    ]
    return String(decoding: try JSONSerialization.data(withJSONObject: object), as: UTF8.self)
  }

  private static func run(
    _ dump: String, fragments: [String: String], in folder: TemporaryFolder
  ) async throws -> Tool.Result {
    try FileBytes.write(Array(statuses.utf8), to: folder.file("statuses"))
    for name in ["fragments", "man"] {
      try FileManager.default.createDirectory(
        atPath: folder.file(name), withIntermediateDirectories: true)
    }
    for (name, text) in fragments {
      try FileBytes.write(Array(text.utf8), to: folder.file("fragments/\(name).mdoc"))
    }
    return try await Manual.generator.run(
      [folder.file("statuses"), folder.file("fragments"), folder.file("man")], input: dump)
  }

  private static let fragment = ".Dd January 2, 2026\n.Sh DESCRIPTION\nText.\n"

  @Test(
    .enabled(if: Tool("mandoc") != nil),
    arguments: [
      ".Sh INJECTED by a dot", "'br by an apostrophe", "déjà µs — “x” 日本 🙂",
      #"back\slash \fBbold\fP \(em \n(.x"#, #"a "quoted" word, `ticks`, ~tilde, ^caret"#,
      "ends. .Sh BEGINS", "uses --after, -n and Ar Fl macros", "tabs\tand\nlines",
    ])
  func `text appears unchanged in the page`(_ text: String) async throws {
    let folder = try TemporaryFolder()
    let result = try await Self.run(
      Self.dump(abstract: text), fragments: ["tool": Self.fragment], in: folder)
    #expect(result.status == 0, "\(result.errors)")
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.file("man")) == ["tool.1"])
    let mandoc = try #require(Tool("mandoc"))
    let lint = try await mandoc.run(["-T", "lint", "-W", "warning", folder.file("man/tool.1")])
    #expect(lint.text == "")
    let page = try await mandoc.run(["-T", "utf8", "-O", "width=500", folder.file("man/tool.1")])
    // Overstriking makes bold; an apostrophe in running text is a closing quote.
    let shown = page.text
      .replacingOccurrences(of: ".\u{8}", with: "", options: .regularExpression)
      .replacingOccurrences(of: "’", with: "'")
      .split(whereSeparator: \.isWhitespace).joined(separator: " ")
    let expected = text.split(whereSeparator: \.isWhitespace).joined(separator: " ")
    #expect(shown.contains("-l, --limit count \(expected)"))
    #expect(!page.text.contains("\nINJECTED"))
  }

  @Test(arguments: [("5.0", "5"), ("0.5", "0.5"), ("Ar", "Ar"), ("two words", "two words")])
  func `default values are shown`(_ value: String, _ shown: String) async throws {
    let folder = try TemporaryFolder()
    _ = try await Self.run(
      Self.dump(abstract: "Text.", value: value), fragments: ["tool": Self.fragment], in: folder)
    let page = try String(contentsOfFile: folder.file("man/tool.1"), encoding: .utf8)
    let line = page.components(separatedBy: "The default is\n.Cm ").last?
      .components(separatedBy: "\n").first
    #expect(
      line.map(Manual.unescaped)?.replacingOccurrences(of: "\"", with: "") == "\(shown) .")
  }

  @Test(
    arguments: [
      ("version", ["tool": fragment], 1, "the dump has version 1"),
      ("missing fragment", [:], 0, "write man/fragments/tool.mdoc"),
      ("no date", ["tool": ".Sh DESCRIPTION\nText.\n"], 0, "has no date"),
      ("no description", ["tool": ".Dd January 2, 2026\n"], 0, "no section DESCRIPTION"),
      (
        "stray fragment", ["tool": fragment, "other": fragment], 0,
        "other.mdoc belongs to no command"
      ),
      (
        "stray option", ["tool": fragment + ".Sh OPTIONS\n.Ss --lost\nText.\n"], 0,
        "explains --lost, which is no option"
      ),
      ("stray text", ["tool": "Text.\n"], 0, "belongs to no section"),
    ] as [(String, [String: String], Int, String)])
  func `missing and extra fragments are reported`(
    _ name: String, _ fragments: [String: String], _ version: Int, _ message: String
  ) async throws {
    let folder = try TemporaryFolder()
    let result = try await Self.run(
      Self.dump(abstract: "Text.", version: version), fragments: fragments, in: folder)
    #expect(result.status == 1)
    #expect(result.errors.contains(message))
  }

  @Test func `a fragment's words on an option follow the option's own`() async throws {
    let folder = try TemporaryFolder()
    let options = ".Sh OPTIONS\n.Ss --limit\nShared words.\n"
    _ = try await Self.run(
      Self.dump(abstract: "Own words."), fragments: ["tool": Self.fragment, "options": options],
      in: folder)
    let page = try String(contentsOfFile: folder.file("man/tool.1"), encoding: .utf8)
    #expect(
      page.contains(".It Fl l , Fl \\-limit Ar count\nOwn words.\nShared words.\nThe default"))
    #expect(page.contains(".Op Fl \\-limit Ar count\n"))
  }
}
