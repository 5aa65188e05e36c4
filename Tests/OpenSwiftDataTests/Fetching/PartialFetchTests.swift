import StoreFormat
import TestSupport
import Testing

@testable import OpenSwiftData

/// The statements by which a store's objects are read.
struct ReadTrace {
  private let file: StoreFile

  init(_ container: ModelContainer) throws {
    let store = try #require(container.stores.first as? DefaultStore)
    file = try store.file
  }

  /// Expects that so many statements read objects while a body runs.
  func expect(
    _ count: Int, sourceLocation: SourceLocation = #_sourceLocation, _ body: () throws -> Void
  ) throws {
    let statements = try statements(body)
    #expect(statements.count == count, "\(statements)", sourceLocation: sourceLocation)
  }

  /// The statements that read objects while a body runs.
  func statements(_ body: () throws -> Void) throws -> [String] {
    var statements: [String] = []
    try file.tracing({ statements.append($0) }, body)
    return statements.filter { $0.hasPrefix("SELECT t") }
  }
}

/// Fetches that read some properties only.
@Suite(.bounded) struct PartialFetchTests {
  private let store: TripStore
  private let context: ModelContext
  private let trace: ReadTrace

  init() throws {
    store = try TripStore()
    let writer = store.context()
    for (number, name) in ["Rome", "Paris", "Oslo"].enumerated() {
      let trip = Trip(
        name: name, destination: "\(name) itself",
        startDate: Date(timeIntervalSinceReferenceDate: Double(number)))
      trip.notes = "about \(name)"
      trip.livingAccommodation = LivingAccommodation(placeName: "Casa \(name)")
      writer.insert(trip)
    }
    try writer.save()
    context = store.context()
    trace = try ReadTrace(store.container)
  }

  private func descriptor(
    _ properties: PartialKeyPath<Trip>..., sortBy: [SortDescriptor<Trip>] = []
  ) -> FetchDescriptor<Trip> {
    var descriptor = FetchDescriptor<Trip>(sortBy: sortBy)
    descriptor.propertiesToFetch = properties
    return descriptor
  }

  /// The columns of trips that a statement reads.
  private func columns(_ statement: String) -> Set<String> {
    let list = statement.prefix(
      upTo: statement.range(of: " FROM ")?.lowerBound ?? statement.endIndex)
    return Set(list.matches(of: /"(Z[A-Z0-9]+)"/).map { String($0.1) })
  }

  private func stored() throws -> [String] {
    try StoreQuery(path: store.path).lines(
      "SELECT ZNAME, ZDESTINATION, ZNOTES, ZSTARTDATE FROM ZTRIP ORDER BY Z_PK")
  }

  @Test func `only named properties are read`() throws {
    var trips: [Trip] = []
    let fetch = try trace.statements { trips = try context.fetch(descriptor(\.name)) }
    #expect(fetch.count == 1)
    #expect(fetch.map(columns) == [["ZNAME"]])
    // What was read needs nothing more, and the first other property brings all the rest.
    try trace.expect(0) { #expect(trips.map(\.name) == ["Rome", "Paris", "Oslo"]) }
    let fault = try trace.statements {
      #expect(trips[0].notes == "about Rome")
      #expect(trips[0].destination == "Rome itself")
      #expect(trips[0].startDate.timeIntervalSinceReferenceDate == 0)
    }
    #expect(fault.count == 1)
    #expect(fault.first.map(columns)?.isSuperset(of: ["ZNAME", "ZNOTES", "ZDESTINATION"]) == true)
    // The others are read for themselves.
    try trace.expect(1) { #expect(trips[1].notes == "about Paris") }
    // No property but the identifier.
    let other = store.context()
    let bare = try trace.statements {
      let count = try other.fetch(descriptor(\.persistentModelID)).count
      #expect(count == 3)
    }
    #expect(bare.map(columns) == [[]])
  }

  @Test func `batches read only the named properties`() throws {
    var fetch = descriptor(\.name)
    fetch.includePendingChanges = false
    var names: [String] = []
    let batches = try trace.statements {
      names = Array(try context.fetch(fetch, batchSize: 2)).map(\.name)
    }
    #expect(names == ["Rome", "Paris", "Oslo"])
    #expect(batches.map(columns) == [[], ["ZNAME"], ["ZNAME"]])
    let other = store.context()
    var notes: [String?] = []
    let enumerated = try trace.statements {
      try other.enumerate(descriptor(\.name, \.notes), batchSize: 2) { notes.append($0.notes) }
    }
    #expect(notes == ["about Rome", "about Paris", "about Oslo"])
    #expect(enumerated.map(columns) == [[], ["ZNAME", "ZNOTES"], ["ZNAME", "ZNOTES"]])
    // The rest comes when it is asked for.
    let trip = try #require(try other.fetch(fetch, batchSize: 2).first)
    #expect(trip.destination == "Rome itself")
    // Properties that there are not are refused at once.
    fetch.propertiesToFetch = [\.name.count]
    #expect(throws: SwiftDataError.unsupportedKeyPath) {
      try context.fetch(fetch, batchSize: 2)
    }
  }

  @Test func `properties in an order or a predicate are not read`() throws {
    var ordered = descriptor(\.name, sortBy: [SortDescriptor(\.startDate, order: .reverse)])
    ordered.predicate = #Predicate { $0.notes != "about Paris" }
    let statements = try trace.statements {
      let names = try context.fetch(ordered).map(\.name)
      #expect(names == ["Oslo", "Rome"])
    }
    #expect(statements.count == 1)
    #expect(statements.map(columns) == [["ZNAME"]])
  }

  @Test func `a save writes only the properties that were set`() throws {
    let before = try stored()
    let trips = try context.fetch(descriptor(\.name))
    trips[0].name = "Roma"
    // Neither read nor fetched.
    trips[1].notes = "set"
    #expect(trips[1].hasChanges)
    try context.save()
    #expect(
      try stored() == [
        before[0].replacing("Rome|", with: "Roma|", maxReplacements: 1),
        before[1].replacing("about Paris", with: "set"), before[2],
      ])
    #expect(trips[0].destination == "Rome itself")
    #expect(trips[1].destination == "Paris itself")
    #expect(
      try context.fetchHistory(HistoryDescriptor<DefaultHistoryTransaction>()).last?.changes
        .map(\.updatedAttributeNames).sorted { $0.count < $1.count }.map { $0.sorted() }
        == [["name"], ["notes"]])
  }

  @Test func `values known before stay`() throws {
    let rome = try #require(
      try context.fetch(FetchDescriptor<Trip>(predicate: #Predicate { $0.name == "Rome" })).first)
    _ = try context.fetch(descriptor(\.name))
    try trace.expect(0) { #expect(rome.notes == "about Rome") }
    // And what is fetched is fresh.
    try StoreQuery(path: store.path).run("UPDATE ZTRIP SET ZNAME = 'Roma' WHERE ZNAME = 'Rome'")
    _ = try context.fetch(descriptor(\.name))
    #expect(rome.name == "Roma")
  }

  @Test func `rolling back restores unread properties`() throws {
    let trip = try #require(try context.fetch(descriptor(\.name)).first)
    trip.notes = "changed"
    trip.name = "changed"
    context.rollback()
    #expect(trip.name == "Rome")
    #expect(trip.notes == "about Rome")
    #expect(!context.hasChanges)
  }

  @Test func `unsaved changes are included`() throws {
    let writer = context
    writer.insert(Trip(name: "Bern", startDate: Date(timeIntervalSinceReferenceDate: -5)))
    let statements = try trace.statements {
      let names = try writer.fetch(descriptor(\.name, sortBy: [SortDescriptor(\.startDate)]))
        .map(\.name)
      #expect(names == ["Bern", "Rome", "Paris", "Oslo"])
    }
    // What memory sorts by is read with the rest, and not for each model.
    #expect(statements.count == 1)
    #expect(statements.map(columns) == [["ZNAME", "ZSTARTDATE"]])
    // Where SQLite cannot choose, everything is read at once.
    let other = store.context()
    var words = descriptor(\.name, sortBy: [SortDescriptor(\.name)])
    words.predicate = #Predicate { $0.notes?.localizedStandardContains("ABOUT") ?? false }
    let inMemory = try trace.statements {
      let names = try other.fetch(words).map(\.name)
      #expect(names == ["Oslo", "Paris", "Rome"])
    }
    #expect(inMemory.count == 1)
  }

  @Test func `deleted models preserve unread properties`() throws {
    let trip = try #require(try context.fetch(descriptor(\.name)).first)
    context.delete(trip)
    try context.save()
    let last = try #require(
      try context.fetchHistory(HistoryDescriptor<DefaultHistoryTransaction>()).last)
    let tombstones = last.changes.filter { $0.entityName == "Trip" }.map(\.preservedValues)
    #expect(tombstones.first?["name"] as? String == "Rome")
    #expect(tombstones.first?["startDate"] as? Date == Date(timeIntervalSinceReferenceDate: 0))
    #expect(try StoreQuery(path: store.path).lines("SELECT count(*) FROM ZTRIP") == ["2"])
  }

  #if !canImport(ObjectiveC)
  @Test func `undoing restores unread properties`() throws {
    let manager = UndoManager()
    manager.groupsByEvent = false
    context.undoManager = manager
    let trip = try #require(try context.fetch(descriptor(\.name)).first)
    trip.notes = "changed"
    try context.save()
    manager.undo()
    #expect(trip.notes == "about Rome")
    try context.save()
    #expect(try stored().first?.contains("about Rome") == true)
  }
  #endif

  @Test func `an unknown key path is refused`() throws {
    #expect(throws: SwiftDataError.unsupportedKeyPath) {
      try context.fetch(descriptor(\.name.count))
    }
  }

  @Test func `properties of subclasses are read on access`() throws {
    let journeys = try JourneyStore.filled()
    let trace = try ReadTrace(journeys.container)
    let context = journeys.context()
    var descriptor = FetchDescriptor<Journey>(sortBy: [SortDescriptor(\.startDate)])
    descriptor.propertiesToFetch = [\.name]
    var found: [Journey] = []
    let statements = try trace.statements { found = try context.fetch(descriptor) }
    #expect(statements.map(columns) == [["ZNAME"]])
    #expect(found.map(\.name) == ["Walk", "Sale", "Meetup", "Visit"])
    let meetup = try #require(found[2] as? ConferenceJourney)
    try trace.expect(1) {
      #expect(meetup.talks == ["SQL", "Swift"])
      #expect(meetup.isSpeaker)
      #expect(meetup.perDiem == 60)
    }
    // Two classes have a property of this name.
    var business = FetchDescriptor<BusinessJourney>()
    business.propertiesToFetch = [\.notes]
    let other = journeys.context()
    let sale = try #require(try other.fetch(business).first)
    try trace.expect(0) { #expect(sale.notes == "suit") }
    sale.notes = nil
    try other.save()
    #expect(
      try StoreQuery(path: journeys.path).lines(
        "SELECT ZNAME, ZCODE, ZPERDIEM FROM ZJOURNEY WHERE ZCODE = 'B-1'") == ["Sale|B-1|50.0"])
    let visit = try #require(
      try other.fetch(FetchDescriptor<PersonalJourney>()).first)
    #expect(visit.notes == "cake")
  }
}
