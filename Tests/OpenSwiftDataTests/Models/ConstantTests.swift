import AppModels
import OpenSwiftData
import TestSupport
import Testing

@Suite(.bounded) struct ConstantTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private func open() throws -> ModelContext {
    ModelContext(
      try ModelContainer(
        for: Recipe.self,
        configurations: ModelConfiguration(url: URL(fileURLWithPath: folder.file("R.store")))))
  }

  @Test func `constants are stored`() throws {
    let context = try open()
    let (id, created) = (UUID(), Date(timeIntervalSinceReferenceDate: 7))
    context.insert(Recipe(id: id, title: "Pasta", created: created))
    try context.save()
    let other = try open()
    let recipe = try #require(
      try other.fetch(FetchDescriptor<Recipe>(predicate: #Predicate { $0.id == id })).first)
    #expect(recipe.id == id && recipe.created == created && recipe.servings == 4)
    #expect(recipe.path == "pasta")
    // A model with the same unique values updates it.
    other.insert(Recipe(id: id, title: "Pasta", created: .distantPast))
    try other.save()
    #expect(try open().fetch(FetchDescriptor<Recipe>()).map(\.created) == [.distantPast])
  }

  @Test func `constants do not notify observers`() throws {
    let context = try open()
    let recipe = Recipe(id: UUID(), title: "Pasta", created: .distantPast)
    context.insert(recipe)
    recipe.title = "Pizza"
    recipe.rating = 5
    try context.save()
    #expect(recipe.changes == 0)
    #expect(try open().fetch(FetchDescriptor<Recipe>()).map(\.title) == ["Pizza"])
    #expect(try open().fetch(FetchDescriptor<Recipe>()).map(\.rating) == [5])
  }
}
