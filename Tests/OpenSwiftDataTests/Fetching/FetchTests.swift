import OpenSwiftData
import TestSupport
import Testing

@Suite(.bounded) struct FetchTests {
  private func context(count: Int = 10) throws -> (TripStore, ModelContext) {
    let store = try TripStore()
    let writer = store.context()
    for number in 0..<count {
      writer.insert(
        Trip(
          name: "Trip \(number)", destination: number.isMultiple(of: 2) ? "even" : "odd",
          startDate: Date(timeIntervalSinceReferenceDate: Double(1000 - number))))
    }
    try writer.save()
    return (store, store.context())
  }

  @Test func `a fetch has an order, a limit and an offset`() throws {
    let (store, context) = try context()
    var descriptor = FetchDescriptor<Trip>(
      sortBy: [SortDescriptor(\.destination), SortDescriptor(\.startDate)])
    descriptor.fetchLimit = 3
    descriptor.fetchOffset = 1
    #expect(try context.fetch(descriptor).map(\.name) == ["Trip 6", "Trip 4", "Trip 2"])
    #expect(try context.fetchCount(descriptor) == 3)
    #expect(try context.fetchIdentifiers(descriptor).count == 3)
    // The same where memory sorts, because there are changes.
    context.insert(Trip(name: "New", destination: "aaa"))
    #expect(try context.fetch(descriptor).map(\.name) == ["Trip 8", "Trip 6", "Trip 4"])
    descriptor.includePendingChanges = false
    #expect(try context.fetch(descriptor).map(\.name) == ["Trip 6", "Trip 4", "Trip 2"])
    _ = store
  }

  @Test func `a fetch can be descending or lexical`() throws {
    let store = try TripStore()
    let context = store.context()
    for name in ["b", "A", "a10", "a9"] { context.insert(Trip(name: name)) }
    try context.save()
    #expect(
      try context.fetch(
        FetchDescriptor<Trip>(sortBy: [SortDescriptor(\.name, order: .reverse)])
      ).map(\.name) == ["b", "a10", "a9", "A"])
    #expect(
      try context.fetch(
        FetchDescriptor<Trip>(sortBy: [SortDescriptor(\.name, comparator: .lexical)])
      ).map(\.name) == ["A", "a10", "a9", "b"])
  }

  @Test func `a fetch includes unsaved changes`() throws {
    let (store, context) = try context()
    let trips = try context.fetch(FetchDescriptor<Trip>(sortBy: [SortDescriptor(\.name)]))
    trips[0].destination = "elsewhere"
    context.delete(trips[1])
    context.insert(Trip(name: "New", destination: "even"))
    let descriptor = FetchDescriptor<Trip>(predicate: #Predicate { $0.destination == "even" })
    #expect(try context.fetch(descriptor).count == 5)
    #expect(try context.fetchCount(descriptor) == 5)
    #expect(try context.fetchCount(FetchDescriptor<Trip>()) == 10)
    var stored = descriptor
    stored.includePendingChanges = false
    #expect(try context.fetchCount(stored) == 5)
    var sorted = descriptor
    sorted.sortBy = [SortDescriptor(\.name)]
    #expect(throws: SwiftDataError.sortingPendingChangesWithIdentifiers) {
      try context.fetchIdentifiers(sorted)
    }
    _ = store
  }

  @Test func `a fetch in batches returns all models in order`() throws {
    let (store, context) = try context(count: 25)
    var descriptor = FetchDescriptor<Trip>(sortBy: [SortDescriptor(\.startDate)])
    #expect(throws: SwiftDataError.includePendingChangesWithBatchSize) {
      try context.fetch(descriptor, batchSize: 10)
    }
    descriptor.includePendingChanges = false
    let trips = try context.fetch(descriptor, batchSize: 10)
    #expect(trips.count == 25)
    #expect(trips.first?.name == "Trip 24")
    #expect(trips.last?.name == "Trip 0")
    #expect(trips.map(\.name) == (0..<25).reversed().map { "Trip \($0)" })
    _ = store
  }

  @Test func `a batch keeps the positions of deleted models`() throws {
    let (store, context) = try context(count: 25)
    var descriptor = FetchDescriptor<Trip>(sortBy: [SortDescriptor(\.startDate, order: .reverse)])
    descriptor.includePendingChanges = false
    let trips = try context.fetch(descriptor, batchSize: 10)
    #expect(trips.first?.name == "Trip 0")
    let others = store.context()
    try others.delete(model: Trip.self, where: #Predicate { $0.destination == "odd" })
    try others.save()
    let names = trips.map(\.name)
    #expect(names.count == 25)
    #expect(
      names.dropFirst(10) == (10..<25).map { $0.isMultiple(of: 2) ? "Trip \($0)" : "" }[...])
    #expect(Set(trips.map(\.persistentModelID)).count == 25)
  }

  @Test func `limits apply to unsaved changes`() throws {
    let (store, context) = try context(count: 25)
    let trips = try context.fetch(FetchDescriptor<Trip>(sortBy: [SortDescriptor(\.startDate)]))
    // In this order they are 24, 23 and so on; the first three fall away, and a new one comes in.
    context.delete(trips[0])
    trips[1].startDate = .distantFuture
    trips[2].destination = "elsewhere"
    context.insert(
      Trip(name: "New", destination: "even", startDate: Date(timeIntervalSinceReferenceDate: 978)))
    var descriptor = FetchDescriptor<Trip>(
      predicate: #Predicate { $0.destination != "elsewhere" }, sortBy: [SortDescriptor(\.startDate)]
    )
    descriptor.fetchLimit = 3
    #expect(try context.fetch(descriptor).map(\.name) == ["New", "Trip 21", "Trip 20"])
    #expect(try context.fetchCount(descriptor) == 3)
    descriptor.fetchOffset = 22
    #expect(try context.fetch(descriptor).map(\.name) == ["Trip 0", "Trip 23"])
    #expect(try context.fetchCount(descriptor) == 2)
    descriptor.fetchLimit = .max
    #expect(try context.fetch(descriptor).count == 2)
    descriptor.fetchOffset = 30
    #expect(try context.fetchCount(descriptor) == 0)
    #expect(try context.fetchCount(FetchDescriptor<Trip>()) == 25)
    _ = store
  }

  @Test func `enumeration releases models`() throws {
    let (store, context) = try context(count: 25)
    var names: [String] = []
    weak var first: Trip?
    try context.enumerate(
      FetchDescriptor<Trip>(sortBy: [SortDescriptor(\.startDate, order: .reverse)]), batchSize: 10
    ) { trip in
      if names.isEmpty { first = trip }
      names.append(trip.name)
    }
    #expect(names == (0..<25).map { "Trip \($0)" })
    #expect(first == nil)

    #expect(throws: SwiftDataError.mutationDuringEnumeration) {
      try context.enumerate(FetchDescriptor<Trip>(), batchSize: 10) { $0.name += "!" }
    }
    context.rollback()
    try context.enumerate(
      FetchDescriptor<Trip>(), batchSize: 10, allowEscapingMutations: true
    ) { $0.notes = "seen" }
    #expect(context.changedModelsArray.count == 25)
    try context.save()
    _ = store
  }

  @Test func `prefetched models are read at once`() throws {
    let store = try TripStore()
    let writer = store.context()
    let rome = Trip(name: "Rome")
    rome.bucketList = (0..<5).map { BucketListItem(title: "\($0)") }
    writer.insert(rome)
    try writer.save()
    let context = store.context()
    var descriptor = FetchDescriptor<Trip>()
    descriptor.relationshipKeyPathsForPrefetching = [\.bucketList]
    let trip = try #require(try context.fetch(descriptor).first)
    #expect(trip.bucketList.map(\.title).sorted() == ["0", "1", "2", "3", "4"])
    descriptor.relationshipKeyPathsForPrefetching = [\.name]
    #expect(throws: SwiftDataError.unsupportedKeyPath) { try context.fetch(descriptor) }
  }

  @Test func `a model unknown to the container is refused`() throws {
    let store = try TripStore()
    #expect(throws: SwiftDataError.unknownSchema) {
      try store.context().fetch(FetchDescriptor<Shelf>())
    }
  }
}

extension FetchTests {
  @Test func `localized search ignores case and diacritics`() throws {
    let store = try TripStore()
    let context = store.context()
    for name in ["São Paulo", "Rome"] { context.insert(Trip(name: name)) }
    try context.save()
    #expect(
      try context.fetch(
        FetchDescriptor<Trip>(predicate: #Predicate { $0.name.localizedStandardContains("sao") })
      ).map(\.name) == ["São Paulo"])
  }

  @Test func `texts are compared without case`() throws {
    let store = try TripStore()
    let context = store.context()
    for name in ["ROME", "Rome", "Oslo"] { context.insert(Trip(name: name)) }
    try context.save()
    let (name, same) = ("rome", ComparisonResult.orderedSame)
    let descriptor = FetchDescriptor<Trip>(
      predicate: #Predicate { $0.name.caseInsensitiveCompare(name) == same })
    #expect(try context.fetch(descriptor).map(\.name) == ["ROME", "Rome"])
    #expect(try context.fetchCount(descriptor) == 2)
  }
}
