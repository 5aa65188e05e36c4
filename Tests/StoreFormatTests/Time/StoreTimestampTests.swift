import StoreFormat
import TestSupport
import Testing

@Suite(.bounded) struct StoreTimestampTests {
  @Test
  func `timestamps count from 2001 and convert from 1970`() {
    #expect(StoreTimestamp(unixSeconds: 978_307_200).secondsSinceReferenceDate == 0)
    #expect(StoreTimestamp(secondsSinceReferenceDate: 1.5).unixSeconds == 978_307_201.5)
    #expect(StoreTimestamp(unixSeconds: 0).secondsSinceReferenceDate == -978_307_200)
  }

  @Test
  func `the current time is that of the clock`() {
    let first = StoreTimestamp.now()
    let second = StoreTimestamp.now()
    #expect(first <= second)
    // 2025-01-01 to 2200-01-01.
    #expect(first.secondsSinceReferenceDate > 757_382_400)
    #expect(first.secondsSinceReferenceDate < 6_279_811_200)
  }

  @Test
  func `every double is sorted, NaN before all numbers`() {
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

  @Test
  func `equal timestamps have equal hashes`() {
    let zeros = [0.0, -0.0].map { StoreTimestamp(secondsSinceReferenceDate: $0) }
    #expect(Set(zeros).count == 1)
    let nans = [Double.nan, -.nan, Double(nan: 7, signaling: false)].map {
      StoreTimestamp(secondsSinceReferenceDate: $0)
    }
    #expect(Set(nans).count == 1)
    #expect(!Set(nans).contains(zeros[0]))
  }
}
