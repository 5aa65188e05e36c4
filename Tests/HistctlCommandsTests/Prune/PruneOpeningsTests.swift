#if os(Linux)
import Foundation
import TestSupport
import Testing

/// How often a prune opens its store: once to read, once for each further thread that reads, and once to write.
@Suite(.bounded, .enabled(if: FaultInjector.isPossible)) struct PruneOpeningsTests {
  /// The number of threads that read beside the first one.
  private static let helpers = min(max(ProcessInfo.processInfo.activeProcessorCount, 1), 4) - 1

  /// Runs a prune, and returns how often it opened the store.
  private static func openings(_ arguments: [String]) async throws -> Int {
    let sample = try SampleFolder()
    // The app has the store open.
    let app = try StoreQuery(path: sample.store)
    try app.run("PRAGMA journal_mode = WAL; UPDATE Z_PRIMARYKEY SET Z_MAX = Z_MAX")
    let injector = try await FaultInjector(folder: sample.folder)
    let (calls, result) = try await injector.openings(
      of: .histctl, ["prune", sample.store] + arguments, files: sample.store)
    #expect(result.status == 0, "\(result.errors)")
    return calls.count { $0.path == sample.store }
  }

  @Test func `it reads by one connection and writes by another`() async throws {
    #expect(try await Self.openings(["--keep-last", "3", "--yes"]) == 2)
    #expect(try await Self.openings(["--keep-last", "3", "--dry-run"]) == 1)
  }

  @Test(arguments: [[], ["--ignore-guard", "damage"]])
  func `sealing adds only the threads that read`(_ options: [String]) async throws {
    let folder = try TemporaryFolder()
    let count = try await Self.openings(
      ["--keep-last", "3", "--archive", folder.file("archive"), "--yes"] + options)
    #expect(count == 2 + Self.helpers)
  }
}
#endif
