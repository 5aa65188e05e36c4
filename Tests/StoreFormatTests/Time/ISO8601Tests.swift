import StoreFormat
import TestSupport
import Testing

@Suite(.bounded) struct ISO8601Tests {
  /// Seconds, and what Python's `decimal` (exact value of the double, half to even) and `datetime`
  /// make of them with 6, 0 and 3 digits.
  private static let known: [(Double, String, String, String)] = [
    (0, "2001-01-01T00:00:00.000000Z", "2001-01-01T00:00:00Z", "2001-01-01T00:00:00.000Z"),
    (-0.0, "2001-01-01T00:00:00.000000Z", "2001-01-01T00:00:00Z", "2001-01-01T00:00:00.000Z"),
    (
      743_906_557.824189, "2024-07-29T00:42:37.824189Z", "2024-07-29T00:42:38Z",
      "2024-07-29T00:42:37.824Z"
    ),
    (-1e-20, "2001-01-01T00:00:00.000000Z", "2001-01-01T00:00:00Z", "2001-01-01T00:00:00.000Z"),
    (-0.5, "2000-12-31T23:59:59.500000Z", "2001-01-01T00:00:00Z", "2000-12-31T23:59:59.500Z"),
    (0.5, "2001-01-01T00:00:00.500000Z", "2001-01-01T00:00:00Z", "2001-01-01T00:00:00.500Z"),
    (1.5, "2001-01-01T00:00:01.500000Z", "2001-01-01T00:00:02Z", "2001-01-01T00:00:01.500Z"),
    (-1.5, "2000-12-31T23:59:58.500000Z", "2000-12-31T23:59:58Z", "2000-12-31T23:59:58.500Z"),
    (59.9999999, "2001-01-01T00:01:00.000000Z", "2001-01-01T00:01:00Z", "2001-01-01T00:01:00.000Z"),
    (
      -59.9999999, "2000-12-31T23:59:00.000000Z", "2000-12-31T23:59:00Z",
      "2000-12-31T23:59:00.000Z"
    ),
    (0.0078125, "2001-01-01T00:00:00.007812Z", "2001-01-01T00:00:00Z", "2001-01-01T00:00:00.008Z"),
    (0.0234375, "2001-01-01T00:00:00.023438Z", "2001-01-01T00:00:00Z", "2001-01-01T00:00:00.023Z"),
    (-0.0078125, "2000-12-31T23:59:59.992188Z", "2001-01-01T00:00:00Z", "2000-12-31T23:59:59.992Z"),
    (
      252_423_993_599, "9999-12-31T23:59:59.000000Z", "9999-12-31T23:59:59Z",
      "9999-12-31T23:59:59.000Z"
    ),
    (
      -63_113_904_000, "0001-01-01T00:00:00.000000Z", "0001-01-01T00:00:00Z",
      "0001-01-01T00:00:00.000Z"
    ),
    (
      757_382_399.9999999, "2025-01-01T00:00:00.000000Z", "2025-01-01T00:00:00Z",
      "2025-01-01T00:00:00.000Z"
    ),
    (
      -978_307_200.000001, "1969-12-31T23:59:59.999999Z", "1970-01-01T00:00:00Z",
      "1970-01-01T00:00:00.000Z"
    ),
  ]

  @Test(arguments: known)
  func `known times are written`(seconds: Double, micro: String, whole: String, milli: String) {
    let timestamp = StoreTimestamp(secondsSinceReferenceDate: seconds)
    #expect(timestamp.iso8601() == micro)
    #expect(timestamp.iso8601(fractionDigits: 0) == whole)
    #expect(timestamp.iso8601(fractionDigits: 3) == milli)
  }

  @Test
  func `up to nine digits are written`() {
    let timestamp = StoreTimestamp(secondsSinceReferenceDate: 743_906_557.824189)
    #expect(timestamp.iso8601(fractionDigits: 9) == "2024-07-29T00:42:37.824188948Z")
    #expect(timestamp.iso8601(fractionDigits: 1) == "2024-07-29T00:42:37.8Z")
    #expect(timestamp.iso8601(fractionDigits: 10) == nil)
    #expect(timestamp.iso8601(fractionDigits: -1) == nil)
    #expect(timestamp.iso8601(fractionDigits: .max) == nil)
  }

  @Test(arguments: [
    Double.nan, .infinity, -.infinity, 1e300, -1e300, 1e12, -1e12, 252_423_993_600,
    -63_113_904_000.1, -63_113_904_001, .greatestFiniteMagnitude,
  ])
  func `times outside the years 1 to 9999 have no text`(seconds: Double) {
    let timestamp = StoreTimestamp(secondsSinceReferenceDate: seconds)
    #expect(timestamp.iso8601() == nil)
    #expect(timestamp.exactISO8601 == nil)
  }

  @Test
  func `rounding does not carry into the year 10000`() {
    let timestamp = StoreTimestamp(secondsSinceReferenceDate: 252_423_993_599.9999)
    #expect(timestamp.iso8601() == "9999-12-31T23:59:59.999908Z")
    #expect(timestamp.iso8601(fractionDigits: 3) == nil)
  }

  @Test
  func `a buffer that is long enough gets the same bytes`() {
    var generator = SeededGenerator(seed: 3)
    for _ in 0..<2000 {
      let timestamp = StoreTimestamp(
        secondsSinceReferenceDate: .random(in: -6e10...2e11, using: &generator))
      let room = UnsafeMutableBufferPointer<UInt8>.allocate(capacity: 30)
      defer { room.deallocate() }
      room.initialize(repeating: 7)
      #expect(timestamp.writeISO8601(into: UnsafeMutableBufferPointer(rebasing: room[..<26])) == 0)
      #expect(timestamp.writeISO8601(into: room) == 27)
      #expect(Array(room) == Array((timestamp.iso8601() ?? "").utf8) + [7, 7, 7])
    }
  }
}
