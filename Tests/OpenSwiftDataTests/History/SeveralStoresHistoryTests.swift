import OpenSwiftData
import TestSupport
import Testing

/// Places in the histories of several stores, and what comes after them.
@Suite(.bounded) struct SeveralStoresHistoryTests {
  private let stores: TwoStores
  private let context: ModelContext

  init() throws {
    stores = try TwoStores()
    context = ModelContext(stores.container)
  }

  private func save(_ models: any PersistentModel..., by author: String) throws {
    context.author = author
    for model in models { context.insert(model) }
    try context.save()
  }

  private func authors(after token: DefaultHistoryToken? = nil) throws -> [String] {
    var descriptor = HistoryDescriptor<DefaultHistoryTransaction>()
    if let token { descriptor.predicate = #Predicate { $0.token > token } }
    let transactions = try context.fetchHistory(descriptor)
    #expect(try context.fetchHistoryCount(descriptor) == transactions.count)
    return transactions.compactMap(\.author).sorted()
  }

  private func place() throws -> DefaultHistoryToken {
    try #require(try context.newestHistoryToken())
  }

  @Test func `tokens are ordered for each store only`() throws {
    try save(Trip(name: "Rome"), Ledger(), by: "both")
    let first = try place()
    #expect(first.storeIdentifiers.count == 2)
    try save(Trip(name: "Paris"), by: "trips")
    let second = try place()
    try save(Ledger(), by: "ledgers")
    let third = try place()
    #expect(third.covers(first) && third.covers(second) && second.covers(first))
    #expect(!first.covers(second) && !second.covers(third))
    #expect(first.covers(first))
    #expect(first.merging(third) == third && third.merging(first) == third)

    let all = try context.fetchHistory(HistoryDescriptor<DefaultHistoryTransaction>())
    let trips = try #require(all.first { $0.author == "trips" }?.token)
    let ledgers = try #require(all.first { $0.author == "ledgers" }?.token)
    // Neither is behind the other, whatever `<` says.
    #expect(!trips.covers(ledgers) && !ledgers.covers(trips))
    #expect(!(trips < ledgers) && !(ledgers < trips) && trips != ledgers)
    #expect(trips.merging(ledgers) == third)
    #expect(third.covers(trips) && !trips.covers(third))
    // And it is the same when it was kept meanwhile.
    let kept = try JSONDecoder().decode(
      DefaultHistoryToken.self, from: JSONEncoder().encode(third))
    #expect(kept == third && kept.covers(third) && kept.storeIdentifiers == third.storeIdentifiers)
  }

  @Test func `transactions of every store are found`() throws {
    try save(Trip(name: "Rome"), Ledger(), by: "both")
    let start = try place()
    for number in 1...3 { try save(Trip(name: "\(number)"), by: "trips \(number)") }
    // Its number is lower than those of the other store's transactions that were read before.
    try save(Ledger(), by: "ledger")
    #expect(try authors(after: start) == ["ledger", "trips 1", "trips 2", "trips 3"])

    var reached = start
    let trips = try context.fetchHistory(
      HistoryDescriptor<DefaultHistoryTransaction>(predicate: #Predicate { $0.token > start })
    ).filter { $0.author != "ledger" }
    for transaction in trips { reached = reached.merging(transaction.token) }
    #expect(try authors(after: reached) == ["ledger"])
    // The greatest token alone would leave it out.
    let greatest = try #require(trips.map(\.token).max())
    #expect(try authors(after: greatest) == [])
    reached = reached.merging(try place())
    #expect(try authors(after: reached) == [])
  }

  @Test func `deleting history stops in each store separately`() throws {
    try save(Trip(name: "Rome"), Ledger(), by: "both")
    try save(Trip(name: "Paris"), by: "trips")
    let place = try place()
    try save(Trip(name: "Oslo"), Ledger(), by: "last")
    try context.deleteHistory(
      HistoryDescriptor<DefaultHistoryTransaction>(predicate: #Predicate { $0.token <= place }))
    #expect(try authors() == ["last", "last"])
    #expect(throws: SwiftDataError.historyTokenExpired) { try authors(after: place) }
    guard case .expired = try context.historyTokenState(place) else {
      Issue.record("\(try context.historyTokenState(place))")
      return
    }
  }

  @Test func `history updates continue in each store`() async throws {
    try save(Trip(name: "Rome"), Ledger(), by: "both")
    let start = try place()
    try save(Trip(name: "Paris"), by: "trips")
    try save(Ledger(), by: "ledgers")
    func next(
      _ count: Int, after token: DefaultHistoryToken?
    ) async throws -> [DefaultHistoryTransaction] {
      var read: [DefaultHistoryTransaction] = []
      for try await transaction in stores.container.historyUpdates(after: token) {
        read.append(transaction)
        if read.count == count { break }
      }
      return read
    }
    #expect(
      Set(try await next(2, after: start).compactMap(\.author)) == ["trips", "ledgers"])
    // A reader that stops in the middle keeps where it is in both.
    let one = try await next(1, after: start)
    let reached = one.reduce(start) { $0.merging($1.token) }
    let other = try await next(1, after: reached)
    #expect(Set((one + other).compactMap(\.author)) == ["trips", "ledgers"])
    // Of a store that a token does not name, all comes.
    let trips = try #require(
      try context.fetchHistory(HistoryDescriptor<DefaultHistoryTransaction>())
        .last { $0.author == "trips" }?.token)
    let rest = try await next(2, after: trips)
    #expect(rest.compactMap(\.author) == ["both", "ledgers"])
    #expect(Set(rest.map(\.storeIdentifier)).count == 1)
  }

  @Test func `observers count the transactions of all stores`() throws {
    try save(Trip(name: "Rome"), Ledger(), by: "both")
    let start = try place()
    try save(Trip(name: "Paris"), by: "trips")
    try save(Ledger(), by: "ledgers")
    let stores = stores.container
    let trips = try #require(stores.storeIdentifier(forConfigurationNamed: "Trips"))
    let ledgers = try #require(stores.storeIdentifier(forConfigurationNamed: "Ledgers"))
    let both = try HistoryObserver(
      historyTokens: [trips: start, ledgers: start], modelContainer: stores, isolation: nil)
    #expect(both.eventCounter == 2)
    // A store without a token begins with what is saved from now on.
    let one = try HistoryObserver(
      historyTokens: [trips: start], modelContainer: stores, isolation: nil)
    #expect(one.eventCounter == 1)
    let ofLedgers = try HistoryObserver(
      observedModels: [Ledger.self], modelContainer: stores, isolation: nil)
    try save(Trip(name: "Oslo"), Ledger(), by: "both")
    #expect(both.eventCounter == 4)
    #expect(one.eventCounter == 3)
    #expect(ofLedgers.eventCounter == 1)
    let tokens = one.historyTokens.values.compactMap { $0 as? DefaultHistoryToken }
    #expect(tokens.reduce(start) { $0.merging($1) } == (try place()))
  }
}
