import DurableFiles
import PersistentHistory
import StoreFormat
import Terminal

/// A style of times in text.
enum TimeStyle: String, WordArgument {
  case local, utc, relative, raw
}

/// Writes times in text.
struct TimeText {
  /// Whether times have microseconds and their offset from UTC, during a run.
  @TaskLocal static var isPrecise = false

  let style: TimeStyle
  let now: StoreTimestamp

  /// Returns a time in the style; a time outside the calendar is written as stored.
  func text(_ timestamp: StoreTimestamp?) -> String {
    guard let timestamp else { return "-" }
    let raw = "\(timestamp.secondsSinceReferenceDate)"
    switch style {
    case .raw: return raw
    case .utc: return Self.universal(timestamp) ?? raw
    case .relative: return relative(timestamp)
    case .local where Self.isPrecise: return Self.preciseLocal(timestamp) ?? raw
    case .local: return LocalTime(timestamp)?.description ?? raw
    }
  }

  /// Returns the cell of a table; on a narrow terminal the seconds are left out.
  func cell(_ timestamp: StoreTimestamp?) -> TableCell {
    let text = text(timestamp)
    guard let timestamp, !Self.isPrecise else { return TableCell(text) }
    switch style {
    case .local where LocalTime(timestamp) != nil: return TableCell(text, compact: minute(text))
    case .utc where Self.universal(timestamp) != nil:
      return TableCell(text, compact: minute(text.dropLast()) + "Z")
    default: return TableCell(text)
    }
  }

  /// Removes the seconds after the last colon.
  private func minute(_ time: some StringProtocol) -> String {
    time.lastIndex(of: ":").map { String(time[..<$0]) } ?? String(time)
  }

  /// Returns a time in the style, and how long ago it is.
  func fullText(_ timestamp: StoreTimestamp?) -> String {
    guard let timestamp else { return "-" }
    return switch style {
    case .raw, .relative: text(timestamp)
    case .utc: "\(text(timestamp)) (\(relative(timestamp)))"
    case .local where Self.isPrecise: "\(text(timestamp)) (\(relative(timestamp)))"
    case .local:
      "\(text(timestamp))\(LocalTime(timestamp).map { " " + TimeText.offset($0) } ?? "") "
        + "(\(relative(timestamp)))"
    }
  }

  /// Returns a time in UTC: cut to the second, or rounded to microseconds as in JSON if times are precise.
  static func universal(_ timestamp: StoreTimestamp) -> String? {
    isPrecise ? timestamp.iso8601() : timestamp.iso8601Second
  }

  /// Returns the time of the local clock, rounded to microseconds as in JSON.
  private static func preciseLocal(_ timestamp: StoreTimestamp) -> String? {
    guard let time = timestamp.iso8601(),
      let microseconds = timestamp.unixMicroseconds, let end = time.firstIndex(of: "Z")
    else { return nil }
    let fraction = time[..<end].suffix(7)
    let second = (Double(microseconds) / 1e6).rounded(.down)
    return LocalTime(StoreTimestamp(unixSeconds: second)).map { "\($0)\(fraction) \(offset($0))" }
  }

  private func relative(_ timestamp: StoreTimestamp) -> String {
    RelativeTime.describe(
      secondsAgo: now.secondsSinceReferenceDate - timestamp.secondsSinceReferenceDate)
  }

  private static func offset(_ time: LocalTime) -> String {
    let minutes = abs(time.offsetSeconds) / 60
    return "\(time.offsetSeconds < 0 ? "-" : "+")\(CivilDate.twoDigits(minutes / 60))"
      + CivilDate.twoDigits(minutes % 60)
  }
}
