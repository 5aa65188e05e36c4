import TestSupport
import Testing

@testable import OpenSwiftData

/// What histories can be asked beyond SwiftData's own questions.
@Suite(.bounded) struct HistoryAccessTests {
  private typealias Descriptor = HistoryDescriptor<DefaultHistoryTransaction>

  /// A store with six transactions: three by the app, two by the widget, and one by nobody.
  private static func store() throws -> (TripStore, ModelContext, tokens: [DefaultHistoryToken]) {
    let store = try TripStore()
    let app = store.context(author: "app")
    let widget = store.context(author: "widget")
    let trip = Trip(name: "Rome")
    trip.bucketList = [BucketListItem(title: "Forum")]
    app.insert(trip)
    try app.save()
    for name in ["Roma", "Rom"] {
      let found = try #require(try widget.fetch(FetchDescriptor<Trip>()).first)
      found.name = name
      found.notes = "called \(name)"
      try widget.save()
      trip.destination = name
      try app.save()
    }
    let nobody = store.context()
    for trip in try nobody.fetch(FetchDescriptor<Trip>()) { nobody.delete(trip) }
    try nobody.save()
    let context = store.context()
    return (store, context, try context.fetchHistory(Descriptor()).map(\.token))
  }

  @Test func `changes have names without model types`() throws {
    let (_, context, _) = try Self.store()
    let changes = try context.fetchHistory(Descriptor()).map(\.changes)
    #expect(Set(changes[0].map(\.entityName)) == ["Trip", "BucketListItem"])
    #expect(changes[0].allSatisfy { $0.kind == .insert && $0.updatedAttributeNames.isEmpty })
    let update = try #require(changes[1].first)
    #expect(update.kind == .update)
    #expect(update.updatedAttributeNames.sorted() == ["name", "notes"])
    #expect(update.preservedValues.isEmpty)
    #expect(changes[2].first?.updatedAttributeNames == ["destination"])
    let delete = try #require(changes[5].first { $0.entityName == "Trip" })
    #expect(delete.kind == .delete)
    #expect(delete.preservedValues["name"] as? String == "Rom")
    #expect(Set(delete.preservedValues.keys) == ["identifier", "name", "startDate"])
  }

  @Test func `transactions can be fetched without changes`() throws {
    let (_, context, tokens) = try Self.store()
    let token = tokens[1]
    var descriptor = Descriptor(predicate: #Predicate { $0.token > token })
    descriptor.includesChanges = false
    let transactions = try context.fetchHistory(descriptor)
    #expect(transactions.map(\.transactionIdentifier) == [3, 4, 5, 6])
    #expect(transactions.map(\.author) == ["app", "widget", "app", nil])
    #expect(transactions.map(\.changes.count) == [0, 0, 0, 0])
    descriptor.fetchLimit = 2
    #expect(try context.fetchHistory(descriptor).map(\.transactionIdentifier) == [3, 4])
  }

  @Test func `transactions are counted`() throws {
    let (_, context, tokens) = try Self.store()
    func count(_ predicate: Predicate<DefaultHistoryTransaction>?, limit: UInt64 = 0) throws -> Int
    {
      var descriptor = Descriptor(predicate: predicate)
      descriptor.fetchLimit = limit
      let count = try context.fetchHistoryCount(descriptor)
      #expect(try context.fetchHistory(descriptor).count == count)
      return count
    }
    let token = tokens[1]
    let names = ["BucketListItem"]
    #expect(try context.fetchHistoryCount(Descriptor()) == 6)
    #expect(try count(#Predicate { $0.transactionIdentifier > 0 }, limit: 4) == 4)
    #expect(try count(#Predicate { $0.token > token }) == 4)
    #expect(try count(#Predicate { $0.author == "widget" }) == 2)
    #expect(try count(#Predicate { $0.author != "widget" }) == 4)
    #expect(try count(#Predicate { $0.author != "widget" && $0.author != "app" }) == 1)
    #expect(try count(#Predicate { $0.author == "app" && $0.author != "app" }) == 0)
    #expect(try count(#Predicate { $0.author != nil }) == 5)
    #expect(try count(#Predicate { $0.author == nil || $0.token <= token }) == 3)
    #expect(
      try count(
        #Predicate { transaction in
          transaction.changes.contains {
            names.contains($0.changedPersistentIdentifier.entityName)
          }
        }) == 2)
  }

  @Test func `canonically equivalent authors are equal`() throws {
    let store = try TripStore()
    for author in ["cafe\u{301}", "caf\u{E9}", "cafe", nil] {
      let context = store.context(author: author)
      context.insert(Tag(label: UUID().uuidString))
      try context.save()
    }
    let context = store.context()
    let author = "caf\u{E9}"
    #expect(
      try context.fetchHistory(Descriptor(predicate: #Predicate { $0.author == author })).map(\.id)
        == [1, 2])
    #expect(
      try context.fetchHistory(Descriptor(predicate: #Predicate { $0.author != author })).map(\.id)
        == [3, 4])
  }

  @Test func `tokens report their state`() async throws {
    let (store, context, tokens) = try Self.store()
    #expect(try context.oldestHistoryToken() == tokens.first)
    #expect(try context.newestHistoryToken() == tokens.last)
    #expect(try context.historyTokenState(tokens[0]) == .current)
    let pruned = try await Tool.histctl.run(["prune", store.path, "--keep-last", "3", "--yes"])
    #expect(pruned.status == 0, "\(pruned.errors)")
    #expect(try context.historyTokenState(tokens[0]) == .expired(oldest: tokens[3]))
    #expect(try context.historyTokenState(tokens[2]) == .expired(oldest: tokens[3]))
    #expect(try context.historyTokenState(tokens[3]) == .current)
    #expect(try context.oldestHistoryToken() == tokens[3])
    let identifier = try #require(tokens[0].tokenValue?.keys.first)
    func token(_ json: String) throws -> DefaultHistoryToken {
      try JSONDecoder().decode(DefaultHistoryToken.self, from: Data(json.utf8))
    }
    #expect(
      try context.historyTokenState(token(#"{"storeTokens":{"\#(identifier)":7}}"#)) == .unknown)
    #expect(
      try context.historyTokenState(token(#"{"storeTokens":{"\#(UUID().uuidString)":7}}"#))
        == .foreign)
    #expect(try context.historyTokenState(token(#"{"storeTokens":{}}"#)) == .foreign)
    // What is said beforehand is what a fetch then does.
    for token in tokens {
      let isCurrent = try context.historyTokenState(token) == .current
      let fetch = Result {
        try context.fetchHistory(Descriptor(predicate: #Predicate { $0.token > token }))
      }
      #expect(((try? fetch.get()) != nil) == isCurrent)
    }
    try context.deleteHistory(Descriptor())
    #expect(try context.oldestHistoryToken() == nil)
    #expect(try context.newestHistoryToken() == nil)
    #expect(try context.historyTokenState(tokens[5]) == .expired(oldest: nil))
  }

  @Test func `bookmarks keep unread history`() async throws {
    let (store, context, tokens) = try Self.store()
    #expect(try context.historyBookmarks() == [])
    #expect(try context.deleteReadHistory() == 0)
    try context.setHistoryBookmark("sync", to: tokens[3])
    try context.setHistoryBookmark("badge", to: tokens[1])
    let listed = try await Tool.histctl.run(["bookmark", "list", store.path, "--json"])
    #expect(listed.status == 0, "\(listed.errors)")
    #expect(listed.text.contains("\"sync\"") && listed.text.contains("\"badge\""))
    #expect(try context.historyBookmarks().map(\.name) == ["badge", "sync"])
    #expect(try context.historyBookmarks().map(\.token) == [tokens[1], tokens[3]])
    #expect(try context.historyBookmarks().map(\.unreadCount) == [4, 2])

    // The tool leaves what the hindmost reader needs, and so does this.
    let pruned = try await Tool.histctl.run(["prune", store.path, "--keep-last", "1", "--yes"])
    #expect(try context.historyTokenState(tokens[1]) == .current, "\(pruned.text)")
    try context.setHistoryBookmark("badge", to: tokens[4], onlyForward: true)
    #expect(throws: SwiftDataError.invalidTransactionFetchRequest) {
      try context.setHistoryBookmark("badge", to: tokens[2], onlyForward: true)
    }
    let before = try context.fetchHistoryCount(Descriptor())
    #expect(try context.deleteReadHistory() == before - 3)
    #expect(try context.fetchHistory(Descriptor()).map(\.token) == Array(tokens[3...]))
    #expect(try context.historyBookmarks().map(\.state) == [.current, .current])

    // One that was set from outside, and has expired since, holds nothing.
    let set = try await Tool.histctl.run(["bookmark", "set", store.path, "tool", "5"])
    #expect(set.status == 0, "\(set.errors)")
    try context.removeHistoryBookmark("sync")
    try context.removeHistoryBookmark("sync")
    #expect(try context.historyBookmarks().map(\.name) == ["badge", "tool"])
    // Deleting everything leaves what a reader has not read.
    let read = try context.historyBookmarks().map(\.state)
    try context.deleteHistory(Descriptor())
    #expect(try context.historyBookmarks().map(\.state) == read)
    #expect(try context.historyBookmarks().contains { $0.state == .current })
    try context.removeHistoryBookmark("badge")
    try context.removeHistoryBookmark("tool")
    try context.deleteHistory(Descriptor())
    #expect(try context.newestHistoryToken() == nil)
    #expect(try context.deleteReadHistory() == 0)
  }

  @Test func `a bookmark set meanwhile keeps history`() throws {
    let (folder, context, tokens) = try Self.store()
    defer { withExtendedLifetime(folder) {} }
    try context.setHistoryBookmark("badge", to: tokens[4])
    let store = try #require(context.defaultStores.first)
    var isFirst = true
    let count = try store.deleteReadHistory {
      guard isFirst else { return }
      isFirst = false
      try context.setHistoryBookmark("sync", to: tokens[2])
    }
    #expect(count == 2)
    #expect(try context.fetchHistory(Descriptor()).map(\.token) == Array(tokens[2...]))
    #expect(try context.historyBookmarks().map(\.state) == [.current, .current])
  }

  @Test func `malformed bookmarks are refused`() throws {
    let (store, context, tokens) = try Self.store()
    for name in ["", "-x", "../x", "a b"] {
      #expect(throws: SwiftDataError.invalidTransactionFetchRequest) {
        try context.setHistoryBookmark(name, to: tokens[0])
      }
    }
    let (_, other, _) = try Self.store()
    #expect(throws: SwiftDataError.invalidTransactionFetchRequest) {
      try other.setHistoryBookmark("sync", to: tokens[0])
    }
    try "{".write(
      toFile: store.path + "-bookmarks.json", atomically: true, encoding: .utf8)
    #expect(throws: SwiftDataError.storeFailure) { try context.historyBookmarks() }
    #expect(throws: SwiftDataError.storeFailure) {
      try context.setHistoryBookmark("sync", to: tokens[0])
    }
  }
}
