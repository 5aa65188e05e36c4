#if os(Linux)
import TestSupport
import Testing

/// Whatever fails or ends the making of a store, under its name stands what was there before or the
/// finished store.
@Suite(.bounded, .serialized, .enabled(if: FaultInjector.isPossible)) struct DraftFaultTests {
  private static let name = "trips.store"
  private static let demo = ["demo", ".", "--ending", "2026-11-20", "--quiet"]

  @Test(arguments: [false, true]) func `demo survives any failing or killing system call`(
    _ overwrites: Bool
  ) async throws {
    let sample = try SampleFolder()
    let former = try FileBytes.read(sample.store)
    let formerRows = try StoreRows(FaultLoop.Folder([Self.name: former]), Self.name)
    let made = try FaultLoop.Folder([:])
    let result = try await Tool.histctl.run(Self.demo, folder: made.folder.path)
    #expect(result.status == 0, "\(result.errors)")
    let count = try StoreRows(made, Self.name).transactions.count
    let again = Self.demo + ["--overwrite"]
    let statuses = try await FaultLoop(
      files: overwrites ? [Self.name: former] : [:],
      arguments: overwrites ? again : Self.demo, again: again,
      problemsAfterFault: { place, status in
        guard try place.files().keys.contains(Self.name) else {
          return overwrites || status == 0 ? ["there is no store"] : []
        }
        let rows = try StoreRows(place, Self.name)
        if rows.integrity != ["ok"] { return rows.integrity }
        if rows.transactions.count == count { return [] }
        return status != 0 && overwrites && rows.tables == formerRows.tables
          ? [] : ["\(rows.transactions.count) transactions"]
      },
      problemsInTheEnd: { place in
        let rows = try StoreRows(place, Self.name)
        return (rows.integrity == ["ok"] ? [] : rows.integrity)
          + (rows.transactions.count == count ? [] : ["\(rows.transactions.count) transactions"])
      }
    ).run()
    #expect(!FaultLoop.isEvery || statuses.isSuperset(of: [9, 137]))
  }
}
#endif
