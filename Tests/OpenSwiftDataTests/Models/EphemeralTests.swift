import TestSupport
import Testing

@testable import OpenSwiftData

/// A model with properties that no store keeps.
@Model
final class Visit {
  var name: String
  @Attribute(.ephemeral) var grade: Grade = Grade.second
  @Attribute(.ephemeral) var count = 5
  @Attribute(.ephemeral) var comment: String?
  @Attribute(.ephemeral) var hint: String? = "none"
  var next: Visit?

  init(name: String) { self.name = name }
}

@Model
final class Unreadable {
  @Attribute(.ephemeral) var grade: Grade

  init(grade: Grade) { self.grade = grade }
}

@Suite(.bounded) struct EphemeralTests {
  private let container: ModelContainer
  private let context: ModelContext
  private let visit: Visit

  init() throws {
    container = try ModelContainer(
      for: Visit.self, configurations: ModelConfiguration(isStoredInMemoryOnly: true))
    context = ModelContext(container)
    visit = Visit(name: "Forum")
    visit.grade = .first
    visit.count = 7
    visit.comment = "crowded"
    context.insert(visit)
    let last = Visit(name: "Pantheon")
    last.next = visit
    context.insert(last)
    try context.save()
  }

  private func expectDefaults(_ visit: Visit?) throws {
    let visit = try #require(visit)
    #expect(visit.grade == .second)
    #expect(visit.count == 5)
    #expect(visit.comment == nil)
    #expect(visit.hint == "none")
  }

  @Test func `ephemeral properties of a fetched model have their default values`() throws {
    let forum = #Predicate<Visit> { $0.name == "Forum" }
    let fresh = ModelContext(container)
    try expectDefaults(try fresh.fetch(FetchDescriptor(predicate: forum)).first)
    let identifier = visit.persistentModelID
    try expectDefaults(ModelContext(container).model(for: identifier) as? Visit)
    let other = ModelContext(container)
    let last = try other.fetch(FetchDescriptor<Visit>(predicate: #Predicate { $0.next != nil }))
    try expectDefaults(last.first?.next)
    var part = FetchDescriptor(predicate: forum)
    part.propertiesToFetch = [\.name]
    try expectDefaults(try ModelContext(container).fetch(part).first)
  }

  @Test func `set ephemeral values stay in their context`() throws {
    #expect(try context.fetch(FetchDescriptor<Visit>()).count == 2)
    #expect(visit.grade == .first && visit.count == 7 && visit.comment == "crowded")
    visit.name = "Roman Forum"
    visit.grade = .second
    #expect(context.hasChanges)
    context.rollback()
    #expect(visit.name == "Forum")
    #expect(visit.grade == .second && visit.count == 7 && visit.hint == "none")
  }

  @Test func `a snapshot has the default values`() throws {
    let store = try #require(container.stores.first as? DefaultStore)
    let found = try store.fetch(
      DataStoreFetchRequest(
        editingState: context.editingState, descriptor: FetchDescriptor<Visit>()))
    let snapshot = try #require(found.fetchedSnapshots.first)
    let object = try #require(
      try JSONSerialization.jsonObject(with: JSONEncoder().encode(snapshot)) as? [String: Any])
    #expect(object["count"] as? Int == 5)
    #expect(object["grade"] as? String == "second")
  }

  /// Such a model could be saved, and never be fetched.
  @Test func `ephemeral properties without a default are refused`() throws {
    let error = #expect(throws: SwiftDataError.self) {
      try ModelContainer(
        for: Unreadable.self, configurations: ModelConfiguration(isStoredInMemoryOnly: true))
    }
    #expect(error == .loadIssueModelContainer)
    #expect(error?.explanation.contains("Unreadable.grade") == true)
  }
}
