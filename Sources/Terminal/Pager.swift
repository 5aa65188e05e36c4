import Libc

/// The program that shows long output a screen at a time.
///
/// It gets all output; `less` exits at once when everything fits on the screen. While it runs, it handles
/// Ctrl-C.
package final class Pager {
  private static let hint = "set HISTCTL_PAGER to an installed program, or use --no-pager"

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

  /// Calls `body` with the writer for a pager, if one is wanted and can be started, or else for
  /// standard output; then flushes and waits for the pager.
  ///
  /// Output before an error is shown, then the error is thrown.
  ///
  /// - Throws: Errors of `body`, and `OutputError` where output cannot be written. A pager that was quit early
  ///   is `OutputError.closedPipe`.
  package static func withOutput<Result>(
    usesPager: Bool, environment: TerminalEnvironment, diagnostics: DiagnosticWriter? = nil,
    descriptor: Int32 = STDOUT_FILENO, _ body: (OutputWriter) throws -> Result
  ) throws -> Result {
    let pager =
      usesPager
      ? start(environment: environment, diagnostics: diagnostics, descriptor: descriptor) : nil
    let writer = pager?.output ?? OutputWriter(descriptor: descriptor)
    // The user waits for the first lines.
    writer.flushesEachLine = environment.isOutputTerminal
    let result: Result
    do {
      result = try body(writer)
    } catch OutputError.closedPipe {
      // Quit by the user, or never started: only its exit status says which.
      try pager?.finish()
      throw OutputError.closedPipe
    } catch {
      // Only the first error is reported.
      try? writer.close()
      try? pager?.finish()
      throw error
    }
    if let pager { try pager.finish() } else { try writer.close() }
    return result
  }

  /// Starts the pager that the environment asks for.
  ///
  /// Returns `nil` without a pager, or if it cannot be started, which is reported only for a pager that the user
  /// has named.
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

  /// Flushes and closes the pager's input, and waits until the user has quit it.
  ///
  /// - Throws: `OutputError.closedPipe` where the user quit before reading everything;
  ///   `OutputError.failed` where the shell could not start the pager and output is lost.
  package func finish() throws(OutputError) {
    guard !isFinished else { return }
    isFinished = true
    var failure: OutputError?
    do { try output.close() } catch { failure = error }
    let ending = process.wait()
    Signals.restore(SIGINT, interrupts)
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

  /// Opens a pipe that children do not inherit: a pager that held its own pipe's writing end would wait for the
  /// end of its input for ever.
  package static func openPipe() -> (reading: Int32, writing: Int32)? {
    var ends: [Int32] = [-1, -1]
    guard pipe(&ends) == 0 else { return nil }
    for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    return (ends[0], ends[1])
  }
}

/// Which pager to start, and how.
struct PagerCommand: Equatable, Sendable {
  /// Words that a shell knows without a program of that name.
  private static let shellWords: Set<String> = ["exec", "command", "eval", "test"]

  package var arguments: [String]

  /// Variables that the pager gets besides the inherited ones.
  package var variables: [String: String]

  /// Whether the user named this pager, so that a failure to start it is reported.
  var isChosenByUser: Bool

  package var name: String

  /// Chooses the pager, or `nil` where output is not a terminal or the user wants none.
  ///
  /// A program with more rights than its caller starts no program that the caller names.
  init?(environment: TerminalEnvironment) {
    guard environment.isOutputTerminal, !environment.isDumb else { return nil }
    let chosen = environment.isPrivileged ? nil : environment.pagerCommand
    let command = (chosen ?? "less").trimmingSpaces
    guard !command.isEmpty, command != "cat" else { return nil }

    name = command
    isChosenByUser = chosen != nil
    if environment.isPrivileged {
      arguments = ["/usr/bin/less"]
    } else if command.utf8.allSatisfy(Self.isPlain) {
      arguments = [command]
    } else {
      arguments = ["/bin/sh", "-c", command]
    }

    variables = [:]
    // F: leave when all fits on the screen. R: show colors. X: leave the text on the screen.
    if !environment.hasLessOptions || environment.isPrivileged { variables["LESS"] = "FRX" }
    if !environment.hasLessCharacterSet { variables["LESSCHARSET"] = "utf-8" }
    // Without it `less` starts shells and editors, with rights that the user does not have.
    if environment.isPrivileged { variables["LESSSECURE"] = "1" }
  }

  /// Returns whether a shell command begins with a missing program.
  ///
  /// The shell would report that only after output was written into its pipe.
  func lacksProgram(searchPath: String?) -> Bool {
    guard arguments.first == "/bin/sh", let command = arguments.last else { return false }
    let word = String(command.prefix { $0 != " " })
    // Quoted and expanded words are left to the shell.
    guard word.utf8.allSatisfy(Self.isPlain), !Self.shellWords.contains(word) else { return false }
    if word.utf8.contains(UInt8(ascii: "/")) { return access(word, X_OK) != 0 }
    let folders = (searchPath ?? "/usr/bin:/bin").split(separator: ":")
    return !folders.contains { access("\($0)/\(word)", X_OK) == 0 }
  }

  /// Whether a byte has no special meaning in a shell.
  private static func isPlain(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"): true
    case UInt8(ascii: "0")...UInt8(ascii: "9"), 0x80...: true
    case UInt8(ascii: "/"), UInt8(ascii: "."), UInt8(ascii: "_"): true
    case UInt8(ascii: "-"), UInt8(ascii: "+"), UInt8(ascii: ","): true
    default: false
    }
  }
}

extension String {
  /// The text without spaces, tabs and newlines at its ends.
  fileprivate var trimmingSpaces: String {
    var rest = self[...]
    while let first = rest.first, first.isWhitespace { rest.removeFirst() }
    while let last = rest.last, last.isWhitespace { rest.removeLast() }
    return String(rest)
  }
}

/// A child process.
struct ChildProcess {
  package enum Ending: Equatable {
    case exited(Int32)
    /// By this signal.
    case signalled(Int32)
    /// The status is unknown.
    case unknown
  }

  /// The system's reason why a program could not be started.
  struct Failure: Error, Equatable {
    package var number: Int32
  }

  private let identifier: pid_t

  /// Starts a program, found through PATH unless it is named with a slash.
  ///
  /// Signals that this program ignores work in the child as usual.
  ///
  /// - Parameters:
  ///   - arguments: The program and its arguments.
  ///   - variables: Environment variables to set besides the inherited ones.
  ///   - input: The descriptor that becomes its standard input.
  ///   - output: The descriptor that becomes its standard output.
  init(
    _ arguments: [String], variables: [String: String], input: Int32, output: Int32
  ) throws(Failure) {
    guard let program = arguments.first else { throw Failure(number: ENOENT) }
    #if canImport(Darwin)
    var actions: posix_spawn_file_actions_t?
    var attributes: posix_spawnattr_t?
    #else
    var actions = posix_spawn_file_actions_t()
    var attributes = posix_spawnattr_t()
    #endif
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    posix_spawn_file_actions_adddup2(&actions, input, STDIN_FILENO)
    posix_spawn_file_actions_adddup2(&actions, output, STDOUT_FILENO)

    posix_spawnattr_init(&attributes)
    defer { posix_spawnattr_destroy(&attributes) }
    var restored = sigset_t()
    sigemptyset(&restored)
    for number in Signals.ignoredSignals { sigaddset(&restored, number) }
    posix_spawnattr_setsigdefault(&attributes, &restored)
    posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGDEF))

    let argumentList = arguments.map { strdup($0) } + [nil]
    defer { for argument in argumentList { free(argument) } }
    var identifier: pid_t = 0
    let status = ProcessEnvironment.withChildEnvironment(setting: variables) { environment in
      posix_spawnp(&identifier, program, &actions, &attributes, argumentList, environment)
    }
    guard status == 0 else { throw Failure(number: status) }
    self.identifier = identifier
  }

  package func wait() -> Ending {
    var status: Int32 = 0
    while waitpid(identifier, &status, 0) < 0 {
      guard errno == EINTR else { return .unknown }
    }
    // WIFEXITED and its siblings are macros, which Swift does not import.
    let signal = status & 0x7F
    return signal == 0 ? .exited((status >> 8) & 0xFF) : .signalled(signal)
  }
}
