import StoreFormat
import TestSupport
import Testing

@testable import PersistentHistory

@Suite(.bounded) struct HistoryQueryTests {
  private static func all(
    _ query: HistoryQuery = HistoryQuery(), in snapshot: StoreSnapshot
  ) throws -> [HistoryTransaction] {
    let reader = try HistoryReader(snapshot: snapshot, query: query)
    var transactions: [HistoryTransaction] = []
    while let transaction = try reader.next() { transactions.append(transaction) }
    return transactions
  }

  /// The answer to a query, worked out from all transactions.
  private static func answer(
    _ query: HistoryQuery, from all: [HistoryTransaction]
  ) -> [HistoryTransaction] {
    var answer = all.filter(query.matches)
    if let limit = query.limit {
      answer =
        query.limitKeepsNewest || query.order == .descending
        ? answer.suffix(limit) : Array(answer.prefix(limit))
    }
    if query.order == .descending { answer.reverse() }
    guard query.keepsOnlyMatchingChanges, !query.change.isEmpty else { return answer }
    return answer.map {
      var transaction = $0
      transaction.changes = transaction.changes.filter(query.change.matches)
      transaction.isPartial = true
      return transaction
    }
  }

  @Test(arguments: RandomHistory.Layout.allCases)
  func `conditions in SQL and in memory select the same`(layout: RandomHistory.Layout) throws {
    let folder = try TemporaryFolder()
    for seed: UInt64 in 1...3 {
      let path = folder.file("\(seed).store")
      var history = RandomHistory(seed: seed)
      try history.write(to: path, layout: layout)
      try StoreFile(path: path).read { snapshot in
        let all = try Self.all(in: snapshot)
        #expect(all.count == 60)
        var answered = 0
        for _ in 0..<80 {
          let query = try history.query()
          let expected = Self.answer(query, from: all)
          do {
            let answer = try Self.all(query, in: snapshot)
            #expect(answer == expected, "seed \(seed): \(query)")
            answered += answer.isEmpty ? 0 : 1
          } catch HistoryError.unknownAttribute {
            #expect(expected.isEmpty, "seed \(seed): \(query)")
          }
        }
        #expect(answered > 30)
      }
    }
  }

  /// The sample's authors are widget, none, app, app and again, from transaction 2 on; in SQL as
  /// a person would write it.
  private static let author =
    "(SELECT ZNAME FROM ATRANSACTIONSTRING AS s WHERE s.Z_PK = t.ZAUTHORTS)"

  @Test(
    .enabled(if: Tool("sqlite3") != nil),
    arguments: [
      (HistoryQuery(), "TRUE"),
      (HistoryQuery(author: .init(anyOf: ["app"])), "\(author) = 'app'"),
      (HistoryQuery(author: .init(anyOf: [], orNone: true)), "\(author) IS NULL"),
      (
        HistoryQuery(author: .init(anyOf: ["widget"], orNone: true)),
        "\(author) IS NULL OR \(author) = 'widget'"
      ),
      (HistoryQuery(author: .init(noneOf: ["app"])), "\(author) IS NOT 'app'"),
      (
        HistoryQuery(author: .init(noneOf: ["app", "widget"])),
        "\(author) IS NOT 'app' AND \(author) IS NOT 'widget'"
      ),
      (HistoryQuery(bundle: .init(anyOf: ["com.example.Trips"])), "TRUE"),
      (HistoryQuery(process: .init(noneOf: ["Trips"])), "FALSE"),
      (HistoryQuery(after: 3, until: 7), "Z_PK > 3 AND Z_PK <= 7"),
      (HistoryQuery(after: .max), "FALSE"), (HistoryQuery(until: .min), "FALSE"),
      (HistoryQuery(after: .min, until: .max), "TRUE"), (HistoryQuery(after: 7, until: 3), "FALSE"),
      (
        HistoryQuery(change: ChangeCondition(kinds: [.delete])),
        "Z_PK IN (SELECT ZTRANSACTIONID FROM ACHANGE WHERE ZCHANGETYPE = 2)"
      ),
      (
        HistoryQuery(change: ChangeCondition(kinds: [.delete], entities: ["Trip"])),
        "Z_PK IN (SELECT ZTRANSACTIONID FROM ACHANGE WHERE ZCHANGETYPE = 2 AND ZENTITY = 5)"
      ),
      (
        HistoryQuery(change: ChangeCondition(objects: [.init(entityName: "Trip", primaryKey: 5)])),
        "Z_PK IN (SELECT ZTRANSACTIONID FROM ACHANGE WHERE ZENTITYPK = 5 AND ZENTITY = 5)"
      ),
      (
        HistoryQuery(change: ChangeCondition(attributes: ["isDone"])),
        "Z_PK IN (SELECT ZTRANSACTIONID FROM ACHANGE WHERE ZCHANGETYPE = 1 AND ZENTITY = 3)"
      ),
    ])
  func `answers agree with plain SQL`(query: HistoryQuery, condition: String) async throws {
    let folder = try TemporaryFolder()
    let path = try SampleStore.write(to: folder.file("trips.store"))
    let numbers = try StoreFile(path: path).read { snapshot in
      try Self.all(query, in: snapshot).map { String($0.number) }
    }
    let sqlite = try #require(Tool("sqlite3"))
    let result = try await sqlite.run([
      path, "SELECT Z_PK FROM ATRANSACTION AS t WHERE \(condition) ORDER BY Z_PK",
    ])
    #expect(result.errors.isEmpty)
    #expect(numbers == result.lines)
  }

  @Test(arguments: [
    (HistoryQuery.Order.ascending, 3, false, [1, 2, 3]), (.ascending, 3, true, [10, 11, 12]),
    (.descending, 3, false, [12, 11, 10]), (.descending, 3, true, [12, 11, 10]),
    (.ascending, 0, true, []), (.descending, -1, false, []),
    (.ascending, 99, true, Array(1...12)),
  ])
  func `a limit applies to the requested order and end`(
    order: HistoryQuery.Order, limit: Int, keepsNewest: Bool, numbers: [Int64]
  ) throws {
    let folder = try TemporaryFolder()
    let path = try SampleStore.write(to: folder.file("trips.store"))
    try StoreFile(path: path).read { snapshot in
      let query = HistoryQuery(order: order, limit: limit, limitKeepsNewest: keepsNewest)
      let transactions = try Self.all(query, in: snapshot)
      #expect(transactions.map(\.number) == numbers)
    }
  }

  @Test
  func `more objects can be requested than SQLite nests conditions`() throws {
    let folder = try TemporaryFolder()
    let path = try SampleStore.write(to: folder.file("trips.store"))
    let objects = (9...3000).map { HistoryObject(entityName: "Trip", primaryKey: $0) }
    try StoreFile(path: path).read { snapshot in
      let query = HistoryQuery(change: ChangeCondition(objects: objects))
      let transactions = try Self.all(query, in: snapshot)
      #expect(transactions.map(\.number) == [9, 10, 12])
    }
  }

  @Test
  func `transactions with the lowest and highest possible number have their changes`() throws {
    let folder = try TemporaryFolder()
    let path = folder.file("trips.store")
    let writer = try StoreWriter(path: path)
    for (change, number) in [Int64.min, -1, 0, .max].enumerated() {
      try writer.transaction(number, at: 1)
      try writer.change(Int64(change), of: number, 0, 5, 1)
    }
    try writer.close()
    try StoreFile(path: path).read { snapshot in
      for order in [HistoryQuery.Order.ascending, .descending] {
        let all = try Self.all(HistoryQuery(order: order), in: snapshot)
        #expect(all.map(\.changes.count) == [1, 1, 1, 1])
      }
      let all = try Self.all(HistoryQuery(after: .max - 1), in: snapshot)
      #expect(all.map { $0.changes.map(\.number) } == [[3]])
    }
  }

  @Test
  func `a transaction with only its matching changes is marked partial`() throws {
    let folder = try TemporaryFolder()
    let path = try SampleStore.write(to: folder.file("trips.store"))
    try StoreFile(path: path).read { snapshot in
      var query = HistoryQuery(
        change: ChangeCondition(entities: ["Trip"]), keepsOnlyMatchingChanges: true)
      let trips = try Self.all(query, in: snapshot)
      // Transaction 3 and every fourth from there have a change of a stay only.
      #expect(trips.map(\.number) == [1, 2, 4, 5, 6, 8, 9, 10, 12])
      #expect(trips.allSatisfy { $0.isPartial && $0.changes.count == 1 })
      query.change = ChangeCondition()
      let all = try Self.all(query, in: snapshot)
      #expect(all.allSatisfy { !$0.isPartial } && all.count == 12)
    }
  }
}
