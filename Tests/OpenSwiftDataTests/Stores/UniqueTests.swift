import TestSupport
import Testing

@testable import OpenSwiftData

/// A new model whose unique values are there already is the one that has them.
@Suite(.bounded) struct UniqueTests {
  @Test func `saving updates the model that has the values`() throws {
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

  @Test func `both objects in a context become one model`() throws {
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

  @Test func `two new models with the same values are one`() throws {
    let store = try TripStore()
    let context = store.context()
    let (first, second) = (Tag(label: "city"), Tag(label: "city"))
    context.insert(first)
    context.insert(second)
    try context.save()
    #expect(first.persistentModelID == second.persistentModelID)
    #expect(try StoreQuery(path: store.path).lines("SELECT ZLABEL FROM ZTAG") == ["city"])
  }

  @Test func `a change that makes a duplicate is refused`() throws {
    let store = try TripStore()
    let context = store.context()
    let (city, sea) = (Tag(label: "city"), Tag(label: "sea"))
    context.insert(city)
    context.insert(sea)
    try context.save()
    sea.label = "city"
    let error = #expect(throws: SwiftDataError.self) { try context.save() }
    #expect(error == .modelValidationFailure)
    // What an app shows to people or logs names the value and the model.
    let number = try #require(
      StoreQuery(path: store.path).lines("SELECT Z_PK FROM ZTAG WHERE ZLABEL = 'sea'").first)
    let explanation = try #require(error?.explanation)
    #expect(explanation.contains("label \"city\" of Tag/p\(number)"), "\(explanation)")
    #expect(error?.localizedDescription == explanation)
    #expect(SwiftDataError.storeFailure.localizedDescription == "storeFailure")
    #expect(context.hasChanges)
    sea.label = "lake"
    try context.save()
    #expect(
      try StoreQuery(path: store.path).lines("SELECT ZLABEL FROM ZTAG ORDER BY 1")
        == ["city", "lake"])
  }

  @Test func `swapped values are saved`() throws {
    let store = try TripStore()
    let context = store.context()
    let tags = ["city", "sea", "lake"].map { Tag(label: $0) }
    for tag in tags { context.insert(tag) }
    try context.save()
    (tags[0].label, tags[1].label) = (tags[1].label, tags[0].label)
    try context.save()
    let labels = "SELECT ZLABEL FROM ZTAG ORDER BY Z_PK"
    let query = try StoreQuery(path: store.path)
    func expect(_ wanted: [Tag]) throws {
      for tag in wanted {
        let number = try #require(tag.persistentModelID.number)
        #expect(
          try query.lines("SELECT ZLABEL FROM ZTAG WHERE Z_PK = \(number)") == [tag.label])
      }
    }
    #expect(try query.lines(labels).sorted() == ["city", "lake", "sea"])
    try expect(tags)
    // All in a circle, and one to a new model.
    (tags[0].label, tags[1].label, tags[2].label) = ("lake", "sea", "city")
    try context.save()
    try expect(tags)
    tags[0].label = "sea"
    tags[1].label = "hill"
    let new = Tag(label: "lake")
    context.insert(new)
    try context.save()
    try expect(tags + [new])
    #expect(try query.lines("SELECT count(*) FROM ZTAG") == ["4"])
    // Who would have the same value is still refused.
    (tags[0].label, tags[1].label) = ("city", "sea")
    #expect(throws: SwiftDataError.modelValidationFailure) { try context.save() }
  }

  @Test func `a save succeeds if its model cannot be read back`() throws {
    let store = try TripStore()
    let context = store.context()
    context.insert(Tag(label: "city"))
    try context.save()
    let other = ModelContext(try TripStore.open(store.path))
    // What is there after the save can be no object.
    let query = try StoreQuery(path: store.path)
    try query.run(
      "CREATE TRIGGER spoil AFTER UPDATE OF Z_OPT ON ZTAG BEGIN UPDATE ZTAG SET Z_ENT = 999; END")
    let (city, sea) = (Tag(label: "city"), Trip(name: "Sea"))
    city.trips = [sea]
    other.insert(city)
    other.insert(sea)
    try other.save()
    #expect(!other.hasChanges)
    #expect(try query.lines("SELECT count(*) FROM ZTRIP") == ["1"])
    try other.save()
    #expect(try query.lines("SELECT count(*) FROM ZTRIP") == ["1"])
    // It is read when it can be.
    try query.run("DROP TRIGGER spoil")
    try query.run(
      "UPDATE ZTAG SET Z_ENT = (SELECT Z_ENT FROM Z_PRIMARYKEY WHERE Z_NAME = 'Tag')")
    #expect(city.label == "city")
    #expect(city.trips == [sea])
  }

  @Test func `many new models are looked up together`() throws {
    let store = try TripStore()
    let context = store.context()
    let day = Date(timeIntervalSinceReferenceDate: 0)
    for number in stride(from: 0, to: 600, by: 3) {
      context.insert(Tag(label: "\(number)"))
      context.insert(Trip(name: "\(number)", destination: "first", startDate: day))
    }
    try context.save()
    // Every third one is there already.
    let other = store.context()
    let trace = try ReadTrace(store.container)
    for number in 0..<600 {
      other.insert(Tag(label: "\(number)"))
      other.insert(Trip(name: "\(number)", destination: "second", startDate: day))
    }
    let statements = try trace.statements { try other.save() }
    #expect(statements.count < 20)
    let query = try StoreQuery(path: store.path)
    #expect(try query.lines("SELECT count(*), count(DISTINCT ZLABEL) FROM ZTAG") == ["600|600"])
    #expect(
      try query.lines("SELECT count(*), count(DISTINCT ZNAME), min(ZDESTINATION) FROM ZTRIP")
        == ["600|600|second"])
    #expect(
      try query.lines(
        """
        SELECT ZCHANGETYPE, count(*) FROM ACHANGE WHERE ZTRANSACTIONID = 2 GROUP BY 1
        """) == ["0|800", "1|400"])
    // An index finds them, and no statement goes through the table.
    let plan = try query.lines(
      "EXPLAIN QUERY PLAN SELECT Z_PK FROM ZTAG WHERE (ZLABEL IS 'a') OR (ZLABEL IS 'b')")
    #expect(!plan.contains { $0.contains("SCAN ZTAG") }, "\(plan)")
  }

  @Test(arguments: [false, true]) func `a unique value that a model leaves is free`(
    besidesADeletion: Bool
  ) throws {
    let store = try TripStore()
    let context = store.context()
    let (old, other) = (Tag(label: "city"), Tag(label: "sea"))
    context.insert(old)
    context.insert(other)
    try context.save()
    old.label = "city (old)"
    if besidesADeletion { context.delete(other) }
    let new = Tag(label: "city")
    context.insert(new)
    try context.save()
    #expect(new != old)
    #expect(new.persistentModelID != old.persistentModelID)
    #expect(
      try StoreQuery(path: store.path).lines("SELECT ZLABEL FROM ZTAG ORDER BY 1")
        == ["city", "city (old)"] + (besidesADeletion ? [] : ["sea"]))
    // What stays where it is is still the one that has the value.
    old.label = "city (older)"
    let again = Tag(label: "city")
    context.insert(again)
    try context.save()
    #expect(again == new)
  }

  @Test func `the model lives as long as either object`() throws {
    let store = try TripStore()
    let context = store.context()
    let second = Tag(label: "city")
    do {
      let first = Tag(label: "city")
      context.insert(first)
      try context.save()
      context.insert(second)
      try context.save()
    }
    second.label = "town"
    #expect(context.hasChanges)
    try context.save()
    #expect(try StoreQuery(path: store.path).lines("SELECT ZLABEL FROM ZTAG") == ["town"])
    #expect(try context.fetch(FetchDescriptor<Tag>()) == [second])
  }

  @Test func `the existing model may be deleted meanwhile`() async throws {
    let store = try TripStore()
    let path = store.path
    async let deletions: Void = {
      let context = ModelContext(try TripStore.open(path))
      for _ in 0..<100 {
        try context.delete(model: Tag.self)
        try context.save()
      }
    }()
    let context = store.context()
    for _ in 0..<100 {
      context.insert(Tag(label: "city"))
      try context.save()
    }
    try await deletions
    #expect(try StoreQuery(path: path).lines("SELECT DISTINCT ZLABEL FROM ZTAG").count <= 1)
  }
}
