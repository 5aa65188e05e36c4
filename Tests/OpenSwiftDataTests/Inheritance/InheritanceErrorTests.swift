import OpenSwiftData
import TestSupport
import Testing

/// A class that inherits from a model and says nothing of it.
final class UnmarkedJourney: Journey {}

@Model
final class RepeatingJourney: Journey {
  #Unique<RepeatingJourney>([\.startDate])
  override init(name: String, startDate: Date) { super.init(name: name, startDate: startDate) }
}

@Model
class Animal {
  private var secret = 1
  init() {}
}

@Model
final class Dog: Animal {
  private var secret = 2
  override init() { super.init() }
}

/// What cannot be is refused with words that say what to do.
@Suite(.bounded) struct InheritanceErrorTests {
  private static func configuration(_ folder: TemporaryFolder) -> ModelConfiguration {
    ModelConfiguration(url: URL(fileURLWithPath: folder.file("Journeys.store")))
  }

  /// Checks that something is refused, and how.
  private func expect(
    _ expected: SwiftDataError, _ words: String, _ body: () throws -> Void,
    sourceLocation: SourceLocation = #_sourceLocation
  ) {
    let error = #expect(
      throws: SwiftDataError.self, sourceLocation: sourceLocation, performing: body)
    #expect(error == expected, "\(error.map { "\($0)" } ?? "")", sourceLocation: sourceLocation)
    #expect(
      error?.explanation.contains(words) ?? false, "\(error.map { "\($0)" } ?? "")",
      sourceLocation: sourceLocation)
  }

  @Test func `a class that is not in the schema is neither saved nor fetched`() throws {
    let folder = try TemporaryFolder()
    let container = try ModelContainer(
      for: Journey.self, configurations: Self.configuration(folder))
    let context = ModelContext(container)
    context.insert(Journey(name: "Walk"))
    context.insert(PersonalJourney(name: "Visit", reason: .family))
    let words = "no model PersonalJourney; name it when the container is made"
    expect(.unknownSchema, words) { try context.save() }
    #expect(context.hasChanges)
    context.rollback()
    expect(.unknownSchema, words) {
      _ = try context.fetch(FetchDescriptor<PersonalJourney>())
    }
    expect(.unknownSchema, words) {
      _ = try context.fetch(
        FetchDescriptor<Journey>(predicate: #Predicate { $0 is PersonalJourney }))
    }
    context.insert(Journey(name: "Walk"))
    try context.save()
    #expect(try context.fetchCount(FetchDescriptor<Journey>()) == 1)
  }

  @Test func `a class that is not marked is refused`() throws {
    let folder = try TemporaryFolder()
    let words = "UnmarkedJourney inherits from a model, but is not marked with @Model itself"
    expect(.modelValidationFailure, words) {
      _ = try ModelContainer(
        for: UnmarkedJourney.self, configurations: Self.configuration(folder))
    }
    let context = try JourneyStore().context()
    context.insert(UnmarkedJourney(name: "Walk"))
    expect(.modelValidationFailure, words) { try context.save() }
  }

  @Test func `inherited properties cannot be unique in a subclass`() throws {
    let folder = try TemporaryFolder()
    expect(.loadIssueModelContainer, "RepeatingJourney declares startDate unique") {
      _ = try ModelContainer(
        for: RepeatingJourney.self, configurations: Self.configuration(folder))
    }
    #expect(!FileManager.default.fileExists(atPath: folder.file("Journeys.store")))
  }

  @Test func `private properties of one name are refused`() throws {
    let folder = try TemporaryFolder()
    expect(.loadIssueModelContainer, "Dog has or inherits two properties secret") {
      _ = try ModelContainer(for: Dog.self, configurations: Self.configuration(folder))
    }
  }
}
