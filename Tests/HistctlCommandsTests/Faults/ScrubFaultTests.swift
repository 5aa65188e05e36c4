#if os(Linux)
import StoreFormat
import TestSupport
import Testing

/// Whatever fails or ends a scrub, the store is as it was, and under the copy's name stands nothing or
/// the finished copy.
@Suite(.bounded, .serialized, .enabled(if: FaultInjector.isPossible)) struct ScrubFaultTests {
  private static let name = "Trips.store"
  private static let copy = "copy.store"

  @Test func `scrub survives any failing or killing system call`() async throws {
    let folder = try TemporaryFolder()
    let original = try FileBytes.read(
      LongHistory.write(to: folder.file(Self.name), transactions: 60, changesEach: 2))
    let line = ["scrub", Self.name, "-o", Self.copy, "--yes", "--quiet"]
    _ = try await FaultLoop(
      files: [Self.name: original], arguments: line, again: line + ["--overwrite"],
      problemsAfterFault: { place, status in
        let left = try place.files()
        var problems = left[Self.name] == original ? [] : ["the store has changed"]
        guard let copy = left[Self.copy] else {
          return status == 0 ? problems + ["there is no copy"] : problems
        }
        let rows = try StoreRows(FaultLoop.Folder([Self.copy: copy]), Self.copy)
        if rows.integrity != ["ok"] { problems += rows.integrity }
        if rows.numbers != Array(1...60) { problems.append("in the copy is \(rows.numbers)") }
        return problems
      },
      problemsInTheEnd: { place in
        let rows = try StoreRows(place, Self.copy)
        return (rows.integrity == ["ok"] ? [] : rows.integrity)
          + (rows.numbers == Array(1...60) ? [] : ["\(rows.numbers)"])
          + (try place.files()[Self.name] == original ? [] : ["the store has changed"])
      }
    ).run()
  }

  @Test
  func `a draft that cannot be removed is reported, and removed by the next run`() async throws {
    let sample = try SampleFolder()
    let tools = try TemporaryFolder()
    let injector = try await FaultInjector(folder: tools)
    let line = ["scrub", SampleFolder.name, "-o", Self.copy, "--yes", "--quiet"]
    let path = sample.folder.path
    let calls = try await injector.calls(of: .histctl, line, files: path, folder: path).calls
    let removal = try #require(
      calls.lastIndex { $0.name == "rmdir" && $0.path.contains(".partial-") })
    let again = line + ["--overwrite"]
    // The device fails while the folder of the draft is removed, once or from then on.
    for lasts in [false, true] {
      try sample.folder.remove(Self.copy)
      let result = try await injector.run(
        .histctl, line, files: path, .init(.error, at: removal + 1, lasts: lasts), folder: path)
      #expect(result.status == (lasts ? 3 : 0), "\(result.errors)")
      #expect(
        try sample.folder.names().count { $0.hasPrefix(Self.copy + ".partial-") } == (lasts ? 1 : 0)
      )
      #expect(result.errors.contains("cannot remove") == lasts)
      #expect(try StoreRows(.init(folder: sample.folder), Self.copy).numbers == Array(1...12))
    }
    #expect(try await Tool.histctl.run(again, folder: path).status == 0)
    #expect(
      try sample.folder.names().filter { !$0.hasSuffix("-shm") && !$0.hasSuffix("-wal") } == [
        Self.copy, SampleFolder.name,
      ])
  }
}
#endif
