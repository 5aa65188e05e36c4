import ArgumentParser
import DurableFiles
import HistoryCoding
import PersistentHistory

/// A tool: a command, and those of its arguments that a client may give.
///
/// Only what is listed here reaches a command, so that none can write, or read other files.
struct MCPTool: Sendable {
  /// The kind of an argument's value.
  enum Form {
    /// A text without a further meaning here, or a flag.
    case text
    /// A token, which must not be in a file.
    case token
    /// The path of a file that may be read.
    case path
    /// A number in a range, with a default.
    case count(ClosedRange<Int64>, usual: Int64)
  }

  typealias Argument = (name: String, form: Form)

  let command: any ParsableCommand.Type
  /// The words of the command line.
  let words: [String]
  /// The arguments without a name on the command line, in their order there.
  let positionals: [Argument]
  /// The arguments whose name is that of the option.
  let options: [Argument]
  /// The statuses of an answer that has lines; every other one but 0 is an error.
  let answers: Set<ExitStatus>

  var name: String { words.joined(separator: "_") }

  private init(
    _ command: any ParsableCommand.Type, _ words: String..., positionals: [Argument],
    options: [Argument], answers: Set<ExitStatus> = [.answerIsNo]
  ) {
    (self.command, self.words, self.positionals, self.options, self.answers) =
      (command, words, positionals, options, answers)
  }

  // MARK: - The table

  static let all = [
    MCPTool(
      Find.self, "find", positionals: [("paths", .path)],
      options: texts("with-history", "changed-after")),
    MCPTool(
      Info.self, "info", positionals: [store], options: texts("model", "entity", "all")),
    MCPTool(
      Log.self, "log", positionals: [store],
      options: [(limit, .count(1...1000, usual: 50))] + range + authors + conditions
        + texts("value", "only-matching", "reverse") + archive),
    MCPTool(
      Show.self, "show", positionals: [store, ("token", .token)], options: archive),
    MCPTool(
      Diff.self, "diff", positionals: [store, ("start", .token), ("end", .token)],
      options: [("with", .path)] + texts("values", "stat", "each") + authors + conditions + archive),
    MCPTool(
      Object.self, "object", positionals: [store, ("object", .text)],
      options: range + authors + texts("kind", "attribute") + archive),
    MCPTool(
      Blame.self, "blame", positionals: [store, ("object", .text)],
      options: [("at", .token)] + texts("attribute") + archive),
    MCPTool(
      Recover.self, "recover", positionals: [store, ("objects", .text)],
      options: [("transaction", .token)] + archive),
    MCPTool(
      Stats.self, "stats", positionals: [store],
      options: texts("by", "weekdays", "sessions", "until-size")
        + [("top", .count(1...1000, usual: 10))] + range + authors + conditions + archive),
    MCPTool(
      TokenCheck.self, "token", "check", positionals: [store, ("tokens", .token)], options: archive),
    MCPTool(
      BookmarkCheck.self, "bookmark", "check", positionals: [store, ("bookmarks", .text)],
      options: texts("max-behind", "keep-within", "keep-last")),
    MCPTool(
      Verify.self, "verify", positionals: [store],
      options: texts("full") + [("archive", .path)], answers: [.answerIsNo, .damaged]),
  ]

  /// The argument with the number of transactions of `log`.
  static let limit = "limit"

  fileprivate static let store: Argument = ("store", .path)
  private static let range: [Argument] = [("after", .token), ("until", .token), ("range", .token)]
  private static let authors = texts("author", "not-author", "no-author", "bundle", "process")
  private static let conditions = texts("entity", "exact-entity", "kind", "object", "attribute")
  private static let archive: [Argument] = [("archive", .path)] + texts("store-identifier")

  private static func texts(_ names: String...) -> [Argument] { names.map { ($0, .text) } }
}

/// An argument of a tool, as the argument parser describes it.
struct MCPArgument: Sendable {
  /// Its name for clients.
  let name: String
  let form: MCPTool.Form
  /// How the command line names it; `nil` for a positional argument.
  let option: String?
  let isFlag: Bool
  let isList: Bool
  let isRequired: Bool
  let choices: [JSONValue]
  let help: String

  /// The arguments of a tool: the positional ones, in their order, then options.
  ///
  /// Reads the description that the parser writes of a command for other programs.
  static func list(of tool: MCPTool) -> [MCPArgument] {
    let all = CommandDescription.arguments(of: tool.command)
    let unnamed = all.filter { $0["kind"] == "positional" }
    let positionals = zip(tool.positionals, unnamed).map { argument, description in
      MCPArgument(argument.name, argument.form, option: nil, description)
    }
    return positionals
      + tool.options.compactMap { name, form in
        // A single letter would not explain the argument.
        let (known, option) = name == MCPTool.limit ? ("n", "-n") : (name, "--" + name)
        let description = all.first { $0["preferredName"]?["name"] == .string(known) }
        return description.map { MCPArgument(name, form, option: option, $0) }
      }
  }

  private init(_ name: String, _ form: MCPTool.Form, option: String?, _ description: JSONValue) {
    self.name = name.replacing("-", with: "_")
    self.form = form
    self.option = option
    isFlag = description["kind"] == "flag"
    isList = description["isRepeating"] == true
    isRequired = description["isOptional"] == false || name == MCPTool.store.name
    if case .array(let values) = description["allValues"] ?? .null {
      choices = values
    } else {
      choices = []
    }
    help = description["abstract"]?.text ?? ""
  }

  /// The JSON Schema of its value.
  func schema(_ paths: ServedPaths) -> JSONValue {
    var help = help
    var schema: JSONObject
    switch form {
    case .text: schema = isFlag ? ["type": "boolean"] : ["type": "string"]
    case .token:
      help +=
        " A token is 57, STORE:57, first, last, last~3, 2026-11-01, 2w, yesterday or @bookmark."
      schema = ["type": "string"]
    case .path:
      help += " It must be in \(paths.list)."
      schema = ["type": "string"]
    case .count(let range, let usual):
      schema = ["type": "integer", "minimum": .integer(range.lowerBound)]
      schema["maximum"] = .integer(range.upperBound)
      schema["default"] = .integer(usual)
    }
    if !choices.isEmpty { schema["enum"] = .array(choices) }
    if isList {
      schema = [
        "type": name == MCPTool.store.name ? ["string", "array"] : "array",
        "items": .object(schema),
      ]
    }
    schema["description"] = .string(help)
    return .object(schema)
  }

  // MARK: - The command line

  /// Returns the texts that a client gives for it; none for a flag that is not set.
  ///
  /// - Throws: ``Failure`` for a value of another type, and for what may not be read.
  func texts(_ value: JSONValue, _ paths: ServedPaths) throws(Failure) -> [String] {
    switch (form, value) {
    case (_, .boolean(let isSet)) where isFlag: return isSet ? [""] : []
    case (.count(let range, _), .integer(let number)) where range.contains(number):
      return ["\(number)"]
    case (.count(let range, _), _):
      throw Self.mistake("\(name) must be a number from \(range.lowerBound) to \(range.upperBound)")
    case (_, .array(let values)) where isList:
      var texts: [String] = []
      for value in values { texts.append(try text(value, paths)) }
      return texts
    default: return [try text(value, paths)]
    }
  }

  private func text(_ value: JSONValue, _ paths: ServedPaths) throws(Failure) -> String {
    guard let text = value.text, !isFlag, !text.utf8.contains(0) else {
      throw Self.mistake(
        "\(name) must be \(isFlag ? "true or false" : isList ? "an array of texts" : "a text")")
    }
    switch form {
    case .path: return try paths.path(text)
    case .token where Self.mayBePath(text):
      throw Failure(
        .refusedPath, "'\(text)' may not be read: it is a path in the place of a token",
        hint: "give a token, such as 57, a time or @bookmark")
    case .token where Self.mayNameFile(text):
      throw Failure(
        .refusedPath, "'\(text)' may not be read: it is a token in a file",
        hint: "give the content of the file")
    default: return text
    }
  }

  /// Whether a token, or one of a range, may be in a file: its path comes after an @, and has a slash
  /// or begins with a dash for standard input. Other tokens never do.
  private static func mayNameFile(_ text: String) -> Bool {
    // Bytes, because a combining mark after an @ makes another character, but names the same file.
    let signs = text.utf8.drop { $0 != UInt8(ascii: "@") }
    return !signs.isEmpty
      && (signs.contains(UInt8(ascii: "/"))
        || zip(signs, signs.dropFirst()).contains {
          $0 == UInt8(ascii: "@") && $1 == UInt8(ascii: "-")
        })
  }

  /// Whether a command could take a text for the path of another store.
  private static func mayBePath(_ text: String) -> Bool {
    (try? TokenExpression(text, now: .now())) == nil
      && ((try? TokenRange.parse(text, now: .now())) ?? nil) == nil
      && (text.contains("/") || (try? FileStatus(path: text)) != nil)
  }

  static func mistake(_ message: String, hint: String? = nil) -> Failure {
    Failure(
      .usage, message,
      hint: hint ?? "the input schema of the tool lists its arguments")
  }
}

extension JSONValue {
  /// The value of a key; `nil` for other values than objects.
  subscript(key: String) -> JSONValue? {
    if case .object(let object) = self { object[key] } else { nil }
  }
}
