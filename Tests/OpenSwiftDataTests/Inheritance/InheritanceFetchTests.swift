import TestSupport
import Testing

@testable import OpenSwiftData

/// Fetching from a hierarchy.
@Suite(.bounded) struct InheritanceFetchTests {
  private static func names(_ journeys: [some Journey]) -> [String] { journeys.map(\.name) }

  @Test func `a class is fetched with its subclasses`() throws {
    let context = try JourneyStore.filled().context()
    let all = try context.fetch(FetchDescriptor<Journey>())
    #expect(Self.names(all) == ["Walk", "Sale", "Meetup", "Visit"])
    #expect(
      all.map { "\(type(of: $0))" }
        == ["Journey", "BusinessJourney", "ConferenceJourney", "PersonalJourney"])
    #expect(
      all.map(\.persistentModelID.entityName)
        == ["Journey", "BusinessJourney", "ConferenceJourney", "PersonalJourney"])
    let business = try context.fetch(FetchDescriptor<BusinessJourney>())
    #expect(Self.names(business) == ["Sale", "Meetup"])
    #expect(Self.names(try context.fetch(FetchDescriptor<PersonalJourney>())) == ["Visit"])
    // One model is one object, whatever it was fetched as.
    #expect(business[0] === all[1] && business[1] === all[2])
    let meetup = try #require(all[2] as? ConferenceJourney)
    #expect(meetup.talks == ["SQL", "Swift"] && meetup.isSpeaker && meetup.perDiem == 60)
    #expect(meetup.stops.count == 2 && meetup.notes == nil && meetup.badge == "none")
    let visit = try #require(all[3] as? PersonalJourney)
    #expect(visit.notes == "cake" && visit.reason == .family)
    #expect((all[1] as? BusinessJourney)?.notes == "suit")
    #expect((all[1] as? BusinessJourney)?.company?.name == "Acme")
  }

  @Test func `counts, identifiers and batches include subclasses`() throws {
    let context = try JourneyStore.filled().context()
    #expect(try context.fetchCount(FetchDescriptor<Journey>()) == 4)
    #expect(try context.fetchCount(FetchDescriptor<BusinessJourney>()) == 2)
    #expect(try context.fetchCount(FetchDescriptor<ConferenceJourney>()) == 1)
    #expect(
      try context.fetchIdentifiers(FetchDescriptor<BusinessJourney>()).map(\.entityName)
        == ["BusinessJourney", "ConferenceJourney"])
    var descriptor = FetchDescriptor<Journey>(sortBy: [SortDescriptor(\.startDate)])
    descriptor.includePendingChanges = false
    let batches = try context.fetch(descriptor, batchSize: 2)
    #expect(batches.map(\.name) == ["Walk", "Sale", "Meetup", "Visit"])
    var seen: [String] = []
    try context.enumerate(descriptor, batchSize: 3) { seen.append("\(type(of: $0))") }
    #expect(seen == ["Journey", "BusinessJourney", "ConferenceJourney", "PersonalJourney"])
    descriptor.fetchLimit = 2
    descriptor.fetchOffset = 1
    descriptor.relationshipKeyPathsForPrefetching = [\.stops]
    #expect(try context.fetch(descriptor).map(\.stops.count) == [1, 2])
    #expect(
      try context.fetch(
        FetchDescriptor<BusinessJourney>(sortBy: [SortDescriptor(\.name, comparator: .lexical)])
      ).map(\.name) == ["Meetup", "Sale"])
  }

  @Test func `a model is found by its identifier`() throws {
    let store = try JourneyStore.filled()
    let identifiers = try store.context().fetchIdentifiers(FetchDescriptor<Journey>())
    let context = store.context()
    let meetup = try #require(context.model(for: identifiers[2]) as? ConferenceJourney)
    #expect(meetup.name == "Meetup" && meetup.talks.count == 2)
    let wanted = identifiers[2]
    let found = try context.fetch(
      FetchDescriptor<Journey>(predicate: #Predicate { $0.persistentModelID == wanted }))
    #expect(found.count == 1 && found.first === meetup)
    let own = try #require(store.container.stores.first as? DefaultStore)
    let byID = FetchDescriptor<ConferenceJourney>(predicate: #Predicate { $0.id == wanted })
    #expect(try own.fetchCount(DataStoreFetchRequest(descriptor: byID)) == 1)
    let several = Set(identifiers.dropFirst())
    #expect(
      try context.fetchCount(
        FetchDescriptor<Journey>(
          predicate: #Predicate { several.contains($0.persistentModelID) })) == 3)
    #expect(
      try context.fetchCount(
        FetchDescriptor<PersonalJourney>(
          predicate: #Predicate { several.contains($0.persistentModelID) })) == 1)
  }

  // MARK: - Predicates

  /// Checks that a predicate is translated, and that it means in SQL what it means in Swift.
  private func expect<Model: Journey>(
    _ names: [String], _ predicate: Predicate<Model>,
    sourceLocation: SourceLocation = #_sourceLocation
  ) throws where Model: PersistentModel {
    let store = try JourneyStore.filled()
    let all = try store.context().fetch(FetchDescriptor<Model>())
    let inSwift = try all.filter { try predicate.evaluate($0) }.map(\.name)
    #expect(inSwift == names, sourceLocation: sourceLocation)
    let own = try #require(store.container.stores.first as? DefaultStore)
    #expect(throws: Never.self, sourceLocation: sourceLocation) {
      try own.fetch(DataStoreFetchRequest(descriptor: FetchDescriptor(predicate: predicate)))
    }
    let context = store.context()
    let fetched = try context.fetch(FetchDescriptor(predicate: predicate)).map(\.name)
    #expect(fetched == names, sourceLocation: sourceLocation)
    #expect(
      try context.fetchCount(FetchDescriptor(predicate: predicate)) == names.count,
      sourceLocation: sourceLocation)
    context.insert(Stop(title: "pending"))
    #expect(
      try context.fetch(FetchDescriptor(predicate: predicate)).map(\.name) == names,
      sourceLocation: sourceLocation)
  }

  @Test func `predicates use inherited and own properties`() throws {
    try expect(["Sale"], #Predicate<BusinessJourney> { $0.name == "Sale" && $0.perDiem < 55 })
    try expect(
      ["Meetup"], #Predicate<ConferenceJourney> { $0.code == "C-Meetup" && $0.rating == 3 })
    try expect(["Visit"], #Predicate<PersonalJourney> { $0.notes == "cake" })
    try expect(["Sale"], #Predicate<BusinessJourney> { $0.notes == "suit" })
    try expect(["Meetup"], #Predicate<BusinessJourney> { $0.stops.count > 1 })
    try expect(["Sale"], #Predicate<BusinessJourney> { $0.company?.name == "Acme" })
  }

  @Test func `predicates check the class`() throws {
    try expect(["Visit"], #Predicate<Journey> { $0 is PersonalJourney })
    try expect(["Sale", "Meetup"], #Predicate<Journey> { $0 is BusinessJourney })
    try expect(["Walk", "Visit"], #Predicate<Journey> { !($0 is BusinessJourney) })
    try expect(
      ["Meetup", "Visit"],
      #Predicate<Journey> { $0 is ConferenceJourney || $0 is PersonalJourney })
    try expect(["Meetup"], #Predicate<BusinessJourney> { $0 is ConferenceJourney })
    try expect(
      ["Sale"], #Predicate<Journey> { $0 is BusinessJourney && $0.stops.count == 1 })
  }

  @Test func `predicates cast to a subclass`() throws {
    try expect(
      ["Sale"], #Predicate<Journey> { ($0 as? BusinessJourney)?.perDiem == 50 })
    try expect(
      ["Meetup"],
      #Predicate<Journey> {
        if let business = $0 as? BusinessJourney { business.perDiem > 55 } else { false }
      })
    try expect(
      ["Walk", "Visit"], #Predicate<Journey> { ($0 as? BusinessJourney)?.perDiem == nil })
    // The notes of one class are not those of another.
    try expect(["Sale"], #Predicate<Journey> { ($0 as? BusinessJourney)?.notes == "suit" })
    try expect(["Visit"], #Predicate<Journey> { ($0 as? PersonalJourney)?.notes == "cake" })
    // An inherited property of a cast model is there only where the cast succeeds.
    try expect(["Visit"], #Predicate<Journey> { ($0 as? PersonalJourney)?.name == "Visit" })
    try expect([], #Predicate<Journey> { ($0 as? PersonalJourney)?.name == "Walk" })
    try expect(
      ["Sale"], #Predicate<Journey> { ($0 as? BusinessJourney)?.company?.name == "Acme" })
    try expect(
      ["Meetup"],
      #Predicate<Journey> { (($0 as? BusinessJourney)?.perDiem ?? 0) > 55 || $0.name == "none" })
    try expect(
      ["Visit"],
      #Predicate<Journey> {
        if let personal = $0 as? PersonalJourney {
          personal.stops.contains { $0.title == "Visit 2" }
        } else {
          false
        }
      })
  }

  @Test func `predicates check and cast related models`() throws {
    let store = try JourneyStore.filled()
    let context = store.context()
    let ofBusiness = try context.fetch(
      FetchDescriptor<Stop>(predicate: #Predicate { $0.journey is BusinessJourney }))
    #expect(ofBusiness.map(\.title) == ["Sale 0", "Meetup 0", "Meetup 1"])
    let ofSale = try context.fetch(
      FetchDescriptor<Stop>(
        predicate: #Predicate { ($0.journey as? BusinessJourney)?.company?.name == "Acme" }))
    #expect(ofSale.map(\.title) == ["Sale 0"])
    context.insert(Stop(title: "nowhere"))
    try context.save()
    let others = try context.fetch(
      FetchDescriptor<Stop>(predicate: #Predicate { !($0.journey is BusinessJourney) }))
    #expect(others.map(\.title) == ["Visit 0", "Visit 1", "Visit 2", "nowhere"])
    let employers = try context.fetch(
      FetchDescriptor<Company>(
        predicate: #Predicate { $0.journeys.contains { $0 is ConferenceJourney } }))
    #expect(employers.isEmpty)
  }

  // MARK: - Changes that were not saved

  @Test func `new and changed models are included`() throws {
    let context = try JourneyStore.filled().context()
    context.insert(ConferenceJourney(name: "Summit", isSpeaker: false))
    context.insert(PersonalJourney(name: "Spa", reason: .wellness))
    let sale = try #require(
      try context.fetch(
        FetchDescriptor<Journey>(predicate: #Predicate { $0.name == "Sale" })
      ).first
        as? BusinessJourney)
    sale.perDiem = 99
    #expect(try context.fetchCount(FetchDescriptor<Journey>()) == 6)
    #expect(
      Set(try context.fetch(FetchDescriptor<BusinessJourney>()).map(\.name))
        == ["Sale", "Meetup", "Summit"])
    #expect(
      Set(
        try context.fetch(
          FetchDescriptor<Journey>(
            predicate: #Predicate { ($0 as? BusinessJourney)?.perDiem ?? 0 > 55 })
        ).map(\.name)) == ["Sale", "Meetup", "Summit"])
    context.rollback()
    #expect(sale.perDiem == 50)
    #expect(try context.fetchCount(FetchDescriptor<Journey>()) == 4)
  }
}
