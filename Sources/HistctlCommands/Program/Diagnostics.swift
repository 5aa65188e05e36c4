import HistoryCoding
import PersistentHistory
import Terminal

/// Words on standard error: for people a line with a hint, with `--json` an object a line.
struct Diagnostics {
  private let writer: DiagnosticWriter
  private let text: TerminalText?
  private let writesJSON: Bool
  private let isQuiet: Bool
  private let readAnswer: () -> String?

  init(options: OutputOptions, console: Console) {
    readAnswer = console.readAnswer
    writesJSON = options.json
    isQuiet = options.quiet
    text = console.terminal.isErrorTerminal ? .terminalJSON : nil
    writer = DiagnosticWriter(
      environment: console.terminal, color: options.color, isQuiet: options.quiet,
      descriptor: console.errors)
  }

  /// For errors of the command line, when no options have been understood.
  init(arguments: [String], console: Console) {
    let options = arguments.prefix { $0 != "--" }
    readAnswer = console.readAnswer
    writesJSON = options.contains("--json")
    isQuiet = false
    text = console.terminal.isErrorTerminal ? .terminalJSON : nil
    writer = DiagnosticWriter(
      environment: console.terminal, color: Diagnostics.color(options), descriptor: console.errors)
  }

  /// The value of `--color`, in either of its spellings.
  private static func color(_ options: ArraySlice<String>) -> ColorChoice {
    let name = "--color"
    let values = options.indices.compactMap { place -> String? in
      if options[place].hasPrefix(name + "=") {
        return String(options[place].dropFirst(name.count + 1))
      }
      return options[place] == name && place + 1 < options.endIndex ? options[place + 1] : nil
    }
    return values.last.flatMap(ColorChoice.init) ?? .auto
  }

  /// The writer for words of parts that know nothing of JSON; nil where they must keep silent.
  var wordWriter: DiagnosticWriter? { writesJSON ? nil : writer }

  /// Tells of an error.
  func report(_ failure: Failure) {
    if writesJSON {
      write(failure.json)
    } else {
      writer.error(failure.message, hint: failure.hint)
    }
  }

  /// Tells of something that a person should know although the command goes on.
  func warn(_ message: String, kind: String, hint: String? = nil) {
    guard writesJSON else {
      writer.warning(message, hint: hint)
      return
    }
    var members =
      JSONMembers.start("warning") + [("kind", .string(kind)), ("message", .string(message))]
    if let hint { members.append(("hint", .string(hint))) }
    write(.object(JSONObject(members)))
  }

  /// Explains an answer that standard output gives in a word.
  func explain(_ message: String, hint: String) {
    if !writesJSON { writer.warning(message, hint: hint) }
  }

  /// Tells a person at a terminal something that no script needs.
  func note(_ message: String) {
    if !writesJSON { writer.note(message) }
  }

  /// Tells of something that an answer cannot be understood without, also with `--quiet`.
  func notice(_ message: String) { writer.notice(message) }

  /// Tells what was done before an error, in words or as an object.
  func tell(_ message: String, _ json: JSONValue) {
    if writesJSON { write(json) } else { writer.notice("before that: " + message) }
  }

  /// Tells programs that history is missing.
  func record(_ gap: HistoryGap) {
    var encoder = TransactionLineEncoder()
    encoder.encode(.gap(gap))
    writer.writeUnescaped(encoder.withUnsafeBytes { String(decoding: $0, as: UTF8.self) })
  }

  /// Asks a person at a terminal; anything but yes is no.
  func ask(_ question: String) -> Bool {
    writer.ask(question)
    let answer = readAnswer()?.lowercased().filter { !$0.isWhitespace }
    return answer == "y" || answer == "yes"
  }

  private func write(_ json: JSONValue) {
    var line = JSONWriter()
    line.append(json)
    let words = String(decoding: line.bytes, as: UTF8.self)
    writer.writeUnescaped((text?.escaped(words) ?? words) + "\n")
  }
}
