/// A number that need not be whole, with as many digits as tell something: "0.04", "7.2", "1,204".
enum RateText {
  /// The number in words of at most three telling digits.
  static func describe(_ value: Double) -> String {
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
  /// The digits without zeros at the end.
  fileprivate var trimmingZeros: String {
    var text = self
    while text.last == "0" { text.removeLast() }
    return text
  }
}
