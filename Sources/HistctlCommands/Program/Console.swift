import HistoryCoding
import Libc
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

/// What a command that changes something has done so far, reported if a signal or an error ends it
/// early.
///
/// A signal's handler may neither allocate nor lock, so the whole line is prepared in advance, in one
/// of a few buffers that are never freed, and the handler writes it as it is.
package final class WorkDone: @unchecked Sendable {
  private static let capacity = 8192
  /// While a handler writes one, others are prepared.
  private static let count = 4

  nonisolated(unsafe) private static let buffers = UnsafeMutablePointer<UInt8>.allocate(
    capacity: capacity * count)
  /// The line to write; `nil` while no work is in progress.
  nonisolated(unsafe) private static var line: UnsafeMutableRawBufferPointer?

  private let isReportedBySignals: Bool
  /// The number of the next buffer.
  private var next = 0
  private var words: (message: String, json: JSONValue, caution: String)?
  /// The beginning of every message, such as the progress of a run over many stores.
  private var context: String?

  /// - Parameter isReportedBySignals: Whether ``writeFromHandler()`` writes it, as in the one run of a
  ///   process.
  package init(isReportedBySignals: Bool = false) {
    self.isReportedBySignals = isReportedBySignals
  }

  /// Notes the progress of the work. One thread at a time may call it.
  ///
  /// - Parameters:
  ///   - caution: What is added to the message after an error that is damage.
  ///   - isBegun: Whether anything was done, so that it is reported after an error too.
  func note(
    _ message: String, _ details: JSONValue.Members = [:], caution: String = "", isBegun: Bool,
    in session: Session
  ) {
    let whole = context.map { "\($0); \(message)" } ?? message
    let json = JSONValue.record("workDone", ["message": whole], and: JSONValue.list(of: details))
    words = isBegun ? (whole, json, caution) : nil
    guard isReportedBySignals else { return }
    var bytes: [UInt8]
    if session.options.json {
      var writer = JSONWriter()
      writer.append(json)
      bytes = Array(writer.bytes)
    } else {
      bytes = Array(("histctl: interrupted: " + TerminalText.terminal.escaped(whole)).utf8)
    }
    bytes = bytes.prefix(Self.capacity - 1) + [UInt8(ascii: "\n")]
    let start = Self.buffers + next * Self.capacity
    next = (next + 1) % Self.count
    start.update(from: bytes, count: bytes.count)
    Self.line = UnsafeMutableRawBufferPointer(start: start, count: bytes.count)
  }

  /// Sets the beginning of the notes that follow.
  func begin(_ context: String?) {
    self.context = context
    clear()
  }

  /// Removes the note: the work is done and was reported.
  func clear() {
    if isReportedBySignals { Self.line = nil }
    words = nil
  }

  /// Reports what was done before an error, once.
  func tell(after failure: Failure, _ diagnostics: Diagnostics) {
    guard let words else { return }
    clear()
    let caution = failure.status == .damaged ? words.caution : ""
    diagnostics.tell(words.message + caution, words.json)
  }

  /// Writes the line on standard error; safe in a signal's handler.
  package static func writeFromHandler() {
    guard let line else { return }
    _ = write(STDERR_FILENO, line.baseAddress, line.count)
  }
}
