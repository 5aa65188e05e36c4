import Foundation
import TestSupport
import Testing

/// The pages say what the program does: the same options, commands and statuses.
@Suite(.bounded) struct ManualPageTests {
  /// The words of every command that help lists, found by going down the help.
  private static func commands(_ path: [String] = []) async throws -> [[String]] {
    let help = try await InProcess.run(path + ["--help"]).lines
    let names = help.drop { $0 != "SUBCOMMANDS:" }.dropFirst()
      .prefix { $0.hasPrefix("  ") }
      .compactMap { line -> String? in
        // Further lines of a description are indented more.
        guard !line.hasPrefix("   "), !line.contains("See 'histctl") else { return nil }
        return line.split(separator: " ").first.map(String.init)
      }
    var all = [path]
    for name in names { all += try await commands(path + [name]) }
    return all
  }

  private static func optionsInHelp(_ path: [String]) async throws -> Set<String> {
    let help = try await InProcess.run(path + ["--help"]).lines
    var names: Set<String> = []
    for line in help where line.hasPrefix("  -") {
      // The names stand before the description, which two blanks or a line's end set apart.
      let head = line.dropFirst(2).components(separatedBy: "  ")[0]
      names.formUnion(
        head.components(separatedBy: ", ").compactMap { $0.split(separator: " ").first }.map(
          String.init))
    }
    return names
  }

  private static func optionsInPage(_ page: [String]) -> Set<String> {
    var names: Set<String> = []
    for line in page where line.hasPrefix(".It Fl ") {
      let words = line.split(separator: " ")
      for (macro, name) in zip(words, words.dropFirst()) where macro == "Fl" {
        names.insert("-" + Manual.unescaped(String(name)))
      }
    }
    return names
  }

  @Test func `every command has a page, and every page a command`() async throws {
    let commands = try await Self.commands()
    #expect(commands.count > 5)
    #expect(
      Manual.commandPageNames
        == commands.map { (["histctl"] + $0).joined(separator: "-") + ".1" }.sorted())
  }

  @Test func `the options in help and in the page are the same`() async throws {
    for path in try await Self.commands() {
      let name = (["histctl"] + path).joined(separator: "-") + ".1"
      let help = try await Self.optionsInHelp(path)
      #expect(help.contains("--help"))
      let page = try Manual.page(name)
      #expect(Self.optionsInPage(Manual.section("OPTIONS", of: page)) == help, "\(name)")
    }
  }

  @Test(arguments: Manual.commandPageNames)
  func `every page has the exit statuses of the program`(_ name: String) async throws {
    let statuses = try await InProcess.run(["dump-exit-statuses"])
    #expect(statuses.status == 0)
    let numbers = try statuses.lines.map { line in
      let object = try #require(
        JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])
      #expect((object["meaning"] as? String)?.isEmpty == false)
      return try #require(object["status"] as? Int)
    }
    #expect(numbers == [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 64])
    let section = Manual.section("EXIT STATUS", of: try Manual.page(name))
    #expect(
      section.filter { $0.hasPrefix(".It ") } == numbers.map { ".It \($0)" })
  }

  @Test(arguments: Manual.commandPageNames)
  func `every page has the sections that readers look for`(_ name: String) throws {
    let titles = try Manual.page(name).filter { $0.hasPrefix(".Sh ") }.map { $0.dropFirst(4) }
    for title in ["NAME", "SYNOPSIS", "DESCRIPTION", "OPTIONS", "EXIT STATUS", "EXAMPLES"] {
      #expect(titles.contains(Substring(title)), "\(title)")
    }
    #expect(titles.last == "SEE ALSO")
    #expect(Set(titles).count == titles.count)
  }

  @Test(arguments: Manual.pageNames)
  func `SEE ALSO has every page that the text refers to`(_ name: String) throws {
    let page = try Manual.page(name)
    let listed = Set(Manual.references(in: Manual.section("SEE ALSO", of: page)))
    let own = name.replacing(".", with: " ")
    #expect(Set(Manual.references(in: page)).subtracting([own]) == listed)
  }

  @Test(arguments: Manual.pageNames)
  func `pages refer to pages that exist`(_ name: String) throws {
    let others = [
      "sqlite3 1", "less 1", "jq 1", "zstd 1", "gzip 1", "crontab 5", "flock 2", "fsync 2",
    ]
    for page in Manual.references(in: try Manual.page(name)) {
      #expect(
        others.contains(page) || Manual.pageNames.contains(page.replacing(" ", with: ".")),
        "\(page)")
    }
  }

  @Test(.enabled(if: Tool("mandoc") != nil), arguments: Manual.pageNames)
  func `mandoc has no warnings`(_ name: String) async throws {
    let mandoc = try #require(Tool("mandoc"))
    let result = try await mandoc.run(["-T", "lint", "-W", "warning", Manual.path("man/\(name)")])
    #expect(result.text + result.errors == "")
    #expect(result.status == 0)
  }

  @Test func `hidden commands are not shown`() async throws {
    let help = try await InProcess.run(["--help"]).text
    #expect(!help.contains("dump-exit-statuses"))
    #expect(!Manual.commandPageNames.contains("histctl-dump-exit-statuses.1"))
    for file in Manual.completions.values {
      let script = try String(contentsOfFile: Manual.path("completions/\(file)"), encoding: .utf8)
      #expect(!script.contains("dump-exit-statuses"))
    }
  }

  @Test func `the committed pages and completions are up to date`() async throws {
    let folder = try TemporaryFolder()
    let statuses = try await InProcess.run(["dump-exit-statuses"])
    try FileBytes.write(statuses.output, to: folder.file("statuses"))
    let dump = try await InProcess.run(["--experimental-dump-help"])
    try FileManager.default.createDirectory(
      atPath: folder.file("man"), withIntermediateDirectories: true)
    let result = try await Manual.generator.run(
      [folder.file("statuses"), Manual.path("man/fragments"), folder.file("man")],
      input: dump.text)
    #expect(result.errors == "")
    #expect(result.status == 0)
    #expect(
      try FileManager.default.contentsOfDirectory(atPath: folder.file("man")).sorted()
        == Manual.commandPageNames)
    for file in Manual.commandPageNames.map({ "man/\($0)" }) {
      let isSame = try FileBytes.read(folder.file(file)) == FileBytes.read(Manual.path(file))
      #expect(isSame, "\(file) is stale; run make docs")
    }
    for (shell, file) in Manual.completions {
      let script = try await InProcess.run(["completion", shell])
      // bash reads its script, and does not run it.
      #expect(script.status == 0 && !script.text.hasPrefix("#!"))
      let isSame = try FileBytes.read(Manual.path("completions/\(file)")) == script.output
      #expect(isSame, "\(file) is stale; run make docs")
    }
  }
}
