import StoreFormat
import TestSupport
import Testing

@testable import PersistentHistory

@Suite(.bounded) struct TokenRangeTests {
  private static let now = StoreTimestamp(unixSeconds: 1_793_527_200)
  private static let json = #"{"storeTokens":{"1D070E6D-8F4B-4E3A-9C61-0A5B7C9D2E3F":5}}"#

  @Test(
    arguments: [
      ("3..7", "3", "7"), ("3..", "3", nil), ("..7", nil, "7"), (" 3 .. 7 ", "3", "7"),
      ("first..last~2", "first", "last~2"),
      ("2026-11-01..2 weeks ago", "2026-11-01", "2 weeks ago"),
      ("last monday..now", "last monday", "now"), ("@nightly..@weekly", "@nightly", "@weekly"),
      ("10:00:00.5..11:00", "10:00:00.5", "11:00"), ("@a.b..@c", "@a.b", "@c"),
      ("@../a.json..@../b.json", "@../a.json", "@../b.json"), ("@../a.json..", "@../a.json", nil),
      ("@./a.plist#x.y..@-", "@./a.plist#x.y", "@-"), ("\(json)..\(json)", json, json),
      (
        "1D070E6D-8F4B-4E3A-9C61-0A5B7C9D2E3F:5..9", "1D070E6D-8F4B-4E3A-9C61-0A5B7C9D2E3F:5", "9"
      ),
    ] as [(String, String?, String?)])
  func `two dots separate two tokens, and one side may be open`(
    text: String, start: String?, end: String?
  ) throws {
    let range = try #require(try TokenRange.parse(text, now: Self.now))
    #expect(range.start == start && range.end == end && range.text == text)
  }

  @Test(arguments: [
    "3", "last~3", "@../token.json", "@../../a/token", "@./a/../b", "@a.b", "10:00:00.5",
  ])
  func `a single token is not a range, even if its path has dots`(text: String) throws {
    #expect(try TokenRange.parse(text, now: Self.now) == nil)
  }

  @Test(arguments: [
    ("..", "it names no token"), ("3...7", "a range has two dots"),
    ("last~3...", "a range has two dots"),
    ("x..7", "the side 'x' of the range: it is not a transaction number"),
    ("3..-7", "the side '-7' of the range: a transaction number must not be negative"),
    ("2026-13-01..", "the month 13"), (String(repeating: ".", count: 100), "99 pairs of dots"),
    (String(repeating: "..3", count: 100_000), "100000 pairs of dots"),
  ])
  func `errors name the wrong side`(text: String, reason: String) throws {
    let error = try #require(throws: HistoryError.self) {
      try TokenRange.parse(text, now: Self.now)
    }
    guard case .malformedRange(text, let given, let hint) = error else {
      Issue.record("another error: \(error)")
      return
    }
    #expect(given.contains(reason) && !hint.isEmpty, "\(given)")
    #expect(error.message.count < 400)
  }

  @Test(
    arguments: [
      ("3..7", 3, 7), ("3..", 3, nil), ("..7", nil, 7), ("5..5", 5, 5), ("0..last", 0, 12),
      ("last~2..last", 10, 12),
    ] as [(String, Int64?, Int64?)])
  func `a range begins after its first token and ends with its second`(
    text: String, after: Int64?, until: Int64?
  ) throws {
    let folder = try TemporaryFolder()
    let path = try SampleStore.write(to: folder.file("trips.store"))
    try StoreFile(path: path).read { snapshot in
      let resolver = TokenResolver(snapshot: snapshot, now: Self.now)
      let range = try #require(try TokenRange.parse(text, now: Self.now))
      let positions = try resolver.positions(of: range)
      #expect(positions.after == after && positions.until == until)
      let reversed = try #require(try TokenRange.parse("7..3", now: Self.now))
      #expect(throws: HistoryError.self) { try resolver.positions(of: reversed) }
    }
  }
}
