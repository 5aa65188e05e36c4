import StoreFormat
import TestSupport
import Testing

@Suite(.bounded) struct ExactISO8601Tests {
  @Test(arguments: [
    (0.0, "2001-01-01T00:00:00Z"),
    (743_906_557.824189, "2024-07-29T00:42:37.824189Z"),
    (743_906_557.5, "2024-07-29T00:42:37.5Z"),
    (-0.25, "2000-12-31T23:59:59.75Z"),
    (-1.0, "2000-12-31T23:59:59Z"),
    (-1.3, "2000-12-31T23:59:58.7Z"),
    (-978_307_200.000001, "1969-12-31T23:59:59.999999Z"),
    (0.1, "2001-01-01T00:00:00.1Z"),
    (0.0001, "2001-01-01T00:00:00.0001Z"),
    (-63_113_904_000.0, "0001-01-01T00:00:00Z"),
    (-63_113_903_999.99999, "0001-01-01T00:00:00.00001Z"),
    (252_423_993_599.9999, "9999-12-31T23:59:59.9999Z"),
    (59.99999999999999, "2001-01-01T00:00:59.99999999999999Z"),
  ])
  func `text has as many digits as the number`(seconds: Double, text: String) {
    #expect(StoreTimestamp(secondsSinceReferenceDate: seconds).exactISO8601 == text)
    let readBack = StoreTimestamp(exactISO8601: text)
    #expect(readBack?.secondsSinceReferenceDate.bitPattern == seconds.bitPattern)
  }

  @Test(arguments: [
    -0.0, 1e-5, -1e-300, .leastNonzeroMagnitude, 1e16,
  ])
  func `a number that cannot be exact has no text`(seconds: Double) {
    #expect(StoreTimestamp(secondsSinceReferenceDate: seconds).exactISO8601 == nil)
  }

  @Test(arguments: 1...4)
  func `random numbers are read back bit for bit`(seed: UInt64) {
    var generator = SeededGenerator(seed: seed)
    var failures: [Double] = []
    for round in 0..<15_000 {
      let value: Double
      switch round % 4 {
      case 0: value = .random(in: -63_113_904_000..<252_423_993_600, using: &generator)
      case 1: value = .random(in: 500_000_000..<900_000_000, using: &generator)
      case 2: value = .random(in: -1000...1000, using: &generator)
      default:
        // Any bits at all with an exponent for magnitudes of 2^-13 to 2^35.
        let exponent = UInt64.random(in: 1010...1058, using: &generator)
        let bits = generator.next() & 0x800F_FFFF_FFFF_FFFF | exponent << 52
        value = Double(bitPattern: bits)
      }
      // The standard library's text has an exponent below this, and then nil is allowed.
      guard value.magnitude >= 0.0001, value >= -63_113_904_000 else { continue }
      let text = StoreTimestamp(secondsSinceReferenceDate: value).exactISO8601
      let readBack = text.flatMap { StoreTimestamp(exactISO8601: $0) }
      if readBack?.secondsSinceReferenceDate.bitPattern != value.bitPattern {
        failures.append(value)
      }
    }
    #expect(failures == [])
  }

  @Test(arguments: [
    "", "Z", "2024-07-29", "2024-07-29T00:42:37", "2024-07-29T00:42:37.Z",
    "2024-07-29T00:42:37,5Z",
    "2024-07-29t00:42:37z", "2024-07-29 00:42:37Z", "2024-02-30T00:00:00Z",
    "2024-13-01T00:00:00Z",
    "2024-07-29T24:00:00Z", "2024-07-29T00:60:00Z", "2024-07-29T23:59:60Z",
    "0000-01-01T00:00:00Z",
    "2024-07-29T00:42:37.5", "2024-07-29T00:42:37.5ZZ", "2024-07-29T00:42:37.5+02:00",
    "2024-07-29T00:42:3７Z", "+024-07-29T00:42:37Z", "2024-07-29T00:42:37.-5Z",
    "2024-07-29T00:42:37.000000000000000000000000000000001Z",
  ])
  func `other forms and impossible times are refused`(text: String) {
    #expect(StoreTimestamp(exactISO8601: text) == nil)
  }

  @Test
  func `damaged text is read or refused`() {
    var generator = SeededGenerator(seed: 5)
    let original = Array("2024-07-29T00:42:37.824189Z".utf8)
    for _ in 0..<20_000 {
      var bytes = original
      for _ in 0..<Int.random(in: 1...3, using: &generator) {
        switch Int.random(in: 0...2, using: &generator) {
        case 0 where !bytes.isEmpty:
          bytes[Int.random(in: 0..<bytes.count, using: &generator)] = .random(
            in: 0x2B...0x5B, using: &generator)
        case 1 where !bytes.isEmpty:
          bytes.remove(at: Int.random(in: 0..<bytes.count, using: &generator))
        default:
          bytes.insert(
            .random(in: 0x20...0x7F, using: &generator),
            at: Int.random(in: 0...bytes.count, using: &generator))
        }
      }
      let text = String(decoding: bytes, as: UTF8.self)
      guard let timestamp = StoreTimestamp(exactISO8601: text) else { continue }
      // What was taken must be a time that can be written as well.
      #expect(timestamp.iso8601() != nil)
    }
  }

  @Test
  func `whole seconds and digits are combined, and an overflow is refused`() {
    let digits: ArraySlice<UInt8> = Array("75".utf8)[...]
    #expect(
      StoreTimestamp(unixSeconds: 978_307_198, fractionDigits: digits)?.secondsSinceReferenceDate
        == -1.25)
    #expect(StoreTimestamp(unixSeconds: .min, fractionDigits: digits) == nil)
    #expect(StoreTimestamp(unixSeconds: .max, fractionDigits: digits) != nil)
    #expect(StoreTimestamp(unixSeconds: 0, fractionDigits: [0x2D]) == nil)
    // Every count of digits beside whole parts near the edge of 64 bits.
    for count in 0...32 {
      let nines = [UInt8](repeating: UInt8(ascii: "9"), count: count)[...]
      for whole in [922_337_203_685_477_580, -922_337_203_685_477_580, 9_007_199_254_740_992] {
        let seconds = StoreTimestamp(unixSeconds: whole + 978_307_200, fractionDigits: nines)
        let expected = Double(whole) + (count == 0 ? 0 : 1)
        #expect(abs((seconds?.secondsSinceReferenceDate ?? .nan) - expected) <= 256)
      }
    }
  }
}
