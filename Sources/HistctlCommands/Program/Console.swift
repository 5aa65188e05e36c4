import PersistentHistory
import StoreFormat
import Terminal

/// The environment of one run: its streams, terminal, clock and user.
package struct Console: Sendable {
  /// The properties of the terminal.
  var terminal: TerminalEnvironment
  /// The descriptors of standard output and standard error.
  package var output: Int32
  package var errors: Int32
  /// The descriptor of standard input, for a command that reads it as it comes; -1 for none.
  package var input: Int32
  /// The start of the run, from which relative times are counted.
  package var now: StoreTimestamp
  /// The name by which the program was called, with which printed commands begin.
  var programName: String
  /// The user's home folder, for `~` in paths.
  package var homeFolder: String?
  /// Reads a line from standard input; returns `nil` at its end.
  var readAnswer: @Sendable () -> String?
  /// Ends the program with status 0 after it has computed for some milliseconds.
  var endQuietly: @Sendable (_ afterMilliseconds: Int) -> Void
  /// Opens a file in the program that shows it; returns `false` if there is none.
  var openFile: @Sendable (String) -> Bool
  /// What the command has done so far, to report after an interruption.
  let workDone: WorkDone

  package init(
    terminal: TerminalEnvironment, output: Int32, errors: Int32, input: Int32 = -1,
    now: StoreTimestamp = .now(),
    programName: String = "histctl", homeFolder: String? = nil,
    readAnswer: @escaping @Sendable () -> String? = { nil },
    endQuietly: @escaping @Sendable (_ afterMilliseconds: Int) -> Void = { _ in },
    openFile: @escaping @Sendable (String) -> Bool = { _ in false },
    workDone: WorkDone = WorkDone()
  ) {
    self.terminal = terminal
    self.output = output
    self.errors = errors
    self.input = input
    self.now = now
    self.programName = programName
    self.homeFolder = homeFolder
    self.readAnswer = readAnswer
    self.endQuietly = endQuietly
    self.openFile = openFile
    self.workDone = workDone
  }

  /// Writes to standard output, without a pager.
  func write(_ body: (OutputWriter) throws -> Void) throws {
    try Pager.withOutput(usesPager: false, environment: terminal, descriptor: output, body)
  }
}
