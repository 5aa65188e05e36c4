import StoreFormat

/// The story does not fit into the calendar: it would begin or end outside the years 1 to 9999.
public struct DemoError: Error, Hashable, Sendable {
  /// The day that it was to end on.
  public let lastDay: CivilDate

  /// What is wrong.
  public var message: String {
    "a history that ends in the year \(lastDay.year) leaves the years 1 to 9999"
  }

  /// What to do about it.
  public var remedy: String { "choose a day in the years 2 to 9990" }
}
