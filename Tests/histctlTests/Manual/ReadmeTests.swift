import Foundation
import TestSupport
import Testing

/// The README shows what the program does, on the sample store that everybody can make.
@Suite(.enabled(if: Tool("bash") != nil && Tool("jq") != nil)) struct ReadmeTests {
  /// A command of a console block, and what follows it.
  struct Shown: Sendable, CustomTestStringConvertible {
    let command: String
    let output: String

    var testDescription: String { command }
  }

  /// The lines of the blocks of a language.
  private static func blocks(_ language: String) -> [[String]] {
    let text = (try? String(contentsOfFile: Manual.path("README.md"), encoding: .utf8)) ?? ""
    var blocks: [[String]] = []
    var isInside = false
    for line in text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init) {
      if line == "```\(language)" {
        isInside = true
        blocks.append([])
      } else if line == "```" {
        isInside = false
      } else if isInside {
        blocks[blocks.count - 1].append(line)
      }
    }
    return blocks
  }

  static let shown: [Shown] = blocks("console").flatMap { block -> [Shown] in
    var shown: [Shown] = []
    for line in block {
      if line.hasPrefix("$ ") {
        shown.append(Shown(command: String(line.dropFirst(2)), output: ""))
      } else if let last = shown.popLast() {
        shown.append(Shown(command: last.command, output: last.output + line + "\n"))
      }
    }
    return shown
  }

  static let commands = blocks("sh").joined().filter { $0.hasPrefix("histctl ") }

  /// A folder with the sample store that the README speaks of.
  private static func folder() async throws -> TemporaryFolder {
    let folder = try TemporaryFolder()
    let result = try await Tool.histctl.run(["demo", folder.path, "--ending", "2026-11-20"])
    try #require(result.status == 0)
    return folder
  }

  private static func trimmed(_ text: String) -> String {
    text.trimmingCharacters(in: .newlines)
  }

  @Test func `there is something to check`() {
    #expect(Self.shown.count >= 3)
    #expect(Self.commands.count >= 5)
  }

  @Test(.enabled(if: Tool.hasTerminals), arguments: shown)
  func `output is what a terminal shows`(_ shown: Shown) async throws {
    let folder = try await Self.folder()
    let bash = try #require(Tool("bash"))
    let result = try await bash.runOnTerminal(
      ["--norc", "-c", "cd '\(folder.path)' && \(shown.command)"], columns: 120,
      environment: ["PATH": Manual.searchPath, "NO_COLOR": "1", "HISTCTL_PAGER": ""])
    // A slow machine draws how far it is, and wipes that away again.
    #expect(Self.trimmed(result.screen) == Self.trimmed(shown.output))
  }

  @Test(arguments: commands) func `commands work as they stand`(_ line: String) async throws {
    let folder = try await Self.folder()
    let bash = try #require(Tool("bash"))
    let result = try await bash.run(
      ["--norc", "-e", "-o", "pipefail", "-c", line],
      environment: ["PATH": Manual.searchPath, "TERM": "dumb"], folder: folder.path)
    #expect(result.status == 0, "\(result.errors)")
    // What writes a file says nothing.
    #expect(!result.text.isEmpty || line.contains(" -o ") || line.contains("--output-dir"))
  }
}
