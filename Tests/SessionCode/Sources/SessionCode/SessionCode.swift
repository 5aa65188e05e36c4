#if canImport(SwiftData)
import SwiftData
#else
import OpenSwiftData
#endif

/// Uses all of the sessions' code on stores of its own, and says what does not do what the sessions
/// say it does.
@main
@MainActor
enum SessionCode {
  private static var count = 0
  private static var failures = 0

  static func main() throws {
    let folder = FileManager.default.temporaryDirectory
      .appendingPathComponent("session-code-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    // What this run writes at the usual place is to go with the folder.
    setenv("XDG_DATA_HOME", folder.path, 1)

    try checkContainers(folder)
    try checkFetching()
    try checkHistory(folder)
    try checkJSONStore(folder)
    print("session-code: \(count) checks, \(failures) failed")
    if failures > 0 { exit(1) }
  }

  private static func expect<Value: Equatable>(
    _ found: Value, _ expected: Value, line: UInt = #line
  ) {
    count += 1
    guard found != expected else { return }
    failures += 1
    print("session-code: line \(line): found \(found), expected \(expected)")
  }

  // MARK: - Containers

  private static func checkContainers(_ folder: URL) throws {
    let usual = try Containers.usual()
    usual.mainContext.insert(Trip(name: "Rome", destination: "Italy"))
    expect(usual.mainContext.autosaveEnabled, true)
    try usual.mainContext.save()
    expect(try TripQueries(context: ModelContext(usual)).all().map(\.name), ["Rome"])

    let several = try Containers.tripsAndPeople(in: folder)
    let context = ModelContext(several)
    context.autosaveEnabled = false
    let person = Person(name: "Ada")
    person.addresses = [Address(street: "Main Street 1")]
    context.insert(person)
    context.insert(Trip(name: "London", destination: "England"))
    try context.save()
    expect(several.configurations.map(\.name).sorted(), ["People", "Trips"])
    for (file, entity) in [("trip.store", "Trip"), ("people.store", "Person")] {
      let stored = try Data(contentsOf: folder.appendingPathComponent(file))
      expect(stored.prefix(6), Data("SQLite".utf8))
      expect(several.schema.entitiesByName[entity]?.name, entity)
    }
    expect(try ModelContext(several).fetch(FetchDescriptor<Address>()).first?.person?.name, "Ada")
  }

  // MARK: - Fetching

  private static func checkFetching() throws {
    let container = try Containers.inMemory()
    let writer = ModelContext(container)
    let day = Date(timeIntervalSinceReferenceDate: 750_000_000)
    for number in 0..<20 {
      let trip = Trip(
        name: "Trip \(number / 10)\(number % 10)", destination: number < 5 ? "near" : "far",
        startDate: day.addingTimeInterval(Double(number) * 86_400),
        endDate: day.addingTimeInterval(Double(number + 7) * 86_400))
      trip.bucketList = (0..<number % 3).map {
        BucketListItem(title: "Item \($0)", hasReservation: $0 == 0)
      }
      if number.isMultiple(of: 4) {
        trip.livingAccommodation = LivingAccommodation(
          address: "Street \(number)", placeName: "House \(number)")
      }
      writer.insert(trip)
    }
    try writer.transaction {}
    let names = (0..<20).map { "Trip \($0 / 10)\($0 % 10)" }
    let queries = TripQueries(context: ModelContext(container))
    expect(try queries.all().count, 20)
    expect(
      try queries.staying(at: ["House 4", "House 16", "Nowhere"]).map(\.name),
      ["Trip 04", "Trip 16"])
    expect(
      try queries.withoutReservation().map(\.name),
      (0..<20).filter { $0 % 3 == 2 }.map { names[$0] })
    expect(
      try queries.planning(["Item 1"]).map(\.name),
      (0..<20).filter { $0 % 3 == 2 }.map { names[$0] })
    expect(
      try queries.page(after: day.addingTimeInterval(86_400), offset: 1, limit: 3).map(\.name),
      ["Trip 18", "Trip 17", "Trip 16"])
    expect(try queries.count(to: "near"), 5)
    expect(Set(try queries.identifiers()).count, 20)
    expect(try queries.names(batchSize: 3), names)
    expect(try queries.namesOneByOne(), names)
    expect(try queries.itemCount(), 19)
    expect(try queries.largest(), 7)
    try queries.confirmEverything()
    expect(
      try ModelContext(container).fetchCount(
        FetchDescriptor<LivingAccommodation>(predicate: #Predicate { $0.isConfirmed })), 5)

    // A change that escapes is an error where nothing allows it.
    var isRefused = false
    do {
      try queries.context.enumerate(FetchDescriptor<Trip>()) { trip in trip.destination = "here" }
    } catch {
      isRefused = true
    }
    expect(isRefused, true)
    queries.context.rollback()
    expect(try queries.count(to: "far"), 15)
  }

  // MARK: - History

  private static func checkHistory(_ folder: URL) throws {
    let container = try Containers.trips(in: folder)
    let history = TripHistory(
      modelContainer: container, tokenFile: folder.appendingPathComponent("token.json"))
    let app = ModelContext(container)
    app.author = TripHistory.Author.app
    let widget = ModelContext(container)
    widget.author = TripHistory.Author.widget
    let rome = Trip(name: "Rome", destination: "Italy", startDate: .distantPast)
    rome.livingAccommodation = LivingAccommodation(address: "Via 1", placeName: "Casa")
    let oslo = Trip(name: "Oslo", destination: "Norway")
    oslo.livingAccommodation = LivingAccommodation(address: "Gate 2", placeName: "Hytte")
    app.insert(rome)
    app.insert(oslo)
    try app.save()
    // Without a token all there is was never read, whoever has saved it.
    expect(history.findUnreadTrips().map(\.name).sorted(), ["Oslo", "Rome"])
    expect(history.findUnreadTrips().count, 0)

    func confirm(_ name: String) throws {
      let found = try widget.fetch(
        FetchDescriptor<LivingAccommodation>(predicate: #Predicate { $0.placeName == name }))
      expect(found.count, 1)
      found.first?.isConfirmed = true
      try widget.save()
    }
    try confirm("Casa")
    oslo.destination = "The North"
    try app.save()
    expect(history.findUnreadTrips().map(\.name), ["Rome"])
    expect(history.findUnreadTrips().count, 0)

    rome.name = "Roma"
    try app.save()
    expect(try history.renamed(), [rome.persistentModelID])
    app.delete(rome)
    try app.save()
    expect(
      try history.tombstones(),
      ["Roma \(Date.distantPast.timeIntervalSinceReferenceDate)"])

    let newest = try history.newestToken()
    expect(
      newest,
      try ModelContext(container).fetchHistory(HistoryDescriptor<DefaultHistoryTransaction>())
        .map(\.token).max())
    guard let newest else { return }
    let old = history.findTransactions(after: nil, author: TripHistory.Author.widget)[0].token
    try history.deleteTransactions(before: newest)
    do {
      _ = try ModelContext(container).fetchHistory(
        HistoryDescriptor<DefaultHistoryTransaction>(predicate: #Predicate { $0.token > old }))
      expect("no error", "historyTokenExpired")
    } catch SwiftDataError.historyTokenExpired {
      count += 1
    }
  }

  // MARK: - A store of one's own

  private static func checkJSONStore(_ folder: URL) throws {
    let file = folder.appendingPathComponent("trips.json")
    do {
      let context = ModelContext(try Containers.json(at: file))
      let trip = Trip(name: "Rome", destination: "Italy", startDate: .distantPast)
      trip.bucketList = [BucketListItem(title: "Forum")]
      context.insert(trip)
      context.insert(Trip(name: "Oslo", destination: "Norway", startDate: .distantPast))
      try context.save()
      trip.destination = "Lazio"
      try context.save()
      expect(trip.persistentModelID.storeIdentifier, "trips.json")
    }
    // All of it is in the file, and another container reads it back.
    let context = ModelContext(try Containers.json(at: file))
    let queries = TripQueries(context: context)
    expect(try queries.names(batchSize: 10), ["Oslo", "Rome"])
    expect(try queries.count(to: "Lazio"), 1)
    let rome = try queries.planning(["Forum"])
    expect(rome.map(\.name), ["Rome"])
    expect(rome.first?.bucketList.map(\.title), ["Forum"])
    for trip in rome { context.delete(trip) }
    try context.save()
    expect(try queries.all().map(\.name), ["Oslo"])
    expect(try context.fetchCount(FetchDescriptor<BucketListItem>()), 0)
  }
}
