import Foundation
import TestSupport

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// Runs histctl as a user without rights, which only the superuser can.
enum OtherUser {
  private static let prefix = ["--reuid=65534", "--regid=65534", "--clear-groups", "--"]

  /// Whether that is possible, and the other user can reach what was built.
  static let isAvailable: Bool = {
    guard geteuid() == 0, let tool = Tool("setpriv") else { return false }
    let process = Process()
    process.executableURL = URL(fileURLWithPath: tool.path)
    process.arguments = prefix + [Tool.histctl.path, "--version"]
    process.standardOutput = FileHandle.nullDevice
    process.standardError = FileHandle.nullDevice
    guard (try? process.run()) != nil else { return false }
    process.waitUntilExit()
    return process.terminationStatus == 0
  }()

  /// Lets others read a folder and all in it, and write nothing.
  static func letRead(_ folder: TemporaryFolder) throws {
    for name in try folder.names() {
      try FileManager.default.setAttributes(
        [.posixPermissions: 0o444], ofItemAtPath: folder.file(name))
    }
    try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: folder.path)
  }

  static func run(_ arguments: [String]) async throws -> Tool.Result {
    guard let tool = Tool("setpriv") else { throw CocoaError(.fileNoSuchFile) }
    return try await tool.run(
      prefix + [Tool.histctl.path] + arguments, environment: ["TMPDIR": "/tmp"])
  }
}
