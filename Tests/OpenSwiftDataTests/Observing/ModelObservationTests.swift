import OpenSwiftData
import TestSupport
import Testing

/// Observers of a model learn of its changes, whoever brings them about.
@Suite(.bounded) struct ModelObservationTests {
  private let store: TripStore
  private let context: ModelContext
  private let rome: Trip
  private let change = ObservedChange()

  init() throws {
    store = try TripStore()
    context = store.context()
    rome = Trip(name: "Rome")
    rome.bucketList = [BucketListItem(title: "Forum")]
    context.insert(rome)
    try context.save()
  }

  @Test func `the other end of a relationship notifies`() throws {
    let forum = rome.bucketList[0]
    let paris = Trip(name: "Paris")
    context.insert(paris)
    change.observe { _ = rome.bucketList }
    forum.trip = paris
    #expect(change.hasChanged)
    change.observe { _ = paris.bucketList }
    forum.trip = nil
    #expect(change.hasChanged)
    change.observe { _ = forum.trip }
    rome.bucketList = [forum]
    #expect(change.hasChanged)
    let tag = Tag(label: "city")
    context.insert(tag)
    change.observe { _ = rome.tags }
    tag.trips = [rome]
    #expect(change.hasChanged)
    change.observe { _ = tag.trips }
    context.delete(rome)
    #expect(change.hasChanged)
  }

  @Test func `only observed properties notify`() {
    change.observe { _ = rome.name }
    rome.notes = "in spring"
    rome.bucketList.append(BucketListItem(title: "Pantheon"))
    #expect(!change.hasChanged)
    rome.name = "Roma"
    #expect(change.hasChanged)
  }

  @Test func `models without a context notify`() {
    let trip = Trip(name: "Oslo")
    change.observe { _ = trip.livingAccommodation }
    trip.livingAccommodation = LivingAccommodation(placeName: "Hut")
    #expect(change.hasChanged)
  }

  @Test func `rollback notifies`() {
    rome.name = "Roma"
    change.observe { _ = rome.name }
    context.rollback()
    #expect(change.hasChanged)
    #expect(rome.name == "Rome")
  }

  @Test func `reading does not notify`() throws {
    let other = store.context()
    let fault = try #require(other.model(for: rome.persistentModelID) as? Trip)
    change.observe { _ = fault.name }
    _ = fault.bucketList.count
    #expect(try other.fetch(FetchDescriptor<Trip>()).first === fault)
    #expect(!change.hasChanged)
  }

  @Test func `saves of others notify`() throws {
    let other = ModelContext(try TripStore.open(store.path))
    let theirs = try #require(try other.fetch(FetchDescriptor<Trip>()).first)
    _ = try context.fetchCount(FetchDescriptor<Trip>())
    theirs.name = "Roma"
    try other.save()
    change.observe { _ = rome.name }
    _ = try context.fetchCount(FetchDescriptor<Tag>())
    #expect(change.hasChanged)
    #expect(rome.name == "Roma")
    change.observe { _ = rome.bucketList }
    theirs.bucketList.append(BucketListItem(title: "Pantheon"))
    try other.save()
    _ = try context.fetchCount(FetchDescriptor<Tag>())
    #expect(change.hasChanged)
    #expect(rome.bucketList.count == 2)
  }
}
