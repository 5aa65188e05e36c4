import OpenSwiftData
import TestSupport
import Testing

@Suite(.bounded) struct ResultsObserverTests {
  private let store: TripStore
  private let context: ModelContext
  private let change = ObservedChange()

  init() throws {
    store = try TripStore()
    context = store.context()
    for (name, destination) in [("Rome", "Italy"), ("Paris", "France"), ("Bari", "Italy")] {
      context.insert(Trip(name: name, destination: destination))
    }
    try context.save()
  }

  @Test func `results follow the context`() throws {
    let observer = try ResultsObserver<Trip, Never>(
      filterBy: #Predicate { $0.destination == "Italy" }, sortBy: [SortDescriptor(\.name)],
      modelContext: context)
    #expect(observer.results.map(\.name) == ["Bari", "Rome"])
    #expect(observer.sections == nil)
    change.observe { _ = observer.results }
    context.insert(Trip(name: "Como", destination: "Italy"))
    #expect(change.hasChanged)
    #expect(observer.results.map(\.name) == ["Bari", "Como", "Rome"])
    change.observe { _ = observer.results }
    observer.results[0].destination = "Puglia"
    #expect(change.hasChanged)
    #expect(observer.results.map(\.name) == ["Como", "Rome"])
    context.delete(observer.results[0])
    #expect(observer.results.map(\.name) == ["Rome"])
    context.rollback()
    #expect(observer.results.map(\.name) == ["Bari", "Rome"])
    // Nothing is told twice to somebody who has not looked since.
    change.observe { _ = observer.results }
    try context.save()
    #expect(!change.hasChanged)
  }

  @Test func `results follow other contexts`() throws {
    let observer = try ResultsObserver<Trip, Never>(modelContext: context)
    change.observe { _ = observer.results }
    let other = store.context()
    other.insert(Trip(name: "Oslo"))
    #expect(!change.hasChanged)
    try other.save()
    #expect(change.hasChanged)
    #expect(observer.results.count == 4)
  }

  @Test func `results follow other processes`() async throws {
    let shared = try SharedStore()
    let observer = try ResultsObserver<SavedEntry, Never>(
      sortBy: [SortDescriptor(\.number)], modelContainer: shared.container)
    #expect(observer.results.isEmpty)
    change.observe { _ = observer.results }
    try await shared.saveElsewhere(1)
    try await change.waitForChange()
    #expect(observer.results.map(\.number) == [1])
    let counters = try ResultsObserver<SavedCounter, Never>(modelContext: observer.modelContext)
    #expect(counters.results.map(\.count) == [1])
    change.observe { _ = counters.results }
    try await shared.saveElsewhere(1)
    try await change.waitForChange()
    // A model that is known has its new values.
    #expect(counters.results.map(\.count) == [2])
  }

  @Test func `conditions can change`() throws {
    let observer = try ResultsObserver<Trip, Never>(
      fetchDescriptor: FetchDescriptor(sortBy: [SortDescriptor(\.name)]), modelContext: context)
    #expect(observer.results.map(\.name) == ["Bari", "Paris", "Rome"])
    change.observe { _ = observer.results }
    observer.filterBy = #Predicate { $0.destination == "Italy" }
    #expect(change.hasChanged)
    observer.sortBy = [SortDescriptor(\.name, order: .reverse)]
    #expect(observer.results.map(\.name) == ["Rome", "Bari"])
  }

  @Test func `sections are in the order of their titles`() throws {
    let observer = try ResultsObserver<Trip, String>(
      sortBy: [SortDescriptor(\.name)], sectionBy: \.destination, modelContext: context)
    let sections = try #require(observer.sections)
    #expect(sections.sectionNames == ["France", "Italy"])
    #expect(sections.map { $0.map(\.name) } == [["Paris"], ["Bari", "Rome"]])
    #expect(sections[sectionName: "Italy"]?.count == 2)
    #expect(sections[sectionName: "Peru"] == nil)
    #expect(sections.contains(sectionName: "Italy") && !sections.contains(sectionName: "Peru"))
    #expect(sections.index(ofSectionNamed: "Italy") == 1)
    #expect(observer.fetchDescriptor.sortBy == observer.sortBy)
    #expect(observer.sectionBy == \Trip.destination)
    #expect(sections[1].id == "Italy")
    // The results stand in the same order.
    #expect(observer.results.map(\.name) == ["Paris", "Bari", "Rome"])
    let rome = try #require(observer.element(at: IndexPath(indexes: [1, 1])))
    #expect(rome.name == "Rome")
    #expect(observer.indexPath(for: rome) == IndexPath(indexes: [1, 1]))
    for path in [[2, 0], [1, 2], [-1, 0], [0, -1], [1], [1, 1, 1], []] {
      #expect(observer.element(at: IndexPath(indexes: path)) == nil)
    }
    rome.destination = "Latium"
    #expect(observer.sections?.sectionNames == ["France", "Italy", "Latium"])
    #expect(observer.indexPath(for: rome) == IndexPath(indexes: [2, 0]))
    context.delete(rome)
    #expect(observer.indexPath(for: rome) == nil)
  }

  @Test func `titles may be missing or of another type`() throws {
    let trips = try context.fetch(FetchDescriptor<Trip>(sortBy: [SortDescriptor(\.name)]))
    trips[0].notes = "warm"
    let byNotes = try ResultsObserver<Trip, String>(sectionBy: \.notes, modelContext: context)
    #expect(byNotes.sections?.map { $0.name } == ["", "warm"])
    #expect(byNotes.sections?.map(\.count) == [2, 1])
    trips[1].startDate = .now
    let byDate = try ResultsObserver<Trip, Date>(
      sectionBy: \.startDate, modelContainer: store.container)
    // The other context knows nothing of what was not saved.
    #expect(byDate.sections?.map(\.count) == [3])
    try context.save()
    #expect(byDate.sections?.map(\.count) == [2, 1])
  }

  @Test func `limits count in the order of sections`() throws {
    var descriptor = FetchDescriptor<Trip>(sortBy: [SortDescriptor(\.name)])
    descriptor.fetchLimit = 2
    let observer = try ResultsObserver<Trip, String>(
      fetchDescriptor: descriptor, sectionBy: \.destination, modelContext: context)
    #expect(observer.results.map(\.name) == ["Paris", "Bari"])
    #expect(observer.sections?.map(\.count) == [1, 1])
  }

  @Test func `results without sections have no index paths`() throws {
    let observer = try ResultsObserver<Trip, Never>(modelContext: context)
    let first = try #require(observer.results.first)
    #expect(observer.indexPath(for: first) == nil)
    #expect(observer.element(at: IndexPath(indexes: [0, 0])) == nil)
    #expect(observer.fetchError == nil)
  }
}
