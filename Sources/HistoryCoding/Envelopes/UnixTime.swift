import StoreFormat

extension StoreTimestamp {
  /// Microseconds since 1970-01-01T00:00:00Z, rounded as the time for people is.
  ///
  /// Nil where the number is not finite, or further from 2001 than 9e12 seconds.
  var unixMicroseconds: Int64? {
    let seconds = secondsSinceReferenceDate
    guard seconds.magnitude < 9e12 else { return nil }
    let whole = seconds.rounded(.down)
    // The fraction is exact, so only its product is rounded before it is rounded half to even.
    let fraction = ((seconds - whole) * 1_000_000).rounded(.toNearestOrEven)
    return (Int64(whole) + Self.referenceDateUnixSeconds) * 1_000_000 + Int64(fraction)
  }
}
