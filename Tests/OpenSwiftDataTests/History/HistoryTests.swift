import OpenSwiftData
import TestSupport
import Testing

@Suite(.bounded) struct HistoryTests {
  /// A store with five transactions, of which the second and the fourth are the widget's.
  private static func store() throws -> TripStore {
    let store = try TripStore()
    let app = store.context(author: "app")
    let widget = store.context(author: "widget")
    let rome = Trip(name: "Rome", startDate: .now)
    rome.bucketList = [BucketListItem(title: "Forum"), BucketListItem(title: "Pantheon")]
    rome.livingAccommodation = LivingAccommodation(placeName: "Casa")
    app.insert(rome)
    try app.save()
    let house = try #require(try widget.fetch(FetchDescriptor<LivingAccommodation>()).first)
    house.isConfirmed = true
    try widget.save()
    rome.name = "Roma"
    rome.destination = "Italy"
    try app.save()
    house.placeName = "Casa Roma"
    try widget.save()
    let nobody = store.context()
    for trip in try nobody.fetch(FetchDescriptor<Trip>()) { nobody.delete(trip) }
    try nobody.save()
    return store
  }

  @Test func `every save is one transaction in recorded order`() throws {
    let store = try Self.store()
    let context = store.context()
    let transactions = try context.fetchHistory(HistoryDescriptor<DefaultHistoryTransaction>())
    #expect(transactions.map(\.transactionIdentifier) == [1, 2, 3, 4, 5])
    #expect(transactions.map(\.author) == ["app", "widget", "app", "widget", nil])
    #expect(transactions.map(\.changes.count) == [4, 1, 1, 1, 4])
    #expect(Set(transactions.map(\.storeIdentifier)).count == 1)
    #expect(transactions[0].processIdentifier == ProcessInfo.processInfo.processName)
    #expect(abs(transactions[0].timestamp.timeIntervalSinceNow) < 3600)
  }

  @Test func `changes have types and updates key paths`() throws {
    let context = try Self.store().context()
    let transactions = try context.fetchHistory(HistoryDescriptor<DefaultHistoryTransaction>())
    var inserted = 0
    for change in transactions[0].changes {
      switch change {
      case .insert(_ as DefaultHistoryInsert<Trip>): inserted += 1
      case .insert(_ as DefaultHistoryInsert<BucketListItem>): inserted += 10
      case .insert(let insert): #expect(insert is DefaultHistoryInsert<LivingAccommodation>)
      default: Issue.record("\(change)")
      }
    }
    #expect(inserted == 21)
    guard case .update(let change) = transactions[2].changes[0],
      let update = change as? DefaultHistoryUpdate<Trip>
    else {
      Issue.record("\(transactions[2].changes)")
      return
    }
    #expect(update.updatedAttributes.contains(\.name))
    #expect(update.updatedAttributes.contains(\.destination))
    #expect(update.updatedAttributes.count == 2)
    #expect(update.changedPersistentIdentifier.entityName == "Trip")
  }

  @Test func `tombstones hold preserved values`() throws {
    let context = try Self.store().context()
    let last = try #require(
      try context.fetchHistory(HistoryDescriptor<DefaultHistoryTransaction>()).last)
    var titles: [String] = []
    for change in last.changes {
      switch change {
      case .delete(let delete as DefaultHistoryDelete<Trip>):
        #expect(delete.tombstone[\.name] as? String == "Roma")
        #expect(delete.tombstone[\.identifier] is UUID)
        #expect(delete.tombstone[\.startDate] is Date)
        #expect(delete.tombstone[\.destination] == nil)
        #expect(Array(delete.tombstone).count == 3)
      case .delete(let delete as DefaultHistoryDelete<BucketListItem>):
        titles.append(try #require(delete.tombstone[\.title] as? String))
      case .delete(let delete as DefaultHistoryDelete<LivingAccommodation>):
        #expect(Array(delete.tombstone).isEmpty)
      default: Issue.record("\(change)")
      }
    }
    #expect(titles.sorted() == ["Forum", "Pantheon"])
  }

  @Test func `predicates select by token and author`() throws {
    let context = try Self.store().context()
    let all = try context.fetchHistory(HistoryDescriptor<DefaultHistoryTransaction>())
    // A token comes back from JSON as it was.
    let data = try JSONEncoder().encode(all[1].token)
    let token = try JSONDecoder().decode(DefaultHistoryToken.self, from: data)
    #expect(token == all[1].token)
    let identifier = all[1].storeIdentifier
    #expect(String(decoding: data, as: UTF8.self) == #"{"storeTokens":{"\#(identifier)":2}}"#)

    func numbers(_ predicate: Predicate<DefaultHistoryTransaction>) throws -> [Int64] {
      try context.fetchHistory(HistoryDescriptor(predicate: predicate)).map(\.id)
    }
    #expect(try numbers(#Predicate { $0.token > token }) == [3, 4, 5])
    #expect(try numbers(#Predicate { $0.token <= token }) == [1, 2])
    let author = "widget"
    #expect(try numbers(#Predicate { $0.token > token && $0.author == author }) == [4])
    #expect(try numbers(#Predicate { $0.author == nil }) == [5])
    // What has no author is not by the app, as in Swift.
    #expect(try numbers(#Predicate { $0.author != "app" }) == [2, 4, 5])
    #expect(try numbers(#Predicate { $0.author == nil || $0.author != "app" }) == [2, 4, 5])
    #expect(try numbers(#Predicate { $0.transactionIdentifier > 3 }) == [4, 5])
    let soon = Date.now.addingTimeInterval(3600)
    #expect(try numbers(#Predicate { $0.timestamp < soon }) == [1, 2, 3, 4, 5])
    let names = ["LivingAccommodation"]
    #expect(
      try numbers(
        #Predicate { transaction in
          transaction.changes.contains {
            names.contains($0.changedPersistentIdentifier.entityName)
          }
        }) == [1, 2, 4, 5])
  }

  @Test func `transactions have an order and a limit`() throws {
    let context = try Self.store().context()
    var descriptor = HistoryDescriptor<DefaultHistoryTransaction>(
      sortBy: [SortDescriptor(\.transactionIdentifier, order: .reverse)])
    descriptor.fetchLimit = 1
    #expect(try context.fetchHistory(descriptor).map(\.id) == [5])
    descriptor.sortBy = [SortDescriptor(\.timestamp, order: .reverse)]
    descriptor.fetchLimit = 2
    #expect(try context.fetchHistory(descriptor).map(\.id) == [5, 4])
    descriptor.sortBy = []
    #expect(try context.fetchHistory(descriptor).map(\.id) == [1, 2])
  }

  @Test func `deleted history expires its tokens`() async throws {
    let store = try Self.store()
    let context = store.context()
    let tokens = try context.fetchHistory(HistoryDescriptor<DefaultHistoryTransaction>())
      .map(\.token)
    let (second, third) = (tokens[1], tokens[2])
    try context.deleteHistory(
      HistoryDescriptor<DefaultHistoryTransaction>(predicate: #Predicate { $0.token < third }))
    func after(_ token: DefaultHistoryToken) throws -> [Int64] {
      try context.fetchHistory(
        HistoryDescriptor<DefaultHistoryTransaction>(predicate: #Predicate { $0.token > token })
      ).map(\.id)
    }
    #expect(try after(third) == [4, 5])
    // A history has no holes: the third stays, and so does all after it.
    try context.deleteHistory(
      HistoryDescriptor<DefaultHistoryTransaction>(
        predicate: #Predicate { $0.author == "widget" }))
    #expect(try after(third) == [4, 5])
    do {
      _ = try after(second)
      Issue.record("the token works")
    } catch SwiftDataError.historyTokenExpired {
      // As it should be.
    }
    #expect(
      try StoreQuery(path: store.path).lines("SELECT count(*) FROM ACHANGE") == ["6"])

    // The tool's pruning has the same consequence.
    let pruned = try await Tool.histctl.run(["prune", store.path, "--keep-last", "1", "--yes"])
    #expect(pruned.status == 0, "\(pruned.errors)")
    #expect(throws: SwiftDataError.historyTokenExpired) { try after(third) }
    #expect(try after(tokens[4]) == [])
    try context.deleteHistory(HistoryDescriptor<DefaultHistoryTransaction>())
    #expect(throws: SwiftDataError.historyTokenExpired) { try after(tokens[4]) }
  }

  @Test func `a token of another store is refused`() throws {
    let token = try #require(
      try Self.store().context().fetchHistory(HistoryDescriptor<DefaultHistoryTransaction>())
        .last?.token)
    let context = try Self.store().context()
    #expect(throws: SwiftDataError.historyTokenExpired) {
      try context.fetchHistory(
        HistoryDescriptor<DefaultHistoryTransaction>(predicate: #Predicate { $0.token > token }))
    }
  }

  @Test func `histctl reads saved history`() async throws {
    let store = try Self.store()
    let log = try await Tool.histctl.run(["log", store.path, "--json", "--reverse", "--changes"])
    #expect(log.status == 0, "\(log.errors)")
    let lines = try log.lines.map {
      try #require(
        try JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: Any])
    }
    #expect(lines.map { $0["author"] as? String } == ["app", "widget", "app", "widget", nil])
    let update = try #require((lines[2]["changes"] as? [[String: Any]])?.first)
    #expect(update["attributes"] as? [String] == ["destination", "name"])
    let deleted = try #require(lines[4]["changes"] as? [[String: Any]])
    let trip = try #require(deleted.first { $0["entity"] as? String == "Trip" })
    let tombstone = try #require(trip["tombstone"] as? [String: Any])
    #expect(tombstone["name"] as? String == "Roma")
    #expect(Set(tombstone.keys) == ["identifier", "name", "startDate"])

    let info = try await Tool.histctl.run(["info", store.path, "--json"])
    #expect(info.status == 0)
    let facts = try #require(
      try JSONSerialization.jsonObject(with: Data(info.output)) as? [String: Any])
    #expect((facts["warnings"] as? [Any] ?? []).isEmpty, "\(info.text)")
  }
}
