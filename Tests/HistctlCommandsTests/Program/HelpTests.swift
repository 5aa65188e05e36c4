import Foundation
import TestSupport
import Testing

/// Help in two lengths, and the version.
@Suite(.bounded) struct HelpTests {
  @Test(arguments: [""] + CommandNames.all) func `short and long help begin with the same usage`(
    _ command: String
  ) async throws {
    let sample = try SampleFolder()
    let short = try await sample.run(command + " -h")
    let long = try await sample.run(command + " --help")
    for help in [short, long] {
      #expect(help.status == 0)
      #expect(help.errors == "")
      #expect(help.text.contains("\nUSAGE: histctl"))
      #expect(help.text.utf8.allSatisfy { $0 == 0x0A || (0x20..<0x7F).contains($0) })
    }
    #expect(short.output.count <= long.output.count)
    #expect(!short.text.contains("OVERVIEW") && !short.text.contains("Examples:"))
    #expect(long.text.hasPrefix("OVERVIEW: "))
    if command.isEmpty || CommandNames.leaves.contains(command) {
      #expect(long.text.contains("\nExamples:\n  histctl "))
    }
    // The first sentence is the same in both.
    #expect(long.text.hasPrefix("OVERVIEW: " + short.text.prefix { $0 != "\n" }))
  }

  @Test
  func `the first sentence is complete on a narrow terminal`() async throws {
    let help = try await Tool.histctl.run(["mcp", "-h"], environment: ["COLUMNS": "44"])
    let sentence = help.text.prefix(upTo: try #require(help.text.firstRange(of: "\n\n")).lowerBound)
    #expect(
      sentence.split { $0 == " " || $0 == "\n" }.joined(separator: " ")
        == "Let assistants read histories, with the Model Context Protocol.")
  }

  @Test func `every option is explained`() async throws {
    let help = try await SampleFolder().run("log --help")
    for option in [
      "--after", "--until", "--author", "--not-author", "--no-author", "--bundle", "--process",
      "--entity", "--kind", "--object", "--attribute", "-n", "--reverse", "--changes",
      "--only-matching", "--json", "--qualified", "--date", "--color", "--no-pager", "--quiet",
      "--bookmark-file", "--busy-timeout",
    ] {
      #expect(help.text.contains(option + " ") || help.text.contains(option + "\n"))
    }
  }

  /// The argument parser checks this only where everything is built for debugging, which neither the suite nor a release
  /// is.
  @Test func `each name of an option is given once, and only the last operand repeats`()
    async throws
  {
    let dump = try await InProcess.run(["--experimental-dump-help"])
    let root = try JSONSerialization.jsonObject(with: Data(dump.output)) as? [String: Any]
    func check(_ command: [String: Any], _ path: String) {
      let arguments = command["arguments"] as? [[String: Any]] ?? []
      let names = arguments.flatMap { $0["names"] as? [[String: Any]] ?? [] }
        .map { "\($0["kind"] ?? "") \($0["name"] ?? "")" }
      #expect(names.count == Set(names).count, "\(path): \(names)")
      let operands = arguments.filter { $0["kind"] as? String == "positional" }
      #expect(!operands.dropLast().contains { $0["isRepeating"] as? Bool == true }, "\(path)")
      for child in command["subcommands"] as? [[String: Any]] ?? [] {
        check(child, "\(path) \(child["commandName"] ?? "")")
      }
    }
    check(try #require(root?["command"] as? [String: Any]), "histctl")
  }

  @Test func `the version is one line`() async throws {
    let result = try await SampleFolder().run("--version")
    #expect(result.text.wholeMatch(of: #/\d+\.\d+\.\d+(?: \([0-9a-f]+(?:-dirty)?\))?\n/#) != nil)
    #expect(result.errors == "")
    #expect(result.status == 0)
  }

  /// The examples of the help work as they stand, on a store of that name.
  ///
  /// Those of some commands need other files, such as a config file, or a pipe; their own tests have them.
  @Test(
    arguments: CommandNames.leaves.filter {
      !["archive", "completion", "export", "forget", "maintain", "mcp", "record"].contains($0)
    })
  func `the examples in help work`(
    _ command: String
  ) async throws {
    let sample = try SampleFolder()
    for name in ["default.store", "Trips.store"] {
      try FileBytes.write(try FileBytes.read(sample.store), to: sample.folder.file(name))
    }
    let help = try await sample.run(command + " --help")
    let examples = help.text.matches(of: #/\n  (histctl [^\n]*)/#).map { String($0.1) }
    #expect(!examples.isEmpty)
    // What follows a store has no end of its own.
    for example in examples where !example.contains("--follow") {
      let arguments = Self.words(example.prefix { $0 != "|" && $0 != ">" })
      let result = try await sample.run(Array(arguments.dropFirst()))
      let words = Self.reasons[result.status] ?? []
      #expect(
        result.status == 0 || words.contains { (result.text + result.errors).contains($0) },
        "\(example): \(result.status), \(result.errors)")
    }
  }

  /// What examples may end with, by status: the sample store has no log, and not all of the objects, tokens, bookmarks,
  /// files and archives that they name.
  private static let reasons = [
    1: ["neither in the store", "not an object", "no object", "ahead", "old", "newer"],
    2: ["log", "table"], 4: ["ahead", "transaction at"],
    8: ["archive"], 9: ["file", "folder"],
    64: ["transaction at", "bookmark", "confirmation", "archive", "object"],
  ]

  /// The words of a command line, of which some stand in quotation marks.
  private static func words(_ line: Substring) -> [String] {
    var words: [String] = []
    let parts = line.split(omittingEmptySubsequences: false) { $0 == "\"" || $0 == "'" }
    for (index, part) in parts.enumerated() {
      words += index % 2 == 1 ? [String(part)] : part.split(separator: " ").map(String.init)
    }
    return words
  }
}
