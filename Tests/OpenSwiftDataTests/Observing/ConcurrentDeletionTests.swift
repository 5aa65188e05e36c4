import OpenSwiftData
import Synchronization
import TestSupport
import Testing

/// What can be saved of models that others have deleted, and how the rest is let go.
@Suite(.bounded) struct ConcurrentDeletionTests {
  private let store: TripStore
  private let context: ModelContext
  private let rome: Trip
  private let city: Tag
  /// Like another program.
  private let others: ModelContext
  private let theirs: Trip

  init() throws {
    store = try TripStore()
    context = store.context()
    rome = Trip(name: "Rome", destination: "Italy")
    rome.bucketList = [BucketListItem(title: "Forum"), BucketListItem(title: "Pantheon")]
    city = Tag(label: "city")
    context.insert(rome)
    context.insert(city)
    try context.save()
    others = ModelContext(try TripStore.open(store.path))
    theirs = try #require(try others.fetch(FetchDescriptor<Trip>()).first)
  }

  private func lines(_ sql: String) throws -> [String] {
    try StoreQuery(path: store.path).lines(sql)
  }

  @Test func `deleting twice is deleting once`() throws {
    others.delete(theirs)
    try others.save()
    context.delete(rome)
    city.label = "town"
    try context.save()
    #expect(!context.hasChanges)
    #expect(rome.modelContext == nil)
    #expect(try lines("SELECT count(*) FROM ZTRIP") == ["0"])
    #expect(try lines("SELECT ZLABEL FROM ZTAG") == ["town"])
    // Only one of both has it in its history.
    #expect(
      try lines(
        "SELECT count(*) FROM ACHANGE JOIN Z_PRIMARYKEY p ON p.Z_ENT = ZENTITY "
          + "WHERE ZCHANGETYPE = 2 AND Z_NAME = 'Trip'") == ["1"])
  }

  @Test func `a save without other changes adds no transaction`() throws {
    others.delete(theirs)
    try others.save()
    let before = try lines("SELECT count(*) FROM ATRANSACTION")
    context.delete(rome)
    try context.save()
    #expect(!context.hasChanges)
    #expect(try lines("SELECT count(*) FROM ATRANSACTION") == before)
  }

  @Test func `cascades skip deleted models`() throws {
    let list = rome.bucketList
    others.delete(try #require(theirs.bucketList.first { $0.title == "Forum" }))
    try others.save()
    context.delete(rome)
    #expect(context.deletedModelsArray.count == 3)
    try context.save()
    #expect(list.allSatisfy { $0.modelContext == nil })
    #expect(try lines("SELECT count(*) FROM ZBUCKETLISTITEM") == ["0"])
  }

  @Test func `relationships to deleted models can be set to nil`() throws {
    let forum = try #require(rome.bucketList.first { $0.title == "Forum" })
    others.delete(try #require(theirs.bucketList.first { $0.title == "Forum" }))
    try others.save()
    forum.trip = nil
    try context.save()
    #expect(try lines("SELECT ZTITLE FROM ZBUCKETLISTITEM") == ["Pantheon"])
  }

  @Test func `lists are saved without deleted models`() throws {
    try others.delete(model: Tag.self)
    try others.save()
    let sea = Tag(label: "sea")
    rome.tags = [city, sea]
    try context.save()
    _ = try context.fetchCount(FetchDescriptor<Tag>())
    #expect(rome.tags == [sea])
  }

  @Test(arguments: [false, true])
  func `a change of a deleted model is dropped, and everything else is saved`(
    looksBefore: Bool
  ) throws {
    rome.name = "Roma"
    city.label = "town"
    context.insert(Tag(label: "new"))
    others.delete(theirs)
    try others.save()
    if looksBefore { _ = try context.fetchCount(FetchDescriptor<Tag>()) }
    let invalidated = Mutex<[PersistentIdentifier]>([])
    let key = ModelContext.NotificationKey.invalidatedAllIdentifiers.rawValue
    let updated = Mutex<[PersistentIdentifier]>([])
    let observer = NotificationCenter.default.addObserver(
      forName: ModelContext.didSave, object: context, queue: nil
    ) { note in
      let gone = note.userInfo?[key] as? [PersistentIdentifier] ?? []
      let kept =
        note.userInfo?[ModelContext.NotificationKey.updatedIdentifiers.rawValue]
        as? [PersistentIdentifier] ?? []
      invalidated.withLock { $0 = gone }
      updated.withLock { $0 = kept }
    }
    defer { NotificationCenter.default.removeObserver(observer) }
    let identifier = rome.persistentModelID
    try context.save()
    #expect(!context.hasChanges)
    #expect(rome.modelContext == nil && rome.name == "Roma")
    #expect(invalidated.withLock { $0 }.contains(identifier))
    #expect(updated.withLock { $0 } == [city.persistentModelID])
    #expect(try lines("SELECT ZLABEL FROM ZTAG ORDER BY 1") == ["new", "town"])
    #expect(try lines("SELECT count(*) FROM ZTRIP") == ["0"])
    #expect(
      try lines(
        "SELECT count(*) FROM ACHANGE JOIN Z_PRIMARYKEY p ON p.Z_ENT = ZENTITY "
          + "WHERE ZCHANGETYPE = 1 AND Z_NAME = 'Trip'") == ["0"])
  }

  @Test
  func `a save that has only changes of deleted models adds no transaction`() throws {
    rome.name = "Roma"
    others.delete(theirs)
    try others.save()
    let before = try lines("SELECT count(*) FROM ATRANSACTION")
    try context.save()
    #expect(!context.hasChanges)
    #expect(rome.modelContext == nil)
    #expect(try lines("SELECT count(*) FROM ATRANSACTION") == before)
  }

  @Test func `a new model cannot link to a deleted one`() throws {
    let colosseum = BucketListItem(title: "Colosseum")
    colosseum.trip = rome
    others.delete(theirs)
    try others.save()
    let error = #expect(throws: SwiftDataError.self) { try context.save() }
    #expect(error?.identifiers == [rome.persistentModelID])
    // It goes with the trip, as the delete rule says.
    context.delete(rome)
    try context.save()
    #expect(!context.hasChanges)
    #expect(colosseum.modelContext == nil)
    #expect(try lines("SELECT count(*) FROM ZBUCKETLISTITEM") == ["0"])
  }
}
