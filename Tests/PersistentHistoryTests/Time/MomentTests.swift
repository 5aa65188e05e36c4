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

@Suite(.bounded) struct MomentTests {
  /// 2026-11-21 15:30:20 in Berlin, 14:30:20 UTC.
  private static let now = StoreTimestamp(secondsSinceReferenceDate: 816_964_220)

  private static func seconds(_ text: String) -> Double? {
    do {
      return try Moment.parse(text, now: now)?.timestamp.secondsSinceReferenceDate
    } catch {
      Issue.record("\(text): \(error)")
      return nil
    }
  }

  private static func error(_ text: String) -> MomentError? {
    do throws(MomentError) {
      let moment = try Moment.parse(text, now: now)
      Issue.record("\(text) was taken as \(String(describing: moment))")
      return nil
    } catch {
      return error
    }
  }

  @Test(arguments: [
    ("2026-11-01T10:00:00Z", 815_220_000), ("2026-11-01T10:00Z", 815_220_000),
    ("2026-11-01T10:00:00+02:00", 815_212_800), ("2026-11-01T10:00:00+0200", 815_212_800),
    ("2026-11-01T10:00-05", 815_238_000), ("2026-11-01 10:00 -05", 815_238_000),
    ("2026-11-01 10:00:00 +0200", 815_212_800), ("2026-11-01t10:00:00z", 815_220_000),
    ("  2026-11-01  10:00:00   Z ", 815_220_000), ("2026-11-01T10:00:00.5Z", 815_220_000.5),
    ("2024-07-29T00:42:37.824189Z", 743_906_557.824189), ("2000-12-31T23:59:58.75Z", -1.25),
    ("2026-11-01T00:00:00-00:00", 815_184_000),
  ])
  func `an offset or Z fixes the time, whatever the zone`(text: String, expected: Double) {
    #expect(Self.seconds(text) == expected)
  }

  @Test(arguments: [
    ("now", 0), ("NOW", 0), ("0d", 0), ("0s", 0), ("12h", 43_200), ("90min", 5400), ("45s", 45),
    ("1 hour ago", 3600), ("an hour ago", 3600), ("A Minute Ago", 60), ("2h30min", 9000),
    ("2 hours 30 minutes ago", 9000), ("30min2h", 9000), ("1 sec", 1), ("5 seconds ago", 5),
    ("007s", 7), ("999999999s", 999_999_999),
  ])
  func `exact durations need no calendar`(text: String, before: Double) {
    #expect(Self.seconds(text) == 816_964_220 - before)
  }

  @Test
  func `the word now keeps its fraction of a second`() throws {
    let now = StoreTimestamp(secondsSinceReferenceDate: 816_964_220.125)
    #expect(
      try Moment.parse("1h", now: now)?.timestamp.secondsSinceReferenceDate == 816_960_620.125)
    #expect(try Moment.parse("now", now: now)?.timestamp == now)
  }

  /// Expected values from Python's `zoneinfo`, seconds since 2001.
  private static let berlin: [(String, Double)] = [
    ("2026-11-01", 815_180_400), ("2026-11-01T10:00", 815_216_400),
    ("2026-11-01 10:00:00", 815_216_400), ("2026-11-01T10:00:00.25", 815_216_400.25),
    ("today", 816_908_400), ("yesterday", 816_822_000), ("tomorrow", 816_994_800),
    ("yesterday 14:00", 816_872_400), ("Today  09:30", 816_942_600), ("today 9:30", 816_942_600),
    ("saturday", 816_908_400), ("last saturday", 816_303_600), ("Monday", 816_476_400),
    ("last monday", 816_476_400), ("sunday", 816_390_000), ("last  Fri", 816_822_000),
    ("fri 14:00", 816_872_400), ("tue", 816_562_800), ("last wed 9:30", 816_683_400),
    ("14:30", 816_960_600), ("14:30:00.5", 816_960_600.5), ("2w", 815_754_620),
    ("2 weeks ago", 815_754_620), ("14d", 815_754_620), ("30d", 814_368_620),
    ("6mo", 801_063_020), ("6 months ago", 801_063_020), ("1y", 785_428_220),
    ("12mo", 785_428_220), ("1d", 816_877_820), ("a day ago", 816_877_820),
    ("1d12h", 816_877_820 - 43_200), ("1 day 12 hours ago", 816_877_820 - 43_200),
    ("2026-03-29T02:30", 796_440_600), ("2026-10-25T02:30", 814_581_000),
    ("99999y", -63_113_904_000), ("999999999999w", -63_113_904_000),
    ("999999999999h", -63_113_904_000),
  ]

  @Test
  func `a time without an offset is local`() async {
    await #expect(processExitsWith: .success) {
      setenv("TZ", "Europe/Berlin", 1)
      tzset()
      for (text, expected) in MomentTests.berlin {
        #expect(MomentTests.seconds(text) == expected, "\(text)")
      }
    }
  }

  @Test(arguments: [
    "", " ", "57", "0", "20261101", "99999999999999999999", "first", "last", "last~3", "@name",
    "@./file", "@-", "1D070E6D-5B7C-4B1E-9A67-0D3C6C9F2E11:57",
    "12345678-1234-1234-1234-123456789012:57", "12345678-1234-1234-1234-123456789012", "57,58",
    "57:", "57-60", "-5", "nowhere", "todays", "week", "a", "an", "ago", "nächste Woche", "１２h",
    "monda", "mondays", "last", "last week", "lastmonday",
    "m", "3~", "1.5", "Trip/p12", "x-coredata://1D070E6D/Trip/p12", "5/6", "~2d",
  ])
  func `other tokens and other words are not moments`(text: String) throws {
    #expect(try Moment.parse(text, now: Self.now) == nil)
  }

  @Test(arguments: [
    ("2026-11", "names a month without a day", "write the day too: 2026-11-01"),
    ("2026-02-30", "but 2026-02 has 28 days", "from 01 to 28"),
    ("2026-13-01", "the month 13", "01 to 12"), ("2026-00-01", "the month 0", "01 to 12"),
    ("2026-01-00", "the day 0", "01 to 31"), ("0000-01-01", "the year 0", "0001 to 9999"),
    ("2026-1-5", "YYYY-MM-DD", "2026-11-01"), ("2026-W44-1", "YYYY-MM-DD", "2026-11-01"),
    ("2026-305", "YYYY-MM-DD", "2026-11-01"), ("2026-11-01x", "after the date", "2026-11-01"),
    ("2026-11-01Z", "after the date", "T10:00:00"), ("1/11/2026", "YYYY-MM-DD", "with dashes"),
    ("01.11.2026", "YYYY-MM-DD", "with dashes"), ("01-11-2026", "YYYY-MM-DD", "with dashes"),
    ("2026/11/01", "YYYY-MM-DD", "with dashes"), ("20261101T1000", "YYYY-MM-DD", "with dashes"),
    ("2026-11-01T", "no time", "14:30"), ("2026-11-01T10", "hour without minutes", "14:30"),
    ("2026-11-01T25:00", "the hour 25", "00 to 23"), ("24:00", "the hour 24", "00 to 23"),
    ("12:60", "the minute 60", "00 to 59"), ("2026-11-01T10:00:60Z", "the second 60", "00 to 59"),
    ("12:5", "hour without minutes", "14:30"), ("12:30:", "no seconds", "14:30"),
    ("12:30:15.", "0 digits", "10:00:00.5"), ("14:30Z", "after the time", "full date"),
    ("today 14:30+02:00", "after the time", "full date"), ("today foo", "no time", "14:30"),
    ("monday 25:00", "the hour 25", "00 to 23"),
    ("last monday foo", "no time", "14:30"), ("now 14:30", "after now", "today and a time"),
    ("2026-11-01T10:00+2", "offset", "+02:00"), ("2026-11-01T10:00+02:0", "offset", "+02:00"),
    ("2026-11-01T10:00+24:00", "24 hours", "+02:00"), ("2026-11-01T10:00+0260", "60", "+02:00"),
    ("2026-11-01T10:00CET", "after the time", "+02:00"),
    ("2026-11-01T10:00Zulu", "after the time", "+02:00"),
    ("5m", "minutes or months", "5min or 5mo"), ("5 M ago", "minutes or months", "5min or 5mo"),
    ("3 ago", "without a unit", "3d"), ("1d2", "without a unit", "2d"),
    ("3 fortnights", "unknown unit 'fortnights'", "30d"), ("-3d", "sign", "without the sign"),
    ("1.5h", "whole numbers", "90min"), ("1d 2d", "same unit twice", "once"),
    ("1234567890123s", "more than 12 digits", "larger unit"),
    ("99999999999999999999999999y", "more than 12 digits", "larger unit"),
    ("an apple", "unknown unit 'apple'", "30d"),
    ("2 weeks ago today", "not a number with a unit", "30d"),
    ("1d070e6d57", "unknown unit 'e'", "30d"),
  ])
  func `malformed moments have a hint with the correct form`(
    text: String, message: String, hint: String
  ) {
    guard let error = Self.error(text) else { return }
    #expect(error.message.contains("'\(text)'"))
    #expect(error.message.contains(message), "\(error)")
    #expect(hint.isEmpty || error.hint.contains(hint), "\(error)")
    #expect(!error.message.hasSuffix(".") && !error.hint.hasSuffix("."))
    #expect(error.description == "\(error.message); \(error.hint)")
  }

  @Test
  func `a message never carries a control character or a long text`() {
    let hostile = "2026-02-30\u{1B}[31m\u{202E}\u{2028}" + String(repeating: "x", count: 100_000)
    guard let message = Self.error(hostile)?.message else { return }
    #expect(message.unicodeScalars.allSatisfy { $0.value >= 0x20 && $0.value != 0x202E })
    #expect(message.count < 150)
  }

  @Test(arguments: [
    Double.nan, .infinity, -.infinity, 1e300, -1e12,
  ])
  func `a clock without a date is refused for days of the calendar`(seconds: Double) throws {
    let now = StoreTimestamp(secondsSinceReferenceDate: seconds)
    #expect(throws: MomentError.self) { try Moment.parse("today", now: now) }
    #expect(throws: MomentError.self) { try Moment.parse("14:30", now: now) }
    #expect(try Moment.parse("now", now: now)?.timestamp == now)
    #expect(try Moment.parse("3mo2d", now: now) != nil)
    #expect(try Moment.parse("2026-11-01", now: now) != nil)
  }

  @Test
  func `survives damaged text`() {
    var state: UInt64 = 11
    func random(_ limit: Int) -> Int {
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return Int(state >> 33) % limit
    }
    let seeds = [
      "2026-11-01T10:00:00.5+02:00", "2 weeks 3 days ago", "1d12h", "yesterday 14:00", "14:30",
      "an hour ago", "99999999999999999999y", "20261101t1000",
    ].map { Array($0.utf8) }
    let alphabet = Array("0123456789 -+:.,/TZtzmoyearsdaghn\u{0}é~@".utf8)
    for _ in 0..<15_000 {
      var bytes = seeds[random(seeds.count)]
      for _ in 0...random(4) {
        let place = random(bytes.count + 1)
        switch random(3) {
        case 0 where place < bytes.count: bytes.remove(at: place)
        case 1 where place < bytes.count: bytes[place] = alphabet[random(alphabet.count)]
        default: bytes.insert(alphabet[random(alphabet.count)], at: place)
        }
      }
      do {
        let moment = try Moment.parse(String(decoding: bytes, as: UTF8.self), now: Self.now)
        #expect(moment?.timestamp.secondsSinceReferenceDate.isFinite != false)
      } catch {
        #expect(!error.message.isEmpty && !error.hint.isEmpty)
      }
    }
  }

  @Test(arguments: [
    "1d ", "1h", "9", "a ", "2026-11-01 ", ":", "12:30:00.",
  ])
  func `a text of any length is refused with a short message`(_ text: String) {
    let long = String(repeating: text, count: 20_000)
    for text in [long, "2026-11-01T10:00:00." + long] {
      do {
        #expect(try Moment.parse(text, now: Self.now) == nil)
      } catch {
        #expect(error.message.utf8.count < 1000, "\(error.message.prefix(200))")
      }
    }
  }
}
