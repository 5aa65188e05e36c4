/// The command line as the argument parser describes it with `--experimental-dump-help`.
///
/// The parser calls the form experimental, so it is read only in the version that is known.
struct ToolDump: Decodable {
  /// The version of the form that this program reads.
  static let knownVersion = 0

  let serializationVersion: Int
  let command: CommandDump
}

/// One command of the dump.
struct CommandDump: Decodable {
  let commandName: String
  let abstract: String?
  let shouldDisplay: Bool?
  let subcommands: [CommandDump]?
  let arguments: [ArgumentDump]?
}

/// One option, flag or positional argument of the dump.
struct ArgumentDump: Decodable {
  /// What an argument is.
  enum Kind: String, Decodable {
    case positional, option, flag
  }

  /// One of the names of an option.
  struct Name: Decodable {
    /// How a name is written.
    enum Kind: String, Decodable {
      case long, short, longWithSingleDash
    }

    let kind: Kind
    let name: String

    /// The name as it is typed.
    var typed: String { (kind == .long ? "--" : "-") + name }
  }

  /// How the value is completed; whatever is not files or folders is found out otherwise.
  struct CompletionKind: Decodable {
    struct Parameters: Decodable {}

    let file: Parameters?
    let directory: Parameters?
  }

  let kind: Kind
  let shouldDisplay: Bool
  let sectionTitle: String?
  let isOptional: Bool
  let isRepeating: Bool
  let names: [Name]?
  /// The name by which the program calls the option itself.
  let preferredName: Name?
  let valueName: String?
  let defaultValue: String?
  let allValues: [String]?
  let completionKind: CompletionKind?
  let abstract: String?
}
