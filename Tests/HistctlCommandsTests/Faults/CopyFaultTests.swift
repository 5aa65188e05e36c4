#if os(Linux)
import TestSupport
import Testing

/// Whatever fails or ends the making of a copy, the store is as it was, and under the copy's name stands nothing or the
/// finished copy.
@Suite(.bounded, .serialized, .enabled(if: FaultInjector.isPossible)) struct CopyFaultTests {
  private static let name = "trips.store"
  private static let copy = "copy.store"
  private static let value = ".copy_SUPPORT/_EXTERNAL_DATA/8A2B7C1E"

  @Test(arguments: ["snapshot trips.store last", "recover trips.store --transaction 350"])
  func `snapshot and recover survive any failing or killing system call`(
    _ command: String
  ) async throws {
    let folder = try TemporaryFolder()
    let made = try await Tool.histctl.run(
      ["demo", folder.path, "--ending", "2026-11-20", "--quiet"])
    #expect(made.status == 0, "\(made.errors)")
    try StoreQuery(path: folder.file(Self.name)).run("PRAGMA wal_checkpoint(TRUNCATE)")
    let original = try FileBytes.read(folder.file(Self.name))
    let isRecovery = command.hasPrefix("recover")
    // Trip 7 and what belonged to it are back in one more transaction.
    let counts = isRecovery ? "303|481|12" : "302|475|11"

    @Sendable func problems(_ place: FaultLoop.Folder) throws -> [String] {
      let query = try StoreQuery(path: place.folder.file(Self.copy))
      let integrity = try query.lines("PRAGMA integrity_check").filter { $0 != "ok" }
      let found = try query.lines(
        """
        SELECT (SELECT count(*) FROM ATRANSACTION) || '|' || (SELECT count(*) FROM ACHANGE)
          || '|' || (SELECT count(*) FROM ZTRIP)
        """)
      let hasValue = try place.files()[Self.value] == [1, 2, 3]
      return integrity + (found == [counts] ? [] : found) + (hasValue ? [] : ["no large value"])
    }

    let line = (command + " -o copy.store --quiet").split(separator: " ").map(String.init)
    _ = try await FaultLoop(
      files: [Self.name: original, ".trips_SUPPORT/_EXTERNAL_DATA/8A2B7C1E": [1, 2, 3]],
      arguments: line, again: line + ["--overwrite"],
      problemsAfterFault: { place, status in
        let left = try place.files()
        let changed = left[Self.name] == original ? [] : ["the store has changed"]
        guard left[Self.copy] != nil else {
          return changed + (status == 0 ? ["there is no copy"] : [])
        }
        return try changed + problems(place)
      },
      problemsInTheEnd: problems
    ).run()
  }

  @Test
  func `a former store that cannot be put back is named, and the next run puts it back`()
    async throws
  {
    let sample = try SampleFolder()
    let files = [
      SampleFolder.name: try FileBytes.read(sample.store),
      ".sample_SUPPORT/_EXTERNAL_DATA/8A2B7C1E": [1], ".copy_SUPPORT/_EXTERNAL_DATA/8A2B7C1E": [2],
    ]
    let line = ["snapshot", SampleFolder.name, "last", "-o", Self.copy, "--overwrite", "--quiet"]
    func place() throws -> FaultLoop.Folder {
      try FaultLoop.Folder(files.merging([Self.copy: files[SampleFolder.name] ?? []]) { $1 })
    }
    let tools = try TemporaryFolder()
    let injector = try await FaultInjector(folder: tools)
    let clean = try place()
    let calls = try await injector.calls(
      of: .histctl, line, files: clean.folder.path, folder: clean.folder.path
    ).calls
    let appearance = try #require(
      calls.lastIndex { $0.name.hasPrefix("link") && $0.path.hasSuffix("/" + Self.copy) })
    let trial = try place()
    let path = trial.folder.path
    let result = try await injector.run(
      .histctl, line, files: path, .init(.error, at: appearance + 1, lasts: true), folder: path)
    #expect(result.status == 9, "\(result.errors)")
    let former = try #require(
      trial.files().keys.first { $0.hasSuffix("-former/" + Self.copy) }, "\(result.errors)")
    #expect(result.errors.contains("the former store is \(former)"), "\(result.errors)")
    #expect(try await Tool.histctl.run(line, folder: path).status == 0)
    #expect(try trial.names() == clean.names())
    #expect(try StoreRows(trial, Self.copy).integrity == ["ok"])
  }
}
#endif
