import Foundation
import TestSupport
import Testing

/// Columns and indexes that SQLite calculates whenever a row is added or deleted: a hostile one can take any
/// time and memory, so nothing is written to such a table.
@Suite struct CalculatedColumnTests {
  private static let hostile = "length(hex(zeroblob(400000000)))"

  @Test(arguments: [
    (
      "ALTER TABLE ACHANGE ADD COLUMN ZH AS (\(CalculatedColumnTests.hostile))",
      "ACHANGE: the column ZH"
    ),
    (
      "ALTER TABLE ATRANSACTION ADD COLUMN ZH AS (\(CalculatedColumnTests.hostile))",
      "ATRANSACTION: the column ZH"
    ),
    (
      "ALTER TABLE ATRANSACTIONSTRING ADD COLUMN ZH AS (\(CalculatedColumnTests.hostile))",
      "ATRANSACTIONSTRING: the column ZH"
    ),
    ("CREATE INDEX hog ON ACHANGE (ZENTITY + 1)", "ACHANGE: the index hog"),
    ("CREATE INDEX hog ON ATRANSACTION (Z_ENT) WHERE Z_ENT > 5", "ATRANSACTION: the index hog"),
  ])
  func keepHistoryFromBeingWritten(_ sql: String, _ place: String) async throws {
    let folder = try TemporaryFolder()
    let store = try SampleStore.write(to: folder.file("x.store"))
    let archive = folder.file("archive")
    let sealed = try await Tool.histctl.run(["archive", store, archive])
    #expect(sealed.status == 0, "\(sealed.errors)")
    try StoreQuery(path: store).run(sql)
    let rows = try StoreQuery(path: store).lines("SELECT Z_PK FROM ATRANSACTION")
    for words in [
      ["prune", store, "--keep-last", "1", "--yes"],
      ["prune", store, "--keep-last", "1", "--yes", "--ignore-guard", "damage"],
      ["prune", store, "--keep-last", "1", "--yes", "--archive", folder.file("other")],
      ["restore", store, archive, "--yes"],
    ] {
      let result = try await Tool.histctl.run(words)
      #expect(result.status == 5, "\(words): \(result.errors)")
      #expect(result.errors.contains("\(place) is calculated"), "\(result.errors)")
      #expect(result.errors.contains("hint: remove the "), "\(result.errors)")
    }
    #expect(try StoreQuery(path: store).lines("SELECT Z_PK FROM ATRANSACTION") == rows)
    let log = try await Tool.histctl.run(["log", store, "--json"])
    #expect(log.status == 0 && log.lines.count == rows.count, "\(log.errors)")
  }

  @Test func scrubLeavesSuchTablesEmpty() async throws {
    let folder = try TemporaryFolder()
    let store = try SampleStore.write(to: folder.file("x.store"))
    try StoreQuery(path: store).run("ALTER TABLE ACHANGE ADD COLUMN ZH AS (\(Self.hostile))")
    let copy = folder.file("copy.store")
    let result = try await Tool.histctl.run(["scrub", store, "-o", copy, "--yes", "--json"])
    #expect(result.status == 0, "\(result.errors)")
    #expect(result.text.contains(#""emptiedTables":["ACHANGE"]"#), "\(result.text)")
    #expect(try StoreQuery(path: copy).lines("SELECT count(*) FROM ACHANGE") == ["0"])
    #expect(try StoreQuery(path: copy).lines("SELECT count(*) FROM ATRANSACTION") != ["0"])
  }

  @Test func aRefusedRowIsNotRetried() async throws {
    let folder = try TemporaryFolder()
    let store = try SampleStore.write(to: folder.file("x.store"))
    let archive = folder.file("archive")
    let pruned = try await Tool.histctl.run([
      "prune", store, "--keep-last", "1", "--yes", "--archive", archive,
    ])
    #expect(pruned.status == 0, "\(pruned.errors)")
    let first = try StoreQuery(path: store).lines("SELECT min(Z_PK) FROM ACHANGE")
    try StoreQuery(path: store).run(
      "ALTER TABLE ACHANGE ADD COLUMN ZREFUSED INTEGER CHECK (Z_PK >= \(first[0]))")
    let result = try await Tool.histctl.run(["restore", store, archive, "--yes"])
    #expect(result.status == 5, "\(result.errors)")
    #expect(result.errors.contains("CHECK constraint failed"), "\(result.errors)")
    #expect(!result.errors.contains("run the command again"))
  }
}
