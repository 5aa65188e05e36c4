import Foundation

/// A program that a test starts, waits for until it says so, and lets go on.
final class HeldProcess {
  private let process = Process()
  private let input = Pipe()
  private let output = Pipe()

  /// Starts Python with a script that has the store's path as `path`, and waits for its first line.
  ///
  /// In the script, `ready()` tells that the test may go on, and `wait()` waits for the test.
  init?(python: String, store path: String) throws {
    guard let interpreter = HeldProcess.interpreter else { return nil }
    process.executableURL = URL(fileURLWithPath: interpreter)
    process.arguments = ["-c", HeldProcess.preamble + python, path]
    process.standardInput = input
    process.standardOutput = output
    try process.run()
    guard output.fileHandleForReading.readData(ofLength: 1).count == 1 else { return nil }
  }

  deinit { if process.isRunning { process.terminate() } }

  /// Lets the program go on, waits for its end and gives its exit status.
  func finish() -> Int32 {
    try? input.fileHandleForWriting.close()
    process.waitUntilExit()
    return process.terminationStatus
  }

  /// Runs a script to its end and gives its exit status, or 128 and the signal that ended it.
  static func run(python: String, store path: String) throws -> Int32 {
    guard let interpreter else { return -1 }
    let process = Process()
    process.executableURL = URL(fileURLWithPath: interpreter)
    process.arguments = ["-c", preamble + python, path]
    try process.run()
    process.waitUntilExit()
    return process.terminationReason == .uncaughtSignal
      ? 128 + process.terminationStatus : process.terminationStatus
  }

  /// Whether there is a Python with SQLite.
  static let isPossible: Bool = (try? run(python: "", store: "")) == 0

  private static let interpreter: String? = (ProcessInfo.processInfo.environment["PATH"] ?? "")
    .split(separator: ":").map { "\($0)/python3" }
    .first { FileManager.default.isExecutableFile(atPath: $0) }

  private static let preamble = """
    import os, signal, sqlite3, sys
    path = sys.argv[1]
    def ready(): sys.stdout.write('.'); sys.stdout.flush()
    def wait(): sys.stdin.read()

    """
}
