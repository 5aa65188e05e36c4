import Foundation
import StoreFormat
import TestSupport
import Testing

@testable import PersistentHistory

@Suite(.bounded) struct TokenResolverTests {
  private static let store = StoreWriter.identifier
  private static let other = "AAAAAAAA-BBBB-CCCC-DDDD-EEEEEEEEEEEE"
  private static let now = StoreTimestamp(unixSeconds: 1_793_527_200)

  /// Transactions 5, 6, 9 and 12 are left of 14; a transaction's time is 743,906,500 and 60 seconds
  /// for each number.
  private static func pruned(
    _ change: (StoreWriter) throws -> Void = { _ in }
  ) throws -> TemporaryFolder {
    let folder = try TemporaryFolder()
    let writer = try StoreWriter(path: folder.file("pruned.store"))
    for number: Int64 in [5, 6, 9, 12, 14] { try writer.transaction(number) }
    try writer.sql("DELETE FROM ATRANSACTION WHERE Z_PK = 14")
    try change(writer)
    try writer.close()
    return folder
  }

  private static func resolve<Result>(
    in folder: TemporaryFolder, _ body: (TokenResolver) throws -> Result
  ) throws -> Result {
    try StoreFile(path: folder.file("pruned.store")).read { snapshot in
      try body(TokenResolver(snapshot: snapshot, now: now))
    }
  }

  private static func time(_ number: Int64) -> StoreTimestamp {
    StoreTimestamp(secondsSinceReferenceDate: 743_906_500 + Double(number) * 60)
  }

  @Test(
    arguments: [
      ("0", 0, TokenState.valid), ("1", 1, .expired), ("4", 4, .expired), ("5", 5, .valid),
      ("6", 6, .valid), ("7", 7, .expired), ("9", 9, .valid), ("12", 12, .valid),
      ("13", 13, .expired), ("14", 14, .expired), ("15", 15, .ahead(highestIssued: 14)),
      ("9223372036854775807", .max, .ahead(highestIssued: 14)),
      ("\(store):7", 7, .expired), ("\(store.lowercased()):9", 9, .valid),
      ("\(store):15", 15, .ahead(highestIssued: 14)), ("\(store):0", 0, .valid),
      ("\(other):1,\(store):9", 9, .valid),
      ("first", 5, .valid), ("first~1", 6, .valid), ("first~3", 12, .valid), ("last", 12, .valid),
      ("last~1", 9, .valid), ("last~3", 5, .valid),
    ] as [(String, Int64, TokenState)])
  func `numbers and portable tokens have the states of the frameworks' rule`(
    text: String, number: Int64, state: TokenState
  ) throws {
    let folder = try Self.pruned()
    let token = try Self.resolve(in: folder) { try $0.resolve(text) }
    #expect(token.number == number)
    #expect(token.state == state)
    #expect(token.text == text && token.moment == nil)
    #expect(token.timestamp == (state == .valid && number > 0 ? Self.time(number) : nil))
    #expect(token.token == HistoryToken(storeIdentifier: Self.store, transaction: number))
  }

  @Test(arguments: [0, 9, 99])
  func `a token of other stores is foreign, whatever its number`(number: Int64) throws {
    let folder = try Self.pruned()
    let text = "\(Self.other):\(number)"
    let token = try Self.resolve(in: folder) { try $0.resolve(text) }
    #expect(token.state == .foreign(identifiers: [Self.other]) && token.number == nil)
    #expect(token.token?.description == text)
  }

  @Test(arguments: [
    ("last~4", "last"), ("first~4", "first"), (" last~99", "last"),
    ("last~9223372036854775807", "last"),
  ])
  func `a position outside the history is an error that names the farthest one`(
    text: String, keyword: String
  ) throws {
    let folder = try Self.pruned()
    let expected = HistoryError.fewTransactions(text: text, count: 4, keyword: keyword)
    #expect(throws: expected) { try Self.resolve(in: folder) { try $0.resolve(text) } }
    #expect(expected.remedy == "the farthest is \(keyword)~3")
  }

  @Test(
    arguments: [
      ("UPDATE Z_PRIMARYKEY SET Z_MAX = 10 WHERE Z_ENT = 16002", 12),
      ("DELETE FROM Z_PRIMARYKEY WHERE Z_ENT = 16002", 12),
      ("UPDATE Z_PRIMARYKEY SET Z_MAX = NULL WHERE Z_ENT = 16002", 12),
      ("UPDATE Z_PRIMARYKEY SET Z_MAX = 1039 WHERE Z_ENT = 16002", 1039),
    ] as [(String, Int64)])
  func `the highest issued number is Z_MAX or, in a torn copy, that of a row`(
    sql: String, highest: Int64
  ) throws {
    let folder = try Self.pruned { try $0.sql(sql) }
    try Self.resolve(in: folder) { resolver throws in
      #expect(try resolver.highestIssued() == highest)
      #expect(try resolver.resolve("12").state == .valid)
      #expect(
        try resolver.resolve("\(highest + 1)").state == .ahead(highestIssued: highest))
      if highest > 12 { #expect(try resolver.resolve("\(highest)").state == .expired) }
    }
  }

  @Test(arguments: [true, false])
  func `only the beginning works in an empty history`(wasPruned: Bool) throws {
    let folder = try Self.pruned {
      try $0.sql("DELETE FROM ATRANSACTION")
      if !wasPruned { try $0.sql("DELETE FROM Z_PRIMARYKEY WHERE Z_ENT > 16000") }
    }
    try Self.resolve(in: folder) { resolver throws in
      for text in ["0", "first", "last", "last~3", "2020-01-01", "now"] {
        let token = try resolver.resolveUsable(text)
        #expect(token.number == 0 && token.timestamp == nil)
        #expect(throws: HistoryError.noTransaction(text: text, isHistoryEmpty: true)) {
          try resolver.transactionNumber(text)
        }
      }
      #expect(
        try resolver.resolve("1").state == (wasPruned ? .expired : .ahead(highestIssued: 0)))
      let unusable = try resolver.unusable(resolver.resolve("1"))
      #expect(unusable.oldest == nil)
      #expect(unusable.remedy.hasSuffix("start again from 0") == wasPruned)
      #expect(unusable.remedy(option: "--after").hasSuffix("again with --after 0") == wasPruned)
    }
  }

  @Test
  func `a store without an identifier accepts numbers and no tokens`() throws {
    let folder = try Self.pruned { try $0.sql("UPDATE Z_METADATA SET Z_UUID = NULL") }
    try Self.resolve(in: folder) { resolver throws in
      let number = try resolver.resolve("9")
      #expect(number.state == .valid && number.token == nil)
      let token = try resolver.resolve("\(Self.store):9")
      #expect(token.state == .foreign(identifiers: [Self.store]))
      #expect(try resolver.unusable(token).message.contains("without an identifier"))
    }
  }

  @Test
  func `a store with a lower-case identifier accepts its tokens`() throws {
    let folder = try Self.pruned { try $0.sql("UPDATE Z_METADATA SET Z_UUID = lower(Z_UUID)") }
    #expect(try Self.resolve(in: folder) { try $0.resolve("\(Self.store):9").state } == .valid)
  }

  @Test
  func `only a token that names a transaction has a number`() throws {
    let folder = try Self.pruned()
    try Self.resolve(in: folder) { resolver throws in
      #expect(try resolver.transactionNumber("9") == 9)
      #expect(try resolver.transactionNumber("last~1") == 9)
      #expect(try resolver.transactionNumber("2024-07-29T00:46:41Z") == 6)
      #expect(throws: HistoryError.noTransaction(text: "0", isHistoryEmpty: false)) {
        try resolver.transactionNumber("0")
      }
      #expect(throws: HistoryError.noTransaction(text: "now", isHistoryEmpty: false)) {
        try resolver.transactionNumber("now")
      }
      let error = #expect(throws: HistoryError.self) { try resolver.transactionNumber("7") }
      guard case .unusableToken? = error else {
        Issue.record("7 names no transaction")
        return
      }
    }
  }

  @Test
  func `a transaction without a time or with the number 0 is named by its number`() throws {
    let folder = try Self.pruned {
      try $0.sql("UPDATE ATRANSACTION SET ZTIMESTAMP = NULL WHERE Z_PK = 9")
    }
    #expect(try Self.resolve(in: folder) { try $0.transactionNumber("9") } == 9)
    #expect(try Self.resolve(in: folder) { try $0.transactionNumber("first") } == 5)
    let zero = try Self.pruned { try $0.sql("UPDATE ATRANSACTION SET Z_PK = 0 WHERE Z_PK = 5") }
    #expect(try Self.resolve(in: zero) { try $0.transactionNumber("first") } == 0)
  }

  @Test(arguments: [
    ("7", "expired", "transaction 7 "),
    ("15", "ahead", "the newest number ever issued there is 14"),
    ("\(other):9", "foreign", other),
  ])
  func `an expired token is reported with the oldest valid one, its date and a hint`(
    text: String, state: String, part: String
  ) throws {
    let folder = try Self.pruned()
    let error = try #require(throws: HistoryError.self) {
      try Self.resolve(in: folder) { try $0.resolveUsable(text) }
    }
    guard case .unusableToken(let token) = error else {
      Issue.record("another error: \(error)")
      return
    }
    #expect(token.state.name == state)
    #expect(token.oldest == TransactionPosition(number: 5, timestamp: Self.time(5)))
    #expect(token.newest == TransactionPosition(number: 12, timestamp: Self.time(12)))
    #expect(error.message.hasPrefix("token \(text) "))
    #expect(error.message.contains(part))
    #expect(error.message.contains(folder.file("pruned.store")))
    #expect(
      error.message.contains("the oldest token that works is 5, of 2024-07-29T00:46:40Z"))
    // Only history that is gone is done without; another store has it.
    let isGone = state == "expired"
    #expect(error.remedy.contains("continue from 6, ") == isGone)
    #expect(error.remedy.hasSuffix("from transaction 9 on") == isGone)
  }

  @Test
  func `a store opened by a link has the bookmarks beside its target`() throws {
    let (folder, elsewhere) = (try Self.pruned(), try TemporaryFolder())
    let path = folder.file("pruned.store")
    let token = HistoryToken(storeIdentifier: Self.store, transaction: 9)
    try BookmarkFile.set(
      Bookmark(name: "nightly", token: token, timestamp: nil),
      in: BookmarkFile.path(besideStore: path))
    let link = elsewhere.file("link.store")
    try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: path)
    for path in [path, link] {
      let number = try StoreFile(path: path).read {
        try TokenResolver(snapshot: $0).resolve("@nightly").number
      }
      #expect(number == 9)
    }
  }

  // MARK: - Missing beginnings

  @Test(arguments: [
    ("2024-07-29T00:46:39Z", true), ("2001-01-01", true), ("2024-07-29T00:46:40Z", false),
    ("2024-07-29T00:46:41Z", false), ("5", false), ("0", false), ("first", false),
  ])
  func `only a moment before the first transaction of a pruned history misses its beginning`(
    text: String, isMissing: Bool
  ) throws {
    let gap = HistoryGap(store: Self.store, after: 0, oldest: 5)
    let found = try Self.resolve(in: Self.pruned()) { try $0.missingBeginning(after: text) }
    #expect(found == (isMissing ? gap : nil))
    // It cannot be known whether a transaction without a time is after the moment.
    let withoutTime = try Self.pruned {
      try $0.sql("UPDATE ATRANSACTION SET ZTIMESTAMP = NULL WHERE Z_PK = 5")
    }
    #expect(try Self.resolve(in: withoutTime) { try $0.missingBeginning(after: text) } == nil)
    let whole = try Self.pruned {
      try $0.sql("UPDATE ATRANSACTION SET Z_PK = 1 WHERE Z_PK = 5")
    }
    #expect(try Self.resolve(in: whole) { try $0.missingBeginning(after: text) } == nil)
  }

  @Test(arguments: [true, false])
  func `an empty history misses its beginning if it ever had one`(wasPruned: Bool) throws {
    let folder = try Self.pruned {
      try $0.sql("DELETE FROM ATRANSACTION")
      if !wasPruned { try $0.sql("DELETE FROM Z_PRIMARYKEY WHERE Z_ENT > 16000") }
    }
    let gap = HistoryGap(store: Self.store, after: 0, oldest: nil)
    let found = try Self.resolve(in: folder) { try $0.missingBeginning(after: "2001-01-01") }
    #expect(found == (wasPruned ? gap : nil))
  }

  // MARK: - Moments

  /// Times by number, in seconds since 2001: the clock steps back at 3, and 5 has none.
  private static let times: [(number: Int64, time: String)] = [
    (1, "100.0"), (2, "200.0"), (3, "150.0"), (4, "300.0"), (5, "NULL"), (6, "'later'"),
    (7, "x'ffff'"),
  ]

  @Test(
    arguments: [
      (-1000, 0, nil), (100, 0, nil), (100.5, 1, 100), (150, 1, 100), (160, 1, 100), (200, 1, 100),
      (200.25, 3, 150), (300, 3, 150), (300.5, 7, nil), (1e12, 7, nil),
    ] as [(Double, Int64, Double?)])
  func `a moment resolves to the position before the lowest number at or after it`(
    seconds: Double, number: Int64, time: Double?
  ) throws {
    let folder = try Self.pruned { writer in
      try writer.sql("DELETE FROM ATRANSACTION")
      for row in Self.times {
        try writer.sql(
          "INSERT INTO ATRANSACTION (Z_PK, Z_ENT, ZTIMESTAMP) VALUES (\(row.number), 16002, \(row.time))"
        )
      }
    }
    // A duration of no length is the moment itself.
    try StoreFile(path: folder.file("pruned.store")).read { snapshot in
      let moment = StoreTimestamp(secondsSinceReferenceDate: seconds)
      let resolver = TokenResolver(snapshot: snapshot, now: moment)
      let token = try resolver.resolve("now")
      #expect(token.moment == Moment(timestamp: moment))
      #expect(token.number == number)
      #expect(token.state == .valid)
      #expect(
        token.timestamp == time.map(StoreTimestamp.init(secondsSinceReferenceDate:)))
    }
  }

  @Test(arguments: [(-5, -6), (1, 0), (.min, .min)] as [(Int64, Int64)])
  func `a moment also resolves to a position before numbers that no framework issues`(
    first: Int64, number: Int64
  ) throws {
    let folder = try Self.pruned {
      try $0.sql("UPDATE ATRANSACTION SET Z_PK = \(first) WHERE Z_PK = 5")
    }
    #expect(try Self.resolve(in: folder) { try $0.resolve("2001-01-01").number } == number)
  }
}
