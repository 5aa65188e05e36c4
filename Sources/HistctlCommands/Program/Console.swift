import PersistentHistory
import StoreFormat
import Terminal

/// The surroundings of one run: where it writes, and what it knows of the terminal, the time and the
/// user.
package struct Console {
  /// What is known of the terminal.
  package var terminal: TerminalEnvironment
  /// The descriptors of standard output and standard error.
  package var output: Int32
  package var errors: Int32
  /// The moment at which the run begins; relative times are counted from it.
  package var now: StoreTimestamp
  /// The word that called the program, so that commands that are printed work when they are pasted.
  package var programName: String
  /// The user's folder, which `~` stands for in a configuration.
  package var homeFolder: String?
  /// Reads a line that a person types; nil at the end of the input.
  package var readAnswer: () -> String?
  /// Ends the program with status 0 once it has computed for so many milliseconds.
  package var endQuietly: (_ afterMilliseconds: Int) -> Void
  /// What the command has done so far.
  package let workDone: WorkDone

  package init(
    terminal: TerminalEnvironment, output: Int32, errors: Int32, now: StoreTimestamp = .now(),
    programName: String = "histctl", homeFolder: String? = nil,
    readAnswer: @escaping () -> String? = { nil },
    endQuietly: @escaping (_ afterMilliseconds: Int) -> Void = { _ in },
    workDone: WorkDone = WorkDone()
  ) {
    self.terminal = terminal
    self.output = output
    self.errors = errors
    self.now = now
    self.programName = programName
    self.homeFolder = homeFolder
    self.readAnswer = readAnswer
    self.endQuietly = endQuietly
    self.workDone = workDone
  }

  /// Writes to standard output, without a pager.
  func write(_ body: (OutputWriter) throws -> Void) throws {
    try Pager.withOutput(usesPager: false, environment: terminal, descriptor: output, body)
  }
}
