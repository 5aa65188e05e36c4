import Dispatch
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

  /// Saves trips one by one, each with the tag that all importers use, and changes what others saved.
  func importTrips(_ names: [String], taggedAs label: String) throws {
    modelContext.author = names.first
    for name in names {
      let trip = Trip(name: name)
      modelContext.insert(trip)
      trip.tags = [Tag(label: label)]
      try modelContext.save()
      let oldest = try modelContext.fetch(
        FetchDescriptor<Trip>(sortBy: [SortDescriptor(\.name, comparator: .lexical)]))[0]
      oldest.destination = name
      try modelContext.save()
    }
  }

  func name(of identifier: PersistentIdentifier) -> String? {
    self[identifier, as: Trip.self]?.name
  }

  func journeyName(of identifier: PersistentIdentifier) -> String? {
    self[identifier, as: Journey.self]?.name
  }
}

@Model
final class Counter {
  var count = 0
  var ticks: [Tick] = []

  init() {}
}

@Model
final class Tick {
  var counter: Counter?

  init(of counter: Counter) { self.counter = counter }
}

/// An actor that shares the main context with the main actor.
@ModelActor
actor MainWorker {
  @MainActor init(mainContextOf container: ModelContainer) {
    modelExecutor = DefaultSerialModelExecutor(modelContext: container.mainContext)
    modelContainer = container
  }

  func count(_ identifier: PersistentIdentifier) throws -> Bool {
    guard let counter = self[identifier, as: Counter.self] else { return false }
    counter.count += 1
    counter.ticks.append(Tick(of: counter))
    if counter.count.isMultiple(of: 20) { try modelContext.save() }
    dispatchPrecondition(condition: .onQueue(.main))
    return true
  }
}

@Suite(.bounded) struct ModelActorTests {
  @MainActor @Test func `actors of the main context are serialized`() async throws {
    let folder = try TemporaryFolder()
    let container = try ModelContainer(
      for: Counter.self,
      configurations: ModelConfiguration(url: URL(fileURLWithPath: folder.file("C.store"))))
    let counter = Counter()
    container.mainContext.insert(counter)
    try container.mainContext.save()
    let identifier = counter.persistentModelID
    let workers = (0..<4).map { _ in MainWorker(mainContextOf: container) }
    try await withThrowingTaskGroup(of: Bool.self) { group in
      for number in 0..<200 {
        group.addTask { try await workers[number % 4].count(identifier) }
      }
      for _ in 0..<50 {
        counter.count += 1
        await Task.yield()
      }
      for try await found in group { #expect(found) }
    }
    try container.mainContext.save()
    #expect(counter.count == 250 && counter.ticks.count == 200)
    let other = ModelContext(container)
    #expect(try other.fetch(FetchDescriptor<Counter>()).map(\.count) == [250])
    #expect(try other.fetchCount(FetchDescriptor<Tick>()) == 200)
  }

  @Test func `an actor has a context of its own`() async throws {
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

  @MainActor @Test func `four actors save to a store at the same time`() async throws {
    let store = try TripStore()
    let main = store.container.mainContext
    let first = Trip(name: "")
    main.insert(first)
    try main.save()
    let observer = try ResultsObserver<Trip, Never>(modelContext: main)
    try await withThrowingTaskGroup(of: Void.self) { group in
      for number in 0..<4 {
        group.addTask { [container = store.container] in
          let names = (0..<10).map { "\(number)-\($0)" }
          try await Importer(modelContainer: container).importTrips(names, taggedAs: "import")
        }
      }
      group.addTask { [container = store.container] in
        let context = ModelContext(container)
        var count = 0
        while count < 41 {
          count = try context.fetch(FetchDescriptor<Trip>()).filter {
            !$0.destination.isEmpty || !$0.tags.isEmpty
          }.count
          _ = try context.fetchHistory(HistoryDescriptor<DefaultHistoryTransaction>())
          await Task.yield()
        }
      }
      try await group.waitForAll()
    }
    try await wait(until: "the main context shows all trips") { observer.results.count == 41 }
    #expect(try main.fetch(FetchDescriptor<Tag>()).map { $0.trips.count } == [40])
    let query = try StoreQuery(path: store.path)
    #expect(
      try query.lines("SELECT count(*), count(DISTINCT ZNAME) FROM ZTRIP") == ["41|41"])
    #expect(try query.lines("SELECT count(*) FROM ZTAG") == ["1"])
    // The first save, and two for each trip.
    #expect(try query.lines("SELECT count(*), max(Z_PK) FROM ATRANSACTION") == ["81|81"])
    let verify = try await Tool.histctl.run(["verify", store.path])
    #expect(verify.status == 0, "\(verify.text)")
  }

  @Test func `an actor finds models of subclasses`() async throws {
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

  @MainActor @Test func `an automatic save that fails keeps its error`() async throws {
    let store = try TripStore()
    let other = ModelContext(store.container)
    let trip = Trip(name: "Rome")
    other.insert(trip)
    try other.save()
    let context = store.container.mainContext
    context.delete(trip)
    context.insert(Trip(name: "Oslo"))
    try await wait(until: "the automatic save fails") { context.lastError != nil }
    #expect(context.lastError as? SwiftDataError == .modelValidationFailure)
    #expect(context.hasChanges)
    // The error is still there for a save that can throw it.
    #expect(throws: SwiftDataError.modelValidationFailure) { try context.save() }
    try context.save()
    #expect(context.lastError == nil)
    #expect(try other.fetchCount(FetchDescriptor<Trip>()) == 2)
  }

  @MainActor @Test func `the main context saves by itself`() async throws {
    let store = try TripStore()
    store.container.mainContext.insert(Trip(name: "Rome"))
    try await wait(until: "the main context saves by itself") {
      !store.container.mainContext.hasChanges
    }
    #expect(
      try StoreQuery(path: store.path).lines("SELECT ZNAME FROM ZTRIP") == ["Rome"])
  }
}
