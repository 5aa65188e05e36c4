import OpenSwiftData
import TestSupport
import Testing

/// Changing, relating and deleting models of a hierarchy.
@Suite(.bounded) struct InheritanceSavingTests {
  @Test func `changes of all levels are saved`() throws {
    let store = try JourneyStore.filled()
    let context = store.context()
    let all = try context.fetch(FetchDescriptor<Journey>())
    let meetup = try #require(all[2] as? ConferenceJourney)
    meetup.name = "Summit"
    meetup.code = "S"
    meetup.talks.append("Linux")
    try context.save()
    #expect(!context.hasChanges && meetup.talks.count == 3)
    let other = try #require(
      try store.context().fetch(
        FetchDescriptor<BusinessJourney>(predicate: #Predicate { $0.code == "S" })
      ).first
        as? ConferenceJourney)
    #expect(other.name == "Summit" && other.talks == ["SQL", "Swift", "Linux"])
    #expect(
      try StoreQuery(path: store.path).lines("SELECT Z_OPT FROM ZJOURNEY ORDER BY Z_PK")[2] == "2")
  }

  @Test func `relationships hold models of their own class`() throws {
    let store = try JourneyStore.filled()
    let context = store.context()
    let guide = Guide(name: "Ada")
    context.insert(guide)
    guide.journeys = try context.fetch(FetchDescriptor<Journey>())
    try context.save()
    let found = try #require(try store.context().fetch(FetchDescriptor<Guide>()).first)
    #expect(
      Set(found.journeys.map { "\(type(of: $0))" })
        == ["Journey", "BusinessJourney", "ConferenceJourney", "PersonalJourney"])
    #expect(found.journeys.allSatisfy { $0.guide === found })
    let stop = try #require(
      try store.context().fetch(
        FetchDescriptor<Stop>(predicate: #Predicate { $0.title == "Meetup 1" })
      ).first)
    #expect((stop.journey as? ConferenceJourney)?.isSpeaker == true)
    let company = try #require(try context.fetch(FetchDescriptor<Company>()).first)
    let conference = try #require(try context.fetch(FetchDescriptor<ConferenceJourney>()).first)
    company.journeys.append(conference)
    try context.save()
    #expect(conference.company === company)
    #expect(
      try StoreQuery(path: store.path).lines(
        "SELECT ZNAME FROM ZJOURNEY WHERE ZCOMPANY = 1 ORDER BY Z_PK") == ["Sale", "Meetup"])
  }

  @Test func `inherited delete rules are followed`() throws {
    let store = try JourneyStore.filled()
    let context = store.context()
    let conference = try #require(try context.fetch(FetchDescriptor<ConferenceJourney>()).first)
    context.delete(conference)
    try context.save()
    let query = try StoreQuery(path: store.path)
    #expect(
      try query.lines("SELECT ZTITLE FROM ZSTOP ORDER BY Z_PK") == [
        "Sale 0", "Visit 0", "Visit 1", "Visit 2",
      ])
    let guide = Guide(name: "Ada")
    context.insert(guide)
    let sale = try #require(try context.fetch(FetchDescriptor<BusinessJourney>()).first)
    sale.guide = guide
    try context.save()
    context.delete(guide)
    #expect(throws: SwiftDataError.modelValidationFailure) { try context.save() }
    context.rollback()
    context.delete(sale)
    try context.save()
    #expect(try query.lines("SELECT count(*) FROM ZCOMPANY") == ["1"])
    context.delete(guide)
    try context.save()
    #expect(try query.lines("SELECT ZNAME FROM ZJOURNEY ORDER BY Z_PK") == ["Walk", "Visit"])
  }

  @Test func `deleting a class may leave its subclasses`() throws {
    let store = try JourneyStore.filled()
    let context = store.context()
    let query = try StoreQuery(path: store.path)
    try context.delete(model: BusinessJourney.self, includeSubclasses: false)
    try context.save()
    #expect(
      try query.lines("SELECT ZNAME FROM ZJOURNEY ORDER BY Z_PK") == ["Walk", "Meetup", "Visit"])
    try context.delete(model: Journey.self, where: #Predicate { $0.name != "Visit" })
    try context.save()
    #expect(try query.lines("SELECT ZNAME FROM ZJOURNEY") == ["Visit"])
    try context.delete(model: Journey.self, includeSubclasses: false)
    try context.save()
    #expect(try query.lines("SELECT ZNAME FROM ZJOURNEY") == ["Visit"])
    try store.container.erase()
    #expect(try query.lines("SELECT count(*) FROM ZJOURNEY") == ["0"])
  }

  @Test func `a store deletes in batches with or without subclasses`() throws {
    let store = try JourneyStore.filled()
    let configuration = try #require(store.container.configurations.first)
    let own = try DefaultStore(configuration)
    let query = try StoreQuery(path: store.path)
    try own.delete(
      DataStoreBatchDeleteRequest<BusinessJourney>(includeSubclasses: false))
    #expect(
      try query.lines("SELECT ZNAME FROM ZJOURNEY ORDER BY Z_PK") == ["Walk", "Meetup", "Visit"])
    try own.delete(DataStoreBatchDeleteRequest<Journey>())
    #expect(try query.lines("SELECT count(*) FROM ZJOURNEY") == ["0"])
  }

  // MARK: - Unique values

  @Test func `a model of the same class is updated`() throws {
    let store = try JourneyStore.filled()
    let context = store.context()
    let again = ConferenceJourney(name: "Meetup", isSpeaker: false, talks: ["Again"])
    context.insert(again)
    try context.save()
    #expect(again.persistentModelID.entityName == "ConferenceJourney")
    #expect(
      try StoreQuery(path: store.path).lines(
        "SELECT Z_PK, Z_ENT, ZISSPEAKER FROM ZJOURNEY WHERE ZNAME = 'Meetup'") == ["3|5|0"])
  }

  @Test func `a model of another class is not replaced`() throws {
    let store = try JourneyStore.filled()
    let context = store.context()
    context.insert(PersonalJourney(name: "Meetup", reason: .reunion))
    let error = #expect(throws: SwiftDataError.self) { try context.save() }
    #expect(error == .modelValidationFailure)
    #expect(
      error?.explanation.contains("an object of ConferenceJourney has the same name") ?? false)
    context.rollback()
    context.insert(Journey(name: "New"))
    context.insert(PersonalJourney(name: "New", reason: .reunion))
    #expect(throws: SwiftDataError.modelValidationFailure) { try context.save() }
    #expect(try StoreQuery(path: store.path).lines("SELECT count(*) FROM ZJOURNEY") == ["4"])
  }
}
