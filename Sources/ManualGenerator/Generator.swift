import Foundation

/// Reads what is known of the command line and writes everything that follows from it.
struct Generator {
  /// The program itself.
  let program: Command
  /// The kinds of values that the program can complete from a store.
  let storeKinds: [String]
  let exitStatuses: [ExitStatusEntry]
  /// The hand-written parts by the name of their page.
  let fragments: [String: Fragment]

  /// The fragment that many pages share.
  private static let sharedFragment = "options"

  /// Reads the dump, the table of statuses and the folder of fragments.
  init(dump: Data, exitStatuses: Data, fragmentFolder: URL) throws {
    let tool = try JSONDecoder().decode(ToolDump.self, from: dump)
    guard tool.serializationVersion == ToolDump.knownVersion else {
      throw GeneratorError(
        "the dump has version \(tool.serializationVersion), and \(ToolDump.knownVersion) is known; "
          + "compare ToolDump.swift with the argument parser's ToolInfo.swift")
    }
    guard let program = try Command(tool.command) else {
      throw GeneratorError("the program itself is hidden")
    }
    self.program = program
    self.exitStatuses = try ExitStatusEntry.table(exitStatuses)
    storeKinds =
      tool.command.subcommands?.first { $0.commandName == "complete" }?
      .arguments?.first { $0.kind == .positional }?.allValues ?? []
    guard !storeKinds.isEmpty else {
      throw GeneratorError("the hidden command complete names no kinds of values")
    }
    var fragments: [String: Fragment] = [:]
    for file in try FileManager.default.contentsOfDirectory(
      at: fragmentFolder, includingPropertiesForKeys: nil) where file.pathExtension == "mdoc"
    {
      fragments[file.deletingPathExtension().lastPathComponent] = try Fragment(
        String(contentsOf: file, encoding: .utf8), name: file.lastPathComponent)
    }
    self.fragments = fragments
    try checkFragments()
  }

  /// Writes the manual pages.
  func writePages(to folder: URL) throws {
    for command in program.all {
      guard let fragment = fragments[command.pageName] else {
        throw GeneratorError(
          "\(command.name) has no manual; write man/fragments/\(command.pageName).mdoc with .Dd, "
            + ".Sh DESCRIPTION and .Sh EXAMPLES")
      }
      let page = ManualPage(
        command: command,
        ancestors: program.all.filter {
          command.path.starts(with: $0.path) && $0.path.count < command.path.count
        },
        fragment: fragment,
        sharedExplanations: fragments[Self.sharedFragment]?.explanations ?? [:],
        exitStatuses: exitStatuses)
      try write(page.text(), to: folder.appendingPathComponent("\(command.pageName).1"))
    }
  }

  /// Writes the completions under the names that the shells look for.
  func writeCompletions(to folder: URL) throws {
    let tables = try program.all.map { try CompletionTable($0, storeKinds: storeKinds) }
    let name = program.name
    try write(
      BashCompletion(tables: tables).text, to: folder.appendingPathComponent("\(name).bash"))
    try write(ZshCompletion(tables: tables).text, to: folder.appendingPathComponent("_\(name)"))
    try write(
      FishCompletion(tables: tables).text, to: folder.appendingPathComponent("\(name).fish"))
  }

  /// A fragment or an explanation that nothing uses is a slip of the pen, or left over.
  private func checkFragments() throws {
    let commands = Dictionary(uniqueKeysWithValues: program.all.map { ($0.pageName, $0) })
    for (name, fragment) in fragments {
      let possible: [Argument]
      if name == Self.sharedFragment {
        possible = program.all.flatMap(\.arguments)
      } else if let command = commands[name] {
        possible = command.arguments
      } else {
        throw GeneratorError("man/fragments/\(name).mdoc belongs to no command")
      }
      let known = Set(possible.map(\.explanationName))
      if let stray = fragment.explanations.keys.sorted().first(where: { !known.contains($0) }) {
        throw GeneratorError("man/fragments/\(name).mdoc explains \(stray), which is no option")
      }
    }
  }

  private func write(_ text: String, to file: URL) throws {
    try Data(text.utf8).write(to: file)
  }
}
