/// A command that people see: its words, its arguments and the commands below it.
struct Command {
  /// The words that call it, the program's name first.
  let path: [String]
  /// What it does, in one sentence.
  let abstract: String
  /// Its options, flags and positional arguments, without hidden ones.
  let arguments: [Argument]
  /// The commands below it, without hidden ones.
  let subcommands: [Command]

  /// The words with blanks between them.
  var name: String { path.joined(separator: " ") }
  /// The name of its manual page.
  var pageName: String { path.joined(separator: "-") }
  /// Itself and everything below it.
  var all: [Command] { [self] + subcommands.flatMap(\.all) }
  /// Itself if nothing is below it, else the last commands of every branch.
  var leaves: [Command] { subcommands.isEmpty ? [self] : subcommands.flatMap(\.leaves) }

  /// Takes over a command of the dump; nil for one that people do not see.
  init?(_ dump: CommandDump, parents: [String] = []) throws {
    // The parser adds a command for help of its own, which --help and these pages make needless.
    guard dump.shouldDisplay ?? true, parents.isEmpty || dump.commandName != "help" else {
      return nil
    }
    let path = parents + [dump.commandName]
    self.path = path
    guard let abstract = dump.abstract, !abstract.isEmpty else {
      throw GeneratorError("\(path.joined(separator: " ")) has no abstract; give it one sentence")
    }
    self.abstract = abstract
    arguments = (dump.arguments ?? []).compactMap(Argument.init)
    subcommands = try (dump.subcommands ?? []).compactMap { try Command($0, parents: path) }
  }
}

/// An option, a flag or a positional argument that people see.
struct Argument {
  /// What it is.
  let kind: ArgumentDump.Kind
  /// The names as they are typed, short ones first and the preferred long one last; empty for a positional
  /// argument.
  let names: [String]
  /// The word that stands for the value.
  let valueName: String
  /// The title of the section that it belongs to; nil for the general one.
  let section: String?
  /// What it does, in one sentence or two.
  let abstract: String
  /// Whether it can be left out.
  let isOptional: Bool
  /// Whether it can be given several times.
  let isRepeating: Bool
  /// The values that it allows; empty for any.
  let allowedValues: [String]
  /// The value that holds when it is left out.
  let defaultValue: String?
  /// Whether the value is a file.
  let isFile: Bool
  /// Whether the value is a folder.
  let isFolder: Bool

  init?(_ dump: ArgumentDump) {
    guard dump.shouldDisplay else { return nil }
    kind = dump.kind
    let preferred = dump.preferredName.flatMap { $0.kind == .long ? $0.typed : nil }
    names =
      (dump.names ?? []).map(\.typed).filter { $0 != preferred }
      .sorted { ($0.count, $0) < ($1.count, $1) } + (preferred.map { [$0] } ?? [])
    valueName = dump.valueName ?? "value"
    section = dump.sectionTitle
    abstract = dump.abstract ?? ""
    isOptional = dump.isOptional
    isRepeating = dump.isRepeating
    allowedValues = dump.kind == .flag ? [] : dump.allValues ?? []
    defaultValue = dump.kind == .flag ? nil : dump.defaultValue.map(Self.withoutIdleFraction)
    isFile = dump.completionKind?.file != nil
    isFolder = dump.completionKind?.directory != nil
  }

  /// The name under which fragments explain it.
  var explanationName: String { names.last ?? "<\(valueName)>" }
  /// Whether every command has it, so that it goes without saying in a synopsis.
  var isUniversal: Bool { names.contains("--help") || names.contains("--version") }

  /// `5.0` says no more than `5`.
  private static func withoutIdleFraction(_ text: String) -> String {
    guard text.hasSuffix(".0"), let first = text.first, first.isNumber else { return text }
    return String(text.dropLast(2))
  }
}
