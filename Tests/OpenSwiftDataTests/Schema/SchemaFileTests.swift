import TestSupport
import Testing

@testable import OpenSwiftData

/// Schemas as files.
@Suite(.bounded) struct SchemaFileTests {
  private static let schemas = [
    Schema([Trip.self]), JourneyStore.schema,
    Schema([Person.self], version: Schema.Version(2, 3, 4)), Schema([Ledger.self, Shelf.self]),
  ]

  private func file(_ folder: TemporaryFolder) -> URL {
    URL(fileURLWithPath: folder.file("schema.json"))
  }

  @Test(arguments: schemas) func `a saved schema is loaded unchanged`(_ schema: Schema) throws {
    let folder = try TemporaryFolder()
    try schema.save(to: file(folder))
    let loaded = try Schema.load(from: file(folder))
    #expect(loaded == schema)
    #expect(loaded.version == schema.version)
    #expect(loaded.entities == schema.entities)
    #expect(SchemaDescription(loaded) == SchemaDescription(schema))
    // Written once more it is the same file.
    let first = try FileBytes.read(folder.file("schema.json"))
    try loaded.save(to: file(folder))
    #expect(try FileBytes.read(folder.file("schema.json")) == first)
    // And a store can be made of it.
    let container = try ModelContainer(
      for: loaded,
      configurations: ModelConfiguration(url: URL(fileURLWithPath: folder.file("S.store"))))
    #expect(container.schema == schema)
  }

  @Test func `a schema file describes the models`() throws {
    let folder = try TemporaryFolder()
    try JourneyStore.schema.save(to: file(folder))
    let json = try #require(
      try JSONSerialization.jsonObject(with: Data(contentsOf: file(folder))) as? [String: Any])
    let entities = try #require(json["entities"] as? [[String: Any]])
    let business = try #require(entities.first { $0["name"] as? String == "BusinessJourney" })
    #expect(business["superentityName"] as? String == "Journey")
    #expect(business["uniquenessConstraints"] as? [[String]] == [["code", "name"]])
    let properties = try #require(business["properties"] as? [[String: Any]])
    #expect(properties.map { $0["name"] as? String } == ["code", "perDiem", "notes", "company"])
    #expect(properties[0]["options"] as? [String] == ["preserveValueOnDeletion"])
    #expect(properties[2]["valueType"] as? String == "Swift.Optional<Swift.String>")
    let company = try #require(properties[3]["relationship"] as? [String: Any])
    #expect(company["destination"] as? String == "Company")
    #expect(company["inverseName"] as? String == "journeys")
  }

  @Test func `the schema file of another model is refused`() throws {
    let folder = try TemporaryFolder()
    try Schema([Trip.self]).save(to: file(folder))
    let text = String(decoding: try FileBytes.read(folder.file("schema.json")), as: UTF8.self)
    func load(_ text: String) throws -> Schema {
      try FileBytes.write(Array(text.utf8), to: folder.file("schema.json"))
      return try Schema.load(from: file(folder))
    }
    _ = try load(text)
    let changes = [
      ("\"name\" : \"destination\"", "\"name\" : \"goal\"", "Trip"),
      ("\"deleteRule\" : \"cascade\"", "\"deleteRule\" : \"deny\"", "Trip"),
      ("Swift.Optional<Swift.String>", "Swift.String", "notes"),
      ("4TripC\"", "5WalksC\"", "no class"),
      ("\"major\" : 1", "\"major\" : 9", "version"),
    ]
    for (from, to, reason) in changes {
      #expect(text.contains(from))
      do {
        _ = try load(text.replacing(from, with: to, maxReplacements: 1))
        Issue.record("\(to) was taken")
      } catch let error as SwiftDataError {
        #expect(error == .unknownSchema)
        #expect(error.explanation.contains(reason), "\(error)")
        #expect(error.explanation.contains(folder.file("schema.json")))
      }
    }
  }

  @Test func `invalid schema files are refused`() throws {
    let folder = try TemporaryFolder()
    #expect(throws: SwiftDataError.storeFailure) { try Schema.load(from: file(folder)) }
    let deep = String(repeating: "[", count: 100_000)
    let texts = [
      "", "null", "{}", "[]", deep, "{\"entities\":\(deep)", "{\"entities\":[{}]}",
      "{\"encodingVersion\":{\"major\":1,\"minor\":0,\"patch\":0},\"entities\":[],\"version\":1}",
      String(repeating: " ", count: 17 << 20),
    ]
    for text in texts {
      try FileBytes.write(Array(text.utf8), to: folder.file("schema.json"))
      #expect(throws: SwiftDataError.unknownSchema) { try Schema.load(from: file(folder)) }
    }
    #expect(throws: SwiftDataError.storeFailure) {
      try Schema([Trip.self]).save(to: URL(fileURLWithPath: folder.file("none/schema.json")))
    }
  }

  @Test func `any class name in a file is safe`() throws {
    let layout = EntityLayout.of(ConferenceJourney.self)
    let name = try #require(layout.className)
    #expect(EntityLayout.find(className: name) == ConferenceJourney.self)
    var generator = SeededGenerator(seed: 4)
    let letters = Array("0123456789ABCDGILMOPQSTVXZabcgilmnpqsxyz_".utf8)
    for _ in 0..<3000 {
      var bytes = Array(name.utf8)
      for _ in 0..<Int.random(in: 1...4, using: &generator) {
        let place = Int.random(in: 0..<bytes.count, using: &generator)
        switch Int.random(in: 0..<3, using: &generator) {
        case 0: bytes[place] = letters.randomElement(using: &generator) ?? 0
        case 1: bytes.insert(letters.randomElement(using: &generator) ?? 0, at: place)
        default: if bytes.count > 1 { bytes.remove(at: place) }
        }
      }
      _ = EntityLayout.find(className: String(decoding: bytes, as: UTF8.self))
    }
    for bad in ["", "Si", "SaySiG", "\u{0}", "ü", String(repeating: "S", count: 2000)] {
      #expect(EntityLayout.find(className: bad) == nil)
    }
  }
}
