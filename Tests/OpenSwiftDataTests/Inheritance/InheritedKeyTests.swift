import OpenSwiftData
import TestSupport
import Testing

/// The root of a hierarchy counts the keys of all its classes, and no key is given out twice.
@Suite(.bounded) struct InheritedKeyTests {
  /// The inserts that have a key which another insert of the table had before.
  private static let repeated = """
    SELECT ZENTITYPK, count(*) FROM ACHANGE JOIN Z_PRIMARYKEY p ON p.Z_ENT = ZENTITY
    WHERE ZCHANGETYPE = 0 AND Z_NAME IN (%) GROUP BY 1 HAVING count(*) > 1
    """

  private static func repeated(_ names: String...) -> String {
    repeated.replacing("%", with: names.map { "'\($0)'" }.joined(separator: ", "))
  }

  @Test func `the counter of a subclass does not matter`() async throws {
    let store = try JourneyStore.filled()
    let context = store.context()
    // The newest of each class is gone, so that only the counter knows its key.
    for journey in try context.fetch(FetchDescriptor<Journey>()) { context.delete(journey) }
    try context.save()
    let query = try StoreQuery(path: store.path)
    let counters = """
      SELECT Z_NAME, Z_MAX FROM Z_PRIMARYKEY WHERE Z_NAME LIKE '%Journey' ORDER BY Z_ENT
      """
    for (number, count) in [0, 2, 9].enumerated() {
      // As in stores of the frameworks, where it may be 0 or the key of an object.
      try query.run("UPDATE Z_PRIMARYKEY SET Z_MAX = \(count) WHERE Z_NAME LIKE '%_Journey'")
      let later = ModelContext(
        try ModelContainer(
          for: JourneyStore.schema,
          configurations: ModelConfiguration(url: URL(fileURLWithPath: store.path))))
      let journeys = [
        PersonalJourney(name: "p\(number)", reason: .family),
        ConferenceJourney(name: "c\(number)", isSpeaker: false), Journey(name: "j\(number)"),
      ]
      for journey in journeys {
        later.insert(journey)
        try later.save()
        later.delete(journey)
        try later.save()
      }
      #expect(try query.lines(counters).first == "Journey|\(7 + 3 * number)")
    }
    let names = ["Journey", "BusinessJourney", "ConferenceJourney", "PersonalJourney"]
    #expect(
      try query.lines(Self.repeated(names[0], names[1], names[2], names[3])) == [])
    let result = try await Tool.histctl.run(["verify", store.path])
    #expect(result.status == 0, "\(result.text)\(result.errors)")
  }

  @Test func `a migration keeps what the root has counted`() async throws {
    let store = try MigratedStore()
    try store.with(Zoo1.models) { context in
      for name in ["Rex", "Bo", "Luna"] {
        let dog = Zoo1.Dog(name: name)
        context.insert(dog)
        try context.save()
        context.delete(dog)
        try context.save()
      }
    }
    let counters = """
      SELECT Z_NAME, Z_MAX FROM Z_PRIMARYKEY WHERE Z_NAME IN ('Animal', 'Cat', 'Dog') ORDER BY 1
      """
    #expect(try store.lines(counters) == ["Animal|3", "Dog|0"])
    // All numbers of entities move, because a class comes before.
    try store.with(Zoo2.models) { context in
      context.insert(Zoo2.Cat(name: "Tom"))
      context.insert(Zoo2.Dog(name: "Ada"))
      try context.save()
    }
    #expect(try store.lines(counters).first == "Animal|5")
    #expect(try store.lines(Self.repeated("Animal", "Cat", "Dog")) == [])
    #expect(try store.lines("SELECT min(Z_PK), max(Z_PK) FROM ZANIMAL") == ["4|5"])
    let result = try await Tool.histctl.run(["verify", store.path])
    #expect(result.status == 0, "\(result.text)\(result.errors)")
  }
}
