import HistoryCoding
import PersistentHistory
import Terminal

/// Writes messages to standard error: as text with a hint, or with `--json` one object a line.
struct Diagnostics {
  private let writer: DiagnosticWriter
  private let text: TerminalText?
  private let writesJSON: Bool
  private let readAnswer: () -> String?

  init(options: OutputOptions, console: Console) {
    self.init(console, writesJSON: options.json, color: options.color, isQuiet: options.quiet)
  }

  /// For mistakes on the command line, whose options could not be parsed.
  init(arguments: [String], console: Console) {
    self.init(
      console, writesJSON: arguments.prefix { $0 != "--" }.contains("--json"), color: .auto,
      isQuiet: false)
  }

  private init(_ console: Console, writesJSON: Bool, color: ColorChoice, isQuiet: Bool) {
    self.writesJSON = writesJSON
    readAnswer = console.readAnswer
    text = console.terminal.isErrorTerminal ? .terminalJSON : nil
    writer = DiagnosticWriter(
      environment: console.terminal, color: color, isQuiet: isQuiet, descriptor: console.errors)
  }

  /// The writer for text, such as progress; `nil` with `--json`.
  var wordWriter: DiagnosticWriter? { writesJSON ? nil : writer }

  /// Reports an error.
  func report(_ failure: Failure) {
    if writesJSON {
      write(failure.json)
    } else {
      writer.error(failure.message, hint: failure.hint)
    }
  }

  /// Reports a problem that does not end the command.
  func warn(_ message: String, kind: String, hint: String? = nil) {
    guard writesJSON else { return writer.warning(message, hint: hint) }
    write(.record("warning", ["kind": kind, "message": message, "hint": hint]))
  }

  /// Explains in text what JSON on standard output contains.
  func explain(_ message: String, hint: String) {
    if !writesJSON { writer.warning(message, hint: hint) }
  }

  /// Writes a note on what an answer lacks, which programs get as a record of their own; unless quiet.
  func note(_ message: String, kind: String, _ members: JSONValue.Members = [:]) {
    guard writesJSON else { return writer.note(message) }
    if !writer.isQuiet {
      write(.record("note", ["kind": kind, "message": message], and: JSONValue.list(of: members)))
    }
  }

  /// Writes a note for people.
  func note(_ message: String) {
    if !writesJSON { writer.note(message) }
  }

  /// Writes a note that names the program, since its subject is not a result; none with `--quiet`.
  func notice(_ message: String) {
    if !writer.isQuiet { writer.notice(message) }
  }

  /// Reports what was done before an error.
  func tell(_ message: String, _ json: JSONValue) {
    if writesJSON { write(json) } else { writer.notice("before that: " + message) }
  }

  /// Writes a record of missing history.
  func record(_ gap: HistoryGap) {
    guard !writer.isQuiet else { return }
    var encoder = TransactionLineEncoder()
    encoder.encode(.gap(gap))
    writer.writeUnescaped(encoder.withUnsafeBytes { String(decoding: $0, as: UTF8.self) })
  }

  /// Asks for confirmation on a terminal; any answer but yes is no.
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
