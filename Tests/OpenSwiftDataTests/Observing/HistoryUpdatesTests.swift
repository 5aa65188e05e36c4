import OpenSwiftData
import Synchronization
import TestSupport
import Testing

@Suite(.bounded) struct HistoryUpdatesTests {
  @Test func `existing history precedes new saves`() async throws {
    let store = try TripStore()
    let container = store.container
    func save(_ name: String) throws {
      let context = ModelContext(container)
      context.author = name
      context.insert(Trip(name: name))
      try context.save()
    }
    try save("Rome")
    try save("Paris")
    var updates = container.historyUpdates().makeAsyncIterator()
    #expect(try await updates.next()?.author == "Rome")
    let second = try #require(try await updates.next())
    #expect(second.author == "Paris")
    try save("Oslo")
    let third = try #require(try await updates.next())
    #expect(third.author == "Oslo")
    guard case .insert(_ as DefaultHistoryInsert<Trip>)? = third.changes.first else {
      Issue.record("\(third.changes)")
      return
    }
    // Another reader goes on behind a token.
    var later = container.historyUpdates(after: second.token).makeAsyncIterator()
    #expect(try await later.next()?.author == "Oslo")
  }

  @Test func `each transaction is delivered once`() async throws {
    let store = try SharedStore()
    let (own, others) = (150, 100)
    let container = store.container
    let reader = Task {
      var numbers: [Int64] = []
      for try await transaction in container.historyUpdates() {
        numbers.append(transaction.transactionIdentifier)
        if numbers.count == own + others { break }
      }
      return numbers
    }
    async let elsewhere: Void = store.saveElsewhere(others)
    try await Task.detached {
      let context = ModelContext(container)
      for number in 1...own {
        context.insert(SavedEntry(author: "app", number: number))
        try context.save()
      }
    }.value
    try await elsewhere
    #expect(try await reader.value == Array(1...Int64(own + others)))
  }

  @Test func `a restart continues after the last token`() async throws {
    let store = try SharedStore()
    try await store.saveElsewhere(250)
    var token: DefaultHistoryToken?
    var numbers: [Int64] = []
    // Each time only a few are dealt with.
    while numbers.count < 250 {
      var count = 0
      for try await transaction in store.container.historyUpdates(after: token) {
        numbers.append(transaction.transactionIdentifier)
        token = transaction.token
        count += 1
        if count == 70 || numbers.count == 250 { break }
      }
    }
    #expect(numbers == Array(1...250))
  }

  @Test func `deleted history is an error only if it was not read`() async throws {
    let store = try TripStore()
    let context = store.context()
    func save(_ name: String) throws {
      context.insert(Trip(name: name))
      try context.save()
    }
    try save("Rome")
    try save("Paris")
    var updates = store.container.historyUpdates().makeAsyncIterator()
    let first = try #require(try await updates.next())
    let second = try #require(try await updates.next())
    // What was read may go.
    try context.deleteHistory(HistoryDescriptor<DefaultHistoryTransaction>())
    try save("Oslo")
    #expect(try await updates.next()?.transactionIdentifier == 3)
    try save("Bern")
    try save("Wien")
    let last = try #require(
      try context.fetchHistory(HistoryDescriptor<DefaultHistoryTransaction>()).last?.token)
    try context.deleteHistory(
      HistoryDescriptor<DefaultHistoryTransaction>(predicate: #Predicate { $0.token < last }))
    await #expect(throws: SwiftDataError.historyTokenExpired) { _ = try await updates.next() }
    for token in [first.token, second.token] {
      var expired = store.container.historyUpdates(after: token).makeAsyncIterator()
      await #expect(throws: SwiftDataError.historyTokenExpired) { _ = try await expired.next() }
    }
  }

  @Test func `a canceled task ends the sequence`() async throws {
    let store = try TripStore()
    let container = store.container
    let isReading = AsyncStream.makeStream(of: Void.self)
    let context = store.context()
    context.insert(Trip(name: "Rome"))
    try context.save()
    let reader = Task {
      var count = 0
      for try await _ in container.historyUpdates() {
        count += 1
        isReading.continuation.yield()
      }
      return count
    }
    for await _ in isReading.stream { break }
    reader.cancel()
    #expect(try await reader.value == 1)
  }
}
