import Foundation
import TestSupport

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// The program StoreAppender, to be killed at some moment.
final class AppendingProcess {
  private let process = Process()
  private let output = Pipe()
  private var unread: [UInt8] = []

  /// Starts it.
  init(store path: String, author: String, count: Int) throws {
    process.executableURL = URL(fileURLWithPath: Tool.built("StoreAppender").path)
    process.arguments = [path, author, "\(count)"]
    process.standardOutput = output
    try process.run()
  }

  deinit { if process.isRunning { process.terminate() } }

  /// The number of the next transaction of which it says that it was saved; nil at its end.
  func nextTransaction() -> Int? {
    while true {
      if let end = unread.firstIndex(of: UInt8(ascii: "\n")) {
        let line = String(decoding: unread[..<end], as: UTF8.self)
        unread.removeSubrange(...end)
        return Int(line)
      }
      let more = output.fileHandleForReading.availableData
      if more.isEmpty { return nil }
      unread += more
    }
  }

  /// Ends it in the midst of what it does.
  func kill() {
    #if canImport(Glibc)
    _ = Glibc.kill(process.processIdentifier, SIGKILL)
    #elseif canImport(Darwin)
    _ = Darwin.kill(process.processIdentifier, SIGKILL)
    #endif
    process.waitUntilExit()
  }
}
