/// What a shell needs to know of one command to complete it.
struct CompletionTable {
  /// How a value is completed.
  enum Value {
    /// A flag has none.
    case none
    /// Anything.
    case free
    case file
    case folder
    /// One of some words.
    case words([String])
    /// What the store on the command line has of this kind.
    case store(String)
  }

  /// An option or an argument.
  struct Entry {
    /// The name as it is typed, or the name of an argument's value.
    let name: String
    let value: Value
    let description: String
    /// Whether an argument takes all the words that follow.
    let isRepeating: Bool

    /// The entry as one field of a table: name, kind, words and description with colons between.
    var field: String { "\(fieldWithoutDescription):\(description)" }

    /// The same for shells that show no descriptions.
    var fieldWithoutDescription: String {
      switch value {
      case .none: "\(name):none:"
      case .free: "\(name):free:"
      case .file: "\(name):file:"
      case .folder: "\(name):folder:"
      case .words(let words): "\(name):words:\(words.joined(separator: " "))"
      case .store(let kind): "\(name):store:\(kind)"
      }
    }
  }

  /// The words that call the command, with blanks between.
  let name: String
  /// The commands below it and what they do.
  let commands: [(name: String, description: String)]
  /// One entry for every name of every option.
  let options: [Entry]
  /// The positional arguments in order.
  let arguments: [Entry]

  /// The table of a command.
  ///
  /// - Parameter storeKinds: The names of values that a store can be asked for.
  init(_ command: Command, storeKinds: [String]) throws {
    name = command.name
    commands = command.subcommands.map { ($0.path.last ?? "", Self.short($0.abstract)) }
    func entry(_ name: String, _ argument: Argument) throws -> Entry {
      let value = try Self.value(argument, storeKinds)
      return Entry(
        name: name, value: value, description: Self.short(argument.abstract),
        isRepeating: argument.isRepeating)
    }
    options = try command.arguments.filter { $0.kind != .positional }.flatMap { argument in
      try argument.names.map { try entry($0, argument) }
    }
    arguments = try command.arguments.filter { $0.kind == .positional }.map {
      try entry($0.valueName, $0)
    }
    // Words stand between quotes in three shells, and fields between colons.
    let words = commands.map(\.name) + options.map(\.name) + arguments.map(\.name)
    for word in words + command.arguments.flatMap(\.allowedValues) where !Self.isPlain(word) {
      throw GeneratorError(
        "\(name): '\(word)' cannot be completed; use ASCII letters, digits, '.', '_' and '-'")
    }
  }

  private static func value(_ argument: Argument, _ storeKinds: [String]) throws -> Value {
    if argument.kind == .flag { return .none }
    if !argument.allowedValues.isEmpty { return .words(argument.allowedValues) }
    if argument.isFile { return .file }
    if argument.isFolder { return .folder }
    return storeKinds.contains(argument.valueName) ? .store(argument.valueName) : .free
  }

  /// The first sentence without its full stop, on one line.
  private static func short(_ text: String) -> String {
    let line = text.split(whereSeparator: \.isWhitespace).joined(separator: " ")
    let sentence = line.ranges(of: ". ").first.map { line[..<$0.lowerBound] } ?? line[...]
    return String(sentence.hasSuffix(".") ? sentence.dropLast() : sentence)
  }

  private static func isPlain(_ word: String) -> Bool {
    !word.isEmpty
      && word.utf8.allSatisfy { byte in
        (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
          || (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20)
          || ".-_".utf8.contains(byte)
      }
  }
}

extension String {
  /// The text as one word of bash or zsh.
  var quotedForShell: String {
    "'" + split(separator: "'", omittingEmptySubsequences: false).joined(separator: #"'\''"#) + "'"
  }

  /// The text as one word of fish.
  var quotedForFish: String {
    "'"
      + map { $0 == "'" || $0 == "\\" ? "\\\($0)" : String($0) }.joined() + "'"
  }
}
