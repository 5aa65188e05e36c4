import Foundation
import Synchronization
import Terminal
import TestSupport

@testable import HistctlCommands

#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#else
import Glibc
#endif

/// Runs commands inside the process of the tests, which is quicker than to start a program for each.
///
/// What needs a process of its own is run as one: standard input, variables that the system looks at,
/// and systems on which a thread cannot have a working folder of its own.
enum InProcess {
  /// Variables that reach a command through its console.
  private static let known: Set = [
    "COLUMNS", "LINES", "NO_COLOR", "CLICOLOR_FORCE", "TERM", "LC_ALL", "LC_CTYPE", "LANG", "HOME",
  ]

  /// Commands that register files to be removed by a signal, or take signals themselves: both belong to
  /// a whole process, as private copies do.
  private static let ownProcess: Set = [
    "demo", "maintain", "rehearse", "snapshot", "recover", "scrub", "record", "find",
  ]

  /// Whether a command opens files on threads that it has not started, which have the working folder of
  /// the process.
  private static func usesOtherThreads(_ arguments: [String]) -> Bool {
    ["archive", "restore", "verify"].contains(arguments.first) || arguments.contains("--archive")
      || arguments.first == "export" && arguments.dropFirst(2).first?.hasPrefix("-") == false
  }

  /// Runs histctl to its end, as ``Tool/run(_:input:environment:folder:)`` does.
  ///
  /// - Parameter always: Whether also commands that should have a process of their own run in this one.
  static func run(
    _ arguments: [String], input: String = "", environment: [String: String] = [:],
    folder: String? = nil, always: Bool = false
  ) async throws -> Tool.Result {
    // The server reads its input through the console.
    guard canMoveThread, input.isEmpty || arguments.first == "mcp",
      known.isSuperset(of: environment.keys),
      always
        || !ownProcess.contains(arguments.first ?? "") && !arguments.contains("--private-copy"),
      folder == nil || !usesOtherThreads(arguments)
    else {
      return try await Tool.histctl.run(
        arguments, input: input, environment: environment, folder: folder)
    }
    setUp
    await gate.enter()
    defer { Task { await gate.leave() } }
    return try await withCheckedThrowingContinuation { continuation in
      let thread = Thread {
        continuation.resume(
          with: Result {
            try runHere(arguments, input: input, environment: environment, folder: folder)
          })
      }
      // As much as the first thread of a program has.
      thread.stackSize = 8 << 20
      thread.start()
    }
  }

  private static let gate = ProgramGate(places: 4)

  private static let setUp: Void = {
    // Other tests read the variables of the process meanwhile, so none is set without need.
    var (moment, time) = (time_t(1_752_000_000), tm())
    localtime_r(&moment, &time)
    if !isUTC(time) {
      setenv("TZ", "UTC", 1)
      tzset()
    }
    Signals.ignoreFailedWrites()
  }()

  private static func isUTC(_ time: tm) -> Bool {
    time.tm_zone.map { String(cString: $0) } == "UTC"
  }

  private static func runHere(
    _ arguments: [String], input: String, environment: [String: String], folder: String?
  ) throws -> Tool.Result {
    if let folder { try moveThread(to: folder) }
    var variables = ["LC_ALL": "C.UTF-8"]
    if let terminal = ProcessInfo.processInfo.environment["TERM"] { variables["TERM"] = terminal }
    variables.merge(environment) { $1 }
    let probe = TerminalProbe(
      isTerminal: { _ in false }, windowSize: { _ in nil }, isPrivileged: { false })
    let (output, errors) = (try Capture(), try Capture())
    let given = try Capture(Array(input.utf8))
    let console = Console(
      terminal: TerminalEnvironment(variables: variables, probe: probe),
      output: output.descriptor, errors: errors.descriptor, input: given.descriptor,
      programName: Tool.histctl.path,
      homeFolder: variables["HOME"] ?? ProcessInfo.processInfo.environment["HOME"])
    let status = Program.run(arguments, console)
    return Tool.Result(
      status: Int(status.rawValue), output: output.bytes(),
      errors: String(decoding: errors.bytes(), as: UTF8.self))
  }

  #if os(Linux)
  /// Whether the system lets a thread have a working folder of its own; some sandboxes do not.
  private static let canMoveThread: Bool = {
    let asked = DispatchSemaphore(value: 0)
    let answer = Mutex(false)
    let thread = Thread {
      answer.withLock { $0 = (try? moveThread(to: "/")) != nil }
      asked.signal()
    }
    thread.start()
    asked.wait()
    return answer.withLock { $0 }
  }()

  /// Gives the calling thread, and those that it starts, a working folder of their own.
  private static func moveThread(to folder: String) throws {
    // Swift's module of glibc leaves the function out.
    let symbol = dlsym(nil, "unshare")
    let unshare = unsafeBitCast(symbol, to: (@convention(c) (Int32) -> Int32)?.self)
    let sharedFolder: Int32 = 0x200  // CLONE_FS
    guard let unshare, unshare(sharedFolder) == 0, chdir(folder) == 0 else {
      throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO)
    }
  }
  #else
  private static let canMoveThread = false

  private static func moveThread(to folder: String) throws {}
  #endif

  /// A file without a name that a command writes to or reads.
  private final class Capture {
    let descriptor: Int32

    init(_ content: [UInt8] = []) throws {
      var path = Array((NSTemporaryDirectory() + "/histctl-XXXXXX").utf8CString)
      descriptor = mkstemp(&path)
      guard descriptor >= 0 else { throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO) }
      unlink(path)
      _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
      guard !content.isEmpty else { return }
      try FileHandle(fileDescriptor: descriptor, closeOnDealloc: false).write(contentsOf: content)
      lseek(descriptor, 0, SEEK_SET)
    }

    deinit { close(descriptor) }

    /// What was written.
    func bytes() -> [UInt8] {
      lseek(descriptor, 0, SEEK_SET)
      let file = FileHandle(fileDescriptor: descriptor, closeOnDealloc: false)
      return Array((try? file.readToEnd()) ?? Data())
    }
  }
}
