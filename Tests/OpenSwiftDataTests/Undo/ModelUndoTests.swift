#if !canImport(ObjectiveC)
import OpenSwiftData
import TestSupport
import Testing

/// What a context's undo manager brings back, in memory and in the store.
@Suite(.bounded) struct ModelUndoTests {
  private let store: TripStore
  private let context: ModelContext
  private let manager: UndoManager
  private let rome: Trip

  /// A saved trip with two places, a house and a tag; every registered change is a group.
  init() throws {
    store = try TripStore()
    context = store.context()
    rome = Trip(name: "Rome")
    rome.bucketList = [BucketListItem(title: "Forum"), BucketListItem(title: "Pantheon")]
    rome.livingAccommodation = LivingAccommodation(placeName: "Casa")
    rome.tags = [Tag(label: "city")]
    context.insert(rome)
    try context.save()
    manager = UndoManager()
    manager.groupsByEvent = false
    context.undoManager = manager
  }

  /// What another program finds in the store.
  private func stored() throws -> [String] {
    try StoreQuery(path: store.path).lines(
      """
      SELECT t.ZNAME || ':' || coalesce(t.ZNOTES, '-'),
        (SELECT group_concat(b.ZTITLE, ' ') FROM (
          SELECT ZTITLE FROM ZBUCKETLISTITEM WHERE ZTRIP = t.Z_PK ORDER BY ZTITLE) b),
        (SELECT ZPLACENAME FROM ZLIVINGACCOMMODATION WHERE ZTRIP = t.Z_PK)
      FROM ZTRIP t ORDER BY t.ZNAME
      """)
  }

  private func transactions() throws -> [DefaultHistoryTransaction] {
    try context.fetchHistory(HistoryDescriptor<DefaultHistoryTransaction>())
  }

  private let saved = "Rome:-|Forum Pantheon|Casa"

  @Test func `undoing restores values`() throws {
    rome.name = "Roma"
    rome.notes = "in spring"
    rome.name = "Rom"
    #expect(manager.canUndo)
    manager.undo()
    #expect(rome.name == "Rome")
    #expect(rome.notes == nil)
    // What is as the store has it need not be saved.
    #expect(!context.hasChanges)
    manager.redo()
    #expect(rome.name == "Rom")
    #expect(rome.notes == "in spring")
    #expect(context.hasChanges)
    try context.save()
    #expect(try stored() == ["Rom:in spring|Forum Pantheon|Casa"])
  }

  @Test func `each processing of changes is a group`() throws {
    rome.name = "Roma"
    context.processPendingChanges()
    rome.name = "Rom"
    context.processPendingChanges()
    context.processPendingChanges()
    #expect(manager.undoCount == 2)
    manager.undo()
    #expect(rome.name == "Roma")
    manager.undo()
    #expect(rome.name == "Rome")
  }

  @Test func `groups of the app are kept`() throws {
    rome.notes = "before"
    manager.beginUndoGrouping()
    rome.name = "Roma"
    context.processPendingChanges()
    context.insert(Trip(name: "Paris"))
    manager.endUndoGrouping()
    manager.setActionName("Travel")
    // What was changed before the group began is a group of its own.
    #expect(manager.undoCount == 2)
    #expect(manager.undoMenuItemTitle == "Undo Travel")
    manager.undo()
    #expect(rome.name == "Rome")
    #expect(rome.notes == "before")
    #expect(try context.fetchCount(FetchDescriptor<Trip>()) == 1)
  }

  @Test func `undoing an insertion removes the model and its relationships`() throws {
    let colosseum = BucketListItem(title: "Colosseum")
    rome.bucketList.append(colosseum)
    let paris = Trip(name: "Paris")
    paris.tags = [Tag(label: "river")]
    context.insert(paris)
    manager.undo()
    #expect(colosseum.modelContext == nil)
    #expect(paris.modelContext == nil)
    #expect(rome.bucketList.map(\.title).sorted() == ["Forum", "Pantheon"])
    try context.save()
    #expect(try stored() == [saved])
    #expect(try transactions().count == 1)

    manager.redo()
    #expect(colosseum.trip === rome)
    #expect(paris.tags.map(\.label) == ["river"])
    try context.save()
    #expect(try stored() == ["Paris:-||", "Rome:-|Colosseum Forum Pantheon|Casa"])
    #expect(try context.fetchCount(FetchDescriptor<Tag>()) == 2)
  }

  @Test func `undoing a deletion restores the model and its cascades`() throws {
    let (forum, tag) = (rome.bucketList[0], rome.tags[0])
    context.delete(rome)
    #expect(tag.trips.isEmpty)
    manager.undo()
    #expect(!context.hasChanges)
    #expect(!rome.isDeleted)
    #expect(forum.trip === rome)
    #expect(tag.trips.first === rome)
    try context.save()
    #expect(try transactions().count == 1)
    manager.redo()
    #expect(context.deletedModelsArray.count == 4)
    try context.save()
    #expect(try stored() == [])
  }

  @Test func `undoing a saved change is a new change`() throws {
    rome.name = "Roma"
    try context.save()
    manager.undo()
    #expect(rome.name == "Rome")
    #expect(context.changedModelsArray.count == 1)
    try context.save()
    #expect(try stored() == [saved])
    let last = try #require(try transactions().last)
    #expect(last.transactionIdentifier == 3)
    guard case .update(let update as DefaultHistoryUpdate<Trip>)? = last.changes.first else {
      Issue.record("\(last.changes)")
      return
    }
    #expect(update.updatedAttributes.count == 1)
    #expect(update.updatedAttributes.contains(\.name))
    manager.redo()
    try context.save()
    #expect(rome.name == "Roma")
    #expect(try stored() == ["Roma:-|Forum Pantheon|Casa"])
  }

  @Test func `undoing a saved insertion deletes`() throws {
    let paris = Trip(name: "Paris")
    paris.bucketList = [BucketListItem(title: "Louvre")]
    context.insert(paris)
    try context.save()
    manager.undo()
    #expect(paris.isDeleted)
    try context.save()
    #expect(try stored() == [saved])
    // And once more back, as a new model.
    manager.redo()
    try context.save()
    #expect(try stored() == ["Paris:-|Louvre|", saved])
    #expect(paris.bucketList.map(\.title) == ["Louvre"])
    #expect(try transactions().map(\.changes.count).last == 2)
  }

  @Test func `saved deletions are undone as insertions`() throws {
    let former = rome.persistentModelID
    let tag = rome.tags[0]
    context.delete(rome)
    try context.save()
    #expect(rome.modelContext == nil)
    manager.undo()
    #expect(rome.modelContext === context)
    #expect(rome.bucketList.map(\.title).sorted() == ["Forum", "Pantheon"])
    #expect(tag.trips.first === rome)
    try context.save()
    #expect(rome.persistentModelID != former)
    #expect(try stored() == [saved])
    let again = ModelContext(try TripStore.open(store.path))
    let trip = try #require(try again.fetch(FetchDescriptor<Trip>()).first)
    #expect(trip.tags.map(\.label) == ["city"])
    #expect(trip.identifier == rome.identifier)
    #expect(try StoreQuery(path: store.path).lines("PRAGMA integrity_check") == ["ok"])
  }

  @Test func `undoing restores values that were never read`() throws {
    let other = store.context()
    other.undoManager = manager
    let identifier = rome.persistentModelID
    let fault = try #require(other.model(for: identifier) as? Trip)
    other.delete(fault)
    try other.save()
    manager.undo()
    try other.save()
    #expect(try stored() == [saved])
  }

  @Test func `undoing restores the lists of both ends`() throws {
    let tag = rome.tags[0]
    let naples = Trip(name: "Naples")
    context.insert(naples)
    try context.save()
    tag.trips = [naples]
    #expect(rome.tags.isEmpty)
    try context.save()
    // The lists are read anew from here on.
    _ = try context.fetch(FetchDescriptor<Trip>())
    _ = try context.fetch(FetchDescriptor<Tag>())
    manager.undo()
    #expect(rome.tags.map(\.label) == ["city"])
    #expect(naples.tags.isEmpty)
    try context.save()
    let again = ModelContext(try TripStore.open(store.path))
    let trips = try again.fetch(FetchDescriptor<Trip>(sortBy: [SortDescriptor(\.name)]))
    #expect(trips.map { $0.tags.map(\.label) } == [[], ["city"]])
  }

  @Test func `undoing a move restores both lists`() throws {
    let paris = Trip(name: "Paris")
    context.insert(paris)
    try context.save()
    let forum = try #require(rome.bucketList.first { $0.title == "Forum" })
    forum.trip = paris
    try context.save()
    manager.undo()
    #expect(paris.bucketList.isEmpty)
    #expect(rome.bucketList.contains { $0 === forum })
    try context.save()
    #expect(try stored() == ["Paris:-||", saved])
  }

  @Test func `rollback removes all undo actions`() throws {
    rome.name = "Roma"
    try context.save()
    rome.name = "Rom"
    context.rollback()
    #expect(rome.name == "Roma")
    #expect(!manager.canUndo)
    #expect(!manager.canRedo)
  }

  @Test func `unregistered changes are not undone`() throws {
    manager.disableUndoRegistration()
    rome.name = "Roma"
    context.insert(Trip(name: "Paris"))
    manager.enableUndoRegistration()
    rome.notes = "in spring"
    manager.undo()
    #expect(rome.name == "Roma")
    #expect(rome.notes == nil)
    #expect(!manager.canUndo)
    context.undoManager = nil
    rome.notes = "in autumn"
    #expect(!manager.canUndo)
  }

  @Test func `a model merged into another is not undone`() throws {
    // The label is unique: saving this updates the tag that is there.
    let twin = Tag(label: "city")
    context.insert(twin)
    try context.save()
    manager.undo()
    try context.save()
    #expect(try context.fetchCount(FetchDescriptor<Tag>()) == 1)
    #expect(rome.tags.map(\.label) == ["city"])
  }

  @MainActor @Test func `a turn of the main queue is a group`() async throws {
    let context = store.context()
    let manager = UndoManager()
    context.undoManager = manager
    let paris = Trip(name: "Paris")
    context.insert(paris)
    try await wait(until: "the insertion is a group") { manager.undoCount >= 1 }
    paris.name = "Lutetia"
    try await wait(until: "the change is a group") { manager.undoCount >= 2 }
    manager.undo()
    #expect(paris.name == "Paris")
    #expect(paris.modelContext === context)
  }
}
#endif
