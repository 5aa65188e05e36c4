import StoreFormat
import TestSupport
import Testing

@testable import PersistentHistory

@Suite(.bounded) struct QueryNamesTests {
  private static func read(
    _ condition: ChangeCondition, shape: StoreWriter.Shape = StoreWriter.Shape(),
    _ change: (StoreWriter) throws -> Void = { _ in }
  ) throws -> [Int64] {
    let folder = try TemporaryFolder()
    let writer = try StoreWriter(path: folder.file("trips.store"), shape: shape)
    try SampleStore.fill(writer)
    try change(writer)
    try writer.close()
    return try StoreFile(path: folder.file("trips.store")).read { snapshot in
      let reader = try HistoryReader(
        snapshot: snapshot,
        query: HistoryQuery(change: condition, keepsOnlyMatchingChanges: true))
      var numbers: [Int64] = []
      while let transaction = try reader.next() { numbers += transaction.changes.map(\.number) }
      return numbers
    }
  }

  @Test(arguments: [
    ("Trp", ["Trip"]), ("trip", ["Trip"]), ("TRIPS", ["Trip"]), ("Tga", ["Tag"]),
    ("Living", ["LivingAccommodation"]), ("BucketList", ["BucketListItem"]),
    ("Accomodation", ["Accommodation"]), ("Passport", []), ("5", []), ("TRANSACTION", []),
    ("#99", []),
  ])
  func `an unknown entity is an error with near names`(name: String, suggestions: [String]) throws {
    let error = HistoryError.unknownEntity(name: name, suggestions: suggestions)
    #expect(throws: error) { try Self.read(ChangeCondition(entities: [name])) }
    #expect(throws: error) { try Self.read(ChangeCondition(entities: ["Trip", name])) }
    #expect(throws: error) {
      try Self.read(ChangeCondition(objects: [HistoryObject(entityName: name, primaryKey: 1)]))
    }
    #expect(error.message == "no entity is named '\(name)'")
    #expect(
      error.remedy
        == (suggestions.isEmpty
          ? "name an entity, an attribute or a relationship of the store's model"
          : "did you mean \(suggestions.joined(separator: ", "))?"))
  }

  @Test(arguments: [
    ([], "nmae", ["name"]), ([], "isdone", ["isDone"]), (["Trip"], "isDone", []),
    (["Trip"], "startdate", ["startDate"]), ([], "draft", []), (["Tag"], "trip", ["trips"]),
    ([], "latitude", []), (["Trip", "Tag"], "lable", ["label"]),
  ])
  func `an unknown attribute is an error with near names`(
    entities: [String], name: String, suggestions: [String]
  ) throws {
    let error = #expect(throws: HistoryError.self) {
      try Self.read(ChangeCondition(entities: entities, attributes: [name]))
    }
    guard case .unknownAttribute(name, let given)? = error else {
      Issue.record("another error: \(String(describing: error))")
      return
    }
    #expect(suggestions.isEmpty ? !given.contains(name) : given.first == suggestions.first)
  }

  @Test(arguments: [true, false])
  func `attribute names need a model`(hasTable: Bool) throws {
    var shape = StoreWriter.Shape()
    shape.modelCache = .some(nil)
    shape.hasModelCacheTable = hasTable
    let error = #expect(throws: HistoryError.self) {
      try Self.read(ChangeCondition(attributes: ["name"]), shape: shape)
    }
    guard case .unknownModel? = error else {
      Issue.record("another error: \(String(describing: error))")
      return
    }
    // The entities are still known by name.
    #expect(try Self.read(ChangeCondition(entities: ["Tag"]), shape: shape) == [])
  }

  @Test
  func `an object URI of another store is refused`() throws {
    let other = "AAAAAAAA-BBBB-CCCC-DDDD-EEEEEEEEEEEE"
    let foreign = try HistoryObject("x-coredata://\(other)/Trip/p5")
    let error = HistoryError.objectOfOtherStore(
      object: "Trip/p5", store: StoreWriter.identifier)
    #expect(throws: error) { try Self.read(ChangeCondition(objects: [foreign])) }
    let own = try HistoryObject("x-coredata://\(StoreWriter.identifier)/Trip/p5")
    // Trip 5 is inserted in transaction 5, updated in 6 and deleted in 8.
    let changes = try Self.read(ChangeCondition(objects: [own]))
    #expect(changes == [10, 13, 16])
    #expect(
      try Self.read(ChangeCondition(objects: [own])) {
        try $0.sql("UPDATE Z_METADATA SET Z_UUID = lower(Z_UUID)")
      } == changes)
    let none = HistoryError.objectOfOtherStore(object: "Trip/p5", store: nil)
    #expect(throws: none) {
      try Self.read(ChangeCondition(objects: [own])) {
        try $0.sql("UPDATE Z_METADATA SET Z_UUID = NULL")
      }
    }
  }

  @Test
  func `an entity without a name and its objects are requested by number`() throws {
    let rename: (StoreWriter) throws -> Void = {
      try $0.sql("UPDATE ACHANGE SET ZENTITY = 99 WHERE ZENTITY = 3 AND ZENTITYPK = 5")
    }
    let all = try Self.read(ChangeCondition(entities: ["99"]), rename)
    #expect(all == [11, 14, 18])
    #expect(
      try Self.read(
        ChangeCondition(objects: [HistoryObject(entityName: "99", primaryKey: 5)]), rename) == all)
    #expect(try Self.read(ChangeCondition(entities: ["98"]), rename) == [])
  }

  @Test
  func `a name of two entities selects neither`() throws {
    let twice: (StoreWriter) throws -> Void = {
      try $0.sql("INSERT INTO Z_PRIMARYKEY VALUES (77, 'Trip', 0, 0)")
    }
    #expect(throws: HistoryError.self) { try Self.read(ChangeCondition(entities: ["Trip"]), twice) }
    #expect(
      try Self.read(ChangeCondition(kinds: [.insert], entities: ["5"]), twice) == [1, 10, 19])
  }
}
