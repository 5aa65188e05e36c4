import Foundation
import TestSupport
import Testing

/// The README shows what the program does, on the sample store that everybody can make.
@Suite(.bounded, .enabled(if: Tool("bash") != nil && Tool("jq") != nil)) struct ReadmeTests {
  /// A command of the page, and what the page shows that it prints.
  private struct Step {
    let command: String
    /// `nil` where the page shows no output.
    var output: String?
  }

  /// The commands of the page in its order: those of `console` blocks with what follows them, and the
  /// lines of `sh` blocks that read a store or an archive.
  private static func steps() throws -> [Step] {
    let text = try String(contentsOfFile: Manual.path("README.md"), encoding: .utf8)
    var steps: [Step] = []
    var language: Substring?
    for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
      if line.hasPrefix("```") {
        language = language == nil ? line.dropFirst(3) : nil
      } else if language == "console", line.hasPrefix("$ ") {
        steps.append(Step(command: String(line.dropFirst(2)), output: ""))
      } else if language == "console", let last = steps.popLast() {
        steps.append(Step(command: last.command, output: (last.output ?? "") + line + "\n"))
      } else if language == "sh", ["histctl ", "zstdcat "].contains(where: line.hasPrefix) {
        steps.append(Step(command: String(line)))
      }
    }
    return steps
  }

  private static func trimmed(_ text: String) -> String {
    text.trimmingCharacters(in: .newlines)
  }

  @Test(.enabled(if: Tool.hasTerminals && Tool("zstdcat") != nil))
  func `the commands of the README run in order print what it shows`() async throws {
    let folder = try TemporaryFolder()
    let demo = try await Tool.histctl.run(["demo", folder.path, "--ending", "2026-11-20"])
    try #require(demo.status == 0)
    let bash = try #require(Tool("bash"))
    let steps = try Self.steps()
    #expect(steps.count { $0.output != nil } >= 6)
    #expect(steps.count { $0.output == nil } >= 12)
    for step in steps {
      guard let output = step.output else {
        let result = try await bash.run(
          ["--norc", "-e", "-o", "pipefail", "-c", step.command],
          environment: ["PATH": Manual.searchPath, "TERM": "dumb"], folder: folder.path)
        #expect(result.status == 0, "\(step.command): \(result.errors)")
        continue
      }
      let result = try await bash.runOnTerminal(
        ["--norc", "-c", "cd '\(folder.path)' && \(step.command)"], columns: 120,
        environment: ["PATH": Manual.searchPath, "NO_COLOR": "1", "HISTCTL_PAGER": ""])
      // A slow machine draws how far it is, and wipes that away again.
      #expect(Self.trimmed(result.screen) == Self.trimmed(output), "\(step.command)")
    }
  }
}
