import StoreFormat
import TestSupport
import Testing

@testable import PersistentHistory

/// Why a word is no token in any form.
private let noForm = "it is not a transaction number, date, duration, bookmark or token file"

@Suite(.bounded) struct TokenExpressionTests {
  private static let store = "1D070E6D-8F4B-4E3A-9C61-0A5B7C9D2E3F"
  private static let now = StoreTimestamp(unixSeconds: 1_793_527_200)

  @Test(arguments: [
    ("57", TokenExpression.number(57)), ("0", .number(0)), ("0057", .number(57)),
    (" 57\n", .number(57)), ("9223372036854775807", .number(.max)),
    ("first", .first(offset: 0)), ("first~2", .first(offset: 2)), ("last", .last(offset: 0)),
    ("last~0", .last(offset: 0)), ("last~3", .last(offset: 3)),
    ("last~9223372036854775807", .last(offset: .max)),
    (
      "\(store):57", .token(HistoryToken(storeIdentifier: store, transaction: 57))
    ),
    (
      "\(store.lowercased()):57,00000000-0000-0000-0000-00000000000a:3",
      .token(HistoryToken(storeTokens: [store: 57, "00000000-0000-0000-0000-00000000000A": 3]))
    ),
    (
      "12345678-1234-1234-1234-123456789012:57",
      .token(
        HistoryToken(storeIdentifier: "12345678-1234-1234-1234-123456789012", transaction: 57))
    ),
    ("2026-11-01T10:00:00Z", .moment(Moment(timestamp: now))),
    (
      "2026-11-01T12:00:00.5+02:00",
      .moment(Moment(timestamp: StoreTimestamp(unixSeconds: 1_793_527_200.5)))
    ),
    ("90s", .moment(Moment(timestamp: StoreTimestamp(unixSeconds: 1_793_527_110)))),
    ("2 hours ago", .moment(Moment(timestamp: StoreTimestamp(unixSeconds: 1_793_520_000)))),
    ("now", .moment(Moment(timestamp: now))),
    ("@widget", .bookmark(name: "widget")), ("@a.B_c-9", .bookmark(name: "a.B_c-9")),
    ("@-", .file(path: "-")), ("@./token", .file(path: "./token")),
    ("@/tmp/token of mine", .file(path: "/tmp/token of mine")), ("@../x", .file(path: "../x")),
    ("@_.", .bookmark(name: "_.")), ("@57", .bookmark(name: "57")),
  ])
  func `every form is read`(text: String, expression: TokenExpression) throws {
    #expect(try TokenExpression(text, now: Self.now) == expression)
  }

  @Test(arguments: [
    ("", "it is empty", nil), ("  \n", "it is empty", nil),
    (
      "9223372036854775808", "the number is larger than any transaction number",
      "a number has at most 19 digits"
    ),
    (
      "99999999999999999999999", "the number is larger than any transaction number",
      "a number has at most 19 digits"
    ),
    (
      "-3", "a transaction number must not be negative", "count back from the newest with last~3"
    ),
    (
      "last~", "a number must follow last~", "write last~3 for the third from the newest"
    ),
    (
      "last~x", "a number must follow last~", "write last~3 for the third from the newest"
    ),
    (
      "last~-1", "a number must follow last~", "write last~3 for the third from the newest"
    ),
    (
      "last~+1", "a number must follow last~", "write last~3 for the third from the newest"
    ),
    (
      "last+1", "a number must follow last~", "write last~3 for the third from the newest"
    ),
    (
      "last-1", "a number must follow last~", "write last~3 for the third from the newest"
    ),
    (
      "last~9223372036854775808", "a number must follow last~",
      "write last~3 for the third from the newest"
    ),
    (
      "first~~2", "a number must follow first~", "write first~3 for the third from the oldest"
    ),
    ("lastx", noForm, nil), ("Last", noForm, nil),
    ("latest", noForm, nil), ("~3", noForm, nil),
    ("-", noForm, nil), ("+5", noForm, nil),
    ("٥٧", noForm, nil), ("5 7", noForm, nil),
    ("0x10", nil, nil), ("🚀", noForm, nil), ("\u{0}", nil, nil),
    (
      "1D070E6D-8F4B:57",
      "the part before the colon is not a store identifier, or the part after it is not a number",
      "write the identifier in full, as in 1D070E6D-8F4B-4E3A-9C61-0A5B7C9D2E3F:57"
    ),
    (
      "\(store):x",
      "the part before the colon is not a store identifier, or the part after it is not a number",
      "write the identifier in full, as in 1D070E6D-8F4B-4E3A-9C61-0A5B7C9D2E3F:57"
    ),
    (
      "\(store):-5",
      "the part before the colon is not a store identifier, or the part after it is not a number",
      "write the identifier in full, as in 1D070E6D-8F4B-4E3A-9C61-0A5B7C9D2E3F:57"
    ),
    (
      "\(store):5,",
      "the part before the colon is not a store identifier, or the part after it is not a number",
      nil
    ),
    (
      "@", "nothing follows the @",
      "write @name for a bookmark, @./file for a file, @- for standard input"
    ),
    (
      "@my widget", "a bookmark's name has only letters, digits, '.', '_' and '-'",
      "for a file in this folder write @./my widget"
    ),
    (
      "@café", "a bookmark's name has only letters, digits, '.', '_' and '-'",
      "for a file in this folder write @./café"
    ),
    (
      "@[x", "a bookmark's name has only letters, digits, '.', '_' and '-'",
      "for a file in this folder write @./[x"
    ),
    (
      "@@x", "a bookmark's name has only letters, digits, '.', '_' and '-'",
      "for a file in this folder write @./@x"
    ),
    ("2026-13-01", nil, nil), ("2026-02-30", nil, nil), ("1/11/2026", nil, nil), ("5m", nil, nil),
    ("25:00", nil, nil),
  ])
  func `each malformed token has a reason and a hint`(
    text: String, reason: String?, hint: String?
  ) throws {
    let error = try #require(throws: HistoryError.self) {
      try TokenExpression(text, now: Self.now)
    }
    guard case .malformedToken(let named, let given, let givenHint) = error else {
      Issue.record("another error: \(error)")
      return
    }
    #expect(named == text)
    if let reason { #expect(given == reason) }
    if let hint { #expect(givenHint == hint) }
    if reason == "it is empty" || reason == noForm {
      #expect(givenHint.contains("last~3") && givenHint.contains("@"))
    }
    #expect(!given.isEmpty && !givenHint.isEmpty)
    #expect(error.message == "'\(text)' is not a token: \(given)" && error.remedy == givenHint)
  }

  @Test
  func `bookmarks have names of at most 128 bytes`() throws {
    let longest = String(repeating: "a", count: 128)
    #expect(try TokenExpression("@" + longest, now: Self.now) == .bookmark(name: longest))
    #expect(throws: HistoryError.self) { try TokenExpression("@a" + longest, now: Self.now) }
  }

  @Test
  func `random text is a token or an error`() {
    var generator = SeededText(seed: 4)
    var count = 0
    for _ in 0..<20_000 {
      let text = generator.text()
      do {
        _ = try TokenExpression(text, now: Self.now)
        count += 1
      } catch {
        guard case .malformedToken(text, let reason, let hint) = error else {
          Issue.record("another error for \(text): \(error)")
          continue
        }
        #expect(!reason.isEmpty && !hint.isEmpty, "\(text)")
      }
    }
    #expect((1..<20_000).contains(count))
  }
}

/// Short texts out of the pieces that tokens are made of.
private struct SeededText {
  private var state: UInt64
  private static let pieces = [
    "last", "first", "~", "-", "+", ":", "@", "/", ".", ",", " ", "1", "57", "2026", "-11", "T",
    "Z", "w", "ago", "now", "1D070E6D-8F4B-4E3A-9C61-0A5B7C9D2E3F", "é", "\u{0}",
    "9223372036854775807",
  ]

  init(seed: UInt64) { state = seed }

  mutating func text() -> String {
    (0..<(next() % 6 + 1)).map { _ in Self.pieces[next() % Self.pieces.count] }.joined()
  }

  private mutating func next() -> Int {
    state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
    return Int(state >> 33)
  }
}
