import OpenSwiftData
import TestSupport
import Testing

/// Old and new values of updates, which a configuration lets be recorded.
@Suite(.bounded) struct ChangedValuesTests {
  private let folder: TemporaryFolder
  private let path: String
  private let context: ModelContext

  init() throws {
    folder = try TemporaryFolder()
    path = folder.file("Trips.store")
    context = ModelContext(try Self.container(path))
  }

  private static func container(_ path: String, recordsValues: Bool = true) throws -> ModelContainer
  {
    try ModelContainer(
      for: Trip.self, Journey.self, BusinessJourney.self, ConferenceJourney.self,
      configurations: ModelConfiguration(
        url: URL(fileURLWithPath: path), recordsValues: recordsValues))
  }

  private func updates<Model: PersistentModel>(
    _ type: Model.Type, _ context: ModelContext? = nil
  ) throws -> [DefaultHistoryUpdate<Model>] {
    try (context ?? self.context).fetchHistory(HistoryDescriptor<DefaultHistoryTransaction>())
      .flatMap(\.changes).compactMap { change in
        if case .update(let update as DefaultHistoryUpdate<Model>) = change { update } else { nil }
      }
  }

  @Test func `values have their types`() throws {
    let trip = Trip(name: "Rome", startDate: Date(timeIntervalSinceReferenceDate: 1000))
    context.insert(trip)
    try context.save()
    let first = trip.identifier
    trip.name = "Roma"
    trip.startDate = Date(timeIntervalSinceReferenceDate: 2000.5)
    trip.identifier = UUID()
    trip.notes = "by train"
    try context.save()
    trip.notes = nil
    try context.save()

    let updates = try updates(Trip.self)
    #expect(updates.count == 2)
    #expect(updates[0].oldValue(of: \.name) == "Rome")
    #expect(updates[0].newValue(of: \.name) == "Roma")
    #expect(
      updates[0].oldValue(of: \.startDate) == Date(timeIntervalSinceReferenceDate: 1000))
    #expect(
      updates[0].newValue(of: \.startDate) == Date(timeIntervalSinceReferenceDate: 2000.5))
    #expect(updates[0].oldValue(of: \.identifier) == first)
    #expect(updates[0].newValue(of: \.identifier) == trip.identifier)
    // Nothing before is not the same as not known.
    let before: String?? = updates[0].oldValue(of: \.notes)
    #expect(before == .some(nil))
    #expect(updates[0].newValue(of: \.notes) == "by train")
    #expect(updates[1].oldValue(of: \.notes) == "by train")
    #expect(updates[1].newValue(of: \.notes) == .some(nil))
    let unknown: String? = updates[1].oldValue(of: \.name)
    #expect(unknown == nil)
    #expect(
      Set(updates[0].changedValues.keys) == ["name", "startDate", "identifier", "notes"])
    #expect(HistoryChange.update(updates[1]).changedValues["notes"]?.old as? String == "by train")
  }

  @Test func `the old value is that of the store and not of the context`() throws {
    let trip = Trip(name: "Rome", startDate: .now)
    context.insert(trip)
    try context.save()
    // Another program saves meanwhile, of which this context does not know when it changes the name.
    let other = ModelContext(try Self.container(path))
    let same = try #require(try other.fetch(FetchDescriptor<Trip>()).first)
    trip.name = "Roma"
    same.name = "Rom"
    try other.save()
    try context.save()
    #expect(try updates(Trip.self).map { $0.oldValue(of: \.name) } == ["Rome", "Rom"])
    #expect(try updates(Trip.self).map { $0.newValue(of: \.name) } == ["Rom", "Roma"])
  }

  @Test func `relationships are identifiers at both ends`() throws {
    let trip = Trip(name: "Rome", startDate: .now)
    let stay = LivingAccommodation(placeName: "Casa")
    context.insert(trip)
    context.insert(stay)
    try context.save()
    trip.livingAccommodation = stay
    try context.save()
    let update = try #require(try updates(Trip.self).first)
    #expect(update.oldIdentifier(of: \.livingAccommodation) == .some(nil))
    #expect(
      update.newIdentifier(of: \.livingAccommodation) == .some(stay.persistentModelID))
    let back = try #require(try updates(LivingAccommodation.self).first)
    #expect(back.newIdentifier(of: \.trip) == .some(trip.persistentModelID))
  }

  @Test func `replacing a model with the same unique values is an update`() throws {
    let start = Date(timeIntervalSinceReferenceDate: 0)
    context.insert(Trip(name: "Rome", destination: "Italy", startDate: start))
    try context.save()
    let other = ModelContext(try Self.container(path))
    other.insert(Trip(name: "Rome", destination: "Lazio", startDate: start))
    try other.save()
    let update = try #require(try updates(Trip.self).last)
    #expect(update.oldValue(of: \.destination) == "Italy")
    #expect(update.newValue(of: \.destination) == "Lazio")
  }

  @Test func `a large value is identified by its digest`() throws {
    let path = folder.file("Photos.store")
    let context = ModelContext(
      try ModelContainer(
        for: Photo.self,
        configurations: ModelConfiguration(url: URL(fileURLWithPath: path), recordsValues: true)))
    let large = Data(repeating: 7, count: 200_000)
    let photo = Photo(name: "Forum", data: large)
    context.insert(photo)
    try context.save()
    photo.data = Data([1, 2])
    try context.save()
    photo.data = large
    try context.save()
    let updates = try updates(Photo.self, context)
    let digest = try #require(updates[0].changedValues["data"]?.old as? HistoryValueDigest)
    #expect(digest.byteCount == 200_000)
    #expect(updates[0].newValue(of: \.data) == Data([1, 2]))
    #expect(updates[1].oldValue(of: \.data) == Data([1, 2]))
    #expect(updates[1].changedValues["data"]?.new as? HistoryValueDigest == digest)
  }

  @Test func `a save to several stores is recorded beside each`() throws {
    let paths = ["One.store", "Two.store"].map(folder.file)
    let models: [[any PersistentModel.Type]] = [[Photo.self], [Trip.self]]
    let context = ModelContext(
      try ModelContainer(
        for: Schema(models.flatMap { $0 }),
        configurations: zip(paths, models).map { path, models in
          ModelConfiguration(
            schema: Schema(models), url: URL(fileURLWithPath: path), recordsValues: true)
        }))
    let photo = Photo(name: "Forum", data: Data())
    let trip = Trip(name: "Rome", startDate: .now)
    context.insert(photo)
    context.insert(trip)
    try context.save()
    photo.name = "Capitol"
    trip.name = "Roma"
    try context.save()
    #expect(try updates(Photo.self, context).map { $0.oldValue(of: \.name) } == ["Forum"])
    #expect(try updates(Trip.self, context).map { $0.oldValue(of: \.name) } == ["Rome"])
    for path in paths {
      #expect(
        try StoreQuery(path: path + "-values.db").lines(
          "SELECT transaction_number, name FROM recorded_value") == ["2|name"])
    }
  }

  @Test func `inherited properties are recorded as well`() throws {
    let journey = ConferenceJourney(name: "Tallinn", isSpeaker: false, talks: ["Swift"])
    context.insert(journey)
    try context.save()
    journey.name = "Riga"
    journey.talks = ["Swift", "Servers"]
    journey.isSpeaker = true
    try context.save()
    let update = try #require(try updates(ConferenceJourney.self).first)
    #expect(update.oldValue(of: \.name) == "Tallinn")
    #expect(update.newValue(of: \.talks) == ["Swift", "Servers"])
    #expect(update.oldValue(of: \.isSpeaker) == false)
  }

  @Test func `deleting by predicate records its updates`() throws {
    let trip = Trip(name: "Rome", startDate: .now)
    trip.livingAccommodation = LivingAccommodation(placeName: "Casa")
    context.insert(trip)
    try context.save()
    try context.delete(model: LivingAccommodation.self)
    try context.save()
    let update = try #require(try updates(Trip.self).last)
    #expect(update.newIdentifier(of: \.livingAccommodation) == .some(nil))
  }

  @Test func `without the option no values are recorded`() throws {
    let plain = folder.file("Plain.store")
    let context = ModelContext(try Self.container(plain, recordsValues: false))
    let trip = Trip(name: "Rome", startDate: .now)
    context.insert(trip)
    try context.save()
    trip.name = "Roma"
    try context.save()
    #expect(!FileManager.default.fileExists(atPath: plain + "-values.db"))
    let update = try #require(try updates(Trip.self, context).first)
    #expect(update.changedValues.isEmpty)
    // Where others have recorded values, who does not ask for them is not told.
    let trip2 = Trip(name: "Oslo", startDate: .now)
    self.context.insert(trip2)
    try self.context.save()
    trip2.name = "Bergen"
    try self.context.save()
    let silent = ModelContext(try Self.container(path, recordsValues: false))
    #expect(try updates(Trip.self, silent).allSatisfy { $0.changedValues.isEmpty })
    #expect(try updates(Trip.self).allSatisfy { !$0.changedValues.isEmpty })
  }

  @Test func `a store in memory records no values`() throws {
    let container = try ModelContainer(
      for: Trip.self,
      configurations: ModelConfiguration(isStoredInMemoryOnly: true))
    let context = ModelContext(container)
    let trip = Trip(name: "Rome", startDate: .now)
    context.insert(trip)
    try context.save()
    trip.name = "Roma"
    try context.save()
    let update = try #require(try updates(Trip.self, context).first)
    #expect(update.changedValues.isEmpty)
  }

  @Test func `history updates have changed values`() async throws {
    let trip = Trip(name: "Rome", startDate: .now)
    context.insert(trip)
    try context.save()
    trip.name = "Roma"
    try context.save()
    for try await transaction in context.container.historyUpdates(after: nil) {
      guard transaction.transactionIdentifier == 2 else { continue }
      #expect(transaction.changes.first?.changedValues["name"]?.new as? String == "Roma")
      break
    }
  }

  @Test func `deleting history deletes its values`() throws {
    let trip = Trip(name: "Rome", startDate: .now)
    context.insert(trip)
    try context.save()
    trip.name = "Roma"
    try context.save()
    trip.name = "Rom"
    try context.save()
    var descriptor = HistoryDescriptor<DefaultHistoryTransaction>()
    descriptor.predicate = #Predicate { $0.transactionIdentifier < 3 }
    try context.deleteHistory(descriptor)
    #expect(
      try StoreQuery(path: path + "-values.db").lines(
        "SELECT DISTINCT transaction_number FROM recorded_value") == ["3"])
  }

  @Test func `a damaged file is named`() throws {
    let trip = Trip(name: "Rome", startDate: .now)
    context.insert(trip)
    try context.save()
    trip.name = "Roma"
    try context.save()
    try StoreQuery(path: path + "-values.db").run("DROP TABLE recorded_value")
    #expect {
      try updates(Trip.self)
    } throws: { "\($0)".contains(path + "-values.db") }
    trip.name = "Rom"
    #expect {
      try context.save()
    } throws: { "\($0)".contains(path + "-values.db") }
    #expect(context.hasChanges)
  }
}
