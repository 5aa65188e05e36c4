#if !canImport(ObjectiveC)
import OpenSwiftData
import TestSupport
import Testing

/// What an undo manager brings back of models that inherit from others.
@Suite(.bounded) struct InheritanceUndoTests {
  private let store: JourneyStore
  private let context: ModelContext
  private let manager: UndoManager

  /// One journey of each class; every registered change is a group.
  init() throws {
    store = try JourneyStore.filled()
    context = store.context()
    manager = UndoManager()
    manager.groupsByEvent = false
    context.undoManager = manager
  }

  private func journey<T: Journey>(_ name: String, as type: T.Type) throws -> T {
    try #require(
      try context.fetch(FetchDescriptor<Journey>(predicate: #Predicate { $0.name == name })).first
        as? T)
  }

  /// What another program finds in the store.
  private func stored(_ name: String) throws -> [String] {
    try StoreQuery(path: store.path).lines(
      """
      SELECT e.Z_NAME, j.ZNAME, j.ZCODE, j.ZPERDIEM, j.ZISSPEAKER,
        (SELECT count(*) FROM ZSTOP s WHERE s.ZJOURNEY = j.Z_PK)
      FROM ZJOURNEY j JOIN Z_PRIMARYKEY e ON e.Z_ENT = j.Z_ENT WHERE j.ZNAME = '\(name)'
      """)
  }

  @Test func `undoing restores properties of all classes`() throws {
    let meetup = try journey("Meetup", as: ConferenceJourney.self)
    meetup.name = "Fair"
    meetup.perDiem = 100
    meetup.talks = ["none"]
    meetup.isSpeaker = false
    meetup.badge = "gold"
    manager.undo()
    #expect(meetup.name == "Meetup")
    #expect(meetup.perDiem == 60)
    #expect(meetup.talks == ["SQL", "Swift"])
    #expect(meetup.isSpeaker)
    #expect(!context.hasChanges)
    manager.redo()
    #expect(meetup.name == "Fair")
    #expect(meetup.talks == ["none"])
    try context.save()
    #expect(try stored("Fair") == ["ConferenceJourney|Fair|C-Meetup|100.0|0|2"])
    manager.undo()
    try context.save()
    #expect(try stored("Meetup") == ["ConferenceJourney|Meetup|C-Meetup|60.0|1|2"])
    let last = try #require(
      try context.fetchHistory(HistoryDescriptor<DefaultHistoryTransaction>()).last?.changes.first)
    guard case .update(let update as DefaultHistoryUpdate<ConferenceJourney>) = last else {
      Issue.record("\(last)")
      return
    }
    #expect(update.updatedAttributes.contains(\.name))
    #expect(update.updatedAttributes.contains(\.talks))
  }

  @Test func `undoing an insertion removes the model`() throws {
    let fair = ConferenceJourney(name: "Fair", isSpeaker: true, talks: ["one"])
    let walk = try journey("Walk", as: Journey.self)
    let stop = Stop(title: "hall")
    fair.stops = [stop]
    context.insert(fair)
    let guide = Guide(name: "Ada")
    walk.guide = guide
    fair.guide = guide
    manager.undo()
    #expect(fair.modelContext == nil)
    #expect(stop.modelContext == nil)
    #expect(walk.guide == nil)
    #expect(!context.hasChanges)
    manager.redo()
    #expect(guide.journeys.count == 2)
    #expect(stop.journey === fair)
    try context.save()
    #expect(try stored("Fair") == ["ConferenceJourney|Fair|C-Fair|60.0|1|1"])
  }

  @Test func `undoing a deletion restores the model with its class`() throws {
    let sale = try journey("Sale", as: BusinessJourney.self)
    let company = try #require(sale.company)
    let visit = try journey("Visit", as: PersonalJourney.self)
    context.delete(sale)
    context.delete(visit)
    #expect(company.journeys.isEmpty)
    manager.undo()
    #expect(company.journeys.first === sale)
    #expect(visit.stops.count == 3)
    #expect(!context.hasChanges)

    // Once their deletion is saved they come back as new ones, of their own class.
    context.delete(visit)
    context.delete(sale)
    try context.save()
    #expect(try stored("Visit") == [])
    manager.undo()
    try context.save()
    #expect(try stored("Visit") == ["PersonalJourney|Visit||||3"])
    #expect(try stored("Sale") == ["BusinessJourney|Sale|B-1|50.0||1"])
    #expect(visit.reason == .family)
    #expect(visit.notes == "cake")
    #expect(sale.company === company)
    let again = store.context()
    let found = try again.fetch(FetchDescriptor<Journey>())
    #expect(found.count == 4)
    #expect(found.contains { ($0 as? PersonalJourney)?.reason == .family })
  }

  @Test func `undoing restores lists of other classes`() throws {
    let guide = Guide(name: "Ada")
    context.insert(guide)
    guide.journeys = try context.fetch(FetchDescriptor<Journey>(sortBy: [SortDescriptor(\.name)]))
    try context.save()
    context.processPendingChanges()
    guide.journeys.removeAll { $0 is BusinessJourney }
    #expect(guide.journeys.map(\.name).sorted() == ["Visit", "Walk"])
    manager.undo()
    #expect(guide.journeys.map(\.name).sorted() == ["Meetup", "Sale", "Visit", "Walk"])
    #expect(try journey("Meetup", as: ConferenceJourney.self).guide === guide)
    #expect(!context.hasChanges)
  }
}
#endif
