import StoreFormat
import TestSupport
import Testing

@Suite(.bounded) struct CivilDateTests {
  @Test(arguments: [
    (1970, 1, 1, 0), (1, 1, 1, -719_162), (9999, 12, 31, 2_932_896), (2000, 2, 29, 11_016),
    (1900, 3, 1, -25_508), (2024, 2, 29, 19_782), (2001, 1, 1, 11_323), (1582, 10, 15, -141_427),
  ])
  func `days have numbers`(year: Int, month: Int, day: Int, number: Int) {
    let date = CivilDate(year: year, month: month, day: day)
    #expect(date?.daysSinceUnixEpoch == number)
    #expect(CivilDate(daysSinceUnixEpoch: number) == date)
  }

  @Test
  func `every 17th day of ten thousand years is converted in order and back`() {
    var weekday: Int?
    var failures = 0
    for number in stride(
      from: CivilDate.dayRange.lowerBound, through: CivilDate.dayRange.upperBound, by: 17)
    {
      guard let date = CivilDate(daysSinceUnixEpoch: number),
        let same = CivilDate(year: date.year, month: date.month, day: date.day)
      else {
        failures += 1
        continue
      }
      // 17 days are two weeks and three days.
      let expected = weekday.map { ($0 + 2) % 7 + 1 } ?? 1
      if same.daysSinceUnixEpoch != number || date.weekday != expected { failures += 1 }
      weekday = date.weekday
    }
    #expect(failures == 0)
  }

  @Test
  func `every day of four centuries is converted`() {
    var number = -135_140  // 1600-01-01
    for year in 1600..<2000 {
      for month in 1...12 {
        for day in 1...CivilDate.dayCount(ofMonth: month, year: year) {
          let date = CivilDate(daysSinceUnixEpoch: number)
          guard date?.year == year, date?.month == month, date?.day == day else {
            Issue.record("day \(number) is not \(year)-\(month)-\(day)")
            return
          }
          number += 1
        }
      }
    }
    #expect(number == 10_957)  // 2000-01-01
  }

  @Test(arguments: [
    (2026, 2, 29), (1900, 2, 29), (2026, 4, 31), (2026, 13, 1), (2026, 0, 1), (2026, 1, 0),
    (0, 1, 1), (10_000, 1, 1), (2026, 1, -1), (.max, .max, .max), (.min, .min, .min),
  ])
  func `days that do not exist are refused`(year: Int, month: Int, day: Int) {
    #expect(CivilDate(year: year, month: month, day: day) == nil)
  }

  @Test(arguments: [
    -719_163, 2_932_897, .max, .min,
  ])
  func `numbers outside the years 1 to 9999 are refused`(number: Int) {
    #expect(CivilDate(daysSinceUnixEpoch: number) == nil)
  }

  @Test
  func `adding months keeps to the end of the month`() {
    let march = CivilDate(year: 2024, month: 3, day: 31)
    #expect(march?.adding(months: -1) == CivilDate(year: 2024, month: 2, day: 29))
    #expect(march?.adding(months: -13) == CivilDate(year: 2023, month: 2, day: 28))
    #expect(march?.adding(months: -3) == CivilDate(year: 2023, month: 12, day: 31))
    #expect(march?.adding(months: 9) == CivilDate(year: 2024, month: 12, day: 31))
    #expect(march?.adding(months: -(2023 * 12 + 2)) == CivilDate(year: 1, month: 1, day: 31))
    #expect(march?.adding(months: -(2023 * 12 + 3)) == nil)
    #expect(march?.adding(months: .max) == nil)
    #expect(march?.adding(months: .min) == nil)
    #expect(march?.adding(days: .max) == nil)
    #expect(march?.adding(days: .min) == nil)
    #expect(march?.adding(days: 1) == CivilDate(year: 2024, month: 4, day: 1))
  }
}
