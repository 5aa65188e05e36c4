import ArgumentParser
import PersistentHistory

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
    if type.configuration.subcommands.isEmpty {
      if let command = try? type.parseAsRoot(Array(words)), Swift.type(of: command) == type {
        return command
      }
      if let error = unknownOption(in: words, of: type) { throw error }
    }
    return try Histctl.parseAsRoot(arguments)
  }

  /// Whether options are not checked, to find one that the parser does not know.
  @TaskLocal static var isLookingForUnknownOption = false

  /// Returns the parser's error about the first unknown option, where that is one of several mistakes.
  ///
  /// The parser complains about a missing argument or an invalid value first. So it is asked about each
  /// option on its own, with stand-ins for the values and arguments that it may need.
  private static func unknownOption(
    in words: ArraySlice<String>, of type: any ParsableCommand.Type
  ) -> (any Error)? {
    $isLookingForUnknownOption.withValue(true) {
      for word in words.prefix(while: { $0 != "--" }) where isOption(word) {
        do {
          _ = try type.parseAsRoot([word, "0", "0", "0"])
        } catch let error where CommandLineError.isUnknownOption(error) {
          return error
        } catch {
          // Any other mistake is left to the parser's reading of all words.
        }
      }
      return nil
    }
  }

  /// Whether a word looks like an option, and not like a negative number.
  private static func isOption(_ word: String) -> Bool {
    word.hasPrefix("-") && !(word.dropFirst().first?.isNumber ?? true)
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

  /// The parser would report a word that is not a command as one argument too many.
  private static func unknownCommand(
    _ word: String, among commands: [any ParsableCommand.Type]
  ) -> Failure {
    var names: [String] = []
    for command in commands where command.configuration.shouldDisplay {
      if let name = command.configuration.commandName { names.append(name) }
    }
    let near = NearNames.of(word, in: names)
    return Failure(
      status: .usage, kind: "usage", message: "no command named '\(word)'",
      hint: near.isEmpty
        ? "the commands are \(names.joined(separator: ", "))"
        : "did you mean \(near.map { "'\($0)'" }.joined(separator: " or "))?")
  }
}

/// Help in two lengths: `-h` for the options at a glance, `--help` with explanations and examples.
enum HelpText {
  /// The arguments in the form that the parser knows: it has one help only.
  static func withLongHelp(_ arguments: [String]) -> [String] {
    arguments.firstIndex(of: "--").map { end in
      arguments[..<end].map { $0 == "-h" ? "--help" : $0 } + arguments[end...]
    } ?? arguments.map { $0 == "-h" ? "--help" : $0 }
  }

  /// The parser's help, cut to the length that was asked for.
  static func asAsked(_ text: String, arguments: [String]) -> String {
    guard arguments.contains("-h"), !arguments.contains("--help"), text.hasPrefix("OVERVIEW: "),
      let usage = text.range(of: "\nUSAGE: ")
    else { return text }
    let overview = text[..<usage.lowerBound].prefix { $0 != "\n" }.dropFirst("OVERVIEW: ".count)
    return overview + "\n" + text[usage.lowerBound...]
  }
}

extension String {
  /// Where a text first occurs; the standard library alone has no such search on older systems.
  fileprivate func range(of text: String) -> Range<Index>? {
    ranges(of: text).first
  }
}

/// The arguments as the system hands them over, which need not be text.
package enum CommandLineBytes {
  /// Refuses an argument that is no UTF-8: as text it would name another file, or none.
  package static func check() throws {
    let arguments = UnsafeBufferPointer(
      start: CommandLine.unsafeArgv, count: Int(CommandLine.argc))
    for argument in arguments.dropFirst() {
      guard let argument, String(validatingCString: argument) == nil else { continue }
      throw Failure(
        status: .usage, kind: "usage",
        message: "the argument '\(String(cString: argument))' is not UTF-8",
        hint: "rename the file, or give it a second name with ln -s; its name has bytes of another "
          + "encoding, shown here as \u{FFFD}")
    }
  }
}
