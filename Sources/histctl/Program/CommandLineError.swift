import ArgumentParser
import HistoryCoding

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

  /// Writes it where it belongs: help and version to standard output, mistakes to standard error.
  func report(_ arguments: [String], _ environment: TerminalEnvironment) -> ExitStatus {
    let text = Histctl.fullMessage(for: error, columns: environment.lineWidth ?? 100)
    guard Histctl.exitCode(for: error) == .success else {
      Diagnostics(arguments: arguments, environment: environment).report(mistake(text))
      return .usage
    }
    do {
      try Pager.withOutput(usesPager: false, environment: environment) { writer in
        try writer.writeLine(HelpText.asAsked(text, arguments: arguments))
      }
      return .success
    } catch OutputError.closedPipe {
      return .success
    } catch {
      let failure = Failure(error)
      Diagnostics(arguments: arguments, environment: environment).report(failure)
      return failure.status
    }
  }

  /// The parser's message without its "Error:", and its usage line as the hint.
  private func mistake(_ text: String) -> Failure {
    let message = Histctl.message(for: error)
    let usage = text.split(separator: "\n").first { $0.hasPrefix("Usage: ") }
    return Failure(
      status: .usage, kind: "usage", message: message,
      hint: usage.map { "usage: " + $0.dropFirst("Usage: ".count) })
  }
}
