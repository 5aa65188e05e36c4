import OpenSwiftData
import TestSupport
import Testing

/// What a context knows of changes before and after they are saved.
@Suite(.bounded) struct ChangeTrackingTests {
  @Test func `changes are tracked until they are saved`() throws {
    let store = try TripStore()
    let context = store.context()
    let rome = Trip(name: "Rome")
    context.insert(rome)
    #expect(rome.hasChanges)
    #expect(rome.modelContext === context)
    try context.save()
    #expect(!rome.hasChanges)

    rome.name = "Roma"
    #expect(context.changedModelsArray.map(\.persistentModelID) == [rome.persistentModelID])
    #expect(rome.hasChanges)
    try context.save()
    #expect(context.changedModelsArray.isEmpty)
    let query = try StoreQuery(path: store.path)
    #expect(try query.lines("SELECT ZNAME, Z_OPT FROM ZTRIP") == ["Roma|2"])
    // The name is the only attribute that was set: one bit in the mask.
    let masks = try query.lines(
      "SELECT hex(ZCOLUMNS) FROM ACHANGE WHERE ZCHANGETYPE = 1 AND ZENTITYPK = 1")
    #expect(masks.count == 1)
    #expect(masks.first?.compactMap(\.hexDigitValue).map(\.nonzeroBitCount).reduce(0, +) == 1)
  }

  @Test func `a save without changes adds no transaction`() throws {
    let store = try TripStore()
    let context = store.context()
    try context.save()
    context.insert(Trip(name: "Rome"))
    context.rollback()
    try context.save()
    #expect(
      try StoreQuery(path: store.path).lines("SELECT count(*) FROM ATRANSACTION") == ["0"])
  }

  @Test func `rollback restores the stored values`() throws {
    let store = try TripStore()
    let context = store.context()
    let rome = Trip(name: "Rome")
    let forum = BucketListItem(title: "Forum", trip: rome)
    context.insert(rome)
    context.insert(forum)
    try context.save()

    rome.name = "Roma"
    rome.notes = "in spring"
    forum.trip = nil
    context.delete(forum)
    let paris = Trip(name: "Paris")
    context.insert(paris)
    context.rollback()
    #expect(!context.hasChanges)
    #expect(rome.name == "Rome")
    #expect(rome.notes == nil)
    #expect(forum.trip === rome)
    #expect(!forum.isDeleted)
    #expect(paris.modelContext == nil)
    #expect(try context.fetch(FetchDescriptor<Trip>()) == [rome])
  }

  @Test func `deleted models leave their context`() throws {
    let store = try TripStore()
    let context = store.context()
    let rome = Trip(name: "Rome")
    context.insert(rome)
    try context.save()
    context.delete(rome)
    #expect(rome.isDeleted)
    #expect(try context.fetchCount(FetchDescriptor<Trip>()) == 0)
    try context.save()
    #expect(!rome.isDeleted)
    #expect(rome.modelContext == nil)
    // What it held is still there to be looked at.
    #expect(rome.name == "Rome")
  }

  @Test func `inserting and deleting before a save saves nothing`() throws {
    let store = try TripStore()
    let context = store.context()
    let rome = Trip(name: "Rome")
    rome.bucketList = [BucketListItem(title: "Forum")]
    context.insert(rome)
    context.delete(rome)
    #expect(!context.hasChanges)
    try context.save()
    #expect(
      try StoreQuery(path: store.path).lines("SELECT count(*) FROM ATRANSACTION") == ["0"])
  }

  @Test func `the same model is the same object`() throws {
    let store = try TripStore()
    let writer = store.context()
    writer.insert(Trip(name: "Rome"))
    try writer.save()

    let context = store.context()
    let first = try #require(try context.fetch(FetchDescriptor<Trip>()).first)
    let second = try #require(try context.fetch(FetchDescriptor<Trip>()).first)
    #expect(first === second)
    let identifier = first.persistentModelID
    let registered: Trip? = context.registeredModel(for: identifier)
    #expect(registered === first)
    #expect(context.model(for: identifier) as? Trip === first)
    let stranger: Trip? = store.context().registeredModel(for: identifier)
    #expect(stranger == nil)
  }

  @Test func `values are read on access`() throws {
    let store = try TripStore()
    let writer = store.context()
    let rome = Trip(name: "Rome")
    rome.bucketList = [BucketListItem(title: "Forum")]
    writer.insert(rome)
    try writer.save()

    let context = store.context()
    let fault = try #require(context.model(for: rome.persistentModelID) as? Trip)
    #expect(fault.name == "Rome")
    #expect(fault.bucketList.map(\.title) == ["Forum"])
    #expect(fault.bucketList.first?.trip === fault)
  }

  @Test func `a fetch sees saves of others`() throws {
    let store = try TripStore()
    let (context, other) = (store.context(), ModelContext(try TripStore.open(store.path)))
    let rome = Trip(name: "Rome")
    context.insert(rome)
    try context.save()
    let theirs = try #require(try other.fetch(FetchDescriptor<Trip>()).first)
    theirs.name = "Roma"
    try other.save()
    #expect(rome.name == "Rome")
    _ = try context.fetch(FetchDescriptor<Trip>())
    #expect(rome.name == "Roma")
    // What has changes of its own keeps them.
    theirs.name = "Rom"
    try other.save()
    rome.name = "Rome again"
    _ = try context.fetch(FetchDescriptor<Trip>())
    #expect(rome.name == "Rome again")
  }

  @Test func `related models exclude those deleted by others`() throws {
    let store = try TripStore()
    let (writer, reader) = (store.context(), store.context())
    let rome = Trip(name: "Rome")
    rome.bucketList = [BucketListItem(title: "Forum"), BucketListItem(title: "Pantheon")]
    writer.insert(rome)
    try writer.save()
    let trip = try #require(try reader.fetch(FetchDescriptor<Trip>()).first)
    // The list is known from here on, and its models are not kept.
    #expect(trip.bucketList.count == 2)
    writer.delete(rome.bucketList[0])
    try writer.save()
    #expect(trip.bucketList.count == 1)
  }

  @Test func `changes notify observers`() async throws {
    let store = try TripStore()
    let context = store.context()
    let rome = Trip(name: "Rome")
    context.insert(rome)
    await confirmation { changed in
      withObservationTracking {
        _ = rome.name
      } onChange: {
        changed()
      }
      rome.name = "Roma"
    }
  }

  @Test func `a save posts notifications`() throws {
    let store = try TripStore()
    let context = store.context()
    let rome = Trip(name: "Rome")
    context.insert(rome)
    nonisolated(unsafe) var inserted: [PersistentIdentifier] = []
    nonisolated(unsafe) var tokens: [String: any HistoryToken] = [:]
    let observer = NotificationCenter.default.addObserver(
      forName: ModelContext.didSave, object: context, queue: nil
    ) { notification in
      let info = notification.userInfo ?? [:]
      inserted =
        info[ModelContext.NotificationKey.insertedIdentifiers.rawValue]
        as? [PersistentIdentifier] ?? []
      tokens =
        info[ModelContext.NotificationKey.historyTokens.rawValue] as? [String: any HistoryToken]
        ?? [:]
    }
    defer { NotificationCenter.default.removeObserver(observer) }
    try context.save()
    #expect(inserted == [rome.persistentModelID])
    let identifier = try #require(rome.persistentModelID.storeIdentifier)
    let token = try #require(tokens[identifier] as? DefaultHistoryToken)
    #expect(token.tokenValue == [identifier: 1])
  }
}
