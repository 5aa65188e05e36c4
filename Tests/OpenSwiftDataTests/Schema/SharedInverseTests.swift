import OpenSwiftData
import TestSupport
import Testing

/// A yard whose two lists of plants name the same inverse, as an app of Apple's has it.
@Model
final class Yard {
  var name: String
  @Relationship(inverse: \Shrub.yard) var leadingPlants: [Shrub] = []
  @Relationship(inverse: \Shrub.yard) var trailingPlants: [Shrub] = []

  init(name: String) { self.name = name }
}

@Model
final class Shrub {
  var name: String
  var yard: Yard?

  init(name: String) { self.name = name }
}

@Suite(.bounded) struct SharedInverseTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private func open() throws -> ModelContext {
    ModelContext(
      try ModelContainer(
        for: Yard.self, Shrub.self,
        configurations: ModelConfiguration(url: URL(fileURLWithPath: folder.file("Y.store")))))
  }

  @Test func `both relationships with one inverse work`() async throws {
    let context = try open()
    let yard = Yard(name: "North")
    context.insert(yard)
    yard.leadingPlants = [Shrub(name: "Rose"), Shrub(name: "Yew")]
    yard.trailingPlants = [Shrub(name: "Ivy")]
    try context.save()
    let other = try open()
    let found = try #require(try other.fetch(FetchDescriptor<Yard>()).first)
    #expect(Set(found.leadingPlants.map(\.name)) == ["Rose", "Yew"])
    #expect(found.trailingPlants.map(\.name) == ["Ivy"])
    #expect(found.leadingPlants.allSatisfy { $0.yard === found })
    let rose = try #require(found.leadingPlants.first { $0.name == "Rose" })
    found.leadingPlants.removeAll { $0 === rose }
    found.trailingPlants.append(rose)
    try other.save()
    let again = try #require(try open().fetch(FetchDescriptor<Yard>()).first)
    #expect(again.leadingPlants.map(\.name) == ["Yew"])
    #expect(Set(again.trailingPlants.map(\.name)) == ["Ivy", "Rose"])
    let result = try await Tool.histctl.run(["verify", folder.file("Y.store")])
    #expect(result.status == 0, "\(result.text)\(result.errors)")
  }

  @Test func `the first relationship has the inverse`() throws {
    let yard = try #require(Schema([Yard.self]).entitiesByName["Yard"])
    #expect(yard.relationshipsByName["leadingPlants"]?.inverseName == "yard")
    #expect(yard.relationshipsByName["trailingPlants"]?.inverseName == nil)
  }
}
