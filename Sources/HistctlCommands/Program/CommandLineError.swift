import ArgumentParser
import HistoryCoding
import PersistentHistory
import Terminal

/// What the argument parser has to say: help, the version, or what is wrong with the command line.
struct CommandLineError {
  private let error: any Error

  init(_ error: any Error) { self.error = error }

  /// Whether an error is the parser's own.
  static func isOne(_ error: any Error) -> Bool {
    !(error is Failure) && !Histctl.fullMessage(for: error).isEmpty
      && (Histctl.exitCode(for: error) == .success
        || Histctl.exitCode(for: error) == .validationFailure)
  }

  /// Whether an error is about an option that the parser does not know.
  static func isUnknownOption(_ error: any Error) -> Bool {
    Histctl.message(for: error).hasPrefix("Unknown option ")
  }

  /// Writes it where it belongs: help and version to standard output, mistakes to standard error.
  func report(_ arguments: [String], _ console: Console) -> ExitStatus {
    let text = Histctl.fullMessage(for: error, columns: console.terminal.lineWidth ?? 100)
    guard Histctl.exitCode(for: error) == .success else {
      Diagnostics(arguments: arguments, console: console).report(mistake(text, arguments))
      return .usage
    }
    do {
      try console.write { writer in
        try writer.writeLine(HelpText.asAsked(text, arguments: arguments))
      }
      return .success
    } catch OutputError.closedPipe {
      return .success
    } catch {
      let failure = Failure(error)
      Diagnostics(arguments: arguments, console: console).report(failure)
      return failure.status
    }
  }

  /// The option that the parser found without a value, and the word behind it that was meant as one.
  private static func valueWithDash(
    _ message: String, _ arguments: [String]
  ) -> (option: String, value: String)? {
    guard let match = message.firstMatch(of: /^Missing value for '(-[^ '<]+)/) else { return nil }
    let option = String(match.1)
    for (word, next) in zip(arguments, arguments.dropFirst())
    where word == option && next.wholeMatch(of: /-[0-9.].*/) != nil {
      return (option, ShellWord.quoted(next))
    }
    return nil
  }

  /// The message without a suggestion that nobody can have meant: by the parser's measure every short
  /// option is near to every other.
  private static func withoutFarSuggestion(_ message: String) -> String {
    guard
      let match = message.firstMatch(of: /^(Unknown option '-*(.+)')\. Did you mean '-*(.+)'\?$/),
      !RangeSlips.suggestions.contains(String(match.3)),
      NearNames.of(String(match.2), in: [String(match.3)]).isEmpty
    else { return message }
    return String(match.1)
  }

  /// The parser's message without its "Error:", and its usage line as the hint.
  private func mistake(_ text: String, _ arguments: [String]) -> Failure {
    let message = Self.withoutFarSuggestion(Histctl.message(for: error))
    let usage = text.split(separator: "\n").first { $0.hasPrefix("Usage: ") }
    if let (option, value) = Self.valueWithDash(message, arguments) {
      return Failure(
        status: .usage, kind: "usage",
        message: "\(message); '\(value)' behind it begins with a dash, as an option does",
        hint: "give a value without a dash, or join it to the option: \(option)=\(value)")
    }
    return Failure(
      status: .usage, kind: "usage", message: message,
      hint: usage.map { "usage: " + $0.dropFirst("Usage: ".count) })
  }
}
