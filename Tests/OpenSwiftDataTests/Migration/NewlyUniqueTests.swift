import OpenSwiftData
import TestSupport
import Testing

/// A later version declares values unique that objects share.
enum ClubV1: VersionedSchema {
  static var models: [any PersistentModel.Type] { [Member.self, Visit.self] }
  static var versionIdentifier: Schema.Version { Schema.Version(1, 0, 0) }

  @Model
  final class Member {
    @Attribute(.preserveValueOnDeletion) var email: String
    var points: Int
    @Relationship(inverse: \Visit.member) var visits: [Visit] = []
    init(_ email: String, points: Int) {
      self.email = email
      self.points = points
    }
  }

  @Model
  final class Visit {
    var day: Int
    var member: Member?
    init(day: Int) { self.day = day }
  }
}

enum ClubV2: VersionedSchema {
  static var models: [any PersistentModel.Type] { [Member.self, Visit.self] }
  static var versionIdentifier: Schema.Version { Schema.Version(2, 0, 0) }

  @Model
  final class Member {
    #Unique<Member>([\.email])
    @Attribute(.preserveValueOnDeletion) var email: String
    var points: Int
    @Relationship(inverse: \Visit.member) var visits: [Visit] = []
    init(_ email: String, points: Int) {
      self.email = email
      self.points = points
    }
  }

  @Model
  final class Visit {
    var day: Int
    var member: Member?
    init(day: Int) { self.day = day }
  }
}

@Suite(.bounded) struct NewlyUniqueTests {
  enum Merging: SchemaMigrationPlan {
    static func merge(_ context: ModelContext) throws {
      context.author = "merge"
      var kept: [String: ClubV1.Member] = [:]
      let order = FetchDescriptor<ClubV1.Member>(sortBy: [SortDescriptor(\.points)])
      for member in try context.fetch(order) {
        guard let first = kept[member.email] else {
          kept[member.email] = member
          continue
        }
        first.points += member.points
        for visit in member.visits { visit.member = first }
        context.delete(member)
      }
      try context.save()
    }

    static var schemas: [any VersionedSchema.Type] { [ClubV1.self, ClubV2.self] }
    static var stages: [MigrationStage] {
      [
        .custom(
          fromVersion: ClubV1.self, toVersion: ClubV2.self,
          willMigrate: merge, didMigrate: nil)
      ]
    }
  }

  private static func store() throws -> MigratedStore {
    let store = try MigratedStore()
    try store.with(ClubV1.models) { context in
      for (email, points) in [("a@x", 1), ("b@x", 2), ("a@x", 3), ("c@x", 4), ("a@x", 5)] {
        let member = ClubV1.Member(email, points: points)
        context.insert(member)
        member.visits = [ClubV1.Visit(day: points)]
        try context.save()
      }
    }
    return store
  }

  @Test func `values that objects share are named, and the store stays as it was`() throws {
    let store = try Self.store()
    let error = try store.refusal(ClubV2.models)
    #expect(error as? SwiftDataError == .loadIssueModelContainer)
    for part in [
      "Member.email must be unique now", "\"a@x\"", "Member/p1", "Member/p5", "willMigrate",
      store.path,
    ] {
      #expect("\(error)".contains(part), "\(error)")
    }
    // The older app goes on.
    let count = try store.with(ClubV1.models) {
      try $0.fetchCount(FetchDescriptor<ClubV1.Member>())
    }
    #expect(count == 5)
  }

  @Test func `objects merged in willMigrate pass, and the history shows it`() async throws {
    let store = try Self.store()
    try store.with(ClubV2.models, plan: Merging.self) { context in
      let members = try context.fetch(
        FetchDescriptor<ClubV2.Member>(sortBy: [SortDescriptor(\.email)]))
      #expect(members.map { "\($0.email) \($0.points)" } == ["a@x 9", "b@x 2", "c@x 4"])
      #expect(members[0].visits.map(\.day).sorted() == [1, 3, 5])
    }
    #expect(
      try store.lines("SELECT ZEMAIL, ZPOINTS FROM ZMEMBER ORDER BY 1")
        == ["a@x|9", "b@x|2", "c@x|4"])
    #expect(
      try store.lines(
        "SELECT v.ZDAY FROM ZVISIT v JOIN ZMEMBER m ON m.Z_PK = v.ZMEMBER WHERE ZEMAIL = 'a@x' "
          + "ORDER BY 1") == ["1", "3", "5"])
    let history = try await store.history()
    let merge = try #require(history.first { $0["author"] as? String == "merge" })
    let kinds = (merge["changes"] as? [[String: Any]] ?? []).map {
      "\($0["kind"] ?? "") \($0["entity"] ?? "")/\($0["pk"] ?? "")"
    }
    #expect(
      kinds.sorted() == [
        "delete Member/3", "delete Member/5", "update Member/1", "update Visit/3",
        "update Visit/5",
      ])
    #expect(try await store.changes().contains("delete Member/5 email=a@x"))
    #expect(try await store.problems(ClubV2.models, version: Schema.Version(2, 0, 0)) == [])
  }

  enum Failing: SchemaMigrationPlan {
    struct Refused: Error {}

    static var schemas: [any VersionedSchema.Type] { Merging.schemas }
    static var stages: [MigrationStage] {
      [
        .custom(
          fromVersion: ClubV1.self, toVersion: ClubV2.self,
          willMigrate: Merging.merge, didMigrate: { _ in throw Refused() })
      ]
    }
  }

  @Test func `values that a stage changes are recorded, unless the migration fails`() throws {
    let store = try Self.store()
    func open(_ plan: any SchemaMigrationPlan.Type) throws -> ModelContext {
      ModelContext(
        try ModelContainer(
          for: Schema(ClubV2.models), migrationPlan: plan,
          configurations: ModelConfiguration(
            url: URL(fileURLWithPath: store.path), recordsValues: true)))
    }
    func recorded() throws -> [String] {
      try StoreQuery(path: store.path + "-values.db").lines(
        "SELECT transaction_number, entity, primary_key, name, old, new FROM recorded_value "
          + "ORDER BY 1, 2, 3, 4")
    }
    #expect(throws: Failing.Refused.self) { try open(Failing.self) }
    #expect(try recorded() == [])
    let context = try open(Merging.self)
    let found = try recorded()
    #expect(
      found == [
        "6|Member|1|points|1|9", "6|Visit|3|member|Member/p3|Member/p1",
        "6|Visit|5|member|Member/p5|Member/p1",
      ])
    let updates = try context.fetchHistory(HistoryDescriptor<DefaultHistoryTransaction>())
      .flatMap(\.changes).compactMap { change in
        if case .update(let update as DefaultHistoryUpdate<ClubV2.Member>) = change {
          update
        } else {
          nil
        }
      }
    #expect(updates.map { $0.oldValue(of: \.points) } == [1])
    #expect(updates.map { $0.newValue(of: \.points) } == [9])
  }
}
