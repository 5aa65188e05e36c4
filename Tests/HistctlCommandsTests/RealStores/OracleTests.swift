import Foundation
import TestSupport
import Testing

/// An independent decoder in another language gives the same transactions, changes, attributes and
/// tombstones.
@Suite(.bounded, .enabled(if: RealStores.oracle != nil && Tool("python3") != nil))
struct OracleTests {
  private static let comparison = URL(fileURLWithPath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
    .appendingPathComponent("Tools/compare_lines.py").path

  @Test(arguments: RealStores.paths) func `log of real stores agrees with an independent decoder`(
    _ path: String
  ) async throws {
    let folder = try TemporaryFolder()
    try await compare(try folder.copy(store: path), in: folder)
  }

  @Test func `log of the sample store agrees with an independent decoder`() async throws {
    let folder = try TemporaryFolder()
    try await compare(try SampleStore.write(to: folder.file("sample.store")), in: folder)
  }

  @Test(arguments: [UInt64](1...6)) func `log of random stores agrees with an independent decoder`(
    _ seed: UInt64
  ) async throws {
    let folder = try TemporaryFolder()
    let path = folder.file("chance.store")
    try RandomStore.write(to: path, seed: seed)
    try await compare(path, in: folder)
  }

  private func compare(_ store: String, in folder: TemporaryFolder) async throws {
    let python = try #require(Tool("python3"))
    let oracle = try #require(RealStores.oracle)
    let before = try UnchangedStoreTests.files(folder)
    let theirs = try await python.run([oracle, store])
    let ours = try await InProcess.run(["log", store, "--reverse", "--json"])

    guard theirs.status == 0 else {
      // The decoder says so as well.
      #expect(theirs.errors.contains("keeps no history"))
      #expect(ours.status == 8)
      #expect(ours.text == "")
      #expect(ours.errors.contains(#""kind":"withoutHistory","code":8,"#))
      return
    }
    #expect(ours.status == 0, "\(ours.errors)")
    let lines = try TemporaryFolder()
    try FileBytes.write(ours.output, to: lines.file("ours"))
    try FileBytes.write(theirs.output, to: lines.file("theirs"))
    let result = try await python.run([Self.comparison, lines.file("ours"), lines.file("theirs")])
    #expect(result.status == 0, "\(result.text)\(result.errors)")

    // The other order gives the same lines, newest first.
    let newestFirst = try await InProcess.run(["log", store, "--json"])
    #expect(newestFirst.lines == ours.lines.reversed())
    // Reading all of it, twice, has changed nothing.
    try UnchangedStoreTests.expectUnchanged(before, in: folder, store)
  }
}
