/// The command line as the argument parser describes it with `--experimental-dump-help`.
///
/// The parser calls the format experimental, so only the version that is known is read.
struct ToolDump: Decodable {
  /// The version of the format that this program reads.
  static let knownVersion = 0

  let serializationVersion: Int
  let command: Command
}

/// A row of the table that `histctl dump-exit-statuses` writes.
struct ExitStatusEntry: Decodable {
  let status: Int
  let meaning: String
}

/// One command of the dump.
struct Command: Decodable {
  let commandName: String
  let superCommands: [String]?
  private let shouldDisplay: Bool?
  private let abstract: String?
  private let dumpedSubcommands: [Command]?
  private let dumpedArguments: [Argument]?

  private enum CodingKeys: String, CodingKey {
    case commandName, superCommands, shouldDisplay, abstract
    case dumpedSubcommands = "subcommands"
    case dumpedArguments = "arguments"
  }

  /// The words that call it, the program's name first.
  var path: [String] { (superCommands ?? []) + [commandName] }
  /// The name of its manual page.
  var pageName: String { path.joined(separator: "-") }
  /// Its options, flags and positional arguments, without hidden ones.
  var arguments: [Argument] { (dumpedArguments ?? []).filter(\.shouldDisplay) }
  /// The commands below it, without hidden ones and the parser's own command for help.
  var subcommands: [Command] {
    (dumpedSubcommands ?? []).filter { $0.shouldDisplay ?? true && $0.commandName != "help" }
  }
  /// Itself and every command below it.
  var all: [Command] { [self] + subcommands.flatMap(\.all) }
  /// Itself if no command is below it, else the last commands of every branch.
  var leaves: [Command] { subcommands.isEmpty ? [self] : subcommands.flatMap(\.leaves) }

  /// What it does, in one sentence.
  func summary() throws -> String {
    guard let abstract, !abstract.isEmpty else {
      throw GeneratorError("\(path.joined(separator: " ")) has no abstract; give it one sentence")
    }
    return abstract
  }
}

/// One option, flag or positional argument of the dump.
struct Argument: Decodable {
  enum Kind: String, Decodable {
    case positional, option, flag
  }

  struct Name: Decodable, Equatable {
    enum Kind: String, Decodable {
      case long, short, longWithSingleDash
    }

    let kind: Kind
    let name: String

    /// The name as it is typed.
    var typed: String { (kind == .long ? "--" : "-") + name }
  }

  let kind: Kind
  let shouldDisplay: Bool
  let sectionTitle: String?
  let isOptional: Bool
  let isRepeating: Bool
  let valueName: String?
  let abstract: String?
  private let names: [Name]?
  private let preferredName: Name?
  private let defaultValue: String?
  private let allValues: [String]?

  /// The names as they are typed, short ones first and the preferred long one last; empty for a
  /// positional argument.
  var typedNames: [String] {
    let preferred = preferredName.flatMap { $0.kind == .long ? $0.typed : nil }
    return (names ?? []).map(\.typed).sorted {
      ($0 == preferred ? 1 : 0, $0.count, $0) < ($1 == preferred ? 1 : 0, $1.count, $1)
    }
  }

  /// The placeholder of the value.
  var value: String { valueName ?? "value" }
  /// The name under which fragments explain it.
  var explanationName: String { typedNames.last ?? "<\(value)>" }
  /// The values that it allows; empty for any.
  var allowedValues: [String] { kind == .flag ? [] : allValues ?? [] }
  /// The default value.
  var shownDefault: String? {
    guard kind != .flag, let defaultValue else { return nil }
    // `5.0` is shown as `5`.
    let isWhole = defaultValue.hasSuffix(".0") && defaultValue.first?.isNumber == true
    return isWhole ? String(defaultValue.dropLast(2)) : defaultValue
  }
}
