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
    if type.configuration.subcommands.isEmpty, let command = try? type.parseAsRoot(Array(words)),
      Swift.type(of: command) == type
    {
      return command
    }
    return try Histctl.parseAsRoot(arguments)
  }
}
