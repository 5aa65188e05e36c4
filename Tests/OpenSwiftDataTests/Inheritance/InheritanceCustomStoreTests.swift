import OpenSwiftData
import TestSupport
import Testing

/// A hierarchy in a store that is not SQLite.
@Suite(.bounded) struct InheritanceCustomStoreTests {
  @Test func `models of a custom store have their own class`() throws {
    let folder = try TemporaryFolder()
    let configuration = JournalConfiguration(
      name: "journal", schema: nil, url: URL(fileURLWithPath: folder.file("journeys.jsonl")))
    let writer = ModelContext(
      try ModelContainer(for: JourneyStore.schema, configurations: [configuration]))
    writer.insert(Journey(name: "Walk"))
    let meetup = ConferenceJourney(name: "Meetup", isSpeaker: true, talks: ["SQL"])
    meetup.stops = [Stop(title: "Hall")]
    writer.insert(meetup)
    writer.insert(PersonalJourney(name: "Visit", reason: .family))
    try writer.save()
    meetup.perDiem = 1
    try writer.save()

    let context = ModelContext(
      try ModelContainer(for: JourneyStore.schema, configurations: [configuration]))
    let all = try context.fetch(
      FetchDescriptor<Journey>(sortBy: [SortDescriptor(\.name, comparator: .lexical)]))
    #expect(
      all.map { "\(type(of: $0))" } == ["ConferenceJourney", "PersonalJourney", "Journey"])
    let found = try context.fetch(
      FetchDescriptor<Journey>(predicate: #Predicate { $0 is BusinessJourney }))
    let conference = try #require(found.first as? ConferenceJourney)
    #expect(found.count == 1 && conference === all[0])
    #expect(conference.perDiem == 1 && conference.talks == ["SQL"] && conference.isSpeaker)
    #expect(conference.stops.first?.journey === conference)
    #expect(try context.fetchCount(FetchDescriptor<BusinessJourney>()) == 1)
  }
}
