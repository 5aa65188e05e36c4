import StoreFormat

/// The story does not fit into the calendar: it would begin or end outside the years 1 to 9999.
package struct DemoError: Error, Hashable, Sendable {
  /// The day that it was to end on.
  package let lastDay: CivilDate

  /// What is wrong.
  package var message: String {
    "a history that ends in the year \(lastDay.year) leaves the years 1 to 9999"
  }

  /// What to do about it.
  package var remedy: String { "choose a day in the years 2 to 9990" }
}
