import Foundation
import TestSupport
import Testing

/// The page of SampleTrips tells a story of the app, its widget and histctl; its commands work one after the other
/// and say what is shown.
@Suite(.bounded, .enabled(if: Tool("bash") != nil && Tool.hasTerminals)) struct StoryTests {
  /// What every time looks like in a comparison.
  private static let time = "2000-01-01 00:00:00"

  /// The commands of the story, each with what follows it.
  private static func story() throws -> [(command: String, output: String)] {
    let readme = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
      .deletingLastPathComponent().deletingLastPathComponent().appendingPathComponent(
        "Sources/SampleTrips/README.md")
    let text = try String(contentsOf: readme, encoding: .utf8)
    guard let begin = text.range(of: "```console story\n"),
      let end = text[begin.upperBound...].range(of: "```\n")
    else { return [] }
    var steps: [(command: String, output: String)] = []
    for line in text[begin.upperBound..<end.lowerBound].split(
      separator: "\n", omittingEmptySubsequences: false)
    {
      if line.hasPrefix("$ ") {
        steps.append((String(line.dropFirst(2)), ""))
      } else if !steps.isEmpty {
        steps[steps.count - 1].output += line + "\n"
      }
    }
    return steps
  }

  /// A text without blank lines at its end, and with one time in place of all.
  private static func comparable(_ text: String) -> String {
    text.trimmingCharacters(in: .newlines)
      .replacing(/\d{4}-\d\d-\d\d[ T]\d\d:\d\d:\d\d(\.\d+)?Z?/, with: time)
  }

  @Test func `the commands of the README print what it shows`() async throws {
    let steps = try Self.story()
    try #require(steps.count >= 5)
    let folder = try TemporaryFolder()
    let bash = try #require(Tool("bash"))
    let programs = URL(fileURLWithPath: Tool.histctl.path).deletingLastPathComponent().path
    let path = "\(programs):\(ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin")"
    for step in steps {
      let result = try await bash.runOnTerminal(
        ["--norc", "-c", "cd '\(folder.path)' && \(step.command)"], columns: 120,
        environment: ["PATH": path, "NO_COLOR": "1", "HISTCTL_PAGER": ""])
      #expect(
        Self.comparable(result.screen) == Self.comparable(step.output), "\(step.command)")
    }
  }
}
