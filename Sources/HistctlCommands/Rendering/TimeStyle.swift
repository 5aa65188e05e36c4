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
  let style: TimeStyle
  let now: StoreTimestamp

  /// Returns a time in the style; a time outside the calendar is written as stored.
  func text(_ timestamp: StoreTimestamp?) -> String {
    guard let timestamp else { return "-" }
    let raw = "\(timestamp.secondsSinceReferenceDate)"
    switch style {
    case .raw: return raw
    case .utc: return timestamp.iso8601Second ?? raw
    case .relative: return relative(timestamp)
    case .local: return LocalTime(timestamp)?.description ?? raw
    }
  }

  /// Returns a time in the style, and how long ago it is.
  func fullText(_ timestamp: StoreTimestamp?) -> String {
    guard let timestamp else { return "-" }
    return switch style {
    case .raw, .relative: text(timestamp)
    case .utc: "\(text(timestamp)) (\(relative(timestamp)))"
    case .local:
      "\(text(timestamp))\(LocalTime(timestamp).map { " " + TimeText.offset($0) } ?? "") "
        + "(\(relative(timestamp)))"
    }
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
