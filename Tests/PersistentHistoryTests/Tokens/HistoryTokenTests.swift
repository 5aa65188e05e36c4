import Foundation
import TestSupport
import Testing

@testable import PersistentHistory

@Suite(.bounded) struct HistoryTokenTests {
  private static let one = "1D070E6D-8F4B-4E3A-9C61-0A5B7C9D2E3F"
  private static let other = "00000000-0000-0000-0000-00000000000A"

  @Test(arguments: [
    ("\(one):57", [one: 57]),
    ("1d070e6d-8f4b-4e3a-9c61-0a5b7c9d2e3f:57", [one: 57]),
    ("\(one):0", [one: 0]),
    ("\(one):007", [one: 7]),
    ("\(one):9223372036854775807", [one: Int64.max]),
    ("\(one):57,\(other):3", [one: 57, other: 3]),
  ])
  func `the portable form is read`(text: String, tokens: [String: Int64]) {
    #expect(HistoryToken(portable: text)?.storeTokens == tokens)
  }

  @Test(arguments: [
    "", ":", "57", ":57", "\(one)", "\(one):", "\(one):-1", "\(one):+5", "\(one):-0",
    "\(one):9223372036854775808", "\(one):5.0", "\(one): 5", "\(one) :5", "\(one):5,",
    ",\(one):5",
    "\(one):5,,\(other):6", "\(one):5, \(other):6", "\(one):5;\(other):6", "\(one):5:6",
    "\(one):5,\(one):6", "\(one):5,1d070e6d-8f4b-4e3a-9c61-0a5b7c9d2e3f:6",
    "1D070E6D-8F4B-4E3A-9C61-0A5B7C9D2E3:57", "1D070E6D-8F4B-4E3A-9C61-0A5B7C9D2E3FA:57",
    "1D070E6D-8F4B-4E3A-9C610A5B7C9D2E3FAA:57", "GD070E6D-8F4B-4E3A-9C61-0A5B7C9D2E3F:57",
    "1D070E6D8F4B4E3A9C610A5B7C9D2E3F:57", "{\(one)}:57",
    "١D070E6D-8F4B-4E3A-9C61-0A5B7C9D2E3F:57",
    "\(one):٥",
  ])
  func `text that is not the portable form is refused`(text: String) {
    #expect(HistoryToken(portable: text) == nil)
  }

  @Test
  func `the description is the portable form, with stores in order`() throws {
    let token = HistoryToken(storeTokens: [Self.one.lowercased(): 57, Self.other: 3])
    #expect(token.description == "\(Self.other):3,\(Self.one):57")
    #expect(HistoryToken(portable: token.description) == token)
    #expect(token.transaction(in: Self.one.lowercased()) == 57)
    #expect(token.transaction(in: "1D070E6D-8F4B-4E3A-9C61-0A5B7C9D2E30") == nil)
  }

  @Test
  func `a token is encoded in SwiftData's JSON`() throws {
    let token = HistoryToken(storeIdentifier: Self.one, transaction: .max)
    let text = String(decoding: try JSONEncoder().encode(token), as: UTF8.self)
    #expect(text == #"{"storeTokens":{"\#(Self.one)":9223372036854775807}}"#)
  }

  @Test
  func `a token is decoded from SwiftData's JSON`() throws {
    let text = #"{"storeTokens":{"1d070e6d-8f4b-4e3a-9c61-0a5b7c9d2e3f":57,"\#(Self.other)":0}}"#
    let token = try JSONDecoder().decode(HistoryToken.self, from: Data(text.utf8))
    #expect(token.storeTokens == [Self.one: 57, Self.other: 0])
  }

  @Test(arguments: [
    #"{}"#, #"[]"#, #"{"storeTokens":[]}"#, #"{"storeTokens":{"\#(one)":"57"}}"#,
    #"{"storeTokens":{"\#(one)":57.5}}"#, #"{"storeTokens":{"\#(one)":-1}}"#,
    #"{"storeTokens":{"\#(one)":9223372036854775808}}"#, #"{"storeTokens":{"\#(one)":null}}"#,
    #"{"storeTokens":null}"#,
  ])
  func `other JSON is refused`(text: String) {
    #expect(throws: DecodingError.self) {
      try JSONDecoder().decode(HistoryToken.self, from: Data(text.utf8))
    }
  }
}
