import StoreFormat

/// The days of the story, counted from its last one, on the local clock.
struct DemoCalendar {
  /// The day with the number 0.
  let lastDay: CivilDate

  /// The moment at which clocks show a time of a day.
  ///
  /// - Parameters:
  ///   - day: Days after the last one; negative before it.
  ///   - minute: Minutes after midnight, 0 to 1439.
  /// - Throws: ``DemoError``.
  func timestamp(day: Int, minute: Int = 0) throws(DemoError) -> StoreTimestamp {
    guard let date = lastDay.adding(days: day),
      let time = LocalTime(date: date, hour: minute / 60, minute: minute % 60, second: 0)
    else { throw DemoError(lastDay: lastDay) }
    return time.timestamp
  }
}
