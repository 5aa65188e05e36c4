#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#else
import Glibc
#endif

/// The program that shows long output a screen at a time.
///
/// It gets all output; `less`, with the options that it is given here, leaves at once when
/// everything fits on the screen. Until it has ended, Ctrl-C is its affair and not this program's.
package final class Pager {
  private static let hint = "set HISTCTL_PAGER to an installed program, or use --no-pager"

  /// Takes what the pager is to show.
  package let output: OutputWriter

  private let command: PagerCommand
  private let process: ChildProcess
  private let interrupts: Signals.Disposition
  private let diagnostics: DiagnosticWriter?
  private var isFinished = false

  private init(
    command: PagerCommand, process: ChildProcess, input: Int32, diagnostics: DiagnosticWriter?
  ) {
    self.command = command
    self.process = process
    self.diagnostics = diagnostics
    interrupts = Signals.suspendInterrupts()
    output = OutputWriter(descriptor: input, ownership: .owned)
  }

  /// Calls `body` with the writer for standard output or, where one is wanted and can be had, for
  /// a pager; then flushes and waits for the pager.
  ///
  /// What was written before an error is shown, then the error is thrown.
  ///
  /// - Throws: What `body` throws; `OutputError` where output cannot be written. A pager that was
  ///   quit early is `OutputError.closedPipe`, a quiet end.
  package static func withOutput<Result>(
    usesPager: Bool, environment: TerminalEnvironment, diagnostics: DiagnosticWriter? = nil,
    descriptor: Int32 = STDOUT_FILENO, _ body: (OutputWriter) throws -> Result
  ) throws -> Result {
    let pager =
      usesPager
      ? start(environment: environment, diagnostics: diagnostics, descriptor: descriptor) : nil
    let writer = pager?.output ?? OutputWriter(descriptor: descriptor)
    // Somebody is waiting for the first lines, however slowly they are found.
    writer.flushesEachLine = environment.isOutputTerminal
    let result: Result
    do {
      result = try body(writer)
    } catch OutputError.closedPipe {
      // Quit by the user, or never started: only waiting tells.
      try pager?.finish()
      throw OutputError.closedPipe
    } catch {
      // The first error is the one to be told; what closing adds follows from it or is less.
      try? writer.close()
      try? pager?.finish()
      throw error
    }
    if let pager { try pager.finish() } else { try writer.close() }
    return result
  }

  /// Starts the pager that the environment asks for.
  ///
  /// Returns nil where there is to be none, or where it cannot be started; output then goes to
  /// standard output as it is. Only a pager that the user has named is worth a warning.
  package static func start(
    environment: TerminalEnvironment, diagnostics: DiagnosticWriter? = nil,
    descriptor: Int32 = STDOUT_FILENO
  ) -> Pager? {
    guard let command = PagerCommand(environment: environment) else { return nil }
    let searchPath = getenv("PATH").map { String(cString: $0) }
    if command.lacksProgram(searchPath: searchPath) {
      return decline(command, ENOENT, diagnostics)
    }
    guard let pipe = openPipe() else { return decline(command, errno, diagnostics) }
    defer { close(pipe.reading) }
    do throws(ChildProcess.Failure) {
      let process = try ChildProcess(
        command.arguments, variables: command.variables, input: pipe.reading, output: descriptor)
      return Pager(
        command: command, process: process, input: pipe.writing, diagnostics: diagnostics)
    } catch {
      close(pipe.writing)
      return decline(command, error.number, diagnostics)
    }
  }

  /// Hands over what is left, ends the pager's input and waits until the user has quit it.
  ///
  /// - Throws: `OutputError.closedPipe` where the user quit before reading everything;
  ///   `OutputError.failed` where the shell could not start the pager and output is lost.
  package func finish() throws(OutputError) {
    guard !isFinished else { return }
    isFinished = true
    var failure: OutputError?
    do { try output.close() } catch { failure = error }
    let ending = process.wait()
    Signals.restoreInterrupts(interrupts)
    if ending == .exited(127) || ending == .exited(126) {
      diagnostics?.warning(
        "the pager \"\(command.name)\" could not be started, and output is missing",
        hint: Self.hint)
      throw .failed(EPIPE)
    }
    if let failure { throw failure }
  }

  private static func decline(
    _ command: PagerCommand, _ number: Int32, _ diagnostics: DiagnosticWriter?
  ) -> Pager? {
    if command.isChosenByUser {
      let reason = String(cString: strerror(number))
      diagnostics?.warning(
        "cannot start the pager \"\(command.name)\": \(reason)", hint: Self.hint)
    }
    return nil
  }

  /// A pipe that no child inherits by accident: a pager that held its own pipe's writing end
  /// would wait for the end of its input for ever.
  private static func openPipe() -> (reading: Int32, writing: Int32)? {
    var ends: [Int32] = [-1, -1]
    guard pipe(&ends) == 0 else { return nil }
    for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    return (ends[0], ends[1])
  }
}
