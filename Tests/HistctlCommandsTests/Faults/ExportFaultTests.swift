#if os(Linux)
import Foundation
import TestSupport
import Testing

/// What a consumer has not got, and what a disk has not got, is not given up.
@Suite(.bounded, .enabled(if: FaultInjector.isPossible)) struct ExportFaultTests {
  private static func injector() async throws -> (FaultInjector, TemporaryFolder) {
    let tools = try TemporaryFolder()
    return (try await FaultInjector(folder: tools), tools)
  }

  @Test
  func `a consumer killed before its first file holds all history back`()
    async throws
  {
    let (injector, tools) = try await Self.injector()
    defer { withExtendedLifetime(tools) {} }
    let line = "export sample.store --output-dir logs --bookmark n -q"
    let arguments = line.split(separator: " ").map(String.init)
    let clean = try SampleFolder()
    let calls = try await injector.calls(
      of: .histctl, arguments, files: clean.folder.path, folder: clean.folder.path
    ).calls
    let draft = try #require(
      calls.firstIndex { $0.path.contains("/logs/") && $0.path.contains(".partial-") })
    let folder = try SampleFolder()
    _ = try await injector.run(
      .histctl, arguments, files: folder.folder.path, .init(.kill, at: draft + 1),
      folder: folder.folder.path)
    let pruned = try await folder.run("prune sample.store --keep-last 1 --yes")
    #expect(pruned.status == 0, "\(pruned.errors)")
    #expect(
      try StoreQuery(path: folder.store).lines("SELECT count(*) FROM ATRANSACTION") == ["12"])
    #expect(try await folder.run(line).status == 0)
    let names = try FileManager.default.contentsOfDirectory(
      atPath: folder.folder.file("logs/" + SampleFolder.identifier))
    #expect(names == ["000000000001-000000000012.jsonl.zst"])
  }

  /// A loss of power would take the last saves of the app, and leave what was made of them.
  @Test(arguments: [
    ("export sample.store -o out.jsonl", "out.jsonl"),
    ("export sample.store --output-dir logs --bookmark n", ".jsonl.zst"),
    ("archive sample.store archive", ".json"),
  ])
  func `the log of the store is synced before the output is written`(
    line: String, ending: String
  ) async throws {
    let (injector, tools) = try await Self.injector()
    defer { withExtendedLifetime(tools) {} }
    let folder = try SampleFolder()
    let app = try StoreQuery(path: folder.store)
    try app.run(
      "PRAGMA journal_mode = WAL; UPDATE ATRANSACTION SET ZTIMESTAMP = ZTIMESTAMP WHERE Z_PK = 1")
    let (calls, result) = try await injector.calls(
      of: .histctl, line.split(separator: " ").map(String.init), files: folder.folder.path,
      folder: folder.folder.path)
    #expect(result.status == 0, "\(result.errors)")
    let log = calls.firstIndex { $0.name == "fsync" && $0.path.hasSuffix("sample.store-wal") }
    let named = calls.firstIndex {
      ["link", "linkat", "rename", "renameat"].contains($0.name) && $0.path.hasSuffix(ending)
    }
    #expect(try #require(log) < #require(named), "\(calls)")
    try app.run("SELECT 1")
  }
}
#endif
