import StoreFormat
import StoreTransactions
import StoreWriting

/// Plays the story into a store, save by save.
struct DemoTeller {
  private let editor: StoreEditor
  private let calendar: DemoCalendar
  private var random: DemoRandom
  /// The objects in the store, by the indices of the planned trips and items.
  private var trips: [Int: StoreObject] = [:]
  private var stays: [Int: StoreObject] = [:]
  private var items: [ItemPlace: OwnedItem] = [:]
  /// Microseconds since 2001-01-01T00:00:00Z, the resolution of a device's clock.
  private var time = 0.0

  /// An item by the index of its planned trip, which need not be its present trip, and its own index.
  private struct ItemPlace: Hashable {
    let trip: Int
    let item: Int
  }

  private struct OwnedItem {
    let object: StoreObject
    var trip: Int
  }

  /// Additions to descriptions.
  private static let remarks = [
    "opens at nine", "about two hours", "meet at the entrance", "tickets are in the mail",
    "ask for Maria", "cash only", "take the tram", "closed on Mondays", "bring a jacket",
  ]

  init(editor: StoreEditor, calendar: DemoCalendar, random: DemoRandom) {
    self.editor = editor
    self.calendar = calendar
    self.random = random
  }

  /// Plays everything.
  ///
  /// - Returns: The first transaction of the first day whose history is to stay.
  mutating func play(_ agenda: DemoAgenda) throws -> Int64 {
    var firstKept: Int64?
    for session in agenda.sessions(&random) {
      time =
        try calendar.timestamp(day: session.day, minute: session.minute)
        .secondsSinceReferenceDate * 1e6
      for act in session.acts {
        let position = try perform(act)
        if session.day >= DemoAgenda.firstKeptDay { firstKept = firstKept ?? position?.number }
      }
    }
    return firstKept ?? 1
  }

  private mutating func perform(_ act: DemoAgenda.Act) throws -> TransactionPosition? {
    switch act {
    case .addTrip(let trip): return try addTrip(trip)
    case .reschedule(let trip): return try reschedule(trip, by: .app)
    case .importDates(let trip): return try reschedule(trip, by: .calendarImport)
    case .addItems(let trip, let items, let writer):
      return try add(items, to: trip, by: writer)
    case .addStay(let trip):
      let plan = PlannedTrip.all[trip].stay
      return try addStay(at: plan.placeName, plan.address, to: trip)
    case .replaceStay(let trip):
      guard let former = stays[trip] else { return nil }
      return try addStay(
        at: "Station Hotel", "1 Station Square", to: trip, replacing: former)
    case .confirmStay(let trip):
      return try update(stays[trip], by: .widget, values: ["isConfirmed": .integer(1)])
    case .plan(let trip, let items): return try plan(present(trip, items), true)
    case .changePlans: return try plan(some(of: items.keys), Bool.random(using: &random))
    case .describe(let trip, let items): return try describe(present(trip, items))
    case .describeAny: return try describe(Array(some(of: items.keys).prefix(1)))
    case .reserve(let trip, let item):
      return try update(present(trip, [item]), by: .widget) { _, _ in
        ["hasReservation": .integer(1)]
      }
    case .moveItem(let trip, let item, let target):
      return try move(present(trip, [item]), to: target)
    case .dropItem(let trip, let item): return try drop(present(trip, [item]))
    case .deleteTrip(let trip, let writer): return try deleteTrip(trip, by: writer)
    case .touch(let trip): return try update(trips[trip], by: .widget, values: [:])
    case .refreshWeather:
      return try editor.appendHistory(DemoWriter.weather.header(at: nextTime()))
    }
  }

  // MARK: - Trips

  private mutating func addTrip(_ place: Int) throws -> TransactionPosition? {
    let plan = PlannedTrip.all[place]
    var save = save(.app)
    let trip = save.insert(
      "Trip",
      values: [
        "identifier": .blob(random.uuid()), "name": .text(plan.name),
        "destination": .text(plan.destination),
      ].merging(try dates(plan, shift: 0)) { $1 })
    let appended = try editor.append(save)
    trips[place] = appended?.stored(trip)
    return appended?.position
  }

  private mutating func reschedule(
    _ place: Int, by writer: DemoWriter
  ) throws -> TransactionPosition? {
    guard let trip = trips[place] else { return nil }
    let shift = Int.random(in: 1...4, using: &random)
    return try update(trip, by: writer, values: dates(PlannedTrip.all[place], shift: shift))
  }

  private func dates(_ plan: PlannedTrip, shift: Int) throws -> [String: StoredValue] {
    func midnight(_ day: Int) throws -> StoredValue {
      .real(try calendar.timestamp(day: day).secondsSinceReferenceDate)
    }
    let start = plan.startsIn + shift
    return ["startDate": try midnight(start), "endDate": try midnight(start + plan.dayCount - 1)]
  }

  private mutating func deleteTrip(
    _ place: Int, by writer: DemoWriter
  ) throws -> TransactionPosition? {
    guard let trip = trips.removeValue(forKey: place) else { return nil }
    stays[place] = nil
    items = items.filter { $0.value.trip != place }
    var save = save(writer)
    save.delete(trip)
    return try editor.append(save)?.position
  }

  private mutating func addStay(
    at placeName: String, _ address: String, to place: Int, replacing former: StoreObject? = nil
  ) throws -> TransactionPosition? {
    guard let trip = trips[place] else { return nil }
    var save = save(.app)
    if let former { save.delete(former) }
    let stay = save.insert(
      "LivingAccommodation",
      values: [
        "placeName": .text(placeName), "address": .text(address), "isConfirmed": .integer(0),
      ], toOne: ["trip": trip])
    let appended = try editor.append(save)
    stays[place] = appended?.stored(stay)
    return appended?.position
  }

  // MARK: - Items

  private mutating func add(
    _ places: [Int], to trip: Int, by writer: DemoWriter
  ) throws -> TransactionPosition? {
    guard let object = trips[trip] else { return nil }
    var save = save(writer)
    var added: [(place: Int, object: StoreObject)] = []
    for place in places where PlannedTrip.all[trip].items.indices.contains(place) {
      let item = PlannedTrip.all[trip].items[place]
      let inserted = save.insert(
        "BucketListItem",
        values: [
          "title": .text(item.title), "details": .text(item.details),
          "hasReservation": .integer(0), "isInPlan": .integer(0),
        ], toOne: ["trip": object])
      added.append((place, inserted))
    }
    let appended = try editor.append(save)
    for (place, object) in added {
      items[ItemPlace(trip: trip, item: place)] = appended?.stored(object).map {
        OwnedItem(object: $0, trip: trip)
      }
    }
    return appended?.position
  }

  private mutating func plan(
    _ places: [ItemPlace], _ isInPlan: Bool
  ) throws -> TransactionPosition? {
    try update(places, by: .app) { _, _ in ["isInPlan": .integer(isInPlan ? 1 : 0)] }
  }

  private mutating func describe(_ places: [ItemPlace]) throws -> TransactionPosition? {
    try update(places, by: .server) { place, random in
      let remark = Self.remarks.randomElement(using: &random) ?? ""
      let details = PlannedTrip.all[place.trip].items[place.item].details
      return ["details": .text("\(details); \(remark)")]
    }
  }

  private mutating func move(_ places: [ItemPlace], to trip: Int) throws -> TransactionPosition? {
    guard let target = trips[trip] else { return nil }
    var save = save(.app)
    for place in places {
      if let item = items[place] { save.update(item.object, toOne: ["trip": target]) }
      items[place]?.trip = trip
    }
    return try editor.append(save)?.position
  }

  private mutating func drop(_ places: [ItemPlace]) throws -> TransactionPosition? {
    var save = save(.app)
    for place in places {
      if let item = items.removeValue(forKey: place) { save.delete(item.object) }
    }
    return try editor.append(save)?.position
  }

  /// Returns those of some items that are in the store.
  private func present(_ trip: Int, _ places: [Int]) -> [ItemPlace] {
    places.map { ItemPlace(trip: trip, item: $0) }.filter { items[$0] != nil }
  }

  /// Returns one to three items, if there are any.
  private mutating func some(of places: some Collection<ItemPlace>) -> [ItemPlace] {
    // Sorted, because the order of a dictionary differs in every run.
    let sorted = places.sorted { ($0.trip, $0.item) < ($1.trip, $1.item) }
    let count = Int.random(in: 1...3, using: &random)
    return Array(sorted.shuffled(using: &random).prefix(count))
  }

  // MARK: - Saving

  private mutating func update(
    _ object: StoreObject?, by writer: DemoWriter, values: [String: StoredValue]
  ) throws -> TransactionPosition? {
    guard let object else { return nil }
    var save = save(writer)
    save.update(object, values: values)
    return try editor.append(save)?.position
  }

  private mutating func update(
    _ places: [ItemPlace], by writer: DemoWriter,
    values: (ItemPlace, inout DemoRandom) -> [String: StoredValue]
  ) throws -> TransactionPosition? {
    var save = save(writer)
    for place in places {
      if let item = items[place] { save.update(item.object, values: values(place, &random)) }
    }
    return try editor.append(save)?.position
  }

  private mutating func save(_ writer: DemoWriter) -> StoreSave {
    var save = StoreSave()
    save.header = writer.header(at: nextTime())
    return save
  }

  /// Returns a time some seconds after the previous save.
  private mutating func nextTime() -> StoreTimestamp {
    time += Double(Int.random(in: 7_000_000..<80_000_000, using: &random))
    return StoreTimestamp(secondsSinceReferenceDate: time / 1e6)
  }
}

/// The origins of saves in the sample store.
enum DemoWriter {
  case app
  /// The app's import from the calendar, which sets no author.
  case calendarImport
  /// The app's refresh of the weather, whose entity has left the model since.
  case weather
  /// The widget, which confirms reservations.
  case widget
  /// The app's server, with changes from other devices.
  case server

  func header(at timestamp: StoreTimestamp) -> TransactionHeader {
    let (author, context): (String?, String?) =
      switch self {
      case .app: ("app", nil)
      case .calendarImport: (nil, "calendar-import")
      case .weather: (nil, "weather-refresh")
      case .widget: ("widget", nil)
      case .server: ("server-sync", nil)
      }
    let isWidget = self == .widget
    return TransactionHeader(
      author: author,
      bundle: isWidget ? "com.example.SampleTrips.TripsWidget" : "com.example.SampleTrips",
      process: isWidget ? "TripsWidget" : "SampleTrips", context: context, timestamp: timestamp)
  }
}
