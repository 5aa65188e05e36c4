import OpenSwiftData
import TestSupport
import Testing

/// Declarations of the newest SDK.
@Suite(.bounded) struct NewestNamesTests {
  @Test func `a schema describes itself`() throws {
    let schema = Schema([Yard.self], version: Schema.Version(1, 2, 3))
    let yard = try #require(schema.entitiesByName["Yard"])
    let plants = try #require(yard.relationshipsByName["leadingPlants"])
    #expect(plants.keypath == \Yard.leadingPlants)
    #expect(Schema.Relationship(inverse: \Shrub.yard).keypath == nil)
    #expect(
      String(reflecting: yard)
        == "Yard: name: String, leadingPlants: Array<Shrub> (inverse Shrub.yard, nullify), "
        + "trailingPlants: Array<Shrub> (nullify)")
    #expect(String(reflecting: schema).hasPrefix("Schema 1.2.3\n"))
    let name = try #require(yard.attributesByName["name"])
    #expect(name.debugDescription == "name: String" && !name.isCodable)
  }

  @Test func `attributes are created by name`() {
    let attribute = Schema.Attribute(
      name: "size", originalName: "length", options: [.unique, .codable], valueType: Int.self,
      defaultValue: 3, hashModifier: "a")
    #expect(attribute.name == "size" && attribute.originalName == "length")
    #expect(attribute.isUnique && attribute.isCodable && attribute.defaultValue as? Int == 3)
    let composite = Schema.CompositeAttribute(name: "place", valueType: Point.self)
    #expect(composite.properties.map(\.name) == ["x", "y"] && composite.originalName == "place")
    #expect(composite.properties.allSatisfy { $0.valueType == Double.self })
  }

  @Test func `new models have temporary identifiers`() throws {
    let store = try TripStore()
    let context = store.context()
    let trip = Trip(name: "Rome")
    context.insert(trip)
    #expect(trip.persistentModelID.isTemporary)
    try context.save()
    #expect(!trip.persistentModelID.isTemporary)
  }
}
