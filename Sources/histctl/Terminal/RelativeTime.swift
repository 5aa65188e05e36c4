/// How long ago something was, in a few characters: "42 s ago", "5 w ago", "in 3 h".
enum RelativeTime {
  private static let minute = 60.0
  private static let hour = 3600.0
  private static let day = 86_400.0
  private static let week = 7 * day
  /// The mean year of the Gregorian calendar, and a twelfth of it.
  private static let year = 365.2425 * day
  private static let month = year / 12

  /// Describes a difference in seconds: positive for the past, negative for the future.
  ///
  /// Units change late enough for the number to be telling (35 h, then 1 d; 13 d, then 2 w), and
  /// numbers are rounded towards now. Stored times are anything at all, so there is a word for
  /// each: "unknown" where it is not a number, "long ago" and "far in the future" past 9999 years.
  static func describe(secondsAgo seconds: Double) -> String {
    guard !seconds.isNaN else { return "unknown" }
    let distance = abs(seconds)
    if distance < 5 { return "just now" }
    guard distance < 10_000 * year else { return seconds > 0 ? "long ago" : "far in the future" }

    let (size, unit) =
      switch distance {
      case ..<minute: (1.0, "s")
      case ..<hour: (minute, "min")
      case ..<(36 * hour): (hour, "h")
      case ..<(2 * week): (day, "d")
      case ..<(10 * week): (week, "w")
      case ..<(2 * year): (month, "mo")
      default: (year, "y")
      }
    let text = "\(Int(distance / size)) \(unit)"
    return seconds > 0 ? "\(text) ago" : "in \(text)"
  }
}
