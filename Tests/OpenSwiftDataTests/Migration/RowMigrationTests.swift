import OpenSwiftData
import TestSupport
import Testing

/// Differences between models matter only if the store has rows that they concern.
@Suite(.bounded) struct RowMigrationTests {
  enum Before: VersionedSchema {
    static var models: [any PersistentModel.Type] { [Item.self] }
    static var versionIdentifier: Schema.Version { Schema.Version(1, 0, 0) }

    @Model
    final class Item {
      var name: String
      var weight: String?
      var parent: Item?
      init(name: String) { self.name = name }
    }
  }

  enum After: VersionedSchema {
    static var models: [any PersistentModel.Type] { [Item.self, Owner.self] }
    static var versionIdentifier: Schema.Version { Schema.Version(2, 0, 0) }

    @Model
    final class Item {
      var name: String
      var weight: Double?
      var size: Int
      var owner: Owner
      var parent: Owner?

      init(name: String, size: Int, owner: Owner) {
        self.name = name
        self.size = size
        self.owner = owner
      }
    }

    @Model
    final class Owner {
      var name: String
      init(name: String) { self.name = name }
    }
  }

  /// A version whose differences concern values and not rows.
  enum Lighter {
    @Model
    final class Item {
      var name: String
      var weight: Double?
      var parent: Int?
      init(name: String) { self.name = name }
    }
  }

  enum Emptying: SchemaMigrationPlan {
    static var schemas: [any VersionedSchema.Type] { [Before.self, After.self] }
    static var stages: [MigrationStage] {
      [
        .custom(
          fromVersion: Before.self, toVersion: After.self,
          willMigrate: { context in
            try context.delete(model: Before.Item.self)
            try context.save()
          },
          didMigrate: { context in
            context.insert(After.Item(name: "new", size: 3, owner: After.Owner(name: "Ann")))
            try context.save()
          })
      ]
    }
  }

  enum WithoutStages: SchemaMigrationPlan {
    static var schemas: [any VersionedSchema.Type] { [Before.self, After.self] }
    static var stages: [MigrationStage] { [] }
  }

  private func store(of names: [String]) throws -> MigratedStore {
    let store = try MigratedStore()
    try store.with(Before.models) { context in
      names.map { Before.Item(name: $0) }.forEach(context.insert)
      try context.save()
    }
    return store
  }

  @Test func `a table without rows accepts every difference`() async throws {
    let store = try store(of: [])
    try store.with(After.models) { context in
      context.insert(After.Item(name: "a", size: 1, owner: After.Owner(name: "Ann")))
      try context.save()
    }
    #expect(try await store.problems(After.models) == [])
  }

  @Test func `rows deleted in willMigrate do not count`() async throws {
    let store = try store(of: ["a", "b"])
    let error = try store.refusal(After.models)
    #expect("\(error)".contains("is new, must have a value"), "\(error)")
    let sizes = try store.with(After.models, plan: Emptying.self) { context in
      try context.fetch(FetchDescriptor<After.Item>()).map(\.size)
    }
    #expect(sizes == [3])
    #expect(try await store.problems(After.models, version: After.versionIdentifier) == [])
  }

  @Test func `values of another type are refused if there are any`() async throws {
    let store = try store(of: ["a", "b"])
    try store.with([Lighter.Item.self]) { context in
      let items = try context.fetch(FetchDescriptor<Lighter.Item>())
      #expect(items.count == 2 && items.allSatisfy { $0.weight == nil && $0.parent == nil })
      items[0].weight = 2.5
      try context.save()
    }
    #expect(try await store.problems([Lighter.Item.self]) == [])
    let error = try store.refusal(Before.models)
    #expect("\(error)".contains("Item.weight was Double and is String"), "\(error)")
  }

  @Test func `a plan without stages is an inferred migration`() throws {
    let empty = try store(of: [])
    try empty.open(After.models, plan: WithoutStages.self)
    let store = try store(of: ["a"])
    let error = try store.refusal(After.models, plan: WithoutStages.self)
    #expect(error as? SwiftDataError == .loadIssueModelContainer)
    let count = try store.with([Lighter.Item.self], plan: WithoutStages.self) { context in
      try context.fetchCount(FetchDescriptor<Lighter.Item>())
    }
    #expect(count == 1)
  }
}
