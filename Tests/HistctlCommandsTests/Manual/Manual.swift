import Foundation
import TestSupport

/// The manual pages and completions of this checkout, and what tests ask of them.
enum Manual {
  static let checkout = URL(fileURLWithPath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent()

  /// The generator that this checkout built, beside histctl.
  static let generator = Tool(
    path: URL(fileURLWithPath: Tool.histctl.path).deletingLastPathComponent()
      .appendingPathComponent("ManualGenerator").path)

  /// The search path of shells that are to find histctl.
  static let searchPath =
    URL(fileURLWithPath: Tool.histctl.path).deletingLastPathComponent().path + ":"
    + (ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin")

  /// The names of all pages, such as `histctl-log.1`.
  static let pageNames: [String] = {
    let folder = checkout.appendingPathComponent("man").path
    let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
    return names.filter { [".1", ".5", ".7"].contains($0.suffix(2)) }.sorted()
  }()

  /// The completion scripts by their shell.
  static let completions = ["bash": "histctl.bash", "zsh": "_histctl", "fish": "histctl.fish"]

  /// The pages of commands.
  static let commandPageNames = pageNames.filter { $0.hasSuffix(".1") }

  /// A file of the checkout.
  static func path(_ name: String) -> String { checkout.appendingPathComponent(name).path }

  /// The lines of a page.
  static func page(_ name: String) throws -> [String] {
    try String(contentsOfFile: path("man/\(name)"), encoding: .utf8)
      .split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
  }

  /// The lines of one section of a page.
  static func section(_ title: String, of page: [String]) -> [String] {
    Array(page.drop { $0 != ".Sh \(title)" }.dropFirst().prefix { !$0.hasPrefix(".Sh ") })
  }

  /// The pages that lines refer to, such as `histctl-log 1`.
  static func references(in lines: [String]) -> [String] {
    lines.compactMap { line in
      guard line.hasPrefix(".Xr ") || line.hasPrefix(".It Xr ") else { return nil }
      return line.components(separatedBy: "Xr ")[1].split(separator: " ").prefix(2)
        .joined(separator: " ")
    }
  }

  /// Literal text of a page as a person would type it.
  static func unescaped(_ text: String) -> String {
    let escapes = [
      (#"\-"#, "-"), (#"\(dq"#, "\""), (#"\(aq"#, "'"), (#"\(ti"#, "~"), (#"\(ha"#, "^"),
      (#"\(ga"#, "`"), (#"\&"#, ""), (#"\e"#, "\\"),
    ]
    return escapes.reduce(text) { $0.replacingOccurrences(of: $1.0, with: $1.1) }
  }
}
