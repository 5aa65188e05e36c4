import ArgumentParser

/// Reads the command lines of the commands that answer in milliseconds without the argument parser.
///
/// The parser reflects on every option, and Swift's runtime then looks through thousands of protocol
/// conformances for each kind of option: at every start that takes longer than to open a store and
/// look up a token. These commands say themselves how to read a plain command line. Help, mistakes
/// and every other way to write are left to the parser, and the tests hold both to the same result.
enum QuickStart {
  private static let commands: [(name: [String], type: any QuickCommand.Type)] = [
    (["log"], Log.self), (["show"], Show.self), (["token", "check"], TokenCheck.self),
    (["complete"], Complete.self),
  ]

  /// The command that the arguments spell in the plainest way; nil for all else.
  static func command(_ arguments: [String]) -> (any ParsableCommand)? {
    guard let (name, type) = commands.first(where: { arguments.starts(with: $0.name) }) else {
      return nil
    }
    return read(type, arguments.dropFirst(name.count))
  }

  private static func read<Command: QuickCommand>(
    _ type: Command.Type, _ arguments: ArraySlice<String>
  ) -> Command? {
    var words = CommandWords(arguments)
    let command = Command(&words)
    guard words.isComplete, (try? command.validateAll()) != nil else { return nil }
    return command
  }
}

/// A command that can be read from plain words.
protocol QuickCommand: ParsableCommand {
  /// Takes every option and argument from the words; one that is not set would end the program.
  init(_ words: inout CommandWords)

  /// Checks what the parser would check.
  func validateAll() throws
}
