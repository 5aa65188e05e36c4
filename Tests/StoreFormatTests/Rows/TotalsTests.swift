import TestSupport
import Testing

@testable import StoreFormat

/// Totals are those that SQL gives.
@Suite(.bounded) struct TotalsTests {
  private static func read<Result>(
    plain: Bool = false, sql: [String] = [], _ body: (StoreSnapshot) throws -> Result
  ) throws -> Result {
    let folder = try TemporaryFolder()
    var shape = StoreWriter.Shape()
    shape.hasPlainStrings = plain
    let writer = try StoreWriter(path: folder.file("trips.store"), shape: shape)
    try SampleStore.fill(writer)
    for statement in sql { try writer.sql(statement) }
    try writer.close()
    return try StoreFile(path: writer.path).read(body)
  }

  @Test
  func `changes are counted by entity and kind`() throws {
    let sql = [
      "UPDATE ACHANGE SET ZCHANGETYPE = 7 WHERE Z_PK = 1",
      "UPDATE ACHANGE SET ZENTITY = NULL WHERE Z_PK = 2",
    ]
    try Self.read(sql: sql) { (snapshot: StoreSnapshot) throws in
      // Entities: 5 trips, 3 items, 2 stays; each of four kinds of transactions occurs three times.
      #expect(
        try Set(snapshot.changeCounts()) == [
          ChangeCount(entityNumber: 5, kind: nil, count: 1),
          ChangeCount(entityNumber: nil, kind: .insert, count: 1),
          ChangeCount(entityNumber: 5, kind: .insert, count: 2),
          ChangeCount(entityNumber: 3, kind: .insert, count: 2),
          ChangeCount(entityNumber: 2, kind: .insert, count: 3),
          ChangeCount(entityNumber: 5, kind: .update, count: 3),
          ChangeCount(entityNumber: 3, kind: .update, count: 3),
          ChangeCount(entityNumber: 2, kind: .update, count: 3),
          ChangeCount(entityNumber: 5, kind: .delete, count: 3),
          ChangeCount(entityNumber: 3, kind: .delete, count: 3),
          ChangeCount(entityNumber: 2, kind: .delete, count: 3),
        ])
      #expect(try snapshot.changeCounts().map(\.count).prefix(7) == [3, 3, 3, 3, 3, 3, 3])
    }
  }

  @Test
  func `texts and fractions are not counted as kinds or entities`() throws {
    let sql = [
      "DELETE FROM ACHANGE WHERE Z_PK > 4",
      "UPDATE ACHANGE SET ZCHANGETYPE = 'up', ZENTITY = 5 WHERE Z_PK = 1",
      "UPDATE ACHANGE SET ZCHANGETYPE = 1.5, ZENTITY = 5 WHERE Z_PK = 2",
      "UPDATE ACHANGE SET ZCHANGETYPE = 2, ZENTITY = 'Trip' WHERE Z_PK = 3",
      "UPDATE ACHANGE SET ZCHANGETYPE = 2, ZENTITY = 5.5 WHERE Z_PK = 4",
    ]
    try Self.read(sql: sql) { (snapshot: StoreSnapshot) throws in
      #expect(
        try Set(snapshot.changeCounts()) == [
          ChangeCount(entityNumber: 5, kind: nil, count: 2),
          ChangeCount(entityNumber: nil, kind: .delete, count: 2),
        ])
    }
  }

  @Test(arguments: [false, true])
  func `texts are counted alike in both layouts`(plain: Bool) throws {
    try Self.read(plain: plain) { (snapshot: StoreSnapshot) throws in
      #expect(
        try Set(snapshot.textCounts(.author).counts) == [
          TextCount(text: "app", count: 6), TextCount(text: nil, count: 3),
          TextCount(text: "widget", count: 3),
        ])
      #expect(try snapshot.textCounts(.author).counts.first == TextCount(text: "app", count: 6))
      #expect(
        try snapshot.textCounts(.bundle).counts == [TextCount(text: "com.example.Trips", count: 12)]
      )
      #expect(
        try Set(snapshot.textCounts(.context).counts) == [
          TextCount(text: nil, count: 11), TextCount(text: "import", count: 1),
        ])
    }
  }

  @Test
  func `the counted text is the shown one if columns contradict each other`() throws {
    let sql = [
      "UPDATE ATRANSACTION SET ZAUTHOR = 'plain', ZAUTHORTS = 99 WHERE Z_PK IN (1, 2)",
      "UPDATE ATRANSACTION SET ZAUTHOR = x'00' WHERE Z_PK = 4",
      "UPDATE ATRANSACTION SET ZAUTHOR = 'unused' WHERE Z_PK = 8",
      "INSERT INTO ATRANSACTIONSTRING VALUES (50, 16003, NULL, x'0102')",
      "UPDATE ATRANSACTION SET ZAUTHORTS = 50 WHERE Z_PK IN (5, 6)",
    ]
    try Self.read(sql: sql) { snapshot in
      var counts: [RecordedText?: Int64] = [:]
      for transaction in try ReadRows.transactions(of: snapshot) {
        counts[transaction.author, default: 0] += 1
      }
      #expect(counts == ["plain": 2, nil: 5, "widget": 1, "app": 4])
      let totals = try snapshot.textCounts(.author).counts
      #expect(totals.count == 4)
      #expect(
        Dictionary(totals.map { ($0.text, $0.count) }, uniquingKeysWith: +) == counts)
    }
  }

  @Test
  func `the largest groups are returned if there are too many`() throws {
    let sql = [
      """
      WITH RECURSIVE c(x) AS (SELECT 100 UNION ALL SELECT x + 1 FROM c WHERE x < 66000)
      INSERT INTO ATRANSACTION (Z_PK, Z_ENT, ZAUTHOR) SELECT x, 16002, 'author ' || x FROM c
      """
    ]
    try Self.read(sql: sql) { snapshot in
      let totals = try snapshot.textCounts(.author)
      #expect(totals.counts.count == StoreSnapshot.maxTexts)
      #expect(totals.counts.first == TextCount(text: "app", count: 6))
      #expect(!totals.isComplete)
    }
  }

  @Test(arguments: [false, true])
  func `texts beyond the limit of bytes are left out`(isInterned: Bool) throws {
    let length = StoreSnapshot.maxTextBytes - 3
    let sql =
      isInterned
      ? [
        "INSERT INTO ATRANSACTIONSTRING VALUES (50, 16003, NULL, hex(zeroblob(\(length / 2))) || 'xy')",
        "UPDATE ATRANSACTION SET ZAUTHORTS = 50 WHERE Z_PK = 5",
      ]
      : [
        "UPDATE ATRANSACTION SET ZAUTHORTS = NULL, "
          + "ZAUTHOR = hex(zeroblob(\(length / 2))) || 'xy' WHERE Z_PK = 5"
      ]
    try Self.read(sql: sql) { snapshot in
      let totals = try snapshot.textCounts(.author)
      #expect(!totals.isComplete)
      #expect(totals.counts.allSatisfy { $0.text?.string.utf8.count ?? 0 < 100 })
      #expect(totals.counts.contains { $0.text == "app" })
      #expect(try snapshot.textCounts(.bundle).isComplete)
    }
  }

  @Test(.enabled(if: Tool("sqlite3") != nil))
  func `bytes agree with dbstat of sqlite3`() async throws {
    let folder = try TemporaryFolder()
    let path = try SampleStore.write(to: folder.file("trips.store"))
    let sqlite = try #require(Tool("sqlite3"))
    let expected = try await sqlite.run([
      path,
      """
      SELECT sum(pgsize) FROM dbstat WHERE name LIKE '%CHANGE%' OR name LIKE '%TRANSACTION%';
      SELECT page_count * 4096 FROM pragma_page_count;
      SELECT freelist_count * 4096 FROM pragma_freelist_count;
      """,
    ])
    try StoreFile(path: path).read { (snapshot: StoreSnapshot) throws in
      if let bytes = try snapshot.historyByteCount(), expected.lines.count == 3 {
        #expect("\(bytes)" == expected.lines[0])
      }
      #expect("\(try snapshot.storeByteCount())" == expected.lines.dropLast().last)
      #expect("\(try snapshot.freeByteCount())" == expected.lines.last)
    }
  }
}
