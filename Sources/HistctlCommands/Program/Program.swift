import ArgumentParser
import DurableFiles
import HistoryCoding
import HistoryOperations
import Libc
import PersistentHistory
import StoreFormat
import Terminal

/// The program: parses, runs, and turns the outcome into one status.
package enum Program {
  /// Runs the command line that the system passes, whose words need not be text.
  package static func run(
    systemArguments: UnsafeBufferPointer<UnsafeMutablePointer<CChar>?>, _ console: Console
  ) -> ExitStatus {
    // Swift reads them from /proc on Linux. A program is always given its name at least.
    guard !systemArguments.isEmpty else {
      let failure = Failure(
        .unreadable, "cannot read the command line: /proc is missing",
        hint: "mount it with: mount -t proc proc /proc")
      Diagnostics(arguments: [], console: console).report(failure)
      return failure.status
    }
    let words = systemArguments.dropFirst().compactMap { $0 }
    // All are known before one is refused: a later one may ask for JSON.
    let arguments = words.map { String(cString: $0) }
    guard let word = words.first(where: { String(validatingCString: $0) == nil }) else {
      return run(arguments, console)
    }
    // Converted to text, it would name another file, or none.
    let bytes = Array(UnsafeRawBufferPointer(start: word, count: strlen(word)))
    let failure = Failure(
      .usage, "the argument '\(EscapedBytes.text(bytes))' is not UTF-8",
      hint:
        "rename the file, or give it a second name with ln -s; \\x and two digits stand for a byte "
        + "of another encoding")
    Diagnostics(arguments: arguments, console: console).report(failure)
    return failure.status
  }

  /// Runs one command line and explains its errors.
  package static func run(_ arguments: [String], _ console: Console) -> ExitStatus {
    var command: (any HistctlCommand)?
    let status = run(arguments, console, &command)
    let remains = TemporaryFiles.takeRemains()
    for problem in remains {
      diagnostics(of: command, arguments, console).report(
        Failure(
          .notRemoved, "cannot remove \(problem.path): \(problem.reason)",
          hint: "everything else is done; delete it, or run the command again"))
    }
    return status == .success && !remains.isEmpty ? .partlyDone : status
  }

  private static func diagnostics(
    of command: (any HistctlCommand)?, _ arguments: [String], _ console: Console
  ) -> Diagnostics {
    command.map { Diagnostics(options: $0.output, console: console) }
      ?? Diagnostics(arguments: arguments, console: console)
  }

  private static func run(
    _ arguments: [String], _ console: Console, _ command: inout (any HistctlCommand)?
  ) -> ExitStatus {
    do {
      var parsed = try Completion.$console.withValue(console) {
        try CommandLineParser.parse(arguments)
      }
      command = parsed as? any HistctlCommand
      guard let command else {
        try parsed.run()
        return .success
      }
      let session = Session(command.output, console, outlivesReader: command.outlivesReader)
      try TimeText.$isPrecise.withValue(command.output.preciseTimes) {
        let copies = try (command as? any ReadingCommand)?.copies.folder()
        var unpacker: WorkingCopies.Unpacker?
        if command is any SourceReadingCommand { unpacker = ContainedStores.unpack }
        try WorkingCopies.reading(in: copies, unpackingWith: unpacker) {
          try Cancellation.$current.withValue(Cancellation.current ?? .bySignal()) {
            try command.run(session)
          }
        }
      }
      return session.status
    } catch let end as EndWithStatus {
      return end.status
    } catch OutputError.closedPipe {
      return .success
    } catch let error where CommandLineParser.isOwn(error) {
      return CommandLineParser.report(error, of: arguments, console)
    } catch {
      let options = command?.output
      var failure = Failure(
        error, time: TimeText(style: options?.date ?? .local, now: console.now).text)
      if case HistoryError.unusableToken(let token) = error, let command {
        failure.hint = command.remedy(for: token)
      }
      let diagnostics = diagnostics(of: command, arguments, console)
      diagnostics.report(failure)
      if failure.status != .partlyDone { console.workDone.tell(after: failure, diagnostics) }
      return failure.status
    }
  }
}

/// A command of histctl: a function of its arguments and a session, which has the status that it ends with.
protocol HistctlCommand: ParsableCommand {
  /// How it writes; `nil` for a command that only other programs run.
  var output: OutputOptions { get }

  /// Whether it continues when the reader of its output has gone, as commands that change something must.
  var outlivesReader: Bool { get }
  /// Does what the command line asks for.
  func run(_ session: Session) throws

  /// Returns the remedy for one of its tokens that does not work.
  func remedy(for token: UnusableToken) -> String
}

/// A command that only reads the stores that it is given, so that these may be in backups and archives.
protocol SourceReadingCommand: HistctlCommand {}

/// A command that reads stores and changes none, so that it can read copies of them.
protocol ReadingCommand: SourceReadingCommand {
  /// Whether it reads copies.
  var copies: PrivateCopyOptions { get }
}

extension HistctlCommand {
  var outlivesReader: Bool { false }

  func remedy(for token: UnusableToken) -> String { token.remedyWithReach }
}
