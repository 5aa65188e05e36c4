import ArgumentParser
import HistoryArchive
import PersistentHistory
import Terminal

/// Reads the command line with the argument parser and explains what it refuses.
enum CommandLineParser {
  /// The names that other programs give to options, with what a command has for them: the first of its
  /// options that it knows, and how to write it.
  private static let synonyms: [(names: [String], option: String, use: String?)] = [
    (["--from", "--start", "--begin"], "--after", nil),
    (["--to", "--before", "--end", "--till"], "--until", nil),
    (
      ["--limit", "--max-count", "--count", "--lines", "--number", "--head", "--tail"], "-n",
      "-n COUNT"
    ),
    (["--limit", "--max-count", "--count"], "--top", nil),
    (["--oneline", "--short"], "--changes", "leave it out: each transaction is one line already"),
    (
      ["--grep", "--search", "--match", "--filter", "-S", "-G"], "--value",
      "to search in values, write --value 'ATTRIBUTE~TEXT'; --author, --process and --object select "
        + "by who saved and by object"
    ),
    (["--patch", "-p", "--verbose", "-v", "--name-status"], "--changes", nil),
    (["--user", "--committer"], "--author", nil), (["--type", "--action"], "--kind", nil),
    (["--table", "--class"], "--entity", nil), (["--column", "--property"], "--attribute", nil),
    (["--id", "--pk"], "--object", "--object ENTITY/pNUMBER"),
    (["--metrics", "--format"], "--prometheus", nil),
    (["--pretty", "--format"], "--json", nil), (["--force", "--assume-yes", "-y"], "--yes", nil),
    (["--simulate", "--what-if"], "--dry-run", nil), (["--silent", "-s"], "--quiet", nil),
    (["--out", "--file", "--outfile"], "--output", nil),
    (["--utc", "--iso"], "--date", "--date utc"),
    (["--no-color", "--no-colour", "--colour"], "--color", "--color never"),
  ]

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
    let message = Histctl.message(for: error)
    // A word with one dash in place of a missing value is meant as that value.
    let mistaken = message.firstMatch(of: /^Missing value for '(-[^ '<]+)/).flatMap { match in
      words.firstIndex(of: String(match.1)).map { $0 + 1 }
    }
    let unknownOption = words.indices.prefix(while: { words[$0] != "--" })
      .first {
        !isKnown(words[$0], options) && ($0 != mistaken || words[$0].hasPrefix("--"))
      }
    if let option = unknownOption.map({ words[$0] }) {
      let name = String(option.prefix { $0 != "=" })
      return usageFailure(
        "unknown option '\(name)'",
        hint: (name.hasPrefix("--") || !name.contains(".")
          ? nil : "for a file of that name, write ./\(name)")
          ?? question(synonym: name, among: options)
          ?? question(NearNames.of(name, in: options.filter { $0.hasPrefix("--") })) ?? usage)
    }
    if let failure = misread(words, message, options, arguments[..<words.startIndex]) {
      return failure
    }
    if let failure = unknownWord(message) { return failure }
    let lowered = message.prefix(1).lowercased() + message.dropFirst()
    if let option = message.firstMatch(of: /^Missing value for '(-[^ '<]+)/)?.1,
      let place = words.firstIndex(of: String(option)), words.indices.contains(place + 1),
      words[place + 1].hasPrefix("-")
    {
      let value = ShellWord.quoted(words[place + 1])
      let digits = value.dropFirst()
      let hint =
        !value.dropFirst().allSatisfy(\.isNumber)
        ? "give a value without a dash, or join it to the option: \(option)=\(value)"
        : takesToken(String(option), of: command)
          ? "count back from the newest with last~\(digits)"
          : "give a number without a dash: \(option) \(digits)"
      return usageFailure(
        "\(lowered); '\(value)' after it begins with a dash, as an option does", hint: hint)
    }
    return usageFailure(lowered, hint: usage)
  }

  /// Returns what a command has in place of an option of another program.
  private static func question(synonym name: String, among options: [String]) -> String? {
    guard
      let known = synonyms.first(where: { $0.names.contains(name) && options.contains($0.option) })
    else { return nil }
    guard let use = known.use else { return question([known.option]) }
    return use.hasPrefix("-") ? question([use]) : use
  }

  /// Explains what the parser misses or has too much of, where the words tell what was meant.
  private static func misread(
    _ words: ArraySlice<String>, _ message: String, _ options: [String],
    _ command: ArraySlice<String>
  ) -> Failure? {
    let name = command.joined(separator: " ")
    if let number = words.first(where: { $0.wholeMatch(of: /-[0-9]+/) != nil }) {
      let digits = number.dropFirst()
      if message.hasPrefix("Unknown option"), options.contains("-n") {
        return usageFailure(
          "unknown option '\(number)'", hint: "to show \(digits) transactions, write -n \(digits)")
      }
      if message.hasPrefix("Missing expected argument '<token>") {
        return usageFailure(
          "'\(number)' is not a token: a transaction number must not be negative",
          hint: "count back from the newest with last~\(digits)")
      }
    }
    if message.hasPrefix("Missing expected argument '<store>'")
      || message.hasPrefix("give a STORE, or a list"),
      let place = words.indices.dropLast().first(where: {
        words[$0].hasPrefix("-") && FileContent.isSQLite(at: words[$0 + 1])
      })
    {
      let (option, store) = (words[place], ShellWord.quoted(words[place + 1]))
      return usageFailure(
        "no store is given: \(option) takes '\(words[place + 1])' as its value",
        hint: "write the store first: histctl \(name) \(store) \(option)")
    }
    let second = message.firstMatch(of: /^(?:Unexpected argument|The value) '([^']+)'/)?.1
    if let second = second.map(String.init), let first = words.first(where: { !$0.hasPrefix("-") }),
      first != second, FileContent.isSQLite(at: second)
    {
      guard FileContent.isSQLite(at: first) else {
        return name == "maintain"
          ? usageFailure(
            "'\(second)' is a store, and maintain takes the stores from its config file",
            hint: "to maintain one of them: --only \(ShellWord.quoted(second))") : nil
      }
      return usageFailure(
        "'\(second)' is a second store, and \(name) reads one",
        hint: "run the command once for each; to compare two copies of a store: histctl diff "
          + "\(ShellWord.quoted(first)) --with \(ShellWord.quoted(second))")
    }
    return nil
  }

  /// Explains a value that is not among the words that an option takes; `nil` for any other complaint.
  private static func unknownWord(_ message: String) -> Failure? {
    guard let (value, place, words) = choice(in: message) else { return nil }
    let parts = value.split(separator: ",").map { $0.filter { $0 != " " } }
    guard parts.count < 2 || !parts.allSatisfy(words.contains) else {
      return usageFailure(
        "\(place) takes one value at a time",
        hint: "repeat the option: " + parts.map { "\(place) \($0)" }.joined(separator: " "))
    }
    let near = question(NearNames.of(value, in: words)).map { $0 + " " } ?? ""
    return usageFailure(
      "\(place) has no value '\(HistoryError.shortened(value))'",
      hint: near + "the values are " + words.joined(separator: ", "))
  }

  /// Returns what is wrong with the value of an option; `nil` for a complaint about anything else.
  static func reason(ofValue message: String) -> String? {
    if let words = choice(in: message)?.words { return "write " + words.joined(separator: ", ") }
    let complaint = /The value '.*' is invalid for '[^']*'(?:: (.*))?/.dotMatchesNewlines()
    return message.wholeMatch(of: complaint).map { $0.1.map(String.init) ?? "it has another form" }
  }

  /// Returns the value, the option, and the words that the option takes.
  private static func choice(
    in message: String
  ) -> (value: String, place: Substring, words: [String])? {
    let complaint = /The value '(.*)' is invalid for '(-*[^ ']+).*'\. Please provide one of (.+)/
      .dotMatchesNewlines()
    guard let (_, value, place, list) = message.wholeMatch(of: complaint)?.output else {
      return nil
    }
    let words =
      list.contains("\n")
      ? list.split(separator: "\n").dropFirst().map { String($0.drop { " -".contains($0) }) }
      : list.matches(of: /'([^']*)'/).map { String($0.1) }
    return (String(value), place, words)
  }

  private static func usageFailure(_ message: String, hint: String?) -> Failure {
    Failure(.usage, message, hint: hint)
  }

  private static func question(_ names: [String]) -> String? {
    // Two arguments of a command can have one name for a negation or an alias.
    let different = names.indices.filter { !names[..<$0].contains(names[$0]) }.map { names[$0] }
    return different.isEmpty
      ? nil : "did you mean \(different.map { "'\($0)'" }.joined(separator: " or "))?"
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

  private static func takesToken(_ option: String, of command: any ParsableCommand.Type) -> Bool {
    Histctl.helpMessage(for: command, includeHidden: true, columns: 200).split(separator: "\n")
      .contains { line in
        // An option may have several names before its value.
        guard let value = line.firstRange(of: " <token>") else { return false }
        return line[..<value.lowerBound].split(whereSeparator: { $0 == " " || $0 == "," })
          .contains { $0 == option }
      }
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
