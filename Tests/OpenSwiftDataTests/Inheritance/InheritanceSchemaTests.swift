import OpenSwiftData
import TestSupport
import Testing

/// How a schema describes classes that inherit from models.
@Suite(.bounded) struct InheritanceSchemaTests {
  @Test func `entities know their superentity`() throws {
    let schema = JourneyStore.schema
    let journey = try #require(schema.entity(for: Journey.self))
    let business = try #require(schema.entity(for: BusinessJourney.self))
    let conference = try #require(schema.entity(for: ConferenceJourney.self))
    #expect(journey.superentityName == nil && journey.superentity == nil)
    #expect(Set(journey.subentities.map(\.name)) == ["BusinessJourney", "PersonalJourney"])
    #expect(business.superentity == journey)
    #expect(business.subentities == [conference])
    #expect(conference.superentityName == "BusinessJourney")
    #expect(conference.superentity?.superentity == journey)
  }

  @Test func `properties are own or inherited`() throws {
    let business = try #require(JourneyStore.schema.entity(for: BusinessJourney.self))
    #expect(business.storedProperties.map(\.name) == ["code", "perDiem", "notes", "company"])
    #expect(
      business.inheritedProperties.map(\.name)
        == ["name", "startDate", "rating", "stops", "guide"])
    #expect(
      business.properties.map(\.name)
        == business.inheritedProperties.map(\.name) + business.storedProperties.map(\.name))
    #expect(business.inheritedPropertiesByName["name"]?.isUnique == true)
    #expect(business.storedPropertiesByName["name"] == nil)
    #expect(business.propertiesByName["perDiem"]?.isAttribute == true)
    #expect(business.relationshipsByName["stops"]?.inverseName == "journey")
    #expect(business.relationshipsByName["company"]?.inverseName == "journeys")
    #expect(business.uniquenessConstraints == [["code", "name"]])
    #expect(business.indices == [["perDiem", "startDate"]])
  }

  @Test func `a model includes its superclasses but not its subclasses`() {
    #expect(
      Schema([BusinessJourney.self]).entities.map(\.name)
        == ["BusinessJourney", "Company", "Guide", "Journey", "Stop"])
    #expect(Schema([Stop.self]).entities.map(\.name) == ["Guide", "Journey", "Stop"])
    // A relationship to a class brings that class.
    #expect(Schema([Company.self]).entities.map(\.name).contains("BusinessJourney"))
  }
}
