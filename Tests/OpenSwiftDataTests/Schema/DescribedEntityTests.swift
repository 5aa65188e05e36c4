import Foundation
import OpenSwiftData
import TestSupport
import Testing

/// Entities that were created by name, and schemas of entities.
@Suite(.bounded) struct DescribedEntityTests {
  @Test func `an entity has its properties`() {
    let title = Schema.Attribute(name: "title", options: [.unique], valueType: String.self)
    let size = Schema.Attribute(name: "size", valueType: Int?.self)
    let entity = Schema.Entity("Book", properties: title, size)
    #expect(entity.name == "Book" && entity.superentity == nil && entity.subentities.isEmpty)
    #expect(entity.attributes == [title, size] && entity.relationships.isEmpty)
    #expect(entity.storedProperties.map(\.name) == ["title", "size"])
    #expect(entity.attributesByName["size"]?.isOptional == true)
    #expect(entity.uniquenessConstraints == [["title"]] && entity.indices.isEmpty)
    #expect(
      String(reflecting: entity) == "Book: title: String (unique), size: Optional<Int>")
    #expect(Schema.Entity("Book").properties.isEmpty)
  }

  @Test func `subentities inherit properties`() throws {
    let title = Schema.Attribute(name: "title", valueType: String.self)
    let pages = Schema.Attribute(name: "pages", valueType: Int.self)
    let entity = Schema.Entity(
      "Work", subentities: Schema.Entity("Book", properties: pages), properties: title)
    let book = try #require(entity.subentities.first)
    #expect(book.superentity == entity && book.superentityName == "Work")
    #expect(book.properties.map(\.name) == ["title", "pages"])
    #expect(book.inheritedProperties.map(\.name) == ["title"])
    #expect(book.storedProperties.map(\.name) == ["pages"])
    // The same entity outside of the hierarchy inherits nothing.
    #expect(book != Schema.Entity("Book", properties: pages))
  }

  @Test func `entities are compared by their descriptions`() {
    func entity(_ type: Any.Type, hashModifier: String? = nil) -> Schema.Entity {
      Schema.Entity(
        "Book",
        properties: Schema.Attribute(name: "size", valueType: type, hashModifier: hashModifier))
    }
    #expect(entity(Int.self) == entity(Int.self))
    #expect(entity(Int.self) != entity(Double.self))
    #expect(entity(Int.self) != entity(Int.self, hashModifier: "a"))
    #expect(Schema(entity(Int.self)) == Schema(entity(Int.self)))
    #expect(Schema(entity(Int.self)) != Schema(entity(Double.self)))
    #expect(Schema(entity(Int.self)) != Schema())
  }

  @Test func `an entity of a model represents the model`() throws {
    let all = Schema([Yard.self, Trip.self])
    let yard = try #require(all.entitiesByName["Yard"])
    let schema = Schema(yard, version: Schema.Version(2, 0, 0))
    // The shrubs come along, because the yard leads to them.
    #expect(schema.entities.map(\.name) == ["Shrub", "Yard"])
    #expect(schema == Schema([Yard.self], version: Schema.Version(2, 0, 0)))
    let container = try ModelContainer(
      for: schema, configurations: ModelConfiguration(isStoredInMemoryOnly: true))
    let context = ModelContext(container)
    context.insert(Yard(name: "Home"))
    try context.save()
    #expect(try ModelContext(container).fetch(FetchDescriptor<Yard>()).map(\.name) == ["Home"])
  }

  @Test func `a container refuses entities without a class`() throws {
    let schema = Schema(Schema.Entity("Book"))
    #expect(schema.entities.map(\.name) == ["Book"] && Schema().entities.isEmpty)
    #expect(throws: SwiftDataError.unknownSchema) {
      _ = try ModelContainer(
        for: schema, configurations: ModelConfiguration(isStoredInMemoryOnly: true))
    }
    #expect(throws: EncodingError.self) { try JSONEncoder().encode(schema) }
  }

  @Test func `options and indexes describe themselves`() {
    #expect(String(reflecting: Schema.Attribute.Option.externalStorage) == "externalStorage")
    #expect(
      String(reflecting: Schema.Attribute.Option.transformable(by: "Reversing"))
        == "transformable(by: Reversing)")
    let index = Schema.Index<Yard>(.rtree([\.name]), .binary([\.name]))
    let kinds = index.indices.map { if case .rtree = $0 { "rtree" } else { "binary" } }
    #expect(kinds == ["rtree", "binary"] && index.keyPaths == [[\Yard.name], [\Yard.name]])
    #expect(Schema.Index<Yard>([\.name]).keyPaths == [[\Yard.name]])
  }

  @Test func `a context describes itself`() throws {
    let store = try TripStore()
    let context = store.context()
    context.author = "server"
    context.insert(Trip(name: "Rome"))
    #expect(
      String(reflecting: context).hasPrefix(
        "ModelContext of server: 1 inserted, 0 changed, 0 deleted; stores: "))
  }

  @Test func `an update contains the attributes that were set`() throws {
    let store = try TripStore()
    let context = store.context()
    let trip = Trip(name: "Rome")
    context.insert(trip)
    try context.save()
    trip.name = "Roma"
    try context.save()
    let transaction = try #require(
      try context.fetchHistory(HistoryDescriptor<DefaultHistoryTransaction>()).last)
    guard case .update(let update as DefaultHistoryUpdate<Trip>)? = transaction.changes.first else {
      Issue.record("no update")
      return
    }
    let name: any DefaultHistoryUpdate<Trip>.PropertyUpdate = \Trip.name
    #expect(update.updatedAttributes.contains { $0 == name })
    #expect(update.containsAttribute(\.name) && !update.containsAttribute(\.startDate))
  }
}
