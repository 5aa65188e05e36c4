import PersistentHistory
import StoreFormat
import TestSupport
import Testing

#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#else
import Glibc
#endif

@Suite(.bounded) struct DurationTests {
  @Test(arguments: [
    ("30d", 0, 30, 0), ("2w", 0, 14, 0), ("2 weeks", 0, 14, 0), ("1y6mo", 18, 0, 0),
    ("1d12h", 0, 1, 43_200), ("90min", 0, 0, 5400), ("45s", 0, 0, 45), ("0d", 0, 0, 0),
    (" 1 Year 2 Months ", 14, 0, 0), ("a week", 0, 7, 0), ("1w1d", 0, 8, 0),
    ("999999999999w", 0, 6_999_999_999_993, 0),
  ])
  func `numbers with units are read`(text: String, months: Int, days: Int, seconds: Int) throws {
    let duration = try HistoryDuration(parsing: text)
    #expect(duration == HistoryDuration(months: months, days: days, seconds: seconds))
    #expect(duration.isZero == (months == 0 && days == 0 && seconds == 0))
    #expect(try HistoryDuration(parsing: duration.description) == duration)
  }

  @Test(arguments: [
    ("14d", "2w"), ("30d", "30d"), ("18mo", "1y6mo"), ("36h", "36h"), ("90min", "1h30min"),
    ("0w", "0s"), ("1d12h", "1d12h"), ("60s", "1min"),
  ])
  func `a duration is written in its shortest form`(text: String, expected: String) throws {
    #expect(try HistoryDuration(parsing: text).description == expected)
  }

  @Test(arguments: [
    ("30", "without a unit", "30d"), ("", "not a number with a unit", "30d"),
    ("5m", "minutes or months", "5min or 5mo"), ("1mo5m", "minutes or months", "5min or 5mo"),
    ("d", "not a number with a unit", "30d"), ("-1d", "sign", "without the sign"),
    ("1.5d", "whole numbers", "36h"), ("3 days ago", "not a duration", "30d"),
    ("2d2d", "same unit twice", "1d12h"), ("1d1days", "same unit twice", "1d12h"),
    ("9999999999999d", "more than 12 digits", "smaller"), ("1 d x", "not a number", "30d"),
    ("1x", "unknown unit 'x'", "30d"), ("1d!", "not a number with a unit", "30d"),
    ("yesterday", "not a number with a unit", "30d"), ("３d", "not a number with a unit", "30d"),
  ])
  func `ambiguous durations are refused`(text: String, message: String, hint: String) {
    do throws(MomentError) {
      let duration = try HistoryDuration(parsing: text)
      Issue.record("\(text) was taken as \(duration)")
    } catch {
      #expect(error.message.contains(message), "\(error)")
      #expect(error.hint.contains(hint), "\(error)")
    }
  }

  @Test
  func `negative parts are refused`() {
    #expect(HistoryDuration(months: -1) == nil)
    #expect(HistoryDuration(days: -1) == nil)
    #expect(HistoryDuration(seconds: .min) == nil)
    #expect(HistoryDuration()?.isZero == true)
  }

  @Test(arguments: [
    Double.nan, .infinity, -.infinity, 0, 816_964_220, 1e300, -1e300, 252_423_993_599,
    -63_113_904_000, -63_113_904_001,
  ])
  func `the largest duration does not overflow`(seconds: Double) {
    let timestamp = StoreTimestamp(secondsSinceReferenceDate: seconds)
    let parts = [
      HistoryDuration(months: .max), HistoryDuration(days: .max), HistoryDuration(seconds: .max),
      HistoryDuration(months: .max, days: .max, seconds: .max),
    ]
    for case let duration? in parts {
      let result = duration.before(timestamp)
      #expect(result <= timestamp)
      if (-63_113_904_000...252_423_993_599).contains(seconds) {
        #expect(result.secondsSinceReferenceDate == -63_113_904_000)
      }
      #expect(!duration.description.isEmpty)
    }
  }

  /// From, duration, to: seconds since 2001 of Berlin's wall clock, from Python's `zoneinfo`.
  private static let berlin: [(Double, String, Double, String)] = [
    (796_557_600, "1d", 796_471_200, "30 March noon, a day back: 24 hours"),
    (796_471_200, "1d", 796_388_400, "the day of the change: 23 hours"),
    (796_471_200.5, "1d", 796_388_400.5, "and the fraction stays"),
    (796_471_200, "24h", 796_384_800, "24 hours are 24 hours"),
    (796_629_600, "1mo", 793_954_800, "31 March 08:00 to 28 February"),
    (730_882_800, "1y", 699_260_400, "29 February to 28 February"),
    (814_671_000, "1d", 814_581_000, "to the hour that comes twice: its first"),
    (796_523_400, "1d", 796_440_600, "to the hour that is skipped: an hour later"),
    (814_584_600, "0d", 814_584_600, "nothing back from the second 02:30 is that"),
    (814_584_600, "0d1s", 814_584_599, "nor does an exact second touch the calendar"),
  ]

  @Test
  func `days and months are steps of the local calendar, hours are not`() async {
    await #expect(processExitsWith: .success) {
      setenv("TZ", "Europe/Berlin", 1)
      tzset()
      for (from, text, expected, comment) in DurationTests.berlin {
        let duration = try? HistoryDuration(parsing: text)
        let result = duration?.before(StoreTimestamp(secondsSinceReferenceDate: from))
        #expect(result?.secondsSinceReferenceDate == expected, "\(comment)")
      }
    }
  }
}
