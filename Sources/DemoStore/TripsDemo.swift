import StoreEditing
import StoreFormat

/// A small store with a lively history, to try programs on.
///
/// It is the store of an app that plans trips, with its widget and what its server sends from other
/// devices, in the layout of the frameworks. Its history tells six weeks; the week before was
/// deleted, as apps do with old history. The same last day in the same time zone makes the same
/// bytes, another one another store with another identifier.
package struct TripsDemo: Sendable {
  private let calendar: DemoCalendar

  /// The store whose history ends on a day of the local calendar.
  ///
  /// - Throws: ``DemoError`` where the story does not fit into the calendar.
  package init(lastDay: CivilDate) throws(DemoError) {
    calendar = DemoCalendar(lastDay: lastDay)
    let farthest = PlannedTrip.all.map { $0.startsIn + $0.dayCount }.max() ?? 0
    _ = try calendar.timestamp(day: DemoAgenda.firstDay)
    // Trips are put off by some days.
    _ = try calendar.timestamp(day: farthest + 7)
  }

  /// Writes the store as one file.
  ///
  /// - Parameter path: Where nothing is yet. When this throws, a part of the store may be left there;
  ///   ``/StoreEditing/StoreDraft`` takes care of that.
  /// - Throws: ``/StoreEditing/StoreWriteError``.
  package func write(to path: String) throws {
    let end = try calendar.timestamp(day: 0)
    var random = DemoRandom(seed: end.secondsSinceReferenceDate.bitPattern)
    try StoreCreator.create(
      at: path, model: DemoModel.model,
      options: .init(identifier: StoreIdentifier.random(using: &random)))
    let editor = try StoreEditor(path: path, durability: .whenClosed)
    // The story is the same on every day, only its dates are not.
    var teller = DemoTeller(editor: editor, calendar: calendar, random: DemoRandom(seed: 2024))
    let firstKept = try teller.play(DemoAgenda())
    try editor.deleteHistory(before: firstKept)
    try editor.close()
  }
}
