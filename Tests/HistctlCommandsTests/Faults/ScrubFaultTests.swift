#if os(Linux)
import StoreFormat
import TestSupport
import Testing

/// Whatever fails or ends a scrub, the store is as it was, and under the copy's name stands nothing or
/// the finished copy.
@Suite(.serialized, .enabled(if: FaultInjector.isPossible)) struct ScrubFaultTests {
  private static let name = "Trips.store"
  private static let copy = "copy.store"

  @Test func scrub() async throws {
    let folder = try TemporaryFolder()
    let original = try FileBytes.read(
      LongHistory.write(to: folder.file(Self.name), transactions: 60, changesEach: 2))
    let line = ["scrub", Self.name, "-o", Self.copy, "--yes", "--quiet"]
    _ = try await FaultDrive(
      files: [Self.name: original], arguments: line, again: line + ["--overwrite"],
      problemsAfterFault: { place, status in
        let left = try place.files()
        var problems = left[Self.name] == original ? [] : ["the store has changed"]
        guard let copy = left[Self.copy] else {
          return status == 0 ? problems + ["there is no copy"] : problems
        }
        let rows = try StoreRows(FaultDrive.Place([Self.copy: copy]), Self.copy)
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
}
#endif
