import OpenSwiftData
import TestSupport
import Testing

/// A new model whose unique values are there already is the one that has them.
@Suite struct UniqueTests {
  @Test func savingUpdatesTheModelThatHasTheValues() throws {
    let store = try TripStore()
    let context = store.context()
    let day = Date(timeIntervalSinceReferenceDate: 1000)
    let first = Trip(name: "Rome", destination: "Italy", startDate: day)
    first.bucketList = [BucketListItem(title: "Forum")]
    context.insert(first)
    try context.save()

    let other = ModelContext(try TripStore.open(store.path))
    let second = Trip(name: "Rome", destination: "Lazio", startDate: day)
    other.insert(second)
    try other.save()
    #expect(second.persistentModelID == first.persistentModelID)
    let query = try StoreQuery(path: store.path)
    #expect(try query.lines("SELECT ZNAME, ZDESTINATION FROM ZTRIP") == ["Rome|Lazio"])
    #expect(
      try query.lines("SELECT ZCHANGETYPE FROM ACHANGE WHERE ZTRANSACTIONID = 2") == ["1"])
    // What the new model did not speak of is as it was.
    #expect(second.bucketList.map(\.title) == ["Forum"])
  }

  @Test func inOneContextBothObjectsBecomeOneModel() throws {
    let store = try TripStore()
    let context = store.context()
    let first = Tag(label: "city")
    context.insert(first)
    try context.save()
    let second = Tag(label: "city")
    second.trips = [Trip(name: "Rome")]
    context.insert(second)
    try context.save()
    #expect(first == second)
    #expect(first.trips.map(\.name) == ["Rome"])
    #expect(try context.fetch(FetchDescriptor<Tag>()).count == 1)
  }

  @Test func twoNewModelsWithTheSameValuesAreOne() throws {
    let store = try TripStore()
    let context = store.context()
    let (first, second) = (Tag(label: "city"), Tag(label: "city"))
    context.insert(first)
    context.insert(second)
    try context.save()
    #expect(first.persistentModelID == second.persistentModelID)
    #expect(try StoreQuery(path: store.path).lines("SELECT ZLABEL FROM ZTAG") == ["city"])
  }

  @Test func aChangeThatMakesADuplicateIsRefused() throws {
    let store = try TripStore()
    let context = store.context()
    let (city, sea) = (Tag(label: "city"), Tag(label: "sea"))
    context.insert(city)
    context.insert(sea)
    try context.save()
    sea.label = "city"
    #expect(throws: SwiftDataError.modelValidationFailure) { try context.save() }
    #expect(context.hasChanges)
    sea.label = "lake"
    try context.save()
    #expect(
      try StoreQuery(path: store.path).lines("SELECT ZLABEL FROM ZTAG ORDER BY 1")
        == ["city", "lake"])
  }
}
