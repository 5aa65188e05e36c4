import TestSupport
import Testing

@testable import OpenSwiftData

/// Related models are read with one question for each relationship.
@Suite(.bounded) struct PrefetchTests {
  private let store: TripStore
  private let context: ModelContext
  private let trace: ReadTrace

  /// Five trips with three places each, a house each but the first, and two of three tags each.
  init() throws {
    store = try TripStore()
    let writer = store.context()
    let tags = ["city", "sea", "snow"].map(Tag.init)
    for number in 0..<5 {
      let trip = Trip(name: "\(number)", startDate: Date(timeIntervalSinceReferenceDate: 0))
      trip.bucketList = (0..<3).map { BucketListItem(title: "\(number)-\($0)") }
      if number > 0 {
        trip.livingAccommodation = LivingAccommodation(placeName: "house \(number)")
      }
      writer.insert(trip)
      trip.tags = [tags[number % 3], tags[(number + 1) % 3]]
    }
    try writer.save()
    context = store.context()
    trace = try ReadTrace(store.container)
  }

  private func fetch(_ relationships: PartialKeyPath<Trip>...) throws -> [Trip] {
    var descriptor = FetchDescriptor<Trip>(sortBy: [SortDescriptor(\.name)])
    descriptor.relationshipKeyPathsForPrefetching = relationships
    return try context.fetch(descriptor)
  }

  @Test func `lists of many models are read in one query`() throws {
    var trips: [Trip] = []
    try trace.expect(2) { trips = try fetch(\.bucketList) }
    let later = try trace.statements {
      for trip in trips {
        #expect(trip.bucketList.map(\.title).sorted() == (0..<3).map { "\(trip.name)-\($0)" })
        #expect(trip.bucketList.allSatisfy { $0.trip === trip })
      }
    }
    #expect(later == [])
    // Without it, each list is read for itself.
    let other = store.context()
    let single = try trace.statements {
      for trip in try other.fetch(FetchDescriptor<Trip>()) { _ = trip.bucketList.map(\.title) }
    }
    #expect(single.count > 5)
  }

  @Test func `to-one relationships are read in one query`() throws {
    var trips: [Trip] = []
    try trace.expect(2) { trips = try fetch(\.livingAccommodation) }
    let later = try trace.statements {
      let names = trips.map { $0.livingAccommodation?.placeName }
      #expect(names == [nil, "house 1", "house 2", "house 3", "house 4"])
    }
    #expect(later == [])
  }

  @Test func `many-to-many relationships are read in one query`() throws {
    var trips: [Trip] = []
    try trace.expect(2) { trips = try fetch(\.tags) }
    let later = try trace.statements {
      #expect(trips[0].tags.map(\.label).sorted() == ["city", "sea"])
      #expect(trips[2].tags.map(\.label).sorted() == ["city", "snow"])
    }
    #expect(later == [])
  }

  @Test func `each of several relationships is read in one query`() throws {
    var trips: [Trip] = []
    let statements = try trace.statements {
      trips = try fetch(\.bucketList, \.livingAccommodation, \.tags)
    }
    #expect(statements.count == 4)
    let later = try trace.statements {
      for trip in trips {
        _ = trip.bucketList.map(\.title) + trip.tags.map(\.label)
        _ = trip.livingAccommodation?.placeName
      }
    }
    #expect(later == [])
  }

  @Test func `relationships of partially fetched models are read`() throws {
    var descriptor = FetchDescriptor<Trip>(sortBy: [SortDescriptor(\.name)])
    descriptor.propertiesToFetch = [\.name]
    descriptor.relationshipKeyPathsForPrefetching = [\.livingAccommodation, \.bucketList]
    var trips: [Trip] = []
    try trace.expect(3) { trips = try context.fetch(descriptor) }
    let later = try trace.statements {
      #expect(trips[1].livingAccommodation?.placeName == "house 1")
      #expect(trips[1].bucketList.count == 3)
    }
    #expect(later == [])
  }

  @Test func `unsaved changes of lists are kept`() throws {
    let trips = try context.fetch(FetchDescriptor<Trip>(sortBy: [SortDescriptor(\.name)]))
    let added = BucketListItem(title: "added", trip: trips[0])
    context.insert(added)
    let taken = try #require(
      try context.fetch(
        FetchDescriptor<BucketListItem>(predicate: #Predicate { $0.title == "1-0" })
      ).first)
    taken.trip = trips[0]
    let again = try fetch(\.bucketList)
    #expect(again[0].bucketList.map(\.title).sorted() == ["0-0", "0-1", "0-2", "1-0", "added"])
    #expect(again[1].bucketList.map(\.title).sorted() == ["1-1", "1-2"])
    try context.save()
    #expect(
      try StoreQuery(path: store.path).lines(
        """
        SELECT t.ZNAME, count(*) FROM ZBUCKETLISTITEM b JOIN ZTRIP t ON t.Z_PK = b.ZTRIP
        WHERE t.ZNAME < '2' GROUP BY 1
        """) == ["0|5", "1|2"])
  }

  @Test func `related models of several classes are read`() throws {
    let journeys = try JourneyStore.filled()
    let trace = try ReadTrace(journeys.container)
    var stops = FetchDescriptor<Stop>()
    stops.relationshipKeyPathsForPrefetching = [\.journey]
    let context = journeys.context()
    var found: [Stop] = []
    try trace.expect(2) { found = try context.fetch(stops) }
    let later = try trace.statements {
      #expect(Set(found.compactMap { $0.journey?.name }) == ["Sale", "Meetup", "Visit"])
      #expect(found.contains { ($0.journey as? ConferenceJourney)?.talks.count == 2 })
    }
    #expect(later == [])
    var all = FetchDescriptor<Journey>()
    all.relationshipKeyPathsForPrefetching = [\.stops]
    let other = journeys.context()
    var journey: [Journey] = []
    try trace.expect(2) { journey = try other.fetch(all) }
    try trace.expect(0) { #expect(journey.map(\.stops.count) == [0, 1, 2, 3]) }
  }

  @Test func `relationships to the same class are read`() throws {
    let folder = try TemporaryFolder()
    let container = try ModelContainer(
      for: Person.self,
      configurations: ModelConfiguration(url: URL(fileURLWithPath: folder.file("P.store"))))
    let writer = ModelContext(container)
    let people = ["Ada", "Bea", "Cyd"].map(Person.init)
    people.forEach { writer.insert($0) }
    people[1].boss = people[0]
    people[2].boss = people[1]
    let desk = Desk(owner: people[2])
    writer.insert(desk)
    try writer.save()
    let trace = try ReadTrace(container)
    let context = ModelContext(container)
    var descriptor = FetchDescriptor<Person>(sortBy: [SortDescriptor(\.name)])
    descriptor.relationshipKeyPathsForPrefetching = [\.staff]
    var found: [Person] = []
    try trace.expect(2) { found = try context.fetch(descriptor) }
    try trace.expect(0) {
      #expect(found.map { $0.staff.map(\.name) } == [["Bea"], ["Cyd"], []])
    }
    // Over a relationship that cannot be nil to another one.
    var desks = FetchDescriptor<Desk>()
    desks.relationshipKeyPathsForPrefetching = [\.owner.boss]
    let other = ModelContext(container)
    var all: [Desk] = []
    try trace.expect(3) { all = try other.fetch(desks) }
    try trace.expect(0) { #expect(all.first?.owner.boss?.name == "Bea") }
  }
}

@Model
final class Person {
  var name: String
  var boss: Person?
  @Relationship(inverse: \Person.boss) var staff: [Person] = []
  var desks: [Desk] = []

  init(name: String) { self.name = name }
}

@Model
final class Desk {
  @Relationship(inverse: \Person.desks) var owner: Person

  init(owner: Person) { self.owner = owner }
}
