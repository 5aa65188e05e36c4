import OpenSwiftData
import TestSupport
import Testing

/// A store that goes through ten versions of an app's models, in ten steps or fewer.
@Suite(.bounded) struct TrainingAppTests {
  private static let newest = TrainingApp.V10.self

  private static func first(_ store: MigratedStore) throws {
    try store.with(TrainingApp.V1.models, author: "first") { context in
      for (title, minutes) in [("Run", 30), ("Swim", 45)] {
        context.insert(TrainingApp.V1.Workout(title: title, minutes: minutes))
      }
      try context.save()
    }
  }

  private static func open<Version: VersionedSchema>(
    _ store: MigratedStore, as version: Version.Type
  ) throws {
    try store.open(version.models, plan: TrainingApp.Plan<Version>.self)
  }

  private static func workouts(_ store: MigratedStore) throws -> [String] {
    try store.with(newest.models, plan: TrainingApp.Plan<TrainingApp.V10>.self) { context in
      let all = FetchDescriptor<TrainingApp.V10.Workout>(sortBy: [SortDescriptor(\.name)])
      return try context.fetch(all).map { workout in
        let tags = workout.tags.map(\.label).sorted().joined(separator: "+")
        let exercises = workout.exercises.map(\.name).sorted().joined(separator: "+")
        return "\(workout.name) \(workout.seconds) '\(workout.note)' \(workout.kind) "
          + "\(workout.place == nil) \(workout.effort == nil) [\(tags)] [\(exercises)]"
      }
    }
  }

  @Test
  func `migrating through every version or from the first to the last yields the same data`()
    async throws
  {
    let (every, two) = (try MigratedStore(), try MigratedStore())
    for store in [every, two] { try Self.first(store) }
    for version in TrainingApp.versions { try Self.open(every, as: version) }
    try Self.open(two, as: Self.newest)
    for store in [every, two] {
      #expect(
        try Self.workouts(store) == [
          "Run 1800.0 '' endurance true true [] []", "Swim 2700.0 '' endurance true true [] []",
        ])
      #expect(
        try await store.problems(Self.newest.models, version: Self.newest.versionIdentifier) == [])
      // What the first version saved is still in the history, under its present names.
      let first = try #require(try await store.history().first)
      #expect(first["author"] as? String == "first")
      let changes = try await store.changes()
      #expect(changes.prefix(2).allSatisfy { $0.hasPrefix("insert Workout/") }, "\(changes)")
    }
  }

  @Test
  func `relationships and equal tags of a version in the middle are kept`() async throws {
    let store = try MigratedStore()
    try Self.first(store)
    try Self.open(store, as: TrainingApp.V6.self)
    try store.with(
      TrainingApp.V6.models, plan: TrainingApp.Plan<TrainingApp.V6>.self, author: "sixth"
    ) { context in
      let all = FetchDescriptor<TrainingApp.V6.Workout>(sortBy: [SortDescriptor(\.name)])
      let workouts = try context.fetch(all)
      try #require(workouts.map(\.name) == ["Run", "Swim"])
      workouts[0].kind = .strength
      workouts[0].note = "hot"
      context.insert(TrainingApp.V6.Exercise(name: "Warm up", workout: workouts[0]))
      for (label, linked) in [("lake", [workouts[1]]), ("sun", workouts), ("sun", [workouts[1]])] {
        context.insert(TrainingApp.V6.Tag(label: label, workouts: linked))
      }
      try context.save()
    }
    #expect(
      try Self.workouts(store) == [
        "Run 1800.0 'hot' strength true true [sun] [Warm up]",
        "Swim 2700.0 '' endurance true true [lake+sun] []",
      ])
    try store.with(Self.newest.models, author: "tenth") { context in
      let run = try #require(
        try context.fetch(
          FetchDescriptor<TrainingApp.V10.Workout>(predicate: #Predicate { $0.name == "Run" })
        ).first)
      run.place = TrainingApp.Place(name: "Alp", altitude: 1200)
      run.effort = .hard
      try context.save()
      context.delete(run)
      try context.save()
    }
    #expect(
      try await store.problems(Self.newest.models, version: Self.newest.versionIdentifier) == [])
    // The exercise went with its workout, whose name was preserved.
    let changes = try await store.changes()
    #expect(changes.contains { $0.hasPrefix("delete Exercise/") })
    #expect(changes.contains { $0.hasPrefix("delete Workout/") && $0.hasSuffix("name=Run") })
  }
}
