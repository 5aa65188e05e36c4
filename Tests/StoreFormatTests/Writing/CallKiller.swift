#if os(Linux)
import Foundation
import TestSupport

/// Runs a program that is killed at one of the system calls by which it changes files.
struct CallKiller {
  private static let compiler = Tool("cc") ?? Tool("clang")
  private let library: String

  /// Whether this machine has a compiler of C.
  static let isPossible = compiler != nil

  /// Builds into a folder what is loaded into the program.
  init(folder: TemporaryFolder) async throws {
    guard let compiler = Self.compiler else {
      throw AppendedSaves.Missing(what: "a compiler of C")
    }
    library = folder.file("kill_at_call.so")
    let tests = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
      .deletingLastPathComponent().deletingLastPathComponent()
    let source = tests.appendingPathComponent("Tools/kill_at_call.c").path
    let result = try await compiler.run(["-shared", "-fPIC", "-o", library, source, "-ldl"])
    guard result.status == 0 else { throw AppendedSaves.Missing(what: result.errors) }
  }

  /// Runs a program until it is killed, or to its end where it makes fewer calls.
  ///
  /// - Parameters:
  ///   - files: What the paths of the files begin with.
  ///   - call: At which call, counted from 1.
  ///   - isHalfway: Whether only writes count, and half of one is done before the end.
  func run(
    _ program: Tool, _ arguments: [String], files: String, at call: Int, isHalfway: Bool
  ) async throws -> Tool.Result {
    try await program.run(
      arguments,
      environment: [
        "LD_PRELOAD": library, "KILL_FILES": files, "KILL_AT": "\(call)",
        "KILL_HALFWAY": isHalfway ? "1" : "0",
      ])
  }
}
#endif
