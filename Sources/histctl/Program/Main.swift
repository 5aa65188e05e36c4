import ArgumentParser

#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#else
import Glibc
#endif

/// The program: parse, run, and turn whatever happened into one status.
@main
enum Main {
  static func main() {
    StandardDescriptors.openMissing()
    Signals.install()
    exit(run(Array(CommandLine.arguments.dropFirst())).rawValue)
  }

  /// The terminal, looked at once.
  static let environment = TerminalEnvironment.current()

  /// Runs one command line and explains its errors.
  static func run(_ arguments: [String]) -> ExitStatus {
    do {
      try CommandLineBytes.check()
      var command =
        try QuickStart.command(arguments)
        ?? CommandLineParser.parse(HelpText.withLongHelp(arguments))
      try command.run()
      return .success
    } catch let end as EndWithStatus {
      return end.status
    } catch OutputError.closedPipe {
      return .success
    } catch let error where CommandLineError.isOne(error) {
      return CommandLineError(error).report(arguments, environment)
    } catch {
      let failure = Failure(error, of: arguments)
      let diagnostics = Diagnostics(arguments: arguments, environment: environment)
      diagnostics.report(failure)
      if failure.status != .partlyDone { WorkDone.tell(diagnostics) }
      return failure.status
    }
  }
}
