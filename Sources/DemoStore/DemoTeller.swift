import StoreEditing
import StoreFormat

/// Plays the story into a store, save by save.
struct DemoTeller {
  private let editor: StoreEditor
  private let calendar: DemoCalendar
  private var random: DemoRandom
  /// What is in the store, by the places of the planned trips and items.
  private var trips: [Int: StoreObject] = [:]
  private var stays: [Int: StoreObject] = [:]
  private var items: [ItemPlace: OwnedItem] = [:]
  /// Microseconds since 2001-01-01T00:00:00Z, which clocks of devices count.
  private var time = 0.0

  /// An item by the place of its planned trip, whichever trip it belongs to now, and its own.
  private struct ItemPlace: Hashable {
    let trip: Int
    let item: Int
  }

  private struct OwnedItem {
    let object: StoreObject
    var trip: Int
  }

  /// What people and servers add to a description.
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
    case .addTrip(let trip): try addTrip(trip)
    case .reschedule(let trip): try reschedule(trip, by: .app)
    case .importDates(let trip): try reschedule(trip, by: .calendarImport)
    case .addItems(let trip, let items, let writer): try add(items, to: trip, by: writer)
    case .addStay(let trip): try addStay(trip)
    case .replaceStay(let trip): try replaceStay(trip)
    case .confirmStay(let trip): try confirmStay(trip)
    case .plan(let trip, let items): try plan(present(trip, items), true)
    case .changePlans: try plan(some(of: items.keys), Bool.random(using: &random))
    case .describe(let trip, let items): try describe(present(trip, items))
    case .describeAny: try describe(Array(some(of: items.keys).prefix(1)))
    case .reserve(let trip, let item): try reserve(present(trip, [item]))
    case .moveItem(let trip, let item, let target): try move(present(trip, [item]), to: target)
    case .dropItem(let trip, let item): try drop(present(trip, [item]))
    case .deleteTrip(let trip, let writer): try deleteTrip(trip, by: writer)
    case .touch(let trip): try touch(trip)
    case .refreshWeather:
      try editor.appendHistory(HistoryRecord(header: DemoWriter.weather.header(at: nextTime())))
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
    return try append(save) { teller, appended in
      teller.trips[place] = appended.stored(trip)
    }
  }

  private mutating func reschedule(
    _ place: Int, by writer: DemoWriter
  ) throws -> TransactionPosition? {
    guard let trip = trips[place] else { return nil }
    let shift = Int.random(in: 1...4, using: &random)
    var save = save(writer)
    save.update(trip, values: try dates(PlannedTrip.all[place], shift: shift))
    return try append(save)
  }

  private func dates(_ plan: PlannedTrip, shift: Int) throws -> [String: StoredValue] {
    func midnight(_ day: Int) throws -> StoredValue {
      .real(try calendar.timestamp(day: day).secondsSinceReferenceDate)
    }
    let start = plan.startsIn + shift
    return ["startDate": try midnight(start), "endDate": try midnight(start + plan.dayCount - 1)]
  }

  private mutating func touch(_ place: Int) throws -> TransactionPosition? {
    guard let trip = trips[place] else { return nil }
    var save = save(.widget)
    save.update(trip)
    return try append(save)
  }

  private mutating func deleteTrip(
    _ place: Int, by writer: DemoWriter
  ) throws -> TransactionPosition? {
    guard let trip = trips.removeValue(forKey: place) else { return nil }
    stays[place] = nil
    items = items.filter { $0.value.trip != place }
    var save = save(writer)
    save.delete(trip)
    return try append(save)
  }

  // MARK: - Where one stays

  private mutating func addStay(_ place: Int) throws -> TransactionPosition? {
    guard let trip = trips[place] else { return nil }
    let plan = PlannedTrip.all[place].stay
    var save = save(.app)
    let stay = save.insert(
      "LivingAccommodation",
      values: [
        "placeName": .text(plan.placeName), "address": .text(plan.address),
        "isConfirmed": .integer(0),
      ], toOne: ["trip": trip])
    return try append(save) { teller, appended in
      teller.stays[place] = appended.stored(stay)
    }
  }

  private mutating func replaceStay(_ place: Int) throws -> TransactionPosition? {
    guard let trip = trips[place], let former = stays[place] else { return nil }
    var save = save(.app)
    save.delete(former)
    let stay = save.insert(
      "LivingAccommodation",
      values: [
        "placeName": .text("Station Hotel"), "address": .text("1 Station Square"),
        "isConfirmed": .integer(0),
      ], toOne: ["trip": trip])
    return try append(save) { teller, appended in
      teller.stays[place] = appended.stored(stay)
    }
  }

  private mutating func confirmStay(_ place: Int) throws -> TransactionPosition? {
    guard let stay = stays[place] else { return nil }
    var save = save(.widget)
    save.update(stay, values: ["isConfirmed": .integer(1)])
    return try append(save)
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
    return try append(save) { teller, appended in
      for (place, object) in added {
        teller.items[ItemPlace(trip: trip, item: place)] = appended.stored(object).map {
          OwnedItem(object: $0, trip: trip)
        }
      }
    }
  }

  private mutating func plan(_ places: [ItemPlace], _ isInPlan: Bool) throws -> TransactionPosition?
  {
    var save = save(.app)
    for place in places {
      if let item = items[place] {
        save.update(item.object, values: ["isInPlan": .integer(isInPlan ? 1 : 0)])
      }
    }
    return try append(save)
  }

  private mutating func describe(_ places: [ItemPlace]) throws -> TransactionPosition? {
    var save = save(.server)
    for place in places {
      let remark = Self.remarks.randomElement(using: &random) ?? ""
      let details = PlannedTrip.all[place.trip].items[place.item].details
      if let item = items[place] {
        save.update(item.object, values: ["details": .text("\(details); \(remark)")])
      }
    }
    return try append(save)
  }

  private mutating func reserve(_ places: [ItemPlace]) throws -> TransactionPosition? {
    var save = save(.widget)
    for place in places {
      if let item = items[place] {
        save.update(item.object, values: ["hasReservation": .integer(1)])
      }
    }
    return try append(save)
  }

  private mutating func move(_ places: [ItemPlace], to trip: Int) throws -> TransactionPosition? {
    guard let target = trips[trip] else { return nil }
    var save = save(.app)
    for place in places {
      if let item = items[place] { save.update(item.object, toOne: ["trip": target]) }
      items[place]?.trip = trip
    }
    return try append(save)
  }

  private mutating func drop(_ places: [ItemPlace]) throws -> TransactionPosition? {
    var save = save(.app)
    for place in places {
      if let item = items.removeValue(forKey: place) { save.delete(item.object) }
    }
    return try append(save)
  }

  /// Those of some items that are there.
  private func present(_ trip: Int, _ places: [Int]) -> [ItemPlace] {
    places.map { ItemPlace(trip: trip, item: $0) }.filter { items[$0] != nil }
  }

  /// One to three items, if there are any.
  private mutating func some(of places: some Collection<ItemPlace>) -> [ItemPlace] {
    // In an order of their own: that of a dictionary is another one in every run.
    let sorted = places.sorted { ($0.trip, $0.item) < ($1.trip, $1.item) }
    let count = Int.random(in: 1...3, using: &random)
    return Array(sorted.shuffled(using: &random).prefix(count))
  }

  // MARK: - Saving

  private mutating func save(_ writer: DemoWriter) -> StoreSave {
    let header = writer.header(at: nextTime())
    return StoreSave(
      author: header.author, bundle: header.bundle, process: header.process,
      context: header.context, timestamp: header.timestamp)
  }

  private mutating func append(
    _ save: StoreSave, then note: (inout DemoTeller, AppendedTransaction) -> Void = { _, _ in }
  ) throws -> TransactionPosition? {
    guard let appended = try editor.append(save) else { return nil }
    note(&self, appended)
    return appended.position
  }

  /// Some seconds after the save before.
  private mutating func nextTime() -> StoreTimestamp {
    time += Double(Int.random(in: 7_000_000..<80_000_000, using: &random))
    return StoreTimestamp(secondsSinceReferenceDate: time / 1e6)
  }
}
