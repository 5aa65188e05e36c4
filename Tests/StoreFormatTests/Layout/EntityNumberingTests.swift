import TestSupport
import Testing

@testable import StoreFormat

/// The numbers of entities, whatever stands in the table.
@Suite(.bounded) struct EntityNumberingTests {
  private static func entry(_ number: Int64, _ name: String) -> EntityNumbering.Entry {
    EntityNumbering.Entry(number: number, name: name, superNumber: 0, highestPrimaryKey: number * 2)
  }

  private static func read<Result>(
    _ sql: [String], _ body: (StoreSnapshot) throws -> Result
  ) throws -> Result {
    let folder = try TemporaryFolder()
    let writer = try StoreWriter(path: folder.file("trips.store"))
    for statement in sql { try writer.sql(statement) }
    try writer.close()
    return try StoreFile(path: writer.path).read(body)
  }

  @Test
  func `numbers lead to names and back`() {
    let numbering = EntityNumbering(entries: [
      Self.entry(1, "Trip"), Self.entry(2, "Tag"), Self.entry(16_001, "CHANGE"),
      Self.entry(16_002, "TRANSACTION"), Self.entry(17_009, "NSCKMetadataEntry"),
    ])
    #expect(numbering.name(of: 2) == "Tag")
    #expect(numbering.number(of: "Trip") == 1)
    #expect(numbering.name(of: 3) == nil)
    #expect(numbering.number(of: "trip") == nil)
    #expect(numbering.highestNumber(of: .transaction) == 32_004)
    #expect(numbering.highestNumber(of: .string) == 0)
    #expect(numbering.modelEntries.map(\.number) == [1, 2])
    #expect(EntityNumbering().entries.isEmpty)
  }

  @Test
  func `an ambiguous name has no number, and its numbers no name`() {
    let numbering = EntityNumbering(entries: [
      Self.entry(1, "Trip"), Self.entry(2, "Tag"), Self.entry(3, "Trip"), Self.entry(4, "Trip"),
      Self.entry(5, "e\u{301}"), Self.entry(6, "\u{e9}"),
    ])
    #expect([1, 3, 4, 5, 6].allSatisfy { numbering.name(of: $0) == nil })
    #expect(numbering.number(of: "Trip") == nil)
    #expect(numbering.name(of: 2) == "Tag")
    #expect(numbering.entries.count == 6)
  }

  @Test
  func `equal names are read in one query`() {
    let numbering = EntityNumbering(
      entries: (0..<60_000).map { Self.entry($0, "Entity\($0 / 2)") } + [Self.entry(70_000, "A")])
    #expect(numbering.name(of: 59_999) == nil)
    #expect(numbering.name(of: 70_000) == "A")
  }

  @Test
  func `rows without a usable name are left out`() throws {
    try Self.read([
      "INSERT INTO Z_PRIMARYKEY VALUES (6, NULL, 0, 0), (7, x'00', 0, 0)",
      "INSERT INTO Z_PRIMARYKEY VALUES (8, CAST(x'ff' AS TEXT), 0, 0)",
      "INSERT INTO Z_PRIMARYKEY VALUES (9, printf('%.1025c', 'x'), 0, 0), (10, 'Fine', 'a', 'b')",
    ]) { snapshot in
      #expect(snapshot.entities.entries.map(\.number) == [1, 2, 3, 4, 5, 10])
      #expect(snapshot.entities.entries.last?.highestPrimaryKey == 0)
    }
  }

  @Test
  func `more entities than a model can have are damage`() throws {
    let fill = """
      WITH RECURSIVE c(x) AS (SELECT 100 UNION ALL SELECT x + 1 FROM c WHERE x < 66000)
      INSERT INTO Z_PRIMARYKEY SELECT x, 'E' || x, 0, 0 FROM c
      """
    do {
      try Self.read([fill]) { _ in _ = Issue.record("it was read") }
    } catch StoreError.damaged(_, let place, let detail) {
      #expect(place == "Z_PRIMARYKEY")
      #expect(detail == "it lists more than 65536 entities")
    }
  }

  @Test
  func `a store may have no table of entities`() throws {
    try Self.read(["DROP TABLE Z_PRIMARYKEY"]) { snapshot in
      #expect(snapshot.entities.entries.isEmpty)
    }
  }

  @Test
  func `a missing column is damage`() throws {
    do {
      try Self.read(["ALTER TABLE Z_PRIMARYKEY DROP COLUMN Z_MAX"]) { _ in
        _ = Issue.record("it was read")
      }
    } catch StoreError.damaged(_, let place, _) {
      #expect(place == "its tables")
    }
  }
}
