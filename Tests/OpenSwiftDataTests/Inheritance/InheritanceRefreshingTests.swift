import OpenSwiftData
import TestSupport
import Testing

/// What a context makes of what others save about models that inherit from others.
@Suite(.bounded) struct InheritanceRefreshingTests {
  private let store: JourneyStore
  private let context: ModelContext
  /// Like another program.
  private let others: ModelContext

  init() throws {
    store = try JourneyStore.filled()
    context = store.context()
    others = ModelContext(
      try ModelContainer(
        for: JourneyStore.schema,
        configurations: ModelConfiguration(url: URL(fileURLWithPath: store.path))))
  }

  private func journey<T: Journey>(
    _ name: String, as type: T.Type, in context: ModelContext
  ) throws -> T {
    try #require(
      try context.fetch(FetchDescriptor<Journey>(predicate: #Predicate { $0.name == name })).first
        as? T)
  }

  /// Any fetch will do.
  private func look() throws { _ = try context.fetchCount(FetchDescriptor<Company>()) }

  @Test func `properties of all classes are refreshed`() throws {
    let meetup = try journey("Meetup", as: ConferenceJourney.self, in: context)
    let visit = try journey("Visit", as: PersonalJourney.self, in: context)
    let theirs = try journey("Meetup", as: ConferenceJourney.self, in: others)
    theirs.name = "Fair"
    theirs.perDiem = 100
    theirs.talks = ["new"]
    try journey("Visit", as: PersonalJourney.self, in: others).reason = .reunion
    try others.save()
    let change = ObservedChange()
    change.observe { _ = meetup.name }
    #expect(meetup.name == "Meetup")
    try look()
    #expect(change.hasChanged)
    #expect(meetup.name == "Fair")
    #expect(meetup.perDiem == 100)
    #expect(meetup.talks == ["new"])
    #expect(meetup.isSpeaker)
    #expect(visit.reason == .reunion)
    #expect(!context.hasChanges)
  }

  @Test func `own changes stay, whatever class declares them`() throws {
    let meetup = try journey("Meetup", as: ConferenceJourney.self, in: context)
    let theirs = try journey("Meetup", as: ConferenceJourney.self, in: others)
    meetup.name = "Own"
    meetup.talks = ["own"]
    theirs.name = "Theirs"
    theirs.perDiem = 100
    theirs.isSpeaker = false
    try others.save()
    try look()
    #expect(meetup.name == "Own")
    #expect(meetup.talks == ["own"])
    #expect(meetup.perDiem == 100)
    #expect(!meetup.isSpeaker)
    try context.save()
    #expect(
      try StoreQuery(path: store.path).lines(
        "SELECT ZNAME, ZPERDIEM, ZISSPEAKER FROM ZJOURNEY WHERE ZCODE = 'C-Meetup'")
        == ["Own|100.0|0"])
    context.rollback()
    #expect(meetup.name == "Own")
  }

  @Test func `lists of a class follow changes of its subclasses`() throws {
    let guide = Guide(name: "Ada")
    context.insert(guide)
    guide.journeys = [try journey("Walk", as: Journey.self, in: context)]
    let company = try #require(try journey("Sale", as: BusinessJourney.self, in: context).company)
    try context.save()
    #expect(company.journeys.map(\.name) == ["Sale"])
    let theirGuide = try #require(try others.fetch(FetchDescriptor<Guide>()).first)
    let theirCompany = try #require(try others.fetch(FetchDescriptor<Company>()).first)
    let fair = ConferenceJourney(name: "Fair", isSpeaker: false)
    fair.guide = theirGuide
    fair.company = theirCompany
    try others.save()
    try look()
    #expect(guide.journeys.map(\.name).sorted() == ["Fair", "Walk"])
    #expect(guide.journeys.contains { $0 is ConferenceJourney })
    #expect(company.journeys.map(\.name).sorted() == ["Fair", "Sale"])
    // And those of the class itself, and one that it has no part in.
    others.delete(try journey("Sale", as: BusinessJourney.self, in: others))
    try others.save()
    try look()
    #expect(company.journeys.map(\.name) == ["Fair"])
  }

  @Test func `models deleted by others leave the context`() throws {
    let meetup = try journey("Meetup", as: ConferenceJourney.self, in: context)
    let walk = try journey("Walk", as: Journey.self, in: context)
    let stops = meetup.stops
    try others.delete(model: BusinessJourney.self)
    try others.save()
    try look()
    #expect(meetup.modelContext == nil)
    #expect(stops.allSatisfy { $0.modelContext == nil })
    #expect(meetup.talks == ["SQL", "Swift"])
    #expect(walk.modelContext === context)
    #expect(
      try context.fetch(FetchDescriptor<Journey>()).map(\.name).sorted() == ["Visit", "Walk"])
    #expect(try context.fetch(FetchDescriptor<ConferenceJourney>()) == [])
  }

  @Test func `changes of models deleted by others are dropped`() throws {
    let meetup = try journey("Meetup", as: ConferenceJourney.self, in: context)
    meetup.talks = ["own"]
    others.delete(try journey("Meetup", as: ConferenceJourney.self, in: others))
    try others.save()
    try look()
    try context.save()
    #expect(!context.hasChanges)
    #expect(meetup.modelContext == nil)
  }

  @Test func `everything is read again if history was deleted`() throws {
    let meetup = try journey("Meetup", as: ConferenceJourney.self, in: context)
    let walk = try journey("Walk", as: Journey.self, in: context)
    let sale = try journey("Sale", as: BusinessJourney.self, in: context)
    try journey("Meetup", as: ConferenceJourney.self, in: others).talks = ["new"]
    try journey("Walk", as: Journey.self, in: others).rating = 5
    try others.save()
    others.delete(try journey("Sale", as: BusinessJourney.self, in: others))
    try others.save()
    try others.deleteHistory(HistoryDescriptor<DefaultHistoryTransaction>())
    try look()
    #expect(meetup.talks == ["new"])
    #expect(walk.rating == 5)
    #expect(sale.modelContext == nil)
  }

  @Test func `result observers include all classes`() throws {
    let observer = try ResultsObserver<Journey, Never>(
      sortBy: [SortDescriptor(\.name, comparator: .lexical)], modelContext: context)
    #expect(observer.results.map(\.name) == ["Meetup", "Sale", "Visit", "Walk"])
    others.insert(ConferenceJourney(name: "Fair", isSpeaker: true))
    try others.save()
    try look()
    #expect(observer.results.map(\.name) == ["Fair", "Meetup", "Sale", "Visit", "Walk"])
  }
}
