import OpenSwiftData
import TestSupport
import Testing

/// How often, and how much of, a store that cannot choose is read.
@Suite(.bounded) struct JournalReadingTests {
  private let folder: TemporaryFolder
  private let desk = JournalDesk()
  private let container: ModelContainer
  private let context: ModelContext

  /// Ten trips with one place each.
  init() throws {
    folder = try TemporaryFolder()
    container = try ModelContainer(
      for: Trip.self,
      configurations: JournalConfiguration(
        name: "journal", url: URL(fileURLWithPath: folder.file("trips.jsonl")), desk: desk))
    let writer = ModelContext(container)
    for number in 0..<10 {
      let trip = Trip(name: "Trip \(number)", destination: "Italy")
      trip.bucketList = [BucketListItem(title: "\(number)")]
      writer.insert(trip)
    }
    try writer.save()
    context = ModelContext(container)
    desk.fetches = []
  }

  @Test func `remembered models are not read again`() throws {
    desk.remembers = true
    let items = try context.fetch(FetchDescriptor<BucketListItem>())
    #expect(items.compactMap { $0.trip?.name }.count == 10)
    #expect(desk.fetches == ["BucketListItem 10"])
  }

  @Test func `related models are read together`() throws {
    let items = try context.fetch(FetchDescriptor<BucketListItem>())
    #expect(Set(items.compactMap { $0.trip?.name }).count == 10)
    #expect(desk.fetches == ["BucketListItem 10", "Trip 10"])
    // The next fetch lets it go.
    _ = try context.fetchCount(FetchDescriptor<Tag>())
    _ = items[0].trip?.name
    #expect(desk.fetches == ["BucketListItem 10", "Trip 10", "Tag 0", "Trip 10"])
  }

  @Test func `prefetched models do not retain the context`() throws {
    weak var other: ModelContext?
    do {
      let own = ModelContext(container)
      let items = try own.fetch(FetchDescriptor<BucketListItem>())
      #expect(items[0].trip?.destination == "Italy")
      other = own
    }
    #expect(other == nil)
  }

  @Test func `a limit is requested with unsaved changes too`() throws {
    context.insert(Trip(name: "New"))
    var descriptor = FetchDescriptor<Trip>()
    descriptor.fetchLimit = 1
    #expect(try context.fetch(descriptor).count == 1)
    #expect(desk.fetches == ["Trip 1"])
    let trip = try #require(try context.fetch(descriptor).first)
    trip.notes = "changed"
    desk.fetches = []
    descriptor.fetchOffset = 2
    #expect(try context.fetch(descriptor).count == 1)
    #expect(desk.fetches == ["Trip 4"])
  }

  @Test func `unsaved changes are ignored if excluded`() throws {
    let trips = try context.fetch(FetchDescriptor<Trip>(sortBy: [SortDescriptor(\.name)]))
    trips[3].name = "A"
    trips[4].name = "Trip 3"
    context.delete(trips[5])
    var descriptor = FetchDescriptor<Trip>(
      predicate: #Predicate { $0.name == "Trip 3" || $0.name == "Trip 5" },
      sortBy: [SortDescriptor(\.name, order: .reverse)])
    descriptor.includePendingChanges = false
    #expect(try context.fetch(descriptor) == [trips[5], trips[3]])
    #expect(trips[3].name == "A")
    descriptor.includePendingChanges = true
    #expect(try context.fetch(descriptor) == [trips[4]])
  }

  @Test func `unreadable values are not saved as blanks`() throws {
    let trip = try #require(
      try context.fetchIdentifiers(FetchDescriptor<Trip>()).first.map { context.model(for: $0) }
        as? Trip)
    desk.isClosed = true
    trip.name = "Roma"
    #expect(throws: CocoaError.self) { try context.save() }
    desk.isClosed = false
    try context.save()
    let saved = try #require(
      try ModelContext(container).fetch(
        FetchDescriptor<Trip>(predicate: #Predicate { $0.name == "Roma" })
      ).first)
    #expect(saved.destination == "Italy")
    #expect(saved.bucketList.count == 1)
  }
}
