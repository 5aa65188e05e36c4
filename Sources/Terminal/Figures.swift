/// A number of bytes, shown in binary units: "1.5 KiB".
package struct ByteCount: CustomStringConvertible, Sendable, Equatable {
  private static let units = ["B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"]

  /// The number of bytes; negative where something shrank.
  package var bytes: Int64

  /// Wraps a number of bytes.
  package init(_ bytes: Int64) {
    self.bytes = bytes
  }

  /// The number with one decimal, rounded to nearest, and its unit; bytes have no decimal.
  package var description: String {
    let sign = bytes < 0 ? "-" : ""
    let magnitude = bytes.magnitude
    if magnitude < 1024 { return "\(sign)\(magnitude) B" }

    var unit = 0
    var shift: UInt64 = 0
    var tenths: UInt64 = 0
    repeat {
      unit += 1
      shift += 10
      let whole = magnitude >> shift
      // The remainder is below 2 to the 60th, so ten times it fits.
      let remainder = magnitude & ((1 << shift) - 1)
      tenths = whole * 10 + (remainder * 10 + (1 << (shift - 1))) >> shift
      // 1023.95 KiB would be shown as "1024.0 KiB"; it is "1.0 MiB".
    } while tenths >= 10_240 && unit < Self.units.count - 1
    return "\(sign)\(tenths / 10).\(tenths % 10) \(Self.units[unit])"
  }
}

extension BinaryInteger {
  /// The number with a comma before every three digits: "1,680,000".
  package var grouped: String {
    let digits = String(magnitude)
    var text = self < 0 ? "-" : ""
    for (position, digit) in digits.enumerated() {
      if position > 0 && (digits.count - position).isMultiple(of: 3) { text += "," }
      text.append(digit)
    }
    return text
  }

  package func counted(_ noun: String) -> String { "\(grouped) \(noun)\(self == 1 ? "" : "s")" }
}

/// A number with its significant digits: "0.04", "7.2", "1,204".
package enum RateText {
  /// Returns the number with at most three significant digits.
  package static func describe(_ value: Double) -> String {
    guard value.isFinite, value.magnitude < 1e15 else { return "-" }
    if value > 0, value < 0.005 { return "under 0.01" }
    if value.magnitude >= 99.95 { return Int64(value.rounded()).grouped }
    let digits = value.magnitude >= 9.995 || value == 0 ? 1 : 2
    let scale: Int64 = digits == 1 ? 10 : 100
    let scaled = Int64((value * Double(scale)).rounded())
    let fraction = String((scaled.magnitude % UInt64(scale)))
    let padded = String(repeating: "0", count: digits - fraction.count) + fraction
    let trimmed = padded.trimmingZeros
    return "\(scaled < 0 ? "-" : "")\(scaled.magnitude / UInt64(scale))"
      + (trimmed.isEmpty ? "" : "." + trimmed)
  }
}

extension String {
  fileprivate var trimmingZeros: String {
    var text = self
    while text.last == "0" { text.removeLast() }
    return text
  }
}

/// How long ago something was, in a few characters: "42 s ago", "5 w ago", "in 3 h".
package enum RelativeTime {
  private static let minute = 60.0
  private static let hour = 3600.0
  private static let day = 86_400.0
  private static let week = 7 * day
  /// The mean year of the Gregorian calendar, and a twelfth of it.
  private static let year = 365.2425 * day
  private static let month = year / 12

  /// Describes a difference in seconds: positive for the past, negative for the future.
  ///
  /// Units change late enough for a precise number (35 h, then 1 d; 13 d, then 2 w), and numbers are rounded
  /// towards now. NaN is "unknown", and times beyond 9999 years are "long ago" and "far in the future".
  package static func describe(secondsAgo seconds: Double) -> String {
    guard !seconds.isNaN else { return "unknown" }
    let distance = abs(seconds)
    if distance < 5 { return "just now" }
    guard distance < 10_000 * year else { return seconds > 0 ? "long ago" : "far in the future" }
    let text = length(distance)
    return seconds > 0 ? "\(text) ago" : "in \(text)"
  }

  /// Describes an average time between events: in milliseconds below a second, else as ``describe(secondsAgo:)``
  /// does.
  package static func describe(interval seconds: Double) -> String {
    guard seconds.isFinite, seconds >= 0, seconds < 10_000 * year else { return "-" }
    return seconds < 1 ? "\(Int(seconds * 1000)) ms" : length(seconds)
  }

  private static func length(_ distance: Double) -> String {
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
    return "\(Int(distance / size)) \(unit)"
  }
}
