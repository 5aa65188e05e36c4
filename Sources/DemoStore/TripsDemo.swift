import StoreEditing
import StoreFormat
import StoreWriting

/// A small store with a lively history, for trying out commands.
///
/// It is the store of an app that plans trips, with saves of its widget and of a server, in the layout of
/// the frameworks. Its history covers six weeks; the week before was deleted, as apps do with old
/// history. The same last day in the same time zone always gives the same bytes, and another last day
/// gives another store with another identifier.
package struct TripsDemo: Sendable {
  private let calendar: DemoCalendar

  /// Creates a story that ends on a day of the local calendar.
  ///
  /// - Throws: ``DemoError`` if a day of the story is outside the calendar.
  package init(lastDay: CivilDate) throws(DemoError) {
    calendar = DemoCalendar(lastDay: lastDay)
    let farthest = PlannedTrip.all.map { $0.startsIn + $0.dayCount }.max() ?? 0
    _ = try calendar.timestamp(day: DemoAgenda.firstDay)
    // Trips are postponed by up to a week.
    _ = try calendar.timestamp(day: farthest + 7)
  }

  /// Writes the store as one file.
  ///
  /// - Parameter path: The new file. A partial store may be left there after an error;
  ///   ``/StoreTransactions/StoreDraft`` removes it.
  /// - Throws: ``/StoreTransactions/StoreWriteError``.
  package func write(to path: String) throws {
    let end = try calendar.timestamp(day: 0)
    var random = DemoRandom(seed: end.secondsSinceReferenceDate.bitPattern)
    try StoreCreator.create(
      at: path, model: DemoModel.model,
      identifier: StoreIdentifier.random(using: &random))
    let editor = try StoreEditor(path: path, durability: .whenClosed)
    // The story is always the same, only its dates differ.
    var teller = DemoTeller(editor: editor, calendar: calendar, random: DemoRandom(seed: 2024))
    let firstKept = try teller.play(DemoAgenda())
    _ = try editor.inTransaction { try $0.deleteHistory(before: firstKept) }
    try editor.close()
  }
}

/// A day of the story is outside the years 1 to 9999.
package struct DemoError: Error, Hashable, Sendable {
  let lastDay: CivilDate

  package var message: String {
    "a history that ends in the year \(lastDay.year) leaves the years 1 to 9999"
  }

  package var remedy: String { "choose a day in the years 2 to 9990" }
}

/// The days of the story, counted from its last one, on the local clock.
struct DemoCalendar {
  let lastDay: CivilDate

  /// Returns the moment at which clocks show a time of a day.
  ///
  /// - Parameters:
  ///   - day: Days after the last one; negative before it.
  ///   - minute: Minutes after midnight, 0 to 1439.
  func timestamp(day: Int, minute: Int = 0) throws(DemoError) -> StoreTimestamp {
    guard let date = lastDay.adding(days: day),
      let time = LocalTime(date: date, hour: minute / 60, minute: minute % 60, second: 0)
    else { throw DemoError(lastDay: lastDay) }
    return time.timestamp
  }
}

/// A generator whose numbers depend on the seed only (SplitMix64).
struct DemoRandom: RandomNumberGenerator {
  private var state: UInt64

  init(seed: UInt64) { state = seed }

  mutating func next() -> UInt64 {
    state &+= 0x9e37_79b9_7f4a_7c15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xbf58_476d_1ce4_e5b9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94d0_49bb_1331_11eb
    return mixed ^ (mixed >> 31)
  }

  /// Returns the 16 bytes of a UUID of version 4.
  mutating func uuid() -> [UInt8] {
    var bytes = [next(), next()].flatMap { word in
      withUnsafeBytes(of: word.bigEndian) { Array($0) }
    }
    StoreIdentifier.markRandom(&bytes)
    return bytes
  }
}
