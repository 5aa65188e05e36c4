#if os(Linux)
import StoreFormat
import TestSupport
import Testing

/// Whatever fails or ends a rehearsal, the store is as it was, and under the copy's name stands what
/// was there before or the finished copy.
@Suite(.serialized, .enabled(if: FaultInjector.isPossible)) struct RehearseFaultTests {
  private static let name = "Trips.store"
  private static let copy = "copy.store"
  private static let value = "_EXTERNAL_DATA/8A2B7C1E"
  private static let oldest: Int64 = 40

  private static func store(_ transactions: Int) throws -> [UInt8] {
    let folder = try TemporaryFolder()
    return try FileBytes.read(
      LongHistory.write(to: folder.file(name), transactions: transactions, changesEach: 2))
  }

  @Test(arguments: [false, true]) func rehearse(_ overwrites: Bool) async throws {
    let original = try Self.store(60)
    let former = try Self.store(5)
    var files = [Self.name: original, ".Trips_SUPPORT/" + Self.value: [1, 2, 3]]
    if overwrites {
      files[Self.copy] = former
      files[".copy_SUPPORT/" + Self.value] = [9]
    }
    let formerRows = try StoreRows(FaultDrive.Place([Self.copy: former]), Self.copy)
    let line = ["rehearse", Self.name, "\(Self.oldest)", "-o", Self.copy, "--quiet"]
    let again = line + ["--overwrite"]
    let statuses = try await FaultDrive(
      files: files, arguments: overwrites ? again : line, again: again,
      problemsAfterFault: { place, status in
        let left = try place.files()
        var problems = left[Self.name] == original ? [] : ["the store has changed"]
        guard let copy = left[Self.copy] else {
          if status == 0 || overwrites { problems.append("there is no copy") }
          return problems
        }
        let rows = try StoreRows(FaultDrive.Place([Self.copy: copy]), Self.copy)
        if rows.integrity != ["ok"] { problems += rows.integrity }
        let isFormer = overwrites && rows.tables == formerRows.tables
        if isFormer ? status == 0 : rows.numbers != Array(Self.oldest...60) {
          problems.append("in the copy is \(rows.numbers)")
        }
        if !isFormer, left[".copy_SUPPORT/" + Self.value] != [1, 2, 3] {
          problems.append("the copy has no large values")
        }
        return problems
      },
      problemsInTheEnd: { place in
        let left = try place.files()
        let rows = try StoreRows(place, Self.copy)
        return (rows.integrity == ["ok"] ? [] : rows.integrity)
          + (rows.numbers == Array(Self.oldest...60) ? [] : ["\(rows.numbers)"])
          + (left[".copy_SUPPORT/" + Self.value] == [1, 2, 3] ? [] : ["no large values"])
          + (left[Self.name] == original ? [] : ["the store has changed"])
      }
    ).run()
    #expect(statuses.isSuperset(of: [9, 137]))
  }
}
#endif
