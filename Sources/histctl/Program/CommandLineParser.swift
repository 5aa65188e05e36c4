import ArgumentParser

/// Turns the command line into a command.
///
/// The argument parser goes down its tree level by level and reflects on every level's options,
/// which takes longer than many a command. So the command that the leading words name is asked
/// first; whatever it refuses (help, mistakes, no command at all) goes through the whole tree, which
/// has the right words for it.
enum CommandLineParser {
  /// The command that the arguments spell.
  static func parse(_ arguments: [String]) throws -> any ParsableCommand {
    try checkHelp(arguments)
    var words = arguments[...]
    var type: any ParsableCommand.Type = Histctl.self
    while let word = words.first,
      let next = type.configuration.subcommands.first(where: {
        $0.configuration.commandName == word
      })
    {
      type = next
      words = words.dropFirst()
    }
    if let word = words.first, !word.hasPrefix("-"), word != "help",
      !type.configuration.subcommands.isEmpty
    {
      throw unknownCommand(word, among: type.configuration.subcommands)
    }
    if type.configuration.subcommands.isEmpty, let command = try? type.parseAsRoot(Array(words)),
      Swift.type(of: command) == type
    {
      return command
    }
    return try Histctl.parseAsRoot(arguments)
  }

  /// Refuses to explain what is no command: the parser would explain the program in its place.
  private static func checkHelp(_ arguments: [String]) throws {
    guard arguments.first == "help" else { return }
    var type: any ParsableCommand.Type = Histctl.self
    for word in arguments.dropFirst() where !word.hasPrefix("-") {
      let commands = type.configuration.subcommands
      guard let next = commands.first(where: { $0.configuration.commandName == word }) else {
        guard !commands.isEmpty else { return }
        throw unknownCommand(word, among: commands)
      }
      type = next
    }
  }

  /// A word that is no command would be told of as one argument too many.
  private static func unknownCommand(
    _ word: String, among commands: [any ParsableCommand.Type]
  ) -> Failure {
    var names: [String] = []
    for command in commands where command.configuration.shouldDisplay {
      if let name = command.configuration.commandName { names.append(name) }
    }
    return Failure(
      status: .usage, kind: "usage", message: "no command named '\(word)'",
      hint: "the commands are \(names.joined(separator: ", "))")
  }
}
