import TestSupport
import Testing

@testable import OpenSwiftData

@Suite(.bounded) struct ContainerTests {
  private func configuration(
    _ folder: TemporaryFolder, _ name: String, schema: Schema? = nil, allowsSave: Bool = true
  ) -> ModelConfiguration {
    ModelConfiguration(
      schema: schema, url: URL(fileURLWithPath: folder.file(name + ".store")),
      allowsSave: allowsSave)
  }

  @Test func `related models belong to the schema`() {
    let schema = Schema([Trip.self])
    #expect(
      schema.entities.map(\.name) == ["BucketListItem", "LivingAccommodation", "Tag", "Trip"])
    let trip = schema.entity(for: Trip.self)
    #expect(trip?.relationshipsByName["bucketList"]?.inverseName == "trip")
    #expect(trip?.relationshipsByName["bucketList"]?.deleteRule == .cascade)
    #expect(trip?.attributesByName["notes"]?.isOptional == true)
    #expect(trip?.attributesByName["isUnread"] == nil)
    #expect(schema.entity(for: Tag.self)?.uniquenessConstraints == [["label"]])
    #expect(trip?.uniquenessConstraints == [["name", "startDate", "endDate"]])
    #expect(trip?.indices == [["name"], ["startDate", "endDate"]])
  }

  @Test func `the store has the layout of the frameworks`() async throws {
    let store = try TripStore()
    let query = try StoreQuery(path: store.path)
    #expect(
      try query.lines("SELECT Z_ENT, Z_NAME, Z_SUPER FROM Z_PRIMARYKEY ORDER BY 1") == [
        "1|BucketListItem|0", "2|LivingAccommodation|0", "3|Tag|0", "4|Trip|0",
      ])
    #expect(
      try query.lines(
        "SELECT name FROM sqlite_master WHERE name LIKE 'Z_Trip%' ORDER BY name") == [
          "Z_Trip_SwiftDataIndexOnBinaryname",
          "Z_Trip_SwiftDataIndexOnBinarystartDateendDate",
          "Z_Trip_UNIQUE_name_startDate_endDate",
        ])
    #expect(try query.lines("PRAGMA journal_mode") == ["wal"])
    let info = try await Tool.histctl.run(["info", store.path])
    #expect(info.status == 0, "\(info.errors)")
    #expect(info.lines.contains { $0.hasPrefix("entities") && $0.hasSuffix(" 4") }, "\(info.text)")
  }

  @Test func `a container may have several stores`() throws {
    let folder = try TemporaryFolder()
    let container = try ModelContainer(
      for: Schema([Trip.self, Shelf.self]),
      configurations: configuration(folder, "Trips", schema: Schema([Trip.self])),
      configuration(folder, "Books", schema: Schema([Shelf.self])))
    let context = ModelContext(container)
    context.insert(Trip(name: "Rome"))
    context.insert(Shelf())
    try context.save()
    #expect(
      try StoreQuery(path: folder.file("Books.store")).lines("SELECT count(*) FROM ZSHELF")
        == ["1"])
    let transactions = try context.fetchHistory(HistoryDescriptor<DefaultHistoryTransaction>())
    #expect(transactions.count == 2)
    let books = try #require(container.storeIdentifier(forConfigurationNamed: "Books"))
    #expect(container.configurationName(forStoreIdentifier: books) == "Books")
    #expect(Set(transactions.map(\.storeIdentifier)).contains(books))
  }

  @Test func `a container in memory leaves no files`() throws {
    var path: String?
    do {
      let container = try ModelContainer(
        for: Trip.self, configurations: ModelConfiguration(isStoredInMemoryOnly: true))
      let context = ModelContext(container)
      context.insert(Trip(name: "Rome"))
      try context.save()
      #expect(try context.fetchCount(FetchDescriptor<Trip>()) == 1)
      let history = try context.fetchHistory(HistoryDescriptor<DefaultHistoryTransaction>())
      #expect(history.count == 1)
      path = (container.stores.first as? DefaultStore)?.filePath
    }
    let file = try #require(path)
    #expect(!FileManager.default.fileExists(atPath: file))
  }

  @Test func `mistakes in configurations are reported`() throws {
    let folder = try TemporaryFolder()
    let trips = configuration(folder, "Trips", schema: Schema([Trip.self]))
    #expect(throws: SwiftDataError.duplicateConfiguration) {
      try ModelContainer(for: Trip.self, configurations: trips, trips)
    }
    #expect(throws: SwiftDataError.configurationSchemaNotFoundInContainerSchema) {
      try ModelContainer(
        for: Trip.self, configurations: configuration(folder, "C", schema: Schema([Shelf.self])))
    }
    #expect(throws: SwiftDataError.loadIssueModelContainer) {
      try ModelContainer(for: Schema([Trip.self, Shelf.self]), configurations: trips)
    }
    let long = String(repeating: "x", count: 300)
    #expect(throws: SwiftDataError.configurationFileNameTooLong) {
      try ModelContainer(for: Trip.self, configurations: configuration(folder, long))
    }
    #expect(throws: SwiftDataError.configurationFileNameContainsInvalidCharacters) {
      try ModelContainer(for: Trip.self, configurations: ModelConfiguration("a/b"))
    }
    #expect(throws: SwiftDataError.loadIssueModelContainer) {
      try ModelContainer(
        for: Trip.self, configurations: configuration(folder, "None", allowsSave: false))
    }
  }

  @Test func `a store and its copy are refused in one container`() throws {
    let folder = try TemporaryFolder()
    _ = try ModelContainer(for: Trip.self, configurations: configuration(folder, "Trips"))
    try FileManager.default.copyItem(
      atPath: folder.file("Trips.store"), toPath: folder.file("Copy.store"))
    // The identifiers of models name the store, and both have the same.
    #expect(throws: SwiftDataError.duplicateConfiguration) {
      try ModelContainer(
        for: Trip.self,
        configurations: configuration(folder, "Trips"), configuration(folder, "Copy"))
    }
  }

  @Test func `a store of other models is left unchanged`() throws {
    let folder = try TemporaryFolder()
    _ = try ModelContainer(for: Shelf.self, configurations: configuration(folder, "S"))
    do {
      _ = try ModelContainer(for: Trip.self, configurations: configuration(folder, "S"))
      Issue.record("it was opened")
    } catch let error as SwiftDataError {
      #expect(error == .loadIssueModelContainer)
      #expect(error.explanation.contains("BucketListItem"), "\(error)")
    }
    // Nor is one that is damaged, or no store at all.
    try FileBytes.write(Array("this is no store".utf8), to: folder.file("X.store"))
    #expect(throws: SwiftDataError.loadIssueModelContainer) {
      try ModelContainer(for: Trip.self, configurations: configuration(folder, "X"))
    }
    #expect(try FileBytes.read(folder.file("X.store")) == Array("this is no store".utf8))
  }

  @Test func `a read-only store refuses saves`() throws {
    let store = try TripStore()
    let writer = store.context()
    writer.insert(Trip(name: "Rome"))
    try writer.save()
    let container = try ModelContainer(
      for: Trip.self,
      configurations: ModelConfiguration(
        url: URL(fileURLWithPath: store.path), allowsSave: false))
    let context = ModelContext(container)
    let rome = try #require(try context.fetch(FetchDescriptor<Trip>()).first)
    rome.name = "Roma"
    #expect(throws: SwiftDataError.storeFailure) { try context.save() }
    #expect(context.hasChanges)
    #expect(try StoreQuery(path: store.path).lines("SELECT ZNAME FROM ZTRIP") == ["Rome"])
  }

  @Test func `erasing removes all files`() throws {
    let store = try TripStore()
    let context = store.context()
    let rome = Trip(name: "Rome")
    rome.bucketList = [BucketListItem(title: "Forum")]
    context.insert(rome)
    try context.save()
    try store.container.erase()
    let other = store.context()
    #expect(try other.fetchCount(FetchDescriptor<Trip>()) == 0)
    #expect(try other.fetchCount(FetchDescriptor<BucketListItem>()) == 0)
    #expect(
      try StoreQuery(path: store.path).lines("SELECT count(*) FROM ATRANSACTION") == ["1"])
  }

  @Test func `erasing deletes the history of removed models`() throws {
    let store = try TripStore()
    let context = store.context()
    context.insert(Trip(name: "Rome"))
    try context.save()
    try context.delete(model: Trip.self)
    try context.save()
    let bookmarks = store.path + "-bookmarks.json"
    try FileBytes.write(Array("nothing".utf8), to: bookmarks)
    // Again, and after the cause is gone.
    for _ in 0..<2 {
      #expect(throws: SwiftDataError.storeFailure) { try store.container.erase() }
    }
    func count() throws -> [String] {
      try StoreQuery(path: store.path).lines("SELECT count(*) FROM ATRANSACTION")
    }
    #expect(try count() != ["1"])
    try FileBytes.remove(bookmarks)
    try store.container.erase()
    #expect(try count() == ["1"])
  }

  @Test func `identifiers are decoded from JSON`() throws {
    let store = try TripStore()
    let context = store.context()
    let rome = Trip(name: "Rome")
    context.insert(rome)
    let temporary = rome.persistentModelID
    #expect(
      try JSONDecoder().decode(
        PersistentIdentifier.self, from: JSONEncoder().encode(temporary)) == temporary)
    try context.save()
    let data = try JSONEncoder().encode(rome.persistentModelID)
    #expect(try JSONDecoder().decode(PersistentIdentifier.self, from: data) == rome.id)
    let parts = try #require(
      (try JSONSerialization.jsonObject(with: data) as? [String: [String: Any]])?[
        "implementation"])
    #expect(parts["primaryKey"] as? String == "p1")
    #expect(parts["entityName"] as? String == "Trip")
    #expect(parts["isTemporary"] as? Bool == false)
    let store1 = try #require(rome.persistentModelID.storeIdentifier)
    #expect(parts["uriRepresentation"] as? String == "x-coredata://\(store1)/Trip/p1")
    #expect(throws: (any Error).self) {
      try JSONDecoder().decode(PersistentIdentifier.self, from: Data("{}".utf8))
    }
  }
}
