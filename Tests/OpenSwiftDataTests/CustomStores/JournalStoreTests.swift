import OpenSwiftData
import TestSupport
import Testing

/// A store that is not SQLite, driven by the same context.
@Suite(.bounded) struct JournalStoreTests {
  private func open(
    _ folder: TemporaryFolder, lifetime: TimeInterval = 86_400
  ) throws -> ModelContext {
    ModelContext(
      try ModelContainer(
        for: Trip.self,
        configurations: JournalConfiguration(
          name: "journal", url: URL(fileURLWithPath: folder.file("trips.jsonl")),
          lifetime: lifetime)))
  }

  @Test func `models are read back with their relationships`() throws {
    let folder = try TemporaryFolder()
    let context = try open(folder)
    let rome = Trip(name: "Rome")
    rome.bucketList = [BucketListItem(title: "Forum"), BucketListItem(title: "Pantheon")]
    context.insert(rome)
    try context.save()
    rome.notes = "in spring"
    try context.save()
    context.delete(rome.bucketList[0])
    try context.save()

    let again = try open(folder)
    let trips = try again.fetch(
      FetchDescriptor<Trip>(
        predicate: #Predicate { $0.name == "Rome" }, sortBy: [SortDescriptor(\.name)]))
    let trip = try #require(trips.first)
    #expect(trip.notes == "in spring")
    #expect(trip.bucketList.count == 1)
    #expect(trip.bucketList.first?.trip === trip)
    #expect(trip.persistentModelID == rome.persistentModelID)
    #expect(try again.fetchCount(FetchDescriptor<BucketListItem>()) == 1)
    // One save is one line.
    let lines = String(decoding: try FileBytes.read(folder.file("trips.jsonl")), as: UTF8.self)
      .split(separator: "\n")
    #expect(lines.count == 3)
  }

  @Test func `the store deletes batches itself`() throws {
    let folder = try TemporaryFolder()
    let desk = JournalDesk()
    let context = ModelContext(
      try ModelContainer(
        for: Trip.self,
        configurations: JournalConfiguration(
          name: "journal", url: URL(fileURLWithPath: folder.file("trips.jsonl")), desk: desk)))
    let tags = ["a", "b", "c"].map { Tag(label: $0) }
    tags.forEach(context.insert)
    try context.save()
    desk.batchDeletes = 0
    // The store leaves predicates to the context.
    try context.delete(model: Tag.self, where: #Predicate { $0.label == "a" })
    #expect(desk.batchDeletes == 0 && context.deletedModelsArray.count == 1)
    try context.save()
    context.insert(Tag(label: "new"))
    try context.delete(model: Tag.self)
    #expect(desk.batchDeletes == 2 && !context.hasChanges)
    #expect(tags[1].modelContext == nil)
    #expect(try context.fetchCount(FetchDescriptor<Tag>()) == 0)
  }

  @Test func `the history of the store has its own types`() throws {
    let folder = try TemporaryFolder()
    let context = try open(folder)
    context.author = "app"
    let rome = Trip(name: "Rome")
    context.insert(rome)
    try context.save()
    context.author = "widget"
    context.delete(rome)
    try context.save()

    let all = try context.fetchHistory(HistoryDescriptor<JournalTransaction>())
    #expect(all.map(\.author) == ["app", "widget"])
    let token = try #require(all.first?.token)
    let later = try context.fetchHistory(
      HistoryDescriptor<JournalTransaction>(predicate: #Predicate { $0.token > token }))
    guard case .delete(let change)? = later.first?.changes.first,
      let delete = change as? JournalDelete<Trip>
    else {
      Issue.record("\(later)")
      return
    }
    #expect(delete.tombstone[\.name] as? String == "Trip")
    try context.deleteHistory(
      HistoryDescriptor<JournalTransaction>(predicate: #Predicate { $0.token <= token }))
    #expect(try context.fetchHistory(HistoryDescriptor<JournalTransaction>()).count == 1)
    // Its time to live is its own.
    #expect(
      try open(folder, lifetime: -1).fetchHistory(HistoryDescriptor<JournalTransaction>()) == [])
    #expect(throws: SwiftDataError.invalidTransactionFetchRequest) {
      try context.fetchHistory(HistoryDescriptor<DefaultHistoryTransaction>())
    }
  }
}
