import OpenSwiftData
import TestSupport
import Testing

/// Stores of two versions of an app's models that SwiftData wrote.
@Suite(.bounded, .enabled(if: RealStores.path("swiftdata-myhome-v1.store") != nil))
struct HomeStoreTests {
  private static func store(_ version: Int) throws -> MigratedStore {
    let store = try MigratedStore()
    let real = try store.folder.copy(
      store: #require(RealStores.path("swiftdata-myhome-v\(version).store")))
    try FileManager.default.moveItem(atPath: real, toPath: store.path)
    return store
  }

  private static let rows = """
    SELECT Z_PK, ZAMOUNT, ZCURRENCYCODE, %, hex(ZID), ZDATE, ZCREATEDAT FROM ZEXPENSE ORDER BY 1
    """

  private static func rows(_ note: String) -> String { rows.replacing("%", with: note) }

  @Test(arguments: [1, 2]) func `a store opens with its own models and stays as it is`(
    _ version: Int
  ) throws {
    let store = try Self.store(version)
    let before = try StoreQuery(path: store.path).contents()
    if version == 1 {
      try store.with(HomeV1.models) { context in
        let expense = try #require(try context.fetch(FetchDescriptor<HomeV1.Expense>()).first)
        #expect(expense.amount == 100)
        #expect(expense.note == "Seed")
      }
    } else {
      try store.with(HomeV2.models) { context in
        let expense = try #require(try context.fetch(FetchDescriptor<HomeV2.Expense>()).first)
        #expect(expense.amount == 100)
        #expect(expense.categories.map(\.name) == ["Seed Category"])
        #expect(expense.categories.first?.symbolName == "cart")
        #expect(expense.categories.first?.expenses == [expense])
      }
    }
    #expect(try StoreQuery(path: store.path).contents() == before)
  }

  @Test(arguments: [1, 2]) func `a store goes through further versions, and its history goes on`(
    _ version: Int
  ) async throws {
    let store = try Self.store(version)
    let rows = try store.lines(Self.rows("ZNOTE"))
    let identifier = try store.lines("SELECT Z_UUID FROM Z_METADATA")
    let transactions = try store.lines("SELECT Z_PK, ZTIMESTAMP FROM ATRANSACTION")
    let changes = try await store.changes()
    try store.with(HomeV3.models, plan: HomePlan.self, author: "app") { context in
      let expense = try #require(try context.fetch(FetchDescriptor<HomeV3.Expense>()).first)
      #expect(expense.amount == 100 && expense.remark == "Seed" && expense.isShared)
      #expect(expense.payer?.name == "Ann")
      #expect(expense.categories.map(\.name) == (version == 1 ? [] : ["Seed Category"]))
      // The tokens of the app go on working.
      let history = try context.fetchHistory(HistoryDescriptor<DefaultHistoryTransaction>())
      let first = try #require(history.first?.token)
      #expect(
        try context.fetchHistory(
          HistoryDescriptor<DefaultHistoryTransaction>(predicate: #Predicate { $0.token > first })
        ).count == history.count - 1)
      let inserts = history[0].changes.compactMap { change in
        if case .insert(let insert as DefaultHistoryInsert<HomeV3.Expense>) = change {
          insert.changedPersistentIdentifier
        } else {
          nil
        }
      }
      #expect(inserts == [expense.persistentModelID])
      expense.amount = 101
      try context.save()
      context.delete(expense)
      let next = HomeV3.Expense(amount: 7)
      context.insert(next)
      next.categories = [HomeV3.Category(name: "Food")]
      try context.save()
    }
    #expect(rows.count == 1)
    #expect(
      try store.lines("SELECT Z_PK, ZAMOUNT, ZREMARK FROM ZEXPENSE") == ["2|7|"])
    #expect(try store.lines("SELECT Z_UUID FROM Z_METADATA") == identifier)
    #expect(
      try store.lines("SELECT Z_PK, ZTIMESTAMP FROM ATRANSACTION ORDER BY 1").prefix(1)
        == transactions[...])
    let stages = version == 1 ? 2 : 1
    let history = try await store.history()
    #expect(
      history.compactMap { $0["transaction"] as? Int } == Array(1...(stages + 4)))
    let later = try await store.changes()
    #expect(Array(later.prefix(changes.count)) == changes)
    #expect(later.contains("update Expense/1 amount"))
    #expect(later.contains { $0.hasPrefix("delete Expense/1 amount=101") })
    #expect(try await store.problems(HomeV3.models, version: Schema.Version(3, 0, 0)) == [])
  }

  @Test func `both versions become the same`() throws {
    var layouts: [[String]] = []
    for version in 1...2 {
      let store = try Self.store(version)
      let before = try store.lines(Self.rows("ZNOTE"))
      try store.open(HomeV3.models, plan: HomePlan.self)
      #expect(try store.lines(Self.rows("ZREMARK")) == before)
      layouts.append(
        try store.lines(
          """
          SELECT m.name, c.name, c.type FROM sqlite_master m, pragma_table_info(m.name) c
          WHERE m.type = 'table' AND m.name LIKE 'Z%' ORDER BY 1, 2
          """))
    }
    #expect(layouts[0] == layouts[1] && layouts[0].count > 20)
  }
}
