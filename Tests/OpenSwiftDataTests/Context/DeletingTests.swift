import TestSupport
import Testing

@testable import OpenSwiftData

/// What delete rules take along, and how it is read.
@Suite(.bounded) struct DeletingTests {
  private let store: TripStore
  private let context: ModelContext
  private let trace: ReadTrace

  init() throws {
    store = try TripStore()
    let writer = store.context()
    let rome = Trip(name: "Rome")
    rome.bucketList = (0..<300).map { BucketListItem(title: "\($0)") }
    rome.livingAccommodation = LivingAccommodation(placeName: "Casa")
    rome.tags = [Tag(label: "city")]
    let paris = Trip(name: "Paris")
    paris.bucketList = [BucketListItem(title: "Louvre")]
    for trip in [rome, paris] { writer.insert(trip) }
    try writer.save()
    context = store.context()
    trace = try ReadTrace(store.container)
  }

  private func counts() throws -> [String] {
    try StoreQuery(path: store.path).lines(
      """
      SELECT (SELECT count(*) FROM ZTRIP), (SELECT count(*) FROM ZBUCKETLISTITEM),
        (SELECT count(*) FROM ZLIVINGACCOMMODATION), (SELECT count(*) FROM ZTAG)
      """)
  }

  @Test func `cascades read their models in batches`() throws {
    let rome = try #require(
      try context.fetch(FetchDescriptor<Trip>(predicate: #Predicate { $0.name == "Rome" })).first)
    let statements = try trace.statements { context.delete(rome) }
    #expect(statements.count < 12, "\(statements.count)")
    #expect(context.deletedModelsArray.count == 302)
    try context.save()
    #expect(try counts() == ["1|1|0|1"])
    #expect(try context.fetch(FetchDescriptor<Tag>()).first?.trips.isEmpty == true)
  }

  @Test func `cascades delete unreadable models`() throws {
    let rome = try #require(
      try context.fetch(FetchDescriptor<Trip>(predicate: #Predicate { $0.name == "Rome" })).first)
    _ = rome.bucketList.count
    let items = rome.bucketList.map(\.persistentModelID)
    #expect(items.count == 300)
    let other = store.context()
    let same = try #require(other.model(for: rome.persistentModelID) as? Trip)
    // Half of them is known and changed.
    for item in same.bucketList.prefix(150) { item.details = "changed" }
    other.delete(same)
    try other.save()
    #expect(try counts() == ["1|1|0|1"])
  }

  @Test func `concurrent containers can erase a store`() throws {
    let containers = try (0..<4).map { _ in try TripStore.open(store.path) }
    for _ in 0..<5 {
      let writer = store.context()
      for number in 0..<100 {
        writer.insert(Trip(name: "\(number)", startDate: .init(timeIntervalSinceReferenceDate: 0)))
      }
      try writer.save()
      nonisolated(unsafe) var errors: [(any Error)?] = containers.map { _ in nil }
      let lock = NSLock()
      DispatchQueue.concurrentPerform(iterations: containers.count) { index in
        do {
          try containers[index].erase()
        } catch {
          lock.withLock { errors[index] = error }
        }
      }
      for error in errors { #expect(error == nil, "\(error.map { "\($0)" } ?? "")") }
      #expect(try counts() == ["0|0|0|0"])
    }
  }
}
