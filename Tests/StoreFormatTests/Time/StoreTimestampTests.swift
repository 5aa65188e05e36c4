import StoreFormat
import Testing

@Suite("Store timestamp")
struct StoreTimestampTests {
  @Test("counts from 2001 and converts from 1970")
  func epochs() {
    #expect(StoreTimestamp(unixSeconds: 978_307_200).secondsSinceReferenceDate == 0)
    #expect(StoreTimestamp(secondsSinceReferenceDate: 1.5).unixSeconds == 978_307_201.5)
    #expect(StoreTimestamp(unixSeconds: 0).secondsSinceReferenceDate == -978_307_200)
  }

  @Test("reads the clock")
  func now() {
    let first = StoreTimestamp.now()
    let second = StoreTimestamp.now()
    #expect(first <= second)
    // 2025-01-01 to 2200-01-01.
    #expect(first.secondsSinceReferenceDate > 757_382_400)
    #expect(first.secondsSinceReferenceDate < 6_279_811_200)
  }

  @Test("sorts every double, NaN before all numbers")
  func totalOrder() {
    let sorted: [Double] = [
      .nan, -.infinity, -1e300, -1, 0, .leastNonzeroMagnitude, 1, 1e300, .infinity,
    ]
    let timestamps = sorted.map { StoreTimestamp(secondsSinceReferenceDate: $0) }
    #expect(timestamps.reversed().sorted() == timestamps)
    for (left, first) in timestamps.enumerated() {
      for (right, second) in timestamps.enumerated() {
        #expect((first < second) == (left < right))
        #expect((first <= second) == (left <= right))
        #expect((first > second) == (left > right))
        #expect((first == second) == (left == right))
      }
    }
  }

  @Test("equal timestamps have equal hashes")
  func hashing() {
    let zeros = [0.0, -0.0].map { StoreTimestamp(secondsSinceReferenceDate: $0) }
    #expect(Set(zeros).count == 1)
    let nans = [Double.nan, -.nan, Double(nan: 7, signaling: false)].map {
      StoreTimestamp(secondsSinceReferenceDate: $0)
    }
    #expect(Set(nans).count == 1)
    #expect(!Set(nans).contains(zeros[0]))
  }
}
