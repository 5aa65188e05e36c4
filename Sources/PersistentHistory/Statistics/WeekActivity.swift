import StoreFormat

/// Activity by weekday and hour of the day.
package struct WeekActivity: Hashable, Sendable {
  /// One hour of one weekday.
  package struct Hour: Hashable, Sendable {
    /// 1 for Monday to 7 for Sunday.
    package let weekday: Int
    /// 0 to 23.
    package let hour: Int
    package let activity: Activity

    /// The name: the first letters of the weekday and the hour, such as `Mon 09`.
    package var name: String {
      "\(WeekActivity.weekdays[weekday - 1]) \(CivilDate.twoDigits(hour))"
    }
  }

  /// The first letters of the weekdays.
  package static let weekdays = ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"]

  private var activities = [Activity](repeating: Activity(), count: 7 * 24)
  /// The hour of the last time, which is mostly that of the next one too.
  private var current: HistoryPeriod?

  init() {}

  /// The hours with activity, from Monday on.
  package var hours: [Hour] {
    activities.indices.filter { !activities[$0].isEmpty }.map {
      Hour(weekday: $0 / 24 + 1, hour: $0 % 24, activity: activities[$0])
    }
  }

  /// Returns a count of each of the 168 hours.
  package func counts(_ count: (Activity) -> Int64) -> [Int64] { activities.map(count) }

  /// Returns the activity of a weekday, 1 for Monday, in each of its 24 hours.
  package func hours(ofWeekday weekday: Int) -> ArraySlice<Activity> {
    activities[(weekday - 1) * 24..<weekday * 24]
  }

  /// Counts the activity of a moment on a clock.
  mutating func add(_ activity: Activity, at time: StoreTimestamp, _ clock: PeriodClock) {
    if current.map({ time < $0.start || $0.end <= time }) ?? true {
      current = clock.period(.hour, containing: time)
    }
    guard let current else { return }
    add(activity, atHour: (current.date.weekday - 1) * 24 + current.hour)
  }

  /// Adds the activity of another history.
  mutating func add(_ other: WeekActivity) {
    for (hour, activity) in other.activities.enumerated() { add(activity, atHour: hour) }
  }

  /// Counts activity in an hour of the week, from Monday on.
  mutating func add(_ activity: Activity, atHour hour: Int) { activities[hour] += activity }
}
