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

/// The zone is the whole process's, so each test has a process to itself.
@Suite(.bounded) struct LocalTimeTests {
  /// Wall clock, Unix time and the wall clock's answer, all from Python's `zoneinfo`.
  private struct Case {
    let wall: [Int]
    let unixSeconds: Int
    let shown: [Int]
    let offset: Int
  }

  private static func check(_ zone: String, _ cases: [Case]) {
    setenv("TZ", zone, 1)
    tzset()
    for expected in cases {
      let wall = expected.wall
      guard let date = CivilDate(year: wall[0], month: wall[1], day: wall[2]),
        let time = LocalTime(date: date, hour: wall[3], minute: wall[4], second: 0)
      else {
        Issue.record("no local time for \(wall)")
        continue
      }
      #expect(time.unixSeconds == expected.unixSeconds)
      #expect(
        [time.date.year, time.date.month, time.date.day, time.hour, time.minute, time.second]
          == expected.shown + [0])
      #expect(time.offsetSeconds == expected.offset)
      #expect(LocalTime(time.timestamp) == time)
    }
  }

  @Test
  func `Berlin has a gap, a repeated hour and two offsets`() async {
    await #expect(processExitsWith: .success) {
      LocalTimeTests.check(
        "Europe/Berlin",
        [
          Case(
            wall: [2026, 3, 29, 2, 30], unixSeconds: 1_774_747_800, shown: [2026, 3, 29, 3, 30],
            offset: 7200),
          Case(
            wall: [2026, 3, 29, 0, 0], unixSeconds: 1_774_738_800, shown: [2026, 3, 29, 0, 0],
            offset: 3600),
          Case(
            wall: [2026, 10, 25, 2, 30], unixSeconds: 1_792_888_200, shown: [2026, 10, 25, 2, 30],
            offset: 7200),
          Case(
            wall: [2026, 10, 25, 12, 0], unixSeconds: 1_792_926_000, shown: [2026, 10, 25, 12, 0],
            offset: 3600),
          Case(
            wall: [2026, 7, 1, 12, 0], unixSeconds: 1_782_900_000, shown: [2026, 7, 1, 12, 0],
            offset: 7200),
        ])
      // The second 02:30 of the night on which the clock goes back.
      let second = LocalTime(StoreTimestamp(unixSeconds: 1_792_891_800.75))
      #expect(second?.hour == 2)
      #expect(second?.minute == 30)
      #expect(second?.offsetSeconds == 3600)
      #expect(second?.date.weekday == 7)
      // Fractions go down, also before 1970.
      #expect(LocalTime(StoreTimestamp(unixSeconds: -0.25))?.second == 59)
      #expect(LocalTime(StoreTimestamp(unixSeconds: -0.25))?.unixSeconds == -1)
    }
  }

  @Test
  func `zones may be west, have half hours, and skip a day or midnight`() async {
    await #expect(processExitsWith: .success) {
      LocalTimeTests.check(
        "America/New_York",
        [
          Case(
            wall: [2026, 3, 8, 2, 30], unixSeconds: 1_772_955_000, shown: [2026, 3, 8, 3, 30],
            offset: -14_400),
          Case(
            wall: [2026, 11, 1, 1, 30], unixSeconds: 1_793_511_000, shown: [2026, 11, 1, 1, 30],
            offset: -14_400),
        ])
      LocalTimeTests.check(
        "Pacific/Apia",
        [
          Case(
            wall: [2011, 12, 30, 12, 0], unixSeconds: 1_325_282_400,
            shown: [2011, 12, 31, 12, 0], offset: 50_400),
          Case(
            wall: [2011, 12, 29, 23, 59], unixSeconds: 1_325_239_140,
            shown: [2011, 12, 29, 23, 59], offset: -36_000),
          Case(
            wall: [2011, 12, 31, 0, 0], unixSeconds: 1_325_239_200, shown: [2011, 12, 31, 0, 0],
            offset: 50_400),
        ])
      LocalTimeTests.check(
        "Australia/Lord_Howe",
        [
          Case(
            wall: [2026, 4, 5, 1, 45], unixSeconds: 1_775_313_900, shown: [2026, 4, 5, 1, 45],
            offset: 39_600),
          Case(
            wall: [2026, 10, 4, 2, 15], unixSeconds: 1_791_042_300, shown: [2026, 10, 4, 2, 45],
            offset: 39_600),
        ])
      LocalTimeTests.check(
        "Africa/Cairo",
        [
          Case(
            wall: [2026, 4, 24, 0, 0], unixSeconds: 1_776_981_600, shown: [2026, 4, 24, 1, 0],
            offset: 10_800)
        ])
    }
  }

  @Test
  func `invalid times and years out of range are refused`() {
    for seconds in [Double.nan, .infinity, -.infinity, 1e300, -1e300, 1e12, 3e11, -7e10] {
      #expect(LocalTime(StoreTimestamp(secondsSinceReferenceDate: seconds)) == nil)
    }
    guard let date = CivilDate(year: 2026, month: 1, day: 1),
      let first = CivilDate(year: 1, month: 1, day: 1),
      let last = CivilDate(year: 9999, month: 12, day: 31)
    else {
      Issue.record("these days exist")
      return
    }
    #expect(LocalTime(date: date, hour: 24, minute: 0, second: 0) == nil)
    #expect(LocalTime(date: date, hour: 0, minute: 60, second: 0) == nil)
    #expect(LocalTime(date: date, hour: 0, minute: 0, second: 60) == nil)
    #expect(LocalTime(date: date, hour: -1, minute: .min, second: .max) == nil)
    #expect(LocalTime(date: first, hour: 12, minute: 0, second: 0)?.date == first)
    #expect(LocalTime(date: last, hour: 12, minute: 0, second: 0)?.date == last)
  }
}
