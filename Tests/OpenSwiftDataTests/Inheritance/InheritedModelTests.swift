import Synchronization
import TestSupport
import Testing

@testable import OpenSwiftData

/// Objects of classes that inherit from models, before any store knows of them.
@Suite(.bounded) struct InheritedModelTests {
  @Test func `initializers of all levels set values`() {
    let journey = ConferenceJourney(name: "Meetup", isSpeaker: true, talks: ["SQL"])
    #expect(journey.name == "Meetup")
    #expect(journey.startDate == .distantPast)
    #expect(journey.code == "C-Meetup")
    #expect(journey.perDiem == 60)
    #expect(journey.rating == 3)
    #expect(journey.talks == ["SQL"])
    #expect(journey.isSpeaker)
    #expect(journey.badge == "none")
    #expect(journey.notes == nil && journey.company == nil && journey.stops.isEmpty)
    #expect(journey.persistentModelID.entityName == "ConferenceJourney")
  }

  @Test func `an object is the same as any of its classes`() {
    let conference = ConferenceJourney(name: "Meetup", isSpeaker: false)
    let (business, journey): (BusinessJourney, Journey) = (conference, conference)
    journey.name = "Summit"
    business.perDiem = 70
    #expect(conference.name == "Summit" && conference.perDiem == 70)
    #expect(journey == conference as Journey)
    #expect(Set([journey, business as Journey]).count == 1)
    #expect(journey.persistentModelID == conference.persistentModelID)
    #expect(journey[keyPath: \.name] == business[keyPath: \.name])
  }

  @Test func `models are related before they are inserted`() {
    let journey = ConferenceJourney(name: "Meetup", isSpeaker: false)
    let stop = Stop(title: "Hall", journey: journey)
    journey.stops = [Stop(title: "Bar")]
    journey.company = Company(name: "Acme")
    #expect(stop.journey === journey)
    #expect(journey.stops.map(\.title) == ["Bar"])
    #expect(journey.company?.name == "Acme")
  }

  @Test func `inherited and own properties notify observers`() {
    let journey = ConferenceJourney(name: "Meetup", isSpeaker: false)
    for change in [{ journey.name = "A" }, { journey.perDiem = 1 }, { journey.talks = ["B"] }] {
      let count = Mutex(0)
      withObservationTracking {
        _ = (journey.name, journey.perDiem, journey.talks)
      } onChange: {
        count.withLock { $0 += 1 }
      }
      change()
      #expect(count.withLock { $0 } == 1)
    }
  }

  @Test func `key paths of every class lead to one property`() throws {
    let layout = EntityLayout.of(ConferenceJourney.self)
    let index = try #require(layout.index(named: "name"))
    #expect(layout.indexIfAny(of: \Journey.name) == index)
    #expect(layout.indexIfAny(of: \BusinessJourney.name) == index)
    #expect(layout.indexIfAny(of: \ConferenceJourney.name) == index)
    #expect(layout.properties[index].keyPath == \ConferenceJourney.name)
    #expect(layout.isIdentifier(\ConferenceJourney.persistentModelID))
    #expect(layout.isIdentifier(\ConferenceJourney.id))
    #expect(layout.indexIfAny(of: \PersonalJourney.name) == nil)
  }

  @Test func `a class describes its own properties`() {
    #expect(
      ConferenceJourney.schemaMetadata.map(\.name) == ["talks", "isSpeaker"])
    #expect(
      PersonalJourney.schemaInheritance.properties.map(\.name)
        == ["name", "startDate", "rating", "stops", "guide"])
    let classes = ConferenceJourney.schemaInheritance.classes.map { "\($0)" }
    #expect(classes == ["Journey", "BusinessJourney", "ConferenceJourney"])
    #expect(Journey.schemaInheritance.properties.isEmpty)
    #expect(ConferenceJourney.Root.self == Journey.self)
  }
}
