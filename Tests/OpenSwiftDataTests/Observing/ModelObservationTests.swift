import OpenSwiftData
import TestSupport
import Testing

/// Observers of a model learn of its changes, whoever brings them about.
@Suite struct ModelObservationTests {
  private let store: TripStore
  private let context: ModelContext
  private let rome: Trip
  private let told = Told()

  init() throws {
    store = try TripStore()
    context = store.context()
    rome = Trip(name: "Rome")
    rome.bucketList = [BucketListItem(title: "Forum")]
    context.insert(rome)
    try context.save()
  }

  @Test func theOtherEndOfARelationshipNotifies() throws {
    let forum = rome.bucketList[0]
    let paris = Trip(name: "Paris")
    context.insert(paris)
    told.look { _ = rome.bucketList }
    forum.trip = paris
    #expect(told.isTold)
    told.look { _ = paris.bucketList }
    forum.trip = nil
    #expect(told.isTold)
    told.look { _ = forum.trip }
    rome.bucketList = [forum]
    #expect(told.isTold)
    let tag = Tag(label: "city")
    context.insert(tag)
    told.look { _ = rome.tags }
    tag.trips = [rome]
    #expect(told.isTold)
    told.look { _ = tag.trips }
    context.delete(rome)
    #expect(told.isTold)
  }

  @Test func onlyObservedPropertiesNotify() {
    told.look { _ = rome.name }
    rome.notes = "in spring"
    rome.bucketList.append(BucketListItem(title: "Pantheon"))
    #expect(!told.isTold)
    rome.name = "Roma"
    #expect(told.isTold)
  }

  @Test func modelsWithoutAContextNotify() {
    let trip = Trip(name: "Oslo")
    told.look { _ = trip.livingAccommodation }
    trip.livingAccommodation = LivingAccommodation(placeName: "Hut")
    #expect(told.isTold)
  }

  @Test func rollbackNotifies() {
    rome.name = "Roma"
    told.look { _ = rome.name }
    context.rollback()
    #expect(told.isTold)
    #expect(rome.name == "Rome")
  }

  @Test func readingDoesNotNotify() throws {
    let other = store.context()
    let fault = try #require(other.model(for: rome.persistentModelID) as? Trip)
    told.look { _ = fault.name }
    _ = fault.bucketList.count
    #expect(try other.fetch(FetchDescriptor<Trip>()).first === fault)
    #expect(!told.isTold)
  }

  @Test func savesOfOthersNotify() throws {
    let other = ModelContext(try TripStore.open(store.path))
    let theirs = try #require(try other.fetch(FetchDescriptor<Trip>()).first)
    _ = try context.fetchCount(FetchDescriptor<Trip>())
    theirs.name = "Roma"
    try other.save()
    told.look { _ = rome.name }
    _ = try context.fetchCount(FetchDescriptor<Tag>())
    #expect(told.isTold)
    #expect(rome.name == "Roma")
    told.look { _ = rome.bucketList }
    theirs.bucketList.append(BucketListItem(title: "Pantheon"))
    try other.save()
    _ = try context.fetchCount(FetchDescriptor<Tag>())
    #expect(told.isTold)
    #expect(rome.bucketList.count == 2)
  }
}
