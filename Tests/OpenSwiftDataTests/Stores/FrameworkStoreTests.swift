import OpenSwiftData
import TestSupport
import Testing

/// The models of a real app whose store Apple's SwiftData wrote, as its store describes them.
@Model
final class Item {
  @Attribute(.unique) var name: String
  var craftingRecipe: CraftingRecipe?
  init(name: String) { self.name = name }
}

@Model
final class CraftingRecipe {
  var producedItem: Item?
  var producedItemCount: String = "1"
  var requiredComponents: [Component] = []
  init(producedItem: Item?) { self.producedItem = producedItem }
}

@Model
final class Component {
  var id: UUID = UUID()
  var craftingRecipe: CraftingRecipe?
  var count: Int = 1
  var item: Item?
  init(item: Item?) { self.item = item }
}

/// A store that SwiftData wrote is read and goes on being written to.
@Suite(.bounded, .enabled(if: RealStores.path("swiftdata-rm-4wal.store") != nil))
struct FrameworkStoreTests {
  @Test func `saves are appended, and everything else stays unchanged`() async throws {
    let folder = try TemporaryFolder()
    let path = try folder.copy(store: #require(RealStores.path("swiftdata-rm-4wal.store")))
    let before = try StoreQuery(path: path).contents()
    let container = try ModelContainer(
      for: Item.self, configurations: ModelConfiguration(url: URL(fileURLWithPath: path)))
    let context = ModelContext(container)
    context.author = "linux"

    let items = try context.fetch(FetchDescriptor<Item>(sortBy: [SortDescriptor(\.name)]))
    #expect(items.count == before["ZITEM"]?.count)
    #expect(items.map(\.name) == items.map(\.name).sorted())
    let history = try context.fetchHistory(HistoryDescriptor<DefaultHistoryTransaction>())
    #expect(history.count == 38)

    let item = Item(name: "OpenSwiftData")
    let recipe = CraftingRecipe(producedItem: item)
    recipe.requiredComponents = [Component(item: items.first)]
    context.insert(recipe)
    items.last?.name = "Renamed"
    try context.save()
    #expect(item.craftingRecipe === recipe)

    let token = try #require(history.last?.token)
    let added = try context.fetchHistory(
      HistoryDescriptor<DefaultHistoryTransaction>(predicate: #Predicate { $0.token > token }))
    #expect(added.map(\.author) == ["linux"])
    #expect(added.first?.changes.count == 4)

    let after = try StoreQuery(path: path).contents()
    for table in ["ATRANSACTION", "ACHANGE", "ZCOMPONENT", "ZCRAFTINGRECIPE"] {
      let old = before[table] ?? []
      #expect(Array((after[table] ?? []).prefix(old.count)) == old, "\(table)")
    }
    #expect(after["Z_MODELCACHE"] == before["Z_MODELCACHE"])
    #expect(after["Z_METADATA"] == before["Z_METADATA"])
    #expect(try StoreQuery(path: path).lines("PRAGMA integrity_check") == ["ok"])

    guard let oracle = RealStores.oracle, let python = Tool("python3") else { return }
    let decoded = try await python.run([oracle, path])
    #expect(decoded.status == 0, "\(decoded.errors)")
    let last = try #require(decoded.lines.last)
    #expect(last.contains("\"linux\"") && last.contains("[\"name\"]"), "\(last)")
  }
}
