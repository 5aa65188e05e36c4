import OpenSwiftData
import TestSupport
import Testing

/// Exercises of an app: those that come with it in a pack that cannot be written, and the user's own.
@Model
final class Exercise {
  @Attribute(.unique) var name: String
  var level: Int
  @Relationship(deleteRule: .cascade, inverse: \Step.exercise) var steps: [Step] = []

  init(name: String, level: Int) {
    self.name = name
    self.level = level
  }
}

@Model
final class Step {
  var text: String
  var exercise: Exercise?

  init(text: String) { self.text = text }
}

/// One entity in several configurations.
@Suite(.bounded) struct SharedEntityTests {
  private let folder: TemporaryFolder

  init() throws {
    folder = try TemporaryFolder()
    let context = ModelContext(try ModelContainer(for: Exercise.self, configurations: pack(true)))
    for (name, level) in [("Plank", 2), ("Squat", 1), ("Bridge", 3)] {
      let exercise = Exercise(name: name, level: level)
      exercise.steps = [Step(text: name + " 1"), Step(text: name + " 2")]
      context.insert(exercise)
    }
    try context.save()
  }

  private func pack(_ allowsSave: Bool = false) -> ModelConfiguration {
    ModelConfiguration(
      "Pack", url: URL(fileURLWithPath: folder.file("Pack.store")), allowsSave: allowsSave)
  }

  /// The pack is named first, but cannot be written.
  private func open() throws -> ModelContext {
    ModelContext(
      try ModelContainer(
        for: Exercise.self,
        configurations: pack(),
        ModelConfiguration("Own", url: URL(fileURLWithPath: folder.file("Own.store")))))
  }

  private func names(_ file: String) throws -> [String] {
    try StoreQuery(path: folder.file(file)).lines("SELECT ZNAME FROM ZEXERCISE ORDER BY 1")
  }

  @Test func `a fetch returns the models of both stores`() throws {
    let context = try open()
    context.insert(Exercise(name: "Lunge", level: 2))
    try context.save()
    #expect(try names("Own.store") == ["Lunge"])
    #expect(try names("Pack.store") == ["Bridge", "Plank", "Squat"])
    let other = try open()
    var descriptor = FetchDescriptor<Exercise>(sortBy: [SortDescriptor(\.name)])
    #expect(try other.fetch(descriptor).map(\.name) == ["Bridge", "Lunge", "Plank", "Squat"])
    descriptor.fetchLimit = 2
    descriptor.fetchOffset = 1
    #expect(try other.fetch(descriptor).map(\.name) == ["Lunge", "Plank"])
    #expect(try other.fetchCount(descriptor) == 2)
    #expect(try other.fetchIdentifiers(descriptor).count == 2)
    let second = FetchDescriptor<Exercise>(
      predicate: #Predicate { $0.level == 2 }, sortBy: [SortDescriptor(\.name)])
    #expect(try other.fetch(second).map(\.name) == ["Lunge", "Plank"])
    #expect(try other.fetchCount(second) == 2)
    var batches = descriptor
    batches.includePendingChanges = false
    batches.fetchLimit = nil
    batches.fetchOffset = nil
    #expect(
      try Array(other.fetch(batches, batchSize: 3)).map(\.name)
        == ["Bridge", "Lunge", "Plank", "Squat"])
    var read: [String] = []
    try other.enumerate(batches, batchSize: 1) { read.append($0.name) }
    #expect(read == ["Bridge", "Lunge", "Plank", "Squat"])
    // A new model that is not saved yet counts as well.
    other.insert(Exercise(name: "Crunch", level: 2))
    #expect(try other.fetch(second).map(\.name) == ["Crunch", "Lunge", "Plank"])
    #expect(try other.fetchCount(second) == 3)
  }

  @Test func `changes are saved to the store of their model`() throws {
    let context = try open()
    let own = Exercise(name: "Lunge", level: 2)
    own.steps = [Step(text: "Lunge 1")]
    context.insert(own)
    try context.save()
    let other = try open()
    let all = try other.fetch(FetchDescriptor<Exercise>(sortBy: [SortDescriptor(\.name)]))
    #expect(all.map(\.steps.count) == [2, 1, 2, 2])
    #expect(all[0].steps.allSatisfy { $0.text.hasPrefix("Bridge") && $0.exercise === all[0] })
    all[1].level = 9
    try other.save()
    #expect(
      try StoreQuery(path: folder.file("Own.store")).lines("SELECT ZLEVEL FROM ZEXERCISE") == ["9"])
    all[0].level = 9
    #expect(throws: SwiftDataError.storeFailure) { try other.save() }
    other.rollback()
    other.delete(all[1])
    try other.save()
    #expect(try names("Own.store") == [])
    #expect(
      try StoreQuery(path: folder.file("Own.store")).lines("SELECT count(*) FROM ZSTEP") == ["0"])
    #expect(try other.fetchCount(FetchDescriptor<Exercise>()) == 3)
    #expect(try other.fetchCount(FetchDescriptor<Step>()) == 6)
    var prefetching = FetchDescriptor<Exercise>()
    prefetching.relationshipKeyPathsForPrefetching = [\.steps]
    #expect(try open().fetch(prefetching).map(\.steps.count) == [2, 2, 2])
  }

  @Test func `history has the transactions of both stores`() throws {
    let context = try open()
    context.insert(Exercise(name: "Lunge", level: 2))
    try context.save()
    let history = try context.fetchHistory(HistoryDescriptor<DefaultHistoryTransaction>())
    let stores = Set(
      try ["Own.store", "Pack.store"].flatMap {
        try StoreQuery(path: folder.file($0)).lines("SELECT Z_UUID FROM Z_METADATA")
      })
    #expect(stores.count == 2 && Set(history.map(\.storeIdentifier)) == stores)
  }
}
