import Foundation
import StoreFormat
import TestSupport
import Testing

@testable import PersistentHistory

@Suite(.bounded) struct TokenFileTests {
  private static let store = StoreWriter.identifier

  private static func resolve(_ content: [UInt8]) throws -> ResolvedToken {
    let folder = try TemporaryFolder()
    try SampleStore.write(to: folder.file("trips.store"))
    try FileBytes.write(content, to: folder.file("token"))
    try FileBytes.write(Array("5".utf8), to: folder.file("inner"))
    try FileBytes.write(
      Array(
        #"{"schema":1,"bookmarks":[{"name":"x","token":{"storeTokens":{"\#(store)":4}}}]}"#.utf8),
      to: folder.file("trips.store-bookmarks.json"))
    return try StoreFile(path: folder.file("trips.store")).read { snapshot in
      try TokenResolver(snapshot: snapshot).resolve("@" + folder.file("token"))
    }
  }

  @Test(
    arguments: [
      ("7", 7), ("  7\r\n", 7), ("\(store):7\n", 7), ("\u{FEFF}7\n", 7),
      ("last~2", 10), ("@x", 4), ("0", 0),
      (#"{"storeTokens":{"\#(store)":7}}"#, 7), ("\n { \"storeTokens\" : {\"\(store)\":7} }\n", 7),
      (TokenArchive.xml(), nil), ("\n" + TokenArchive.xml(number: "<integer>7</integer>"), 7),
    ] as [(String, Int64?)])
  func `every form is read`(content: String, number: Int64?) throws {
    let token = try Self.resolve(Array(content.utf8))
    if let number {
      #expect(token.number == number && token.state == .valid)
    } else {
      // The archive's 57 is beyond the twelve transactions of the store.
      #expect(token.number == 57 && token.state == .ahead(highestIssued: 12))
    }
  }

  @Test
  func `a binary archive is read`() throws {
    let archive = Data(
      base64Encoded: TokenArchive.binary.filter { !$0.isWhitespace })
    let token = try Self.resolve(Array(try #require(archive)))
    #expect(token.number == 57 && token.token?.description == "\(Self.store):57")
  }

  @Test(arguments: [
    ("", "it is empty"), (" \n\n", "it is empty"), ("5\n6\n", "it has more than one line"),
    ("5\u{2028}6", "it has more than one line"),
    ("5\u{0}", "it is neither text nor a property list"),
    ("{}", #"it has no keys; expected {"storeTokens":{"STORE":NUMBER}}"#),
    ("{", #"its JSON is damaged; expected {"storeTokens":{"STORE":NUMBER}}"#),
    (
      #"{"storeTokens":{"\#(store)":-7}}"#,
      "the value for store '\(store)' is not a transaction number"
    ),
    (#"{"storeTokens":{}}"#, "it names no store"),
    ("<html></html>", nil), ("bplist00", nil), ("<plist><dict/></plist>", nil),
  ])
  func `a file without a token has a reason`(content: String, reason: String?) throws {
    let error = try #require(throws: HistoryError.self) {
      try Self.resolve(Array(content.utf8))
    }
    guard case .unreadableToken(let path, let given) = error else {
      Issue.record("another error: \(error)")
      return
    }
    #expect(path.hasSuffix("/token"))
    if let reason { #expect(given == reason) } else { #expect(!given.isEmpty) }
    #expect(error.message.contains(path) && error.remedy.contains("NSPersistentHistoryToken"))
  }

  @Test
  func `bytes that are not UTF-8 are refused`() throws {
    let error = #expect(throws: HistoryError.self) { try Self.resolve([0x35, 0xff]) }
    guard case .unreadableToken(_, "it is neither text nor a property list")? = error else {
      Issue.record("another error")
      return
    }
  }

  @Test
  func `a file of two mebibytes is read, a larger one is not`() throws {
    let blanks = [UInt8](repeating: 0x20, count: (2 << 20) - 1)
    #expect(try Self.resolve(blanks + [0x37]).number == 7)
    let error = #expect(throws: HistoryError.self) { try Self.resolve(blanks + [0x37, 0x20]) }
    guard case .unreadableToken(_, "it is larger than 2 MiB")? = error else {
      Issue.record("another error")
      return
    }
  }

  @Test
  func `a file that names another file or holds no token is refused`() throws {
    for text in ["@./inner", "@-", "gibberish"] {
      let error = #expect(throws: HistoryError.self) { try Self.resolve(Array(text.utf8)) }
      guard case .malformedToken? = error else {
        Issue.record("another error for \(text)")
        continue
      }
    }
    let error = #expect(throws: HistoryError.self) { try Self.resolve(Array("last~99".utf8)) }
    guard case .fewTransactions(_, 12, "last")? = error else {
      Issue.record("another error for last~99")
      return
    }
  }

  @Test
  func `an error names the missing file or the folder`() throws {
    let folder = try TemporaryFolder()
    try SampleStore.write(to: folder.file("trips.store"))
    try StoreFile(path: folder.file("trips.store")).read { snapshot in
      let resolver = TokenResolver(snapshot: snapshot)
      #expect(
        throws: HistoryError.unreadableToken(
          path: folder.file("nothing"), reason: "there is no such file")
      ) { try resolver.resolve("@" + folder.file("nothing")) }
      #expect(throws: HistoryError.self) { try resolver.resolve("@" + folder.path + "/") }
    }
  }
}
