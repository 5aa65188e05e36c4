import TestSupport
import Testing

@testable import OpenSwiftData

/// A predicate chooses the same models whether SQLite or Swift evaluates it.
@Suite(.bounded) struct PredicateTests {
  /// A store with four trips, and a context that has not read any of them.
  private static func store() throws -> (TripStore, ModelContext) {
    let store = try TripStore()
    let writer = store.context()
    let day = Date(timeIntervalSinceReferenceDate: 700_000_000)
    for (index, name) in ["Rome", "Paris", "Oslo", "São Paulo"].enumerated() {
      let trip = Trip(
        name: name, destination: index.isMultiple(of: 2) ? "near" : "far",
        startDate: day.addingTimeInterval(Double(index) * 86_400))
      trip.notes = index == 0 ? "in spring" : index == 1 ? "" : nil
      for item in 0..<index {
        let item = BucketListItem(title: "item \(item)")
        item.hasReservation = item.title == "item 1"
        item.trip = trip
        trip.bucketList.append(item)
      }
      if index > 1 {
        trip.livingAccommodation = LivingAccommodation(
          placeName: "House \(index)", isConfirmed: index == 2)
      }
      writer.insert(trip)
    }
    try writer.save()
    return (store, store.context())
  }

  /// Checks that a predicate is translated, and that it means in SQL what it means in Swift.
  private func expect(
    _ names: [String], _ predicate: Predicate<Trip>,
    sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    let (store, context) = try Self.store()
    let all = try store.context().fetch(FetchDescriptor<Trip>())
    let inSwift = try all.filter { try predicate.evaluate($0) }.map(\.name).sorted()
    let fetched = try context.fetch(FetchDescriptor(predicate: predicate)).map(\.name).sorted()
    #expect(inSwift == names.sorted(), sourceLocation: sourceLocation)
    #expect(fetched == names.sorted(), sourceLocation: sourceLocation)
    #expect(
      try context.fetchCount(FetchDescriptor(predicate: predicate)) == names.count,
      sourceLocation: sourceLocation)
    // A store that cannot translate it says so, and then memory would have chosen.
    let own = try #require(store.container.stores.first as? DefaultStore)
    #expect(throws: Never.self, sourceLocation: sourceLocation) {
      try own.fetch(DataStoreFetchRequest(descriptor: FetchDescriptor(predicate: predicate)))
    }
    // With a change of something else waiting, memory has its say as well.
    context.insert(Tag(label: "pending"))
    #expect(
      try context.fetch(FetchDescriptor(predicate: predicate)).map(\.name).sorted()
        == names.sorted(), sourceLocation: sourceLocation)
  }

  @Test func `identifiers of different classes are not equal`() throws {
    let (_, context) = try Self.store()
    // Some items have the number of their trip.
    let items = try context.fetch(
      FetchDescriptor<BucketListItem>(
        predicate: #Predicate { item in
          item.trip.flatMap { $0.persistentModelID == item.persistentModelID } ?? false
        }))
    #expect(items.isEmpty)
  }

  @Test func `predicates compare values`() throws {
    let day = Date(timeIntervalSinceReferenceDate: 700_000_000)
    let (second, last) = (day.addingTimeInterval(86_400), day.addingTimeInterval(3 * 86_400))
    try expect(["Paris"], #Predicate { $0.name == "Paris" })
    try expect(["Rome", "Oslo", "São Paulo"], #Predicate { $0.name != "Paris" })
    try expect(["Oslo", "Paris", "Rome"], #Predicate { $0.startDate < last })
    try expect(["Rome", "Paris"], #Predicate { $0.startDate <= second })
    try expect(["Paris", "Oslo", "São Paulo"], #Predicate { $0.startDate >= second })
    try expect(["Oslo"], #Predicate { $0.startDate > second && $0.startDate < last })
    try expect(["Rome", "Oslo"], #Predicate { $0.name == "Rome" || $0.name == "Oslo" })
    try expect(["Paris", "São Paulo"], #Predicate { !($0.destination == "near") })
    let range = second...last
    try expect(["Paris", "Oslo", "São Paulo"], #Predicate { range.contains($0.startDate) })
    try expect(["Paris", "Oslo"], #Predicate { (second..<last).contains($0.startDate) })
  }

  @Test func `predicates compare optional values as Swift does`() throws {
    try expect(["Oslo", "São Paulo"], #Predicate { $0.notes == nil })
    try expect(["Rome", "Paris"], #Predicate { $0.notes != nil })
    // What is nil differs from every value, as in Swift and unlike in SQL.
    try expect(["Paris", "Oslo", "São Paulo"], #Predicate { $0.notes != "in spring" })
    try expect(["Rome"], #Predicate { ($0.notes ?? "none").starts(with: "in") })
    try expect(["Rome"], #Predicate { $0.notes?.contains("spring") == true })
    try expect(
      ["Oslo", "São Paulo"], #Predicate { ($0.notes ?? "none") == "none" })
    try expect(
      ["Rome", "Paris"],
      #Predicate { if let notes = $0.notes { return notes != "x" } else { return false } })
    let nothing: String? = nil
    try expect(["Oslo", "São Paulo"], #Predicate { $0.notes == nothing })
  }

  @Test func `predicates search texts`() throws {
    try expect(
      ["Rome", "Paris", "Oslo", "São Paulo"],
      #Predicate { $0.name.contains("o") || $0.name.contains("ar") })
    try expect(["Paris"], #Predicate { $0.name.starts(with: "Par") })
    try expect(["São Paulo"], #Predicate { $0.name.contains("ão P") })
    try expect([], #Predicate { $0.name.isEmpty })
  }

  @Test func `predicates follow relationships`() throws {
    try expect(["Oslo"], #Predicate { $0.livingAccommodation?.isConfirmed == true })
    try expect(["Rome", "Paris"], #Predicate { $0.livingAccommodation == nil })
    try expect(
      ["Oslo"], #Predicate { $0.livingAccommodation?.placeName == "House 2" })
    try expect(["Rome"], #Predicate { $0.bucketList.isEmpty })
    try expect(["Oslo", "São Paulo"], #Predicate { $0.bucketList.count > 1 })
    try expect(
      ["Oslo", "São Paulo"],
      #Predicate { trip in trip.bucketList.contains { $0.hasReservation } })
    try expect(
      ["Oslo", "São Paulo"],
      #Predicate { trip in trip.bucketList.filter { $0.title == "item 1" }.count == 1 })
    try expect(
      ["Rome", "Paris"], #Predicate { trip in trip.bucketList.allSatisfy { !$0.hasReservation } })
    try expect(
      ["São Paulo"],
      #Predicate { trip in
        trip.bucketList.contains { $0.title == "item 2" && $0.trip?.name == "São Paulo" }
      })
  }

  @Test func `predicates test membership in captured collections`() throws {
    let names: Set<String> = ["Rome", "Oslo", "London"]
    try expect(["Rome", "Oslo"], #Predicate { names.contains($0.name) })
    let empty: [String] = []
    try expect([], #Predicate { empty.contains($0.name) })
    let notes: [String?] = [nil, "in spring"]
    try expect(["Rome", "Oslo", "São Paulo"], #Predicate { notes.contains($0.notes) })
  }

  @Test func `predicates compare models and identifiers`() throws {
    let (store, context) = try Self.store()
    let oslo = try #require(
      try context.fetch(FetchDescriptor<Trip>(predicate: #Predicate { $0.name == "Oslo" })).first)
    let identifier = oslo.persistentModelID
    let byIdentifier = FetchDescriptor<Trip>(
      predicate: #Predicate { $0.persistentModelID == identifier })
    #expect(try context.fetch(byIdentifier) == [oslo])
    let items = try context.fetch(
      FetchDescriptor<BucketListItem>(
        predicate: #Predicate { $0.trip?.persistentModelID == identifier }))
    #expect(items.count == 2)
    let item = try #require(items.first?.persistentModelID)
    #expect(
      try context.fetch(
        FetchDescriptor<Trip>(
          predicate: #Predicate { trip in trip.bucketList.contains { $0.persistentModelID == item }
          })
      ) == [oslo])
    let identifiers: Set<PersistentIdentifier> = [identifier]
    #expect(
      try context.fetch(
        FetchDescriptor<BucketListItem>(
          predicate: #Predicate { !identifiers.contains($0.persistentModelID) })
      ).count == 6)
    _ = store
  }

  @Test func `predicates compare coded attributes`() throws {
    let folder = try TemporaryFolder()
    let context = ModelContext(
      try ModelContainer(
        for: Everything.self,
        configurations: ModelConfiguration(url: URL(fileURLWithPath: folder.file("All.store")))))
    let (first, second) = (Everything(), Everything())
    first.mood = .good
    second.maybeMood = .good
    second.int = 9
    context.insert(first)
    context.insert(second)
    try context.save()
    let good = Mood.good
    #expect(
      try context.fetch(FetchDescriptor<Everything>(predicate: #Predicate { $0.mood == good }))
        == [first])
    // What SQLite cannot do is done in memory.
    #expect(
      try context.fetch(
        FetchDescriptor<Everything>(predicate: #Predicate { $0.words.contains("a") })
      ).count == 2)
    #expect(
      try context.fetch(
        FetchDescriptor<Everything>(predicate: #Predicate { $0.int * 2 + 1 == 19 })) == [second])
    #expect(
      try context.fetchCount(
        FetchDescriptor<Everything>(predicate: #Predicate { $0.string.count == 7 })) == 2)
  }
}
