import Foundation
import StoreFormat
import TestSupport
import Testing

@testable import PersistentHistory

@Suite(.bounded) struct HistoryReaderTests {
  /// Transactions and their changes as `5:8,9`.
  private static func lines(
    _ query: HistoryQuery, in snapshot: StoreSnapshot
  ) throws -> [String] {
    let reader = try HistoryReader(snapshot: snapshot, query: query)
    var lines: [String] = []
    while let transaction = try reader.nextTransaction() {
      var numbers: [String] = []
      while let change = try reader.nextChange() { numbers.append(String(change.number)) }
      lines.append("\(transaction.number):\(numbers.joined(separator: ","))")
    }
    return lines
  }

  private static func lines(bySQL path: String) async throws -> [String] {
    let result = try await #require(Tool("sqlite3")).run([
      path,
      """
      SELECT t.Z_PK || ':' || coalesce((SELECT group_concat(Z_PK) FROM
        (SELECT Z_PK FROM ACHANGE WHERE ZTRANSACTIONID = t.Z_PK ORDER BY Z_PK)), '')
      FROM ATRANSACTION AS t ORDER BY t.Z_PK
      """,
    ])
    #expect(result.errors.isEmpty)
    return result.lines
  }

  /// Real stores that have history tables.
  private static let stores = RealStores.paths.filter {
    !["kik-old", "notesv7", "scout"].contains(where: $0.contains)
  }

  @Test(
    .enabled(if: !stores.isEmpty && Tool("sqlite3") != nil, "there are no real stores here"),
    arguments: stores)
  func `real stores read as in plain SQL, forward and backward`(store: String) async throws {
    let folder = try TemporaryFolder()
    let path = try folder.copy(store: store)
    let (forward, backward) = try StoreFile(path: path).read { snapshot in
      (
        try Self.lines(HistoryQuery(), in: snapshot),
        try Self.lines(HistoryQuery(order: .descending), in: snapshot)
      )
    }
    let expected = try await Self.lines(bySQL: path)
    #expect(forward == expected)
    #expect(backward == expected.reversed())
  }

  @Test(
    .enabled(if: Tool("sqlite3") != nil),
    arguments: RandomHistory.Layout.allCases)
  func `random stores read as in plain SQL`(layout: RandomHistory.Layout) async throws {
    let folder = try TemporaryFolder()
    var history = RandomHistory(seed: 7)
    try history.write(to: folder.file("random.store"), layout: layout)
    let (forward, backward) = try StoreFile(path: folder.file("random.store")).read { snapshot in
      (
        try Self.lines(HistoryQuery(), in: snapshot),
        try Self.lines(HistoryQuery(order: .descending), in: snapshot)
      )
    }
    let expected = try await Self.lines(bySQL: folder.file("random.store"))
    #expect(expected.count == 60 && expected.contains { $0.hasSuffix(":") })
    #expect(forward == expected)
    #expect(backward == expected.reversed())
  }

  /// The ways that changes are looked up: in one run, by transaction, and without an index.
  private static let ways: [(HistoryQuery, Bool)] = [
    (HistoryQuery(), true), (HistoryQuery(limit: 99), true), (HistoryQuery(), false),
    (HistoryQuery(limit: 99), false), (HistoryQuery(order: .descending), true),
    (HistoryQuery(order: .descending), false),
  ]

  @Test(arguments: ways)
  func `changes of a transaction may be skipped, in part or as a whole`(
    query: HistoryQuery, isIndexed: Bool
  ) throws {
    let folder = try TemporaryFolder()
    let writer = try StoreWriter(path: folder.file("trips.store"))
    try SampleStore.fill(writer)
    if !isIndexed { try writer.sql("DROP INDEX ACHANGE_ZTRANSACTIONID_INDEX") }
    try writer.close()
    try StoreFile(path: folder.file("trips.store")).read { snapshot in
      let reader = try HistoryReader(snapshot: snapshot, query: query)
      #expect(try reader.nextChange() == nil)
      var read: [Int64: [Int64]] = [:]
      while let transaction = try reader.nextTransaction() {
        // Of transaction n as many changes as n leaves when divided by 3.
        for _ in 0..<transaction.number % 3 {
          guard let change = try reader.nextChange() else { break }
          read[transaction.number, default: []].append(change.number)
        }
      }
      // By hand: a transaction has 3, 2, 1 and 3 changes in turn.
      #expect(
        read == [
          1: [1], 2: [4, 5], 4: [7], 5: [10, 11], 7: [15], 8: [16, 17], 10: [22], 11: [24],
        ])
    }
  }

  @Test(arguments: ways)
  func `counting changes does not depend on the position of the reader`(
    query: HistoryQuery, isIndexed: Bool
  ) throws {
    let folder = try TemporaryFolder()
    let writer = try StoreWriter(path: folder.file("trips.store"))
    try SampleStore.fill(writer)
    if !isIndexed { try writer.sql("DROP INDEX ACHANGE_ZTRANSACTIONID_INDEX") }
    try writer.close()
    try StoreFile(path: folder.file("trips.store")).read { snapshot in
      let whole = try HistoryReader(snapshot: snapshot, query: query)
      let reader = try HistoryReader(snapshot: snapshot, query: query)
      #expect(try reader.countChanges().count == 0)
      while let transaction = try reader.nextTransaction() {
        if transaction.number % 2 == 0 { _ = try reader.nextChange() }
        var expected = ChangeSummary()
        for change in try whole.next()?.changes ?? [] { expected.add(change) }
        #expect(try reader.countChanges().entries == expected.entries)
      }
    }
  }

  @Test(arguments: ways)
  func `after the end every call returns nil`(query: HistoryQuery, isIndexed: Bool) throws {
    let folder = try TemporaryFolder()
    let writer = try StoreWriter(path: folder.file("trips.store"))
    try SampleStore.fill(writer)
    if !isIndexed { try writer.sql("DROP INDEX ACHANGE_ZTRANSACTIONID_INDEX") }
    try writer.close()
    try StoreFile(path: folder.file("trips.store")).read { snapshot in
      let reader = try HistoryReader(snapshot: snapshot, query: query)
      var count = 0
      while let transaction = try reader.next() {
        count += transaction.changes.count
        #expect(try reader.nextChange() == nil)
        #expect(try reader.nextChange() == nil)
      }
      #expect(count == 27)
      #expect(try reader.next() == nil)
      #expect(try reader.nextTransaction() == nil)
      #expect(try reader.nextChange() == nil)
    }
  }

  @Test(arguments: ways)
  func `a transaction without changes has none of its neighbors'`(
    query: HistoryQuery, isIndexed: Bool
  ) throws {
    let folder = try TemporaryFolder()
    let writer = try StoreWriter(path: folder.file("trips.store"))
    for number: Int64 in 1...6 { try writer.transaction(number) }
    try writer.change(1, of: 2, 0, 5, 1)
    try writer.change(2, of: 5, 0, 5, 2)
    // Changes of transactions that never were, before, between and behind.
    for (number, transaction) in [(3, 0), (4, 7), (5, -1)] as [(Int64, Int64)] {
      try writer.change(number, of: transaction, 0, 5, 3)
    }
    try writer.sql("DELETE FROM ATRANSACTION WHERE Z_PK = 4")
    try writer.change(6, of: 4, 0, 5, 4)
    if !isIndexed { try writer.sql("DROP INDEX ACHANGE_ZTRANSACTIONID_INDEX") }
    try writer.close()
    let isTold = query.limit == nil
    let lines = try StoreFile(path: folder.file("trips.store")).read { snapshot in
      if isTold { #expect(throws: StoreError.self) { try Self.lines(query, in: snapshot) } }
      var query = query
      query.checksCompleteness = false
      return try Self.lines(query, in: snapshot)
    }
    let expected = ["1:", "2:1", "3:", "5:2", "6:"]
    #expect(lines == (query.order == .ascending ? expected : expected.reversed()))
  }

  @Test
  func `texts come from the table of texts, else from the plain columns`() throws {
    let folder = try TemporaryFolder()
    let writer = try StoreWriter(path: folder.file("trips.store"))
    try writer.sql(
      """
      INSERT INTO ATRANSACTIONSTRING (Z_PK, ZNAME) VALUES (1, 'interned'), (2, NULL), (3, x'61');
      INSERT INTO ATRANSACTION (Z_PK, Z_ENT, ZAUTHORTS, ZAUTHOR) VALUES
        (1, 16002, 1, NULL), (2, 16002, 1, 'plain'), (3, 16002, NULL, 'plain'),
        (4, 16002, 9, 'plain'), (5, 16002, 9, NULL), (6, 16002, 2, 'plain'), (7, 16002, 3, NULL),
        (8, 16002, NULL, x'61'), (9, 16002, 'one', 'plain'), (10, 16002, NULL, NULL);
      """)
    try writer.close()
    let authors = try StoreFile(path: folder.file("trips.store")).read { snapshot in
      let reader = try HistoryReader(snapshot: snapshot)
      var authors: [String?] = []
      while let transaction = try reader.next() { authors.append(transaction.author?.string) }
      return authors
    }
    #expect(
      authors == [
        "interned", "interned", "plain", "plain", nil, "plain", nil, nil, "plain", nil,
      ])
  }

  #if os(Linux)
  @Test
  func `200,000 changes of one transaction do not fill memory`() throws {
    let folder = try TemporaryFolder()
    let writer = try StoreWriter(path: folder.file("trips.store"))
    try writer.transaction(1)
    try writer.sql(
      """
      WITH RECURSIVE numbers (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < 200000)
      INSERT INTO ACHANGE (Z_PK, Z_ENT, ZCHANGETYPE, ZENTITY, ZENTITYPK, ZTRANSACTIONID, ZTOMBSTONE5)
      SELECT n, 16001, 2, 5, n, 1, zeroblob(700) FROM numbers
      """)
    try writer.close()
    try StoreFile(path: folder.file("trips.store")).read { snapshot in
      let before = try Self.peakMemory()
      let reader = try HistoryReader(snapshot: snapshot)
      #expect(try reader.nextTransaction()?.number == 1)
      var count = 0
      var bytes = 0
      while let change = try reader.nextChange() {
        count += 1
        if case .blob(let blob)? = change.tombstone.last { bytes += blob.count }
      }
      #expect(count == 200_000 && bytes == 140_000_000)
      // What was read is 140 MB; other tests that run meanwhile need memory too.
      #expect(try Self.peakMemory() - before < 100_000)
    }
  }

  /// The most memory that this process ever had, in KiB.
  private static func peakMemory() throws -> Int {
    let status = try String(contentsOfFile: "/proc/self/status", encoding: .utf8)
    let line = try #require(status.split(separator: "\n").first { $0.hasPrefix("VmHWM:") })
    return try #require(Int(line.filter(\.isNumber)))
  }
  #endif
}
