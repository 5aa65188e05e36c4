/// The saves of the story and their times, in order.
struct DemoAgenda {
  /// One save. Trips and items are given by their indices among the planned ones; an act whose objects do
  /// not exist at its time is skipped.
  enum Act {
    case addTrip(Int)
    case reschedule(Int)
    case addItems(Int, [Int], by: DemoWriter)
    case addStay(Int)
    case replaceStay(Int)
    case confirmStay(Int)
    case plan(Int, [Int])
    case changePlans
    case describe(Int, [Int])
    case describeAny
    case reserve(Int, Int)
    case moveItem(Int, Int, to: Int)
    case dropItem(Int, Int)
    case importDates(Int)
    case deleteTrip(Int, by: DemoWriter)
    /// An update of an object without any attribute.
    case touch(Int)
    /// A transaction whose changes were of an entity that has left the model.
    case refreshWeather
  }

  /// A time of day, in minutes.
  enum Slot: Int, CaseIterable {
    case morning = 425
    case commute = 495
    case noon = 730
    case afternoon = 930
    case evening = 1160
    case night = 1290
  }

  /// Acts in quick succession.
  struct Session {
    /// Days after the last one, so 0 or less.
    let day: Int
    let minute: Int
    let acts: [Act]
  }

  /// The first day: the story has seven weeks, of which the first is deleted.
  static let firstDay = -48
  /// The first day whose history stays.
  static let firstKeptDay = -41

  /// The days on which trips are added.
  private static let ideas = [-48, -47, -45, -42, -38, -35, -30, -26, -22, -18, -13, -9, -5, -2]

  private var acts: [Int: [Slot: [Act]]] = [:]

  init() {
    addDailyLife()
    for (trip, day) in Self.ideas.enumerated() { addTrip(trip, thoughtOfOn: day) }
    addTurns()
    addLastDay()
  }

  /// Returns the sessions in order, with random minutes.
  func sessions(_ random: inout DemoRandom) -> [Session] {
    var sessions: [Session] = []
    for day in Self.firstDay...0 {
      for slot in Slot.allCases {
        let minute = slot.rawValue + Int.random(in: 0..<40, using: &random)
        guard let acts = acts[day]?[slot] else { continue }
        sessions.append(Session(day: day, minute: minute, acts: acts))
      }
    }
    return sessions
  }

  private mutating func at(_ day: Int, _ slot: Slot, _ acts: Act...) {
    guard (Self.firstDay...0).contains(day) else { return }
    self.acts[day, default: [:]][slot, default: []] += acts
  }

  private mutating func addDailyLife() {
    for day in Self.firstDay...0 {
      at(day, .evening, .changePlans)
      if day.isMultiple(of: 2) { at(day, .morning, .describeAny) }
      if day.isMultiple(of: 3) { at(day, .afternoon, .changePlans) }
    }
    for day in [-44, -40, -37, -33, -30] { at(day, .morning, .refreshWeather) }
  }

  /// Adds the acts that every trip has.
  private mutating func addTrip(_ trip: Int, thoughtOfOn day: Int) {
    at(day, .evening, .addTrip(trip), .reschedule(trip), .addItems(trip, [0, 1], by: .app))
    at(day + 1, .morning, .addItems(trip, [2], by: .server))
    at(
      day + 1, .evening, .addItems(trip, [3], by: .app), .addItems(trip, [4], by: .app),
      .plan(trip, [0]))
    at(day + 2, .evening, .addStay(trip))
    at(day + 3, .commute, .confirmStay(trip))
    at(day + 3, .night, .touch(trip))
    at(day + 4, .noon, .plan(trip, [1, 3]))
    at(day + 4, .afternoon, .describe(trip, [1, 2]))
    at(day + 5, .commute, .reserve(trip, 0))
    at(day + 7, .evening, .reschedule(trip))
    at(day + 7, .night, .importDates(trip))
    at(day + 9, .commute, .reserve(trip, 3))
    at(day + 10, .evening, .addItems(trip, [5], by: .app))
    at(day + 12, .morning, .describe(trip, [4]))
    at(day + 14, .evening, .dropItem(trip, 2))
    at(day + 16, .noon, .reserve(trip, 4))
  }

  private mutating func addTurns() {
    at(-24, .evening, .moveItem(2, 5, to: 5))
    at(-16, .evening, .deleteTrip(1, by: .app))
    at(-15, .evening, .replaceStay(3))
    at(-11, .morning, .deleteTrip(4, by: .server))
    at(-7, .noon, .dropItem(9, 4))
    at(-1, .afternoon, .replaceStay(10))
    at(-1, .evening, .moveItem(11, 3, to: 8))
  }

  /// Adds the last day, which is what `log` shows first.
  private mutating func addLastDay() {
    at(0, .commute, .reserve(12, 0))
    at(0, .noon, .reserve(13, 1))
    at(0, .night, .importDates(13), .deleteTrip(6, by: .app), .plan(12, [2]), .confirmStay(13))
    at(0, .night, .describe(13, [0, 3]))
  }
}
