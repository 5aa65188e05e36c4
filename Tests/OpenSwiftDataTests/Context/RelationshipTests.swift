import OpenSwiftData
import TestSupport
import Testing

/// Both ends of a relationship agree, in memory and in the store.
@Suite(.bounded) struct RelationshipTests {
  @Test func `both ends agree before a save`() throws {
    let store = try TripStore()
    let context = store.context()
    let (rome, paris) = (Trip(name: "Rome"), Trip(name: "Paris"))
    let forum = BucketListItem(title: "Forum")
    context.insert(rome)
    context.insert(paris)
    forum.trip = rome
    // What becomes related to a model of a context belongs there.
    #expect(forum.modelContext === context)
    #expect(rome.bucketList.map(\.title) == ["Forum"])
    paris.bucketList.append(forum)
    #expect(forum.trip === paris)
    #expect(rome.bucketList.isEmpty)
    try context.save()
    #expect(
      try StoreQuery(path: store.path).lines(
        "SELECT t.ZNAME FROM ZBUCKETLISTITEM b JOIN ZTRIP t ON t.Z_PK = b.ZTRIP") == ["Paris"])

    let house = LivingAccommodation(placeName: "Casa")
    rome.livingAccommodation = house
    #expect(house.trip === rome)
    house.trip = paris
    #expect(rome.livingAccommodation == nil)
    #expect(paris.livingAccommodation === house)
  }

  @Test func `unread lists include added models`() throws {
    let store = try TripStore()
    let writer = store.context()
    let saved = Trip(name: "Rome")
    saved.bucketList = [BucketListItem(title: "Forum"), BucketListItem(title: "Pantheon")]
    writer.insert(saved)
    try writer.save()

    let context = store.context()
    let rome = try #require(try context.fetch(FetchDescriptor<Trip>()).first)
    let colosseum = BucketListItem(title: "Colosseum")
    colosseum.trip = rome
    let forum = try #require(
      try context.fetch(
        FetchDescriptor<BucketListItem>(predicate: #Predicate { $0.title == "Forum" })
      ).first)
    forum.trip = nil
    #expect(Set(rome.bucketList.map(\.title)) == ["Pantheon", "Colosseum"])
    try context.save()
    #expect(Set(rome.bucketList.map(\.title)) == ["Pantheon", "Colosseum"])
    #expect(
      try StoreQuery(path: store.path).lines(
        "SELECT ZTITLE FROM ZBUCKETLISTITEM WHERE ZTRIP = 1 ORDER BY ZTITLE") == [
          "Colosseum", "Pantheon",
        ])
  }

  @Test func `a many-to-many relationship is a table of pairs`() throws {
    let store = try TripStore()
    let context = store.context()
    let (city, sea) = (Tag(label: "city"), Tag(label: "sea"))
    let (rome, naples) = (Trip(name: "Rome"), Trip(name: "Naples"))
    rome.tags = [city]
    naples.tags = [city, sea]
    context.insert(rome)
    context.insert(naples)
    #expect(Set(city.trips.map(\.name)) == ["Rome", "Naples"])
    try context.save()
    city.trips.removeAll { $0 === rome }
    #expect(rome.tags.isEmpty)
    try context.save()

    let again = ModelContext(try TripStore.open(store.path))
    let trips = try again.fetch(FetchDescriptor<Trip>(sortBy: [SortDescriptor(\.name)]))
    #expect(trips.map { $0.tags.map(\.label).sorted() } == [["city", "sea"], []])
  }

  @Test func `cascades delete, and other relationships are set to nil`() throws {
    let store = try TripStore()
    let context = store.context()
    let rome = Trip(name: "Rome")
    rome.bucketList = [BucketListItem(title: "Forum"), BucketListItem(title: "Pantheon")]
    rome.livingAccommodation = LivingAccommodation(placeName: "Casa")
    rome.tags = [Tag(label: "city")]
    context.insert(rome)
    try context.save()
    context.delete(rome)
    #expect(context.deletedModelsArray.count == 4)
    try context.save()
    let query = try StoreQuery(path: store.path)
    #expect(
      try query.lines(
        "SELECT (SELECT count(*) FROM ZTRIP), (SELECT count(*) FROM ZBUCKETLISTITEM), "
          + "(SELECT count(*) FROM ZLIVINGACCOMMODATION), (SELECT count(*) FROM ZTAG)")
        == ["0|0|0|1"])
    #expect(
      try query.lines("SELECT count(*) FROM ACHANGE WHERE ZTRANSACTIONID = 2 AND ZCHANGETYPE = 2")
        == ["4"])
  }

  @Test func `a deny rule keeps all models`() throws {
    let folder = try TemporaryFolder()
    let container = try ModelContainer(
      for: Shelf.self,
      configurations: ModelConfiguration(url: URL(fileURLWithPath: folder.file("Shelf.store"))))
    let context = ModelContext(container)
    let shelf = Shelf()
    let book = Book(shelf: shelf)
    context.insert(book)
    try context.save()
    context.delete(shelf)
    #expect(throws: SwiftDataError.modelValidationFailure) { try context.save() }
    #expect(context.hasChanges)
    // With the book gone as well nothing is denied.
    context.delete(book)
    try context.save()
    #expect(try context.fetchCount(FetchDescriptor<Shelf>()) == 0)
  }

  @Test func `batch deletion follows the delete rules`() throws {
    let store = try TripStore()
    let context = store.context()
    for name in ["Rome", "Paris", "Oslo"] {
      let trip = Trip(name: name)
      trip.bucketList = [BucketListItem(title: "walk")]
      context.insert(trip)
    }
    try context.save()
    try context.delete(model: Trip.self, where: #Predicate { $0.name != "Oslo" })
    try context.save()
    #expect(try context.fetch(FetchDescriptor<Trip>()).map(\.name) == ["Oslo"])
    #expect(try context.fetchCount(FetchDescriptor<BucketListItem>()) == 1)
  }
}

@Model
final class Shelf {
  @Relationship(deleteRule: .deny, inverse: \Book.shelf) var books: [Book] = []
  init() {}
}

@Model
final class Book {
  var shelf: Shelf?
  init(shelf: Shelf?) { self.shelf = shelf }
}
