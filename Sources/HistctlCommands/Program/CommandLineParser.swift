import ArgumentParser
import PersistentHistory
import Terminal

/// Reads the command line with the argument parser and explains what it refuses.
enum CommandLineParser {
  /// The names that other programs give to options, with the ones that they have here.
  private static let synonyms = ["--from": "--after", "--to": "--until", "--before": "--until"]

  /// Returns the command that the arguments name.
  static func parse(_ arguments: [String]) throws -> any ParsableCommand {
    // The parser explains the whole program in place of a command that it does not know.
    if arguments.first == "help", let unknown = command(in: arguments.dropFirst()).unknown {
      throw unknown
    }
    return try Histctl.parseAsRoot(arguments)
  }

  /// Whether an error is the parser's own: help, the version, or a mistake on the command line.
  static func isOwn(_ error: any Error) -> Bool {
    let code = Histctl.exitCode(for: error)
    return !(error is Failure) && (code == .success || code == .validationFailure)
  }

  /// Writes help and the version to standard output, and reports mistakes.
  static func report(_ error: any Error, of arguments: [String], _ console: Console) -> ExitStatus {
    let text = Histctl.fullMessage(for: error, columns: console.terminal.lineWidth ?? 100)
    let diagnostics = Diagnostics(arguments: arguments, console: console)
    let mistake =
      Histctl.exitCode(for: error) == .success
      ? mistakenForHelp(arguments) : mistake(error, text, arguments)
    if let mistake {
      diagnostics.report(mistake)
      return .usage
    }
    do {
      try console.write { try $0.writeLine(help(text, for: arguments)) }
      return .success
    } catch OutputError.closedPipe {
      return .success
    } catch {
      let failure = Failure(error)
      diagnostics.report(failure)
      return failure.status
    }
  }

  /// Shortens help to the first sentence and the options where `-h` asks for it.
  private static func help(_ text: String, for arguments: [String]) -> String {
    guard arguments.contains("-h"), !arguments.contains("--help"), text.hasPrefix("OVERVIEW: "),
      let usage = text.ranges(of: "\nUSAGE: ").first
    else { return text }
    // A narrow terminal has the sentence on several lines.
    let sentence = text.ranges(of: "\n\n").first?.lowerBound ?? usage.lowerBound
    let overview = text[..<sentence].dropFirst("OVERVIEW: ".count)
    return overview + "\n" + text[usage.lowerBound...]
  }

  // MARK: - Mistakes

  /// Returns the mistake in arguments that the parser took for a request for help; `nil` if they do
  /// request it.
  ///
  /// In the name of a file that begins with a dash, an `h` looks like `-h`.
  private static func mistakenForHelp(_ arguments: [String]) -> Failure? {
    guard !arguments.contains(where: ["-h", "--help", "help"].contains) else { return nil }
    let (command, words, _) = command(in: arguments[...])
    let options = options(of: command)
    let name = words.prefix { $0 != "--" }.first { word in
      word.hasPrefix("-") && !word.hasPrefix("--") && word.contains("h")
        && word.dropFirst().contains { !options.contains("-\($0)") }
    }
    return name.map {
      usageFailure(
        "unknown option '\($0)'", hint: "for a file of that name, write ./\($0)")
    }
  }

  /// Returns the mistake to report: an unknown command or option first, then the parser's complaint.
  ///
  /// The parser checks values, then missing arguments, and reports unknown words last: for `--from`
  /// instead of `--after` it would report a missing argument.
  private static func mistake(
    _ error: any Error, _ text: String, _ arguments: [String]
  ) -> Failure {
    let (command, words, unknown) = command(in: arguments[...])
    if let unknown { return unknown }
    let usage = text.split(separator: "\n").first { $0.hasPrefix("Usage: ") }
      .map { "usage: " + $0.dropFirst("Usage: ".count) }
    let options = options(of: command)
    if let option = words.prefix(while: { $0 != "--" }).first(where: { !isKnown($0, options) }) {
      let name = String(option.prefix { $0 != "=" })
      let near = synonyms[name].map { [$0] }?.filter(options.contains)
      return usageFailure(
        "unknown option '\(name)'",
        hint: question(near ?? NearNames.of(name, in: options.filter { $0.hasPrefix("--") }))
          ?? usage)
    }
    let message = Histctl.message(for: error)
    if let failure = unknownWord(message) { return failure }
    let lowered = message.prefix(1).lowercased() + message.dropFirst()
    if let option = message.firstMatch(of: /^Missing value for '(-[^ '<]+)/)?.1,
      let place = words.firstIndex(of: String(option)), words.indices.contains(place + 1),
      words[place + 1].hasPrefix("-")
    {
      let value = ShellWord.quoted(words[place + 1])
      return usageFailure(
        "\(lowered); '\(value)' after it begins with a dash, as an option does",
        hint: "give a value without a dash, or join it to the option: \(option)=\(value)")
    }
    return usageFailure(lowered, hint: usage)
  }

  /// Explains a value that is not among the words that an option takes; `nil` for any other complaint.
  private static func unknownWord(_ message: String) -> Failure? {
    let complaint = /The value '(.*)' is invalid for '(-*[^ ']+).*'\. Please provide one of (.+)/
      .dotMatchesNewlines()
    guard let (_, value, place, list) = message.wholeMatch(of: complaint)?.output else {
      return nil
    }
    let words =
      list.contains("\n")
      ? list.split(separator: "\n").dropFirst().map { String($0.drop { " -".contains($0) }) }
      : list.matches(of: /'([^']*)'/).map { String($0.1) }
    let near = question(NearNames.of(String(value), in: words)).map { $0 + " " } ?? ""
    return usageFailure(
      "\(place) has no value '\(HistoryError.shortened(String(value)))'",
      hint: near + "the values are " + words.joined(separator: ", "))
  }

  private static func usageFailure(_ message: String, hint: String?) -> Failure {
    Failure(status: .usage, kind: "usage", message: message, hint: hint)
  }

  private static func question(_ names: [String]) -> String? {
    names.isEmpty ? nil : "did you mean \(names.map { "'\($0)'" }.joined(separator: " or "))?"
  }

  /// Finds the command that words begin with, and the words after it.
  private static func command(
    in words: ArraySlice<String>
  ) -> (type: any ParsableCommand.Type, words: ArraySlice<String>, unknown: Failure?) {
    var type: any ParsableCommand.Type = Histctl.self
    var words = words
    while let word = words.first, !word.hasPrefix("-"), word != "help",
      !type.configuration.subcommands.isEmpty
    {
      let commands = type.configuration.subcommands
      guard let next = commands.first(where: { $0.configuration.commandName == word }) else {
        let names = commands.filter { $0.configuration.shouldDisplay }
          .compactMap { $0.configuration.commandName }
        let hint =
          question(NearNames.of(word, in: names))
          ?? "the commands are \(names.joined(separator: ", "))"
        return (type, words, usageFailure("no command named '\(word)'", hint: hint))
      }
      type = next
      words = words.dropFirst()
    }
    return (type, words, nil)
  }

  /// The options of a command, as its help lists them.
  private static func options(of command: any ParsableCommand.Type) -> [String] {
    let names = /(?:^ {2}|, )(--?[A-Za-z][A-Za-z-]*)/.anchorsMatchLineEndings()
    return Histctl.helpMessage(for: command, includeHidden: true, columns: 200)
      .matches(of: names).map { String($0.1) }
  }

  /// Whether a word is not an option, is a negative number, or is a known option; of several joined
  /// letters the first decides.
  private static func isKnown(_ word: String, _ options: [String]) -> Bool {
    guard word.count > 1, word.hasPrefix("-"), word.wholeMatch(of: /-[0-9.].*/) == nil else {
      return true
    }
    return word.hasPrefix("--")
      ? options.contains(String(word.prefix { $0 != "=" })) || word == "--version"
      : options.contains(String(word.prefix(2)))
  }
}
