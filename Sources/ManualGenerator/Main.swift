import Foundation

/// Makes the manual pages of commands from the command line's own description.
///
/// ```
/// histctl --experimental-dump-help | ManualGenerator STATUSES FRAGMENTS PAGES
/// ```
///
/// STATUSES is the output of `histctl dump-exit-statuses`, FRAGMENTS the folder of hand-written parts,
/// PAGES the folder to write to.
@main
enum Main {
  /// The fragment whose explanations of options apply to all pages.
  private static let sharedFragment = "options"

  static func main() {
    do {
      let paths = CommandLine.arguments.dropFirst().map { URL(fileURLWithPath: $0) }
      guard paths.count == 3 else {
        throw GeneratorError("usage: ManualGenerator STATUSES FRAGMENTS PAGES <DUMP")
      }
      try writePages(
        of: program(FileHandle.standardInput.readDataToEndOfFile()),
        statuses: statuses(Data(contentsOf: paths[0])), fragments: fragments(in: paths[1]),
        to: paths[2])
    } catch {
      let text = (error as? GeneratorError)?.message ?? "\(error)"
      FileHandle.standardError.write(Data("ManualGenerator: \(text)\n".utf8))
      exit(1)
    }
  }

  private static func program(_ dump: Data) throws -> Command {
    let tool = try JSONDecoder().decode(ToolDump.self, from: dump)
    guard tool.serializationVersion == ToolDump.knownVersion else {
      throw GeneratorError(
        "the dump has version \(tool.serializationVersion), expected \(ToolDump.knownVersion); "
          + "compare ToolDump.swift with the argument parser's ToolInfo.swift")
    }
    return tool.command
  }

  private static func statuses(_ lines: Data) throws -> [ExitStatusEntry] {
    let entries = try lines.split(separator: UInt8(ascii: "\n")).map {
      try JSONDecoder().decode(ExitStatusEntry.self, from: Data($0))
    }
    guard entries.contains(where: { $0.status == 0 }) else {
      throw GeneratorError("the table of exit statuses has no status 0; it was cut off")
    }
    return entries.sorted { $0.status < $1.status }
  }

  private static func fragments(in folder: URL) throws -> [String: Fragment] {
    var fragments: [String: Fragment] = [:]
    for file in try FileManager.default.contentsOfDirectory(
      at: folder, includingPropertiesForKeys: nil) where file.pathExtension == "mdoc"
    {
      fragments[file.deletingPathExtension().lastPathComponent] = try Fragment(
        String(contentsOf: file, encoding: .utf8), name: file.lastPathComponent)
    }
    return fragments
  }

  private static func writePages(
    of program: Command, statuses: [ExitStatusEntry], fragments: [String: Fragment],
    to folder: URL
  ) throws {
    try check(fragments, program)
    for command in program.all {
      let words = command.path
      guard let fragment = fragments[command.pageName] else {
        throw GeneratorError(
          "\(words.joined(separator: " ")) has no manual; write "
            + "man/fragments/\(command.pageName).mdoc with .Dd, .Sh DESCRIPTION and .Sh EXAMPLES")
      }
      let page = ManualPage(
        command: command,
        ancestors: program.all.filter {
          words.starts(with: $0.path) && $0.path.count < words.count
        },
        fragment: fragment,
        sharedExplanations: fragments[sharedFragment]?.explanations ?? [:],
        exitStatuses: statuses)
      try Data(page.text().utf8)
        .write(to: folder.appendingPathComponent("\(command.pageName).1"))
    }
  }

  /// Checks that every fragment belongs to a command, and every explanation to an option.
  private static func check(_ fragments: [String: Fragment], _ program: Command) throws {
    var arguments = Dictionary(
      uniqueKeysWithValues: program.all.map { ($0.pageName, $0.arguments) })
    arguments[sharedFragment] = program.all.flatMap(\.arguments)
    for (name, fragment) in fragments {
      guard let known = arguments[name]?.map(\.explanationName) else {
        throw GeneratorError("man/fragments/\(name).mdoc belongs to no command")
      }
      if let stray = fragment.explanations.keys.sorted().first(where: { !known.contains($0) }) {
        throw GeneratorError("man/fragments/\(name).mdoc explains \(stray), which is no option")
      }
    }
  }
}

/// Why pages cannot be made, and what to do about it.
struct GeneratorError: Error {
  let message: String

  init(_ message: String) { self.message = message }
}
