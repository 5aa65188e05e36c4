import TestSupport
import Testing

@testable import StoreFormat

/// Rows that no framework writes are read all the same, and nothing of them is lost.
@Suite(.bounded) struct IrregularRowTests {
  /// Reads a store with one transaction and one change after some SQL.
  private static func read(
    _ sql: [String], _ selection: TransactionSelection = TransactionSelection(), plain: Bool = false
  ) throws -> [ReadTransaction] {
    let folder = try TemporaryFolder()
    var shape = StoreWriter.Shape()
    shape.hasPlainStrings = plain
    let writer = try StoreWriter(path: folder.file("trips.store"), shape: shape)
    try writer.transaction(1, at: 10.5, author: "app", bundle: "b", process: "p", context: "c")
    try writer.change(1, of: 1, 1, 5, 7, mask: [0x80, 0])
    for statement in sql { try writer.sql(statement) }
    try writer.close()
    return try ReadRows.transactions(of: writer.path, selection)
  }

  private static let regular = ReadTransaction(
    number: 1, seconds: 10.5, author: "app", bundle: "b", process: "p", context: "c",
    changes: [
      ReadChange(number: 1, kind: .update, entity: 5, primaryKey: 7, mask: [0x80, 0])
    ])

  @Test(arguments: [false, true])
  func `a regular row has nothing extra`(plain: Bool) throws {
    #expect(try Self.read([], plain: plain) == [Self.regular])
  }

  private static func extra(_ pairs: KeyValuePairs<String, StoredValue>) -> [ExtraColumn] {
    pairs.map { ExtraColumn(column: $0.key, value: $0.value) }
  }

  @Test
  func `the number of a missing string is kept`() throws {
    var expected = Self.regular
    expected.author = nil
    expected.extra = Self.extra(["ZAUTHORTS": .integer(99)])
    #expect(try Self.read(["UPDATE ATRANSACTION SET ZAUTHORTS = 99"]) == [expected])
    // The plain text then counts.
    expected.author = "old"
    expected.extra = Self.extra(["ZAUTHOR": .text("old"), "ZAUTHORTS": .integer(99)])
    #expect(
      try Self.read(["UPDATE ATRANSACTION SET ZAUTHORTS = 99, ZAUTHOR = 'old'"]) == [expected])
  }

  @Test(arguments: ["NULL", "x'616263'"])
  func `the number of a string that is null or a blob is kept`(value: String) throws {
    var expected = Self.regular
    expected.author = nil
    expected.extra = Self.extra(["ZAUTHORTS": .integer(1)])
    #expect(
      try Self.read(["UPDATE ATRANSACTIONSTRING SET ZNAME = \(value) WHERE Z_PK = 1"])
        == [expected])
  }

  @Test
  func `a text beside the number of a string is kept`() throws {
    var expected = Self.regular
    expected.extra = Self.extra(["ZBUNDLEID": .text("plain")])
    #expect(try Self.read(["UPDATE ATRANSACTION SET ZBUNDLEID = 'plain'"]) == [expected])
  }

  @Test
  func `a text without a number is read from its own column`() throws {
    var expected = Self.regular
    expected.process = "old"
    expected.extra = Self.extra(["ZPROCESSID": .text("old"), "ZPROCESSIDTS": .null])
    #expect(
      try Self.read(["UPDATE ATRANSACTION SET ZPROCESSIDTS = NULL, ZPROCESSID = 'old'"])
        == [expected])
  }

  @Test
  func `a string number of another type is kept`() throws {
    var expected = Self.regular
    expected.context = nil
    expected.extra = Self.extra(["ZCONTEXTNAMETS": .text("abc")])
    #expect(try Self.read(["UPDATE ATRANSACTION SET ZCONTEXTNAMETS = 'abc'"]) == [expected])
    expected.extra = Self.extra(["ZCONTEXTNAMETS": .real(1.5)])
    #expect(try Self.read(["UPDATE ATRANSACTION SET ZCONTEXTNAMETS = 1.5"]) == [expected])
  }

  @Test
  func `a blob in a text column of the 2017 layout is kept`() throws {
    var expected = Self.regular
    expected.author = nil
    expected.extra = Self.extra(["ZAUTHOR": .blob([1, 2])])
    #expect(
      try Self.read(["UPDATE ATRANSACTION SET ZAUTHOR = x'0102'"], plain: true) == [expected])
  }

  @Test(arguments: [false, true])
  func `texts that are malformed UTF-8 or hold a NUL are repaired and kept`(plain: Bool) throws {
    let set =
      plain
      ? ["UPDATE ATRANSACTION SET ZAUTHOR = CAST(x'61FF62' AS TEXT)"]
      : ["UPDATE ATRANSACTIONSTRING SET ZNAME = CAST(x'61FF62' AS TEXT) WHERE ZNAME = 'app'"]
    var expected = Self.regular
    expected.author = RecordedText(malformedBytes: [0x61, 0xff, 0x62])
    #expect(try Self.read(set, plain: plain) == [expected])
    #expect(expected.author?.string == "a\u{fffd}b")
    let nul =
      plain
      ? ["UPDATE ATRANSACTION SET ZAUTHOR = CAST(x'610062' AS TEXT)"]
      : ["UPDATE ATRANSACTIONSTRING SET ZNAME = CAST(x'610062' AS TEXT) WHERE ZNAME = 'app'"]
    expected.author = RecordedText(malformedBytes: [0x61, 0, 0x62])
    #expect(try Self.read(nul, plain: plain) == [expected])
    #expect(expected.author?.storedValue == .malformedText([0x61, 0, 0x62]))
  }

  @Test
  func `an empty text is not a missing one`() throws {
    var expected = Self.regular
    expected.author = ""
    #expect(
      try Self.read(["UPDATE ATRANSACTIONSTRING SET ZNAME = '' WHERE ZNAME = 'app'"])
        == [expected])
  }

  @Test(
    arguments: [
      ("NULL", nil, []), ("'abc'", nil, [("ZTIMESTAMP", .text("abc"))]),
      ("x'00'", nil, [("ZTIMESTAMP", .blob([0]))]), ("'123'", 123, []), ("77", 77, []),
      ("-0.0", -0.0, []), ("9e999", .infinity, []), ("-9e999", -.infinity, []),
      ("5e-324", .leastNonzeroMagnitude, []),
    ] as [(String, Double?, [(String, StoredValue)])])
  func `a time of any type is read or kept as stored`(
    value: String, seconds: Double?, extra: [(String, StoredValue)]
  ) throws {
    let read = try Self.read(["UPDATE ATRANSACTION SET ZTIMESTAMP = \(value)"])
    #expect(read.count == 1)
    // SQLite itself stores -0.0 as 0 where the column wants real numbers.
    #expect(read[0].seconds == seconds)
    #expect(read[0].extra == extra.map { ExtraColumn(column: $0.0, value: $0.1) })
    #expect(read[0].changes.count == 1)
  }

  @Test
  func `a query generation is read, and a value of another type is kept`() throws {
    var expected = Self.regular
    expected.queryGeneration = [0x18, 0xe2, 0x2d, 0]
    #expect(try Self.read(["UPDATE ATRANSACTION SET ZQUERYGEN = x'18E22D00'"]) == [expected])
    expected.queryGeneration = []
    #expect(try Self.read(["UPDATE ATRANSACTION SET ZQUERYGEN = x''"]) == [expected])
    expected.queryGeneration = nil
    // Large values are read by another statement, as are integers.
    expected.queryGeneration = [UInt8](repeating: 0, count: 3_000_000)
    #expect(try Self.read(["UPDATE ATRANSACTION SET ZQUERYGEN = zeroblob(3000000)"]) == [expected])
    expected.queryGeneration = nil
    expected.extra = Self.extra(["ZQUERYGEN": .text("t")])
    #expect(try Self.read(["UPDATE ATRANSACTION SET ZQUERYGEN = 't'"]) == [expected])
    expected.extra = Self.extra(["ZQUERYGEN": .integer(0)])
    #expect(try Self.read(["UPDATE ATRANSACTION SET ZQUERYGEN = 0"]) == [expected])
    let text = String(repeating: "t", count: 2_000_000)
    expected.extra = Self.extra(["ZQUERYGEN": .text(text)])
    #expect(
      try Self.read(["UPDATE ATRANSACTION SET ZQUERYGEN = printf('%.*c', 2000000, 't')"])
        == [expected])
  }

  @Test
  func `an unexpected row version and entity are kept`() throws {
    var expected = Self.regular
    expected.extra = Self.extra(["Z_ENT": .integer(5), "Z_OPT": .integer(2)])
    expected.changes[0].extra = Self.extra(["Z_ENT": .null, "Z_OPT": .text("x")])
    #expect(
      try Self.read([
        "UPDATE ATRANSACTION SET Z_ENT = 5, Z_OPT = 2",
        "UPDATE ACHANGE SET Z_ENT = NULL, Z_OPT = 'x'",
      ]) == [expected])
  }

  @Test(
    arguments: [
      ("ZCHANGETYPE", "7", .integer(7)), ("ZCHANGETYPE", "-1", .integer(-1)),
      ("ZCHANGETYPE", "NULL", .null), ("ZCHANGETYPE", "'up'", .text("up")),
      ("ZENTITY", "NULL", .null), ("ZENTITY", "'Trip'", .text("Trip")),
      ("ZENTITY", "1.5", .real(1.5)), ("ZENTITYPK", "NULL", .null),
      ("ZENTITYPK", "x'07'", .blob([7])),
    ] as [(String, String, StoredValue)])
  func `numbers of a change of any type are kept`(
    column: String, value: String, stored: StoredValue
  ) throws {
    var expected = Self.regular
    switch column {
    case "ZCHANGETYPE": expected.changes[0].kind = nil
    case "ZENTITY": expected.changes[0].entity = nil
    default: expected.changes[0].primaryKey = nil
    }
    expected.changes[0].extra = [ExtraColumn(column: column, value: stored)]
    #expect(try Self.read(["UPDATE ACHANGE SET \(column) = \(value)"]) == [expected])
  }

  @Test
  func `a change may have the largest numbers`() throws {
    var expected = Self.regular
    expected.changes[0].entity = .max
    expected.changes[0].primaryKey = .min
    #expect(
      try Self.read([
        "UPDATE ACHANGE SET ZENTITY = 9223372036854775807, ZENTITYPK = -9223372036854775808"
      ]) == [expected])
  }

  @Test
  func `a mask of any type or length is read or kept as stored`() throws {
    var expected = Self.regular
    expected.changes[0].mask = nil
    #expect(try Self.read(["UPDATE ACHANGE SET ZCOLUMNS = NULL"]) == [expected])
    expected.changes[0].extra = Self.extra(["ZCOLUMNS": .text("t")])
    #expect(try Self.read(["UPDATE ACHANGE SET ZCOLUMNS = 't'"]) == [expected])
    expected.changes[0].extra = []
    expected.changes[0].mask = []
    #expect(try Self.read(["UPDATE ACHANGE SET ZCOLUMNS = x''"]) == [expected])
    expected.changes[0].mask = [UInt8](repeating: 0, count: 1000)
    #expect(try Self.read(["UPDATE ACHANGE SET ZCOLUMNS = zeroblob(1000)"]) == [expected])
  }

  @Test
  func `a tombstone may have every kind of value`() throws {
    var expected = Self.regular
    expected.changes[0].tombstone = [
      .null, .integer(.min), .real(-0.0), .text(""), .malformedText([0xc0, 0x80]), .blob([]),
    ]
    #expect(
      try Self.read([
        """
        UPDATE ACHANGE SET ZTOMBSTONE1 = -9223372036854775808, ZTOMBSTONE2 = -0.0,
          ZTOMBSTONE3 = '', ZTOMBSTONE4 = CAST(x'C080' AS TEXT), ZTOMBSTONE5 = x''
        """
      ]) == [expected])
  }

  @Test(arguments: [true, false])
  func `a change without a transaction is not shown with any`(isIndexed: Bool) throws {
    var sql = isIndexed ? [] : ["DROP INDEX ACHANGE_ZTRANSACTIONID_INDEX"]
    for (number, transaction) in [
      (2, "0"), (3, "2"), (4, "NULL"), (5, "'abc'"), (6, "1.5"), (7, "-9223372036854775808"),
      (8, "9223372036854775807"), (9, "x'01'"),
    ] {
      sql.append(
        "INSERT INTO ACHANGE VALUES (\(number), 16001, NULL, 0, 5, 1, \(transaction), NULL"
          + ", NULL, NULL, NULL, NULL, NULL, NULL)")
    }
    sql.append("INSERT INTO ATRANSACTION (Z_PK, Z_ENT, ZTIMESTAMP) VALUES (3, 16002, 11)")
    var selection = TransactionSelection()
    selection.checksCompleteness = false
    let rows = try Self.read(sql, selection)
    #expect(rows.map(\.number) == [1, 3])
    #expect(rows.map { $0.changes.map(\.number) } == [[1], []])
    // Those before the oldest transaction do not count.
    #expect {
      _ = try Self.read(sql)
    } throws: { error in
      guard case StoreError.damaged(_, "ACHANGE", let detail) = error else { return false }
      return detail.hasPrefix("1 changes can be read with their transactions; its index lists 7")
    }
  }

  @Test
  func `a transaction may have any number`() throws {
    let folder = try TemporaryFolder()
    let writer = try StoreWriter(path: folder.file("trips.store"))
    let numbers: [Int64] = [.min, .min + 1, -1, 0, 1, .max - 1, .max]
    for (index, number) in numbers.enumerated() {
      try writer.sql(
        "INSERT INTO ATRANSACTION (Z_PK, Z_ENT, ZTIMESTAMP) VALUES (?, 16002, ?)",
        [number, Double(index)])
      try writer.sql(
        """
        INSERT INTO ACHANGE (Z_PK, Z_ENT, ZCHANGETYPE, ZENTITY, ZENTITYPK, ZTRANSACTIONID)
        VALUES (?, 16001, 0, 5, 1, ?)
        """, [100 - index, number])
    }
    try writer.close()
    for order in [TransactionSelection.Order.ascending, .descending] {
      let rows = try ReadRows.transactions(of: writer.path, TransactionSelection(order: order))
      let read = order == .ascending ? rows : rows.reversed()
      #expect(read.map(\.number) == numbers)
      #expect(read.map { $0.changes.map(\.number) } == (94...100).reversed().map { [$0] })
    }
    let top = try ReadRows.transactions(of: writer.path, TransactionSelection(after: .max - 1))
    #expect(top.map(\.number) == [.max])
    #expect(top.map(\.changes.count) == [1])
    #expect(
      try ReadRows.transactions(of: writer.path, TransactionSelection(after: .max)).isEmpty)
    #expect(
      try ReadRows.transactions(of: writer.path, TransactionSelection(until: .min))
        .map(\.changes.count) == [1])
  }

  @Test
  func `changes stored in another order belong to their transactions`() throws {
    let folder = try TemporaryFolder()
    let writer = try StoreWriter(path: folder.file("trips.store"))
    for number: Int64 in 1...3 { try writer.transaction(number) }
    for (change, owner) in [(1, 3), (2, 1), (3, 2), (4, 3), (5, 1), (6, 2)] as [(Int64, Int64)] {
      try writer.change(change, of: owner, 0, 5, change)
    }
    try writer.close()
    for selection in [
      TransactionSelection(), TransactionSelection(order: .descending),
      TransactionSelection(limit: 9), TransactionSelection(limit: 9, limitKeepsNewest: true),
    ] {
      let rows = try ReadRows.transactions(of: writer.path, selection).sorted {
        $0.number < $1.number
      }
      #expect(rows.map { $0.changes.map(\.number) } == [[2, 5], [3, 6], [1, 4]])
    }
  }

  @Test
  func `an author of ten megabytes is read`() throws {
    let rows = try Self.read([
      "UPDATE ATRANSACTIONSTRING SET ZNAME = printf('%.10000000c', 'x') WHERE ZNAME = 'app'",
      "INSERT INTO ATRANSACTION (Z_PK, Z_ENT, ZAUTHORTS) SELECT 2, 16002, ZAUTHORTS"
        + " FROM ATRANSACTION",
    ])
    #expect(rows.map { $0.author?.string.utf8.count } == [10_000_000, 10_000_000])
  }

  @Test
  func `a value beyond the limit is damage`() throws {
    do {
      _ = try Self.read(["UPDATE ACHANGE SET ZTOMBSTONE0 = zeroblob(67108865)"])
      Issue.record("it was read")
    } catch StoreError.damaged(_, let place, let detail) {
      #expect(place == "a row")
      #expect(detail == "a value is longer than 64 MiB")
    }
  }

  @Test(.enabled(if: Tool("sqlite3") != nil))
  func `texts in UTF-16 are read`() async throws {
    let folder = try TemporaryFolder()
    let path = folder.file("trips.store")
    let sqlite = try #require(Tool("sqlite3"))
    let run = try await sqlite.run([
      path, "PRAGMA encoding = 'UTF-16le';" + StoreSchema.base + StoreSchema.history,
      """
      INSERT INTO Z_METADATA VALUES (1, 'ÜID', NULL);
      INSERT INTO Z_PRIMARYKEY VALUES (5, 'Größe', 0, 0);
      INSERT INTO ATRANSACTIONSTRING VALUES (1, 16003, NULL, 'Jürgen 🧳');
      INSERT INTO ATRANSACTION (Z_PK, Z_ENT, ZAUTHORTS) VALUES (1, 16002, 1);
      """,
    ])
    #expect(run.status == 0, "\(run.errors)")
    try StoreFile(path: path).read { (snapshot: StoreSnapshot) throws in
      #expect(snapshot.metadata.storeIdentifier == "ÜID")
      #expect(snapshot.entities.name(of: 5) == "Größe")
      let selection = TransactionSelection(texts: [.author: .init(anyOf: ["Jürgen 🧳"])])
      #expect(try ReadRows.transactions(of: snapshot, selection).map(\.author) == ["Jürgen 🧳"])
      #expect(try snapshot.textCounts(.author).counts.map(\.text) == ["Jürgen 🧳"])
    }
  }
}
