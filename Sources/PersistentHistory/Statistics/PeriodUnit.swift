/// The length of the periods into which activity is divided.
public enum PeriodUnit: String, CaseIterable, Hashable, Sendable {
  /// From a full hour on the clock to the next.
  case hour
  /// A day of the calendar, which has 23 or 25 hours where the clocks change.
  case day
  /// From Monday to Sunday.
  case week
  /// A month of the calendar.
  case month

  /// The unit that divides a span of time into a number of periods that a person can look over:
  /// hours for two days, days for a quarter, weeks for two years, else months.
  package init(forSpanOf seconds: Double) {
    let day = 86_400.0
    self =
      switch seconds {
      case ...(2 * day): .hour
      case ...(92 * day): .day
      case ...(731 * day): .week
      default: .month
      }
  }

  /// The longest span of time that is divided by this unit, in seconds; nil for any.
  ///
  /// Days, weeks and months of all the times that count are few; the hours would fill memory.
  var longestSpan: Double? { self == .hour ? 50_000 * 3600 : nil }
}
