import OpenSwiftData
import TestSupport
import Testing

/// Versions of models, and the stages that lead from one to the next.
@Suite(.bounded) struct MigrationPlanTests {
  enum Plan: SchemaMigrationPlan {
    static var schemas: [any VersionedSchema.Type] {
      [LibraryV1.self, LibraryV2.self, LibraryV3.self]
    }
    static var stages: [MigrationStage] { [toV2, toV3] }

    static let toV2 = MigrationStage.lightweight(
      fromVersion: LibraryV1.self, toVersion: LibraryV2.self)
    static let toV3 = MigrationStage.custom(
      fromVersion: LibraryV2.self, toVersion: LibraryV3.self,
      willMigrate: { context in
        context.author = "before"
        // Of authors with the same name one stays, with the books of all.
        let authors = try context.fetch(
          FetchDescriptor<LibraryV2.Author>(sortBy: [SortDescriptor(\.name)]))
        for (author, next) in zip(authors, authors.dropFirst()) where author.name == next.name {
          next.works += author.works
          author.works = []
          context.delete(author)
        }
        try context.save()
      },
      didMigrate: { context in
        context.author = "after"
        for author in try context.fetch(FetchDescriptor<LibraryV3.Author>()) {
          author.century = author.born / 100 + 1
        }
        context.insert(LibraryV3.Account(reader: "first"))
        try context.save()
      })
  }

  /// A store of the second version with an author twice.
  private func twice(_ store: MigratedStore) throws {
    try store.with(LibraryV2.models) { context in
      let again = LibraryV2.Author(name: "Eco")
      again.born = 1932
      again.works = [LibraryV2.Book(name: "Opera aperta")]
      context.insert(again)
      try context.save()
    }
  }

  @Test func `all stages run in one migration`() async throws {
    let store = try LightweightMigrationTests.library()
    try store.with(LibraryV3.models, plan: Plan.self) { context in
      let authors = try context.fetch(FetchDescriptor<LibraryV3.Author>())
      #expect(authors.map(\.century) == [20])
      #expect(try context.fetchCount(FetchDescriptor<LibraryV3.Book>()) == 2)
      #expect(try context.fetchCount(FetchDescriptor<LibraryV3.Account>()) == 1)
      #expect(context.container.migrationPlan is Plan.Type)
    }
    #expect(
      try await store.problems(LibraryV3.models, version: LibraryV3.versionIdentifier) == [])
    let authors = try await store.history().map { $0["author"] as? String ?? "" }
    #expect(authors.prefix(5) == Array(repeating: "v1", count: 5)[...])
    #expect(
      authors.dropFirst(5).map { $0.prefix(5) } == ["com.a", "com.a", "after"], "\(authors)")
  }

  @Test func `a stage runs its work before and after`() async throws {
    let store = try LightweightMigrationTests.library()
    try twice(store)
    // Without the stage the models do not tell which of the two to keep.
    let error = try store.refusal(LibraryV3.models)
    #expect("\(error)".contains("Author.name must be unique now"), "\(error)")
    try store.with(LibraryV3.models, plan: Plan.self) { context in
      let author = try #require(try context.fetch(FetchDescriptor<LibraryV3.Author>()).first)
      #expect(author.works.count == 3)
      #expect([20].contains(author.century))
    }
    #expect(
      try await store.problems(LibraryV3.models, version: LibraryV3.versionIdentifier) == [])
    let authors = try await store.history().compactMap { $0["author"] as? String }
    #expect(authors.suffix(3).map { $0.prefix(6) } == ["before", "com.ap", "after"])
    // The newest version is left alone.
    let bytes = try store.bytes()
    try store.open(LibraryV3.models, plan: Plan.self)
    #expect(try store.bytes() == bytes)
  }

  struct Refusal: Error, Equatable {}

  enum Failing: SchemaMigrationPlan {
    static var schemas: [any VersionedSchema.Type] { Plan.schemas }
    static var stages: [MigrationStage] {
      [
        Plan.toV2,
        .custom(
          fromVersion: LibraryV2.self, toVersion: LibraryV3.self, willMigrate: nil,
          didMigrate: { context in
            try context.delete(model: LibraryV3.Book.self)
            try context.save()
            throw Refusal()
          }),
      ]
    }
  }

  @Test func `a stage that throws leaves the store unchanged`() throws {
    let store = try LightweightMigrationTests.library()
    #expect(try store.refusal(LibraryV3.models, plan: Failing.self) as? Refusal == Refusal())
    let count = try store.with(LibraryV1.models) { context in
      try context.fetchCount(FetchDescriptor<LibraryV1.Book>())
    }
    #expect(count == 2)
  }

  /// Stages that work with models of the other version.
  private static func wrongStage(
    will: ((ModelContext) throws -> Void)? = nil, did: ((ModelContext) throws -> Void)? = nil
  ) -> MigrationStage {
    .custom(
      fromVersion: LibraryV1.self, toVersion: LibraryV2.self, willMigrate: will, didMigrate: did)
  }

  private enum NewerInWill: SchemaMigrationPlan {
    static var schemas: [any VersionedSchema.Type] { [LibraryV1.self, LibraryV2.self] }
    static var stages: [MigrationStage] {
      [
        MigrationPlanTests.wrongStage(will: { context in
          context.insert(LibraryV2.Author(name: "Calvino"))
          try context.save()
        })
      ]
    }
  }

  private enum OnlyNewerInWill: SchemaMigrationPlan {
    static var schemas: [any VersionedSchema.Type] { [LibraryV1.self, LibraryV2.self] }
    static var stages: [MigrationStage] {
      [
        MigrationPlanTests.wrongStage(will: { context in
          context.insert(LibraryV2.Account(reader: "Ann"))
          try context.save()
        })
      ]
    }
  }

  private enum FetchedInWill: SchemaMigrationPlan {
    static var schemas: [any VersionedSchema.Type] { [LibraryV1.self, LibraryV2.self] }
    static var stages: [MigrationStage] {
      [
        MigrationPlanTests.wrongStage(will: {
          _ = try $0.fetch(FetchDescriptor<LibraryV2.Author>())
        })
      ]
    }
  }

  private enum OlderInDid: SchemaMigrationPlan {
    static var schemas: [any VersionedSchema.Type] { [LibraryV1.self, LibraryV2.self] }
    static var stages: [MigrationStage] {
      [
        MigrationPlanTests.wrongStage(did: { _ = try $0.fetch(FetchDescriptor<LibraryV1.Author>()) }
        )
      ]
    }
  }

  @Test
  func `models of another version in a stage are an error that names the right stage`() throws {
    let store = try LightweightMigrationTests.library()
    for (plan, name, place) in [
      (NewerInWill.self as any SchemaMigrationPlan.Type, "LibraryV2.Author", "didMigrate"),
      (OnlyNewerInWill.self, "LibraryV2.Account", "didMigrate"),
      (FetchedInWill.self, "LibraryV2.Author", "didMigrate"),
      (OlderInDid.self, "LibraryV1.Author", "willMigrate"),
    ] {
      let error = try #require(
        try store.refusal(LibraryV2.models, plan: plan) as? SwiftDataError)
      #expect(error == .unknownSchema)
      #expect(error.explanation.contains(name), "\(error)")
      #expect(error.explanation.contains("in \(place)"), "\(error)")
    }
  }

  @Test func `a stage reads the history of the running migration`() throws {
    // What is written and not yet committed is what a stage reads, history included.
    enum Reading: SchemaMigrationPlan {
      static var schemas: [any VersionedSchema.Type] { [LibraryV1.self, LibraryV2.self] }
      static var stages: [MigrationStage] {
        [
          .custom(
            fromVersion: LibraryV1.self, toVersion: LibraryV2.self,
            willMigrate: { context in
              #expect(try Self.count(context) == 5)
              context.insert(LibraryV1.Topic(label: "new"))
              #expect(context.hasChanges)
              try context.save()
              #expect(try Self.count(context) == 6)
            },
            didMigrate: { context in
              #expect(try Self.count(context) == 7)
              let topics = try context.fetch(FetchDescriptor<LibraryV2.Topic>())
              #expect(topics.count == 3)
              // A save that fails takes back itself only.
              let first = LibraryV2.Book(name: "same")
              let second = LibraryV2.Book(name: "other")
              context.insert(first)
              context.insert(second)
              try context.save()
              second.name = "same"
              #expect(throws: SwiftDataError.modelValidationFailure) { try context.save() }
              context.rollback()
              #expect(try context.fetchCount(FetchDescriptor<LibraryV2.Book>()) == 4)
              // What is not saved is lost.
              context.insert(LibraryV2.Topic(label: "lost"))
            })
        ]
      }

      static func count(_ context: ModelContext) throws -> Int {
        try context.fetchHistory(HistoryDescriptor<DefaultHistoryTransaction>()).count
      }
    }
    let store = try LightweightMigrationTests.library()
    let counts = try store.with(LibraryV2.models, plan: Reading.self) { context in
      [
        try context.fetchCount(FetchDescriptor<LibraryV2.Topic>()),
        try context.fetchCount(FetchDescriptor<LibraryV2.Book>()),
      ]
    }
    #expect(counts == [3, 4])
    #expect(try store.lines("SELECT count(*) FROM ATRANSACTION") == ["8"])
  }

  enum Short: SchemaMigrationPlan {
    static var schemas: [any VersionedSchema.Type] { [LibraryV2.self, LibraryV3.self] }
    static var stages: [MigrationStage] {
      [.lightweight(fromVersion: LibraryV3.self, toVersion: LibraryV2.self)]
    }
  }

  enum Doubled: VersionedSchema {
    static var models: [any PersistentModel.Type] { LibraryV2.models }
    static var versionIdentifier: Schema.Version { Schema.Version(2, 1, 0) }
  }

  enum Ambiguous: SchemaMigrationPlan {
    static var schemas: [any VersionedSchema.Type] { [LibraryV2.self, Doubled.self] }
    static var stages: [MigrationStage] {
      [.lightweight(fromVersion: LibraryV2.self, toVersion: Doubled.self)]
    }
  }

  @Test func `unknown versions are refused`() throws {
    let store = try LightweightMigrationTests.library()
    func refused(
      _ models: [any PersistentModel.Type], _ plan: any SchemaMigrationPlan.Type,
      _ kind: SwiftDataError, _ words: String
    ) throws {
      let error = try store.refusal(models, plan: plan)
      #expect(error as? SwiftDataError == kind, "\(error)")
      #expect("\(error)".contains(words), "\(error)")
    }
    try refused(LibraryV3.models, Short.self, .unknownSchema, "is of no version of Short")
    try refused([Garden1.Plant.self], Plan.self, .unknownSchema, "are of no version of Plan")
    try refused(LibraryV2.models, Ambiguous.self, .unknownSchema, "give an attribute of one")
    try store.open(LibraryV2.models)
    try refused(LibraryV3.models, Short.self, .unknownSchema, "add .lightweight(fromVersion:")
    try refused(LibraryV1.models, Plan.self, .backwardMigration, "newer than the container's")
  }

  @Test func `a plan migrates several stores`() throws {
    let store = try LightweightMigrationTests.library()
    let other = ModelConfiguration(
      schema: Schema([Garden2.Plant.self]), url: URL(fileURLWithPath: store.folder.file("G.store")))
    let old = ModelConfiguration(
      schema: Schema([Garden1.Plant.self]), url: URL(fileURLWithPath: store.folder.file("G.store")))
    do { _ = try ModelContainer(for: Garden1.Plant.self, configurations: old) }
    enum First: VersionedSchema {
      static var models: [any PersistentModel.Type] { LibraryV1.models + [Garden1.Plant.self] }
      static var versionIdentifier: Schema.Version { Schema.Version(1, 0, 0) }
    }
    enum Second: VersionedSchema {
      static var models: [any PersistentModel.Type] { LibraryV2.models + [Garden2.Plant.self] }
      static var versionIdentifier: Schema.Version { Schema.Version(2, 0, 0) }
    }
    enum Both: SchemaMigrationPlan {
      static var schemas: [any VersionedSchema.Type] { [First.self, Second.self] }
      static var stages: [MigrationStage] {
        [.lightweight(fromVersion: First.self, toVersion: Second.self)]
      }
    }
    let container = try ModelContainer(
      for: Schema(versionedSchema: Second.self), migrationPlan: Both.self,
      configurations: other,
      ModelConfiguration(
        schema: Schema(LibraryV2.models), url: URL(fileURLWithPath: store.path)))
    let context = ModelContext(container)
    #expect(try context.fetchCount(FetchDescriptor<LibraryV2.Book>()) == 2)
    context.insert(Garden2.Plant(name: "Rose"))
    try context.save()
  }
}
