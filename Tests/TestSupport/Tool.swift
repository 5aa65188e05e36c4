import Foundation
import Subprocess

#if canImport(System)
import System
#else
import SystemPackage
#endif

/// A program that a test runs: histctl itself, or an independent one to check it against.
package struct Tool: Sendable {
  /// The result of a run.
  package struct Result: Sendable {
    /// The exit status, or 128 and the signal that ended it.
    package let status: Int
    /// Standard output.
    package let output: [UInt8]
    /// Standard error.
    package let errors: String

    /// Standard output as text.
    package var text: String { String(decoding: output, as: UTF8.self) }
    /// The lines of standard output.
    package var lines: [String] { text.split(separator: "\n").map(String.init) }
    /// The lines of standard output without the headings of tables.
    package var rows: [String] { lines.filter { !Self.isHeading($0) } }
    /// Standard output as text without the headings of tables.
    package var textOfRows: String {
      text.split(separator: "\n", omittingEmptySubsequences: false)
        .filter { !Self.isHeading(String($0)) }.joined(separator: "\n")
    }

    package init(status: Int, output: [UInt8], errors: String) {
      self.status = status
      self.output = output
      self.errors = errors
    }

    private static func isHeading(_ line: String) -> Bool {
      let plain = line.replacing(#/\u{1B}\[[0-9;]*m/#, with: "")
      let start = plain.drop { $0 == " " }
      return ["TOKEN ", "OBJECT ", "BOOKMARK "].contains(where: start.hasPrefix)
    }
  }

  /// The program's path.
  package let path: String

  /// A program by its path.
  package init(path: String) { self.path = path }

  /// A program by its name; nil where it is not installed.
  package init?(_ name: String) {
    let folders = (ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin").split(
      separator: ":")
    let found = folders.map { "\($0)/\(name)" }.first {
      FileManager.default.isExecutableFile(atPath: $0)
    }
    guard let found else { return nil }
    path = found
  }

  /// The histctl that this checkout built.
  package static let histctl = built("histctl")

  /// A program that this checkout built, by the name of its target.
  package static func built(_ name: String) -> Tool {
    let tests = Bundle.allBundles.map(\.bundleURL).first { $0.pathExtension == "xctest" }
    let products =
      tests?.deletingLastPathComponent()
      ?? URL(fileURLWithPath: CommandLine.arguments[0]).resolvingSymlinksInPath()
      .deletingLastPathComponent()
    return Tool(path: products.appendingPathComponent(name).path)
  }

  /// Runs the program to its end.
  ///
  /// - Parameters:
  ///   - input: What it reads from standard input.
  ///   - environment: Variables that differ from a plain environment without a terminal's.
  package func run(
    _ arguments: [String], input: String = "", environment: [String: String] = [:],
    folder: String? = nil
  ) async throws -> Result {
    var variables: [Environment.Key: String?] = [
      "TZ": "UTC", "LC_ALL": "C.UTF-8", "NO_COLOR": nil, "CLICOLOR_FORCE": nil, "PAGER": nil,
      "HISTCTL_PAGER": nil, "COLUMNS": nil,
    ]
    for (name, value) in environment { variables[Environment.Key(stringLiteral: name)] = value }
    await ProgramGate.shared.enter()
    defer { Task { await ProgramGate.shared.leave() } }
    let result = try await Subprocess.run(
      .path(FilePath(path)), arguments: Arguments(arguments),
      environment: .inherit.updating(variables),
      workingDirectory: folder.map { FilePath($0) },
      input: .string(input), output: .bytes(limit: 1 << 27), error: .bytes(limit: 1 << 24))
    let status =
      switch result.terminationStatus {
      case .exited(let code): Int(code)
      case .signaled(let signal): 128 + Int(signal)
      }
    return Result(
      status: status, output: result.standardOutput,
      errors: String(decoding: result.standardError, as: UTF8.self))
  }
}
