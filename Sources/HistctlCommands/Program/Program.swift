import ArgumentParser
import Terminal

/// The program: parse, run, and turn whatever happened into one status.
package enum Program {
  /// Runs one command line and explains its errors.
  package static func run(_ arguments: [String], _ console: Console) -> ExitStatus {
    do {
      var command = try CommandLineParser.parse(HelpText.withLongHelp(arguments))
      if let command = command as? any HistctlCommand {
        try command.run(console)
      } else {
        try command.run()
      }
      return .success
    } catch let end as EndWithStatus {
      return end.status
    } catch OutputError.closedPipe {
      return .success
    } catch let error where CommandLineError.isOne(error) {
      return CommandLineError(error).report(arguments, console)
    } catch {
      return report(error, of: arguments, console)
    }
  }

  /// Explains an error that has ended a command line.
  package static func report(
    _ error: any Error, of arguments: [String], _ console: Console
  ) -> ExitStatus {
    let failure = Failure(error, of: arguments, now: console.now)
    let diagnostics = Diagnostics(arguments: arguments, console: console)
    diagnostics.report(failure)
    if failure.status != .partlyDone { console.workDone.tell(diagnostics) }
    return failure.status
  }
}

/// A command of histctl: a function of its arguments and a console.
protocol HistctlCommand: ParsableCommand {
  /// Does what the command line asks for.
  func run(_ console: Console) throws
}
