import DurableFiles
import PersistentHistory
import StoreFormat
import Terminal

/// How times are written for people.
enum TimeStyle: String, WordArgument {
  case local, utc, relative, raw

  /// The style that a command line asks for, for messages on what has ended it.
  init(of arguments: [String]) {
    let option = "--date"
    let places = arguments.indices.filter { arguments[$0].hasPrefix(option) }
    let words = places.compactMap { place -> String? in
      if arguments[place].hasPrefix(option + "=") {
        return String(arguments[place].dropFirst(option.count + 1))
      }
      return arguments[place] == option && place + 1 < arguments.endIndex
        ? arguments[place + 1] : nil
    }
    self = words.last.flatMap(Self.init) ?? .local
  }
}

/// Writes times for people.
struct TimeText {
  let style: TimeStyle
  let now: StoreTimestamp

  /// A time in the style that was asked for; a time that no calendar has is written as stored.
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

  /// A time in full: in the style, and how long ago that is.
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
