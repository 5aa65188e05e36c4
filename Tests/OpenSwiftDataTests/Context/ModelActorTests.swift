import OpenSwiftData
import TestSupport
import Testing

@ModelActor
actor Importer {
  func importTrips(_ names: [String]) throws -> [PersistentIdentifier] {
    modelContext.author = "importer"
    let trips = names.map { Trip(name: $0) }
    trips.forEach(modelContext.insert)
    try modelContext.save()
    return trips.map(\.persistentModelID)
  }

  func name(of identifier: PersistentIdentifier) -> String? {
    self[identifier, as: Trip.self]?.name
  }

  func journeyName(of identifier: PersistentIdentifier) -> String? {
    self[identifier, as: Journey.self]?.name
  }
}

@Suite struct ModelActorTests {
  @Test func anActorHasAContextOfItsOwn() async throws {
    let store = try TripStore()
    let importer = Importer(modelContainer: store.container)
    let identifiers = try await importer.importTrips(["Rome", "Paris"])
    #expect(await importer.name(of: identifiers[1]) == "Paris")
    let context = store.context()
    #expect(
      try context.fetch(FetchDescriptor<Trip>(sortBy: [SortDescriptor(\.name)])).map(\.id)
        == identifiers.reversed())
    #expect(
      try context.fetchHistory(HistoryDescriptor<DefaultHistoryTransaction>()).map(\.author)
        == ["importer"])
  }

  @Test func anActorFindsModelsOfSubclasses() async throws {
    let folder = try TemporaryFolder()
    let container = try ModelContainer(
      for: Journey.self, BusinessJourney.self, ConferenceJourney.self,
      configurations: ModelConfiguration(url: URL(fileURLWithPath: folder.file("J.store"))))
    let context = ModelContext(container)
    let journey = ConferenceJourney(name: "WWDC", isSpeaker: false)
    context.insert(journey)
    try context.save()
    let finder = Importer(modelContainer: container)
    let identifier = journey.persistentModelID
    #expect(await finder.journeyName(of: identifier) == "WWDC")
    #expect(await finder.name(of: identifier) == nil)
  }

  @MainActor @Test func anAutomaticSaveThatFailsKeepsItsError() async throws {
    let store = try TripStore()
    let other = ModelContext(store.container)
    let trip = Trip(name: "Rome")
    other.insert(trip)
    try other.save()
    let context = store.container.mainContext
    context.delete(trip)
    context.insert(Trip(name: "Oslo"))
    while context.lastError == nil { try await Task.sleep(for: .milliseconds(10)) }
    #expect(context.lastError as? SwiftDataError == .modelValidationFailure)
    #expect(context.hasChanges)
    // The error is still there for a save that can throw it.
    #expect(throws: SwiftDataError.modelValidationFailure) { try context.save() }
    try context.save()
    #expect(context.lastError == nil)
    #expect(try other.fetchCount(FetchDescriptor<Trip>()) == 2)
  }

  @MainActor @Test func theMainContextSavesByItself() async throws {
    let store = try TripStore()
    store.container.mainContext.insert(Trip(name: "Rome"))
    while store.container.mainContext.hasChanges {
      try await Task.sleep(for: .milliseconds(10))
    }
    #expect(
      try StoreQuery(path: store.path).lines("SELECT ZNAME FROM ZTRIP") == ["Rome"])
  }
}
