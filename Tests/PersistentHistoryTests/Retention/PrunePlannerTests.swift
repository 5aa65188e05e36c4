import PersistentHistory
import StoreFormat
import StoreTransactions
import StoreWriting
import TestSupport
import Testing

/// Rules, guards and the one cut that they come to.
@Suite(.bounded) struct PrunePlannerTests {
  /// When the sample's last transaction was saved, and a little later.
  private static let now = StoreTimestamp(secondsSinceReferenceDate: 743_907_220 + 30)

  private static func plan(
    _ rules: [RetentionRule], bookmarks: [(String, Int64)] = [],
    change: (inout PruneRequest) -> Void = { _ in }, sql: String? = nil
  ) throws -> PrunePlan {
    let folder = try TemporaryFolder()
    let path = try SampleStore.write(to: folder.file("sample.store"))
    if let sql { try StoreQuery(path: path).run(sql) }
    for (name, number) in bookmarks {
      let time = number > 0 && number <= 12 ? 743_906_500 + Double(number) * 60 : nil
      try BookmarkFile.set(
        Bookmark(
          name: name, token: .init(storeIdentifier: StoreWriter.identifier, transaction: number),
          timestamp: time.map(StoreTimestamp.init(secondsSinceReferenceDate:))),
        in: BookmarkFile.path(besideStore: path))
    }
    var request = PruneRequest(.transactions(rules))
    change(&request)
    return try HistoryPruner(path: path, now: now).plan(request)
  }

  private static func duration(_ text: String) throws -> HistoryDuration {
    try HistoryDuration(parsing: text)
  }

  private static let rules: [(RetentionRule, Int64)] = [
    (.keepLast(3), 10), (.keepLast(12), 1), (.keepLast(13), 1), (.keepLast(1), 12),
    (.before(token: "5"), 5), (.before(token: "0"), 1), (.before(token: "last~2"), 10),
    (.before(token: "first"), 1), (.before(token: "2024-07-29T00:46:41Z"), 6),
    (.before(token: "2030-01-01T00:00:00Z"), 12), (.before(token: "2001-01-01T00:00:00Z"), 1),
    (.maxSize(bytes: 1 << 40), 1), (.maxSize(bytes: 1), 12), (.keepLast(0), 12),
    (.beforeTransaction(5), 5), (.beforeTransaction(1), 1), (.beforeTransaction(99), 12),
  ]

  @Test(arguments: [
    (Int64(1), "1B"), (1000, "1KB"), (1024, "1K"), (45_056, "44K"), (45_568, "44.5K"),
    (50 << 20, "50M"), (50_000_000, "50MB"), (1_610_612_736, "1.5G"), (1234, "1234B"),
    (.max, "9223372036854775807B"),
  ])
  func `a size is formatted for people`(_ bytes: Int64, _ text: String) {
    #expect(RetentionRule.maxSize(bytes: bytes).value == text)
  }

  @Test(arguments: rules)
  func `each rule by itself has its cut`(_ rule: RetentionRule, _ cut: Int64) throws {
    let plan = try Self.plan([rule])
    #expect(plan.cut == HistoryCut(before: cut))
    #expect(plan.deletion.transactionCount == Int(cut) - 1)
    #expect(plan.firstKept?.number == cut)
    #expect(!plan.deciders.isEmpty)
  }

  @Test func `a cut at the lowest number deletes nothing`() throws {
    let lowest = try Self.plan([.beforeTransaction(.min)])
    #expect(lowest.cut == HistoryCut(before: .min) && lowest.deletion.isEmpty)
    let limited = try Self.plan([.beforeTransaction(.min), .maxSize(bytes: 1)])
    #expect(limited.remainingByteCount == limited.history.byteCount)
    let first = try Self.plan(
      [.before(token: "first")],
      sql: """
        UPDATE ATRANSACTION SET Z_PK = -9223372036854775808 WHERE Z_PK = 1;
        UPDATE ACHANGE SET ZTRANSACTIONID = -9223372036854775808 WHERE ZTRANSACTIONID = 1
        """)
    #expect(first.cut == HistoryCut(before: .min) && first.deletion.isEmpty)
  }

  @Test func `deleting all includes the highest number`() throws {
    let all = try Self.plan(
      [.all],
      sql: """
        UPDATE ATRANSACTION SET Z_PK = 9223372036854775807 WHERE Z_PK = 12;
        UPDATE ACHANGE SET ZTRANSACTIONID = 9223372036854775807 WHERE ZTRANSACTIONID = 12;
        UPDATE Z_PRIMARYKEY SET Z_MAX = 9223372036854775807 WHERE Z_ENT = 16002
        """)
    #expect(all.cut == .end && all.deletion.transactionCount == 12)
  }

  private static let durations: [(String, Int64)] = [
    ("30s", 12), ("31s", 12), ("91s", 11), ("10min", 3), ("1h", 1), ("1s", 12),
  ]

  @Test(arguments: durations)
  func `a duration counts back from the current time`(_ text: String, _ cut: Int64) throws {
    let plan = try Self.plan([.keepWithin(try Self.duration(text))])
    #expect(plan.cut == HistoryCut(before: cut))
  }

  @Test func `the lowest cut wins`() throws {
    let plan = try Self.plan([
      .before(token: "9"), .keepLast(8), .keepWithin(try Self.duration("3min")),
    ])
    #expect(plan.cut == HistoryCut(before: 5))
    #expect(plan.deciders == ["keep-last"])
    #expect(plan.rules.map(\.cut.firstKept) == [9, 5, 10])
  }

  @Test func `the newest transaction is kept unless all are deleted`() throws {
    let future = RetentionRule.before(token: "2030-01-01")
    let kept = try Self.plan([future])
    #expect(kept.deciders == ["newest"])
    #expect(kept.deletion.transactionCount == 11)
    // A rule that leaves the newest decides by itself.
    let last = try Self.plan([.keepLast(1)])
    #expect(last.deciders == ["keep-last"] && last.guards.isEmpty)
    let gone = try Self.plan([future, .all])
    #expect(gone.cut == .end)
    #expect(gone.deletion.transactionCount == 12)
    #expect(gone.firstKept == nil)
    #expect(try Self.plan([.all]).cut == .end)
    // A rule that keeps something keeps it all the same.
    #expect(try Self.plan([.all, .keepLast(2)]).cut == HistoryCut(before: 11))
    #expect(try Self.plan([.all], bookmarks: [("a", 12)]).cut == HistoryCut(before: 12))
  }

  @Test func `bookmarks hold history back`() throws {
    let plan = try Self.plan([.keepLast(2)], bookmarks: [("a", 9), ("b", 7), ("c", 12)])
    #expect(plan.cut == HistoryCut(before: 7))
    #expect(plan.deciders == ["@b"])
    #expect(plan.bookmarks.map(\.outcome) == [.kept, .kept, .kept])
    let unread = try Self.plan([.keepLast(2)], bookmarks: [("new", 0)])
    #expect(unread.deletion.isEmpty && unread.cut == HistoryCut(before: 1))
    #expect(unread.deciders == ["@new"])
  }

  @Test(
    arguments: [
      ("archive", 8, ["archive"]), ("archive", 10, ["keep-last"]), ("archive", 11, ["keep-last"]),
      ("other", 8, ["other"]), ("other", 10, ["keep-last", "other"]), ("other", 11, ["keep-last"]),
    ] as [(String, Int64, [String])])
  func
    `an archive is named as a limit if it has less than the rules would delete`(
      _ name: String, _ number: Int64, _ deciders: [String]
    ) throws
  {
    let plan = try Self.plan([.keepLast(3)]) {
      $0.guards = [RetentionGuard(name: name, verdict: .holds(from: number), reason: "")]
    }
    #expect(plan.cut == HistoryCut(before: min(number, 10)))
    #expect(plan.deciders == deciders)
  }

  @Test func `an ignored bookmark does not hold history back`() throws {
    let bookmarks: [(String, Int64)] = [("a", 9), ("b", 7)]
    let one = try Self.plan([.keepLast(2)], bookmarks: bookmarks) { $0.ignoredGuards = ["@b"] }
    #expect(one.cut == HistoryCut(before: 9))
    #expect(one.lostBookmarks.map(\.bookmark.name) == ["b"])
    let none = try Self.plan([.keepLast(2)], bookmarks: bookmarks) {
      $0.ignoredGuards = ["bookmarks"]
    }
    #expect(none.cut == HistoryCut(before: 11))
    #expect(none.bookmarks.isEmpty)
  }

  @Test func `a bookmark at the beginning holds back the whole history`() throws {
    let kept = try Self.plan([.keepLast(12)], bookmarks: [("new", 0), ("a", 9)])
    #expect(kept.bookmarks.map(\.outcome) == [.kept, .kept])
    #expect(
      Set(kept.guards.map(\.reason))
        == ["its consumer has read nothing yet", "its consumer goes on after transaction 9"])
    // 0 never expires, but what was to be read after it is gone.
    let lost = try Self.plan([.keepLast(2)], bookmarks: [("new", 0)]) {
      $0.ignoredGuards = ["@new"]
    }
    #expect(lost.lostBookmarks.map(\.bookmark.name) == ["new"])
  }

  @Test func `the lowest position that bookmarks need`() throws {
    let folder = try TemporaryFolder()
    let path = try SampleStore.write(to: folder.file("sample.store"))
    try StoreQuery(path: path).run("DELETE FROM ATRANSACTION WHERE Z_PK < 5")
    func lowest(_ numbers: [Int64], ofAnotherCopy: Int64? = nil) throws -> Int64? {
      let bookmarks = numbers.map { number in
        Bookmark(
          name: "a\(number)",
          token: .init(storeIdentifier: StoreWriter.identifier, transaction: number),
          timestamp: number == ofAnotherCopy ? StoreTimestamp(secondsSinceReferenceDate: 1) : nil)
      }
      return try StoreFile(path: path).read {
        try BookmarkEffect.lowestNeeded(by: bookmarks, in: $0)
      }
    }
    #expect(try lowest([9, 7, 12]) == 7)
    #expect(try lowest([9, 3, 99]) == 9)
    #expect(try lowest([9, 6, 3], ofAnotherCopy: 6) == 6)
    #expect(try lowest([6, 3, 99], ofAnotherCopy: 6) == nil)
    #expect(try lowest([]) == nil)
  }

  @Test func `invalid bookmarks hold no history back`() throws {
    let plan = try Self.plan(
      [.keepLast(2)], bookmarks: [("ahead", 99), ("gone", 3)],
      sql: "DELETE FROM ACHANGE WHERE ZTRANSACTIONID < 5; DELETE FROM ATRANSACTION WHERE Z_PK < 5")
    #expect(plan.cut == HistoryCut(before: 11))
    #expect(plan.bookmarks.map(\.outcome) == [.unusable, .unusable])
    #expect(plan.lostBookmarks.isEmpty)
  }

  @Test func `a bookmark too far behind is lost`() throws {
    func plan(_ allowance: BookmarkAllowance) throws -> PrunePlan {
      try Self.plan([.keepLast(2)], bookmarks: [("a", 9), ("b", 4)]) { $0.allowance = allowance }
    }
    #expect(try plan(.transactions(8)).cut == HistoryCut(before: 4))
    let lost = try plan(.transactions(7))
    #expect(lost.cut == HistoryCut(before: 9))
    #expect(lost.lostBookmarks.map(\.bookmark.name) == ["b"])
    #expect(lost.bookmarks.map(\.isTooFarBehind) == [false, true])
    // The first transaction that b has not read is 5: 7 minutes and 30 seconds ago.
    #expect(try plan(.duration(Self.duration("450s"))).cut == HistoryCut(before: 4))
    #expect(try plan(.duration(Self.duration("449s"))).cut == HistoryCut(before: 9))
    // Who has read everything is never behind, however long ago that was.
    let idle = try Self.plan([.before(token: "2030-01-01")], bookmarks: [("a", 12)]) {
      $0.allowance = .transactions(1)
    }
    #expect(idle.cut == HistoryCut(before: 12))
  }

  @Test func `the history of a mirrored store is not pruned unless the guard is ignored`() throws {
    let sql = "CREATE TABLE ANSCKMETADATAENTRY (Z_PK INTEGER PRIMARY KEY)"
    let refused = try Self.plan([.keepLast(2)], sql: sql)
    #expect(refused.refusals.map(\.name) == ["mirroring"])
    let nothing = try Self.plan([.keepLast(20)], sql: sql)
    #expect(nothing.refusals.isEmpty)
    let ignored = try Self.plan(
      [.keepLast(2)], change: { $0.ignoredGuards = ["mirroring"] }, sql: sql)
    #expect(ignored.refusals.isEmpty)
  }

  @Test(
    arguments: [
      (token: 8, pending: nil, cut: 8), (token: 12, pending: nil, cut: 11),
      (token: 8, pending: 3, cut: 3), (token: 8, pending: 10, cut: 8),
      (token: 40, pending: nil, cut: nil),
      // What it needs is gone, and nothing more may go.
      (token: 8, pending: 1, cut: 2),
    ] as [(token: Int64, pending: Int64?, cut: Int64?)])
  func `history that a mirror has not read stays, by its records and its token`(
    token: Int64, pending: Int64?, cut: Int64?
  ) throws {
    let folder = try TemporaryFolder()
    let writer = try StoreWriter(path: folder.file("sample.store"))
    try SampleStore.fill(writer)
    try MirroredTables.add(
      to: writer, token: MirroredTables.archive([StoreWriter.identifier: token]),
      records: pending.map {
        [MirroredTables.Record(needsUpload: true, lastExported: .integer($0))]
      } ?? [])
    try writer.sql(
      "DELETE FROM ACHANGE WHERE ZTRANSACTIONID < 2; DELETE FROM ATRANSACTION WHERE Z_PK < 2")
    try writer.close()
    let pruner = try HistoryPruner(path: writer.path, now: Self.now)
    let plan = try pruner.plan(PruneRequest(.transactions([.keepLast(2)])))
    #expect(plan.refusals.map(\.name) == (cut == nil ? ["mirroring"] : []))
    if let cut { #expect(plan.cut == HistoryCut(before: cut)) }
  }

  @Test func `the plan tells which tokens expire`() throws {
    let plan = try Self.plan([.keepLast(4)]) {
      $0.tokens = ["8", "9", "0", "last", "99", "2024-07-29", "\(StoreWriter.identifier):3"]
    }
    #expect(
      plan.tokens.map(\.stateAfter)
        == ["expired", "valid", "valid", "valid", "ahead", "valid", "expired"])
    #expect(plan.tokens.map(\.works) == [false, true, true, true, false, true, false])
    #expect(plan.tokens.map(\.expires) == [true, false, false, false, false, false, true])
    // A moment never expires, and what does not work before cannot expire.
    let others = try Self.plan(
      [.keepLast(4)], change: { $0.tokens = ["2024-07-29T00:46:41Z", "3"] },
      sql: "DELETE FROM ACHANGE WHERE ZTRANSACTIONID < 5; DELETE FROM ATRANSACTION WHERE Z_PK < 5")
    #expect(others.tokens.map(\.works) == [true, false])
    #expect(others.tokens.map(\.expires) == [false, false])
  }

  @Test func `a history within the limit of ifLargerThan is not pruned`() throws {
    let bytes = try #require(try Self.plan([.keepLast(1)]).history.byteCount)
    let same = try Self.plan([.keepLast(1)]) { $0.ifLargerThan = bytes }
    #expect(same.deletion.isEmpty && same.isSmallEnough && same.cut == nil)
    let larger = try Self.plan([.keepLast(1)]) { $0.ifLargerThan = bytes - 1 }
    #expect(larger.deletion.transactionCount == 11)
  }

  @Test func `the plan for an empty history deletes nothing`() throws {
    let plan = try Self.plan(
      [.keepLast(1), .all, .maxSize(bytes: 5), .before(token: "0")], bookmarks: [("a", 0)],
      sql: "DELETE FROM ACHANGE; DELETE FROM ATRANSACTION")
    #expect(plan.deletion.isEmpty)
    #expect(plan.cut == nil)
  }

  @Test(arguments: ["99", "0BADF00D-0000-0000-0000-000000000000:3"])
  func `an unknown token is an error`(_ token: String) throws {
    #expect(throws: HistoryError.self) { try Self.plan([.before(token: token)]) }
  }

  @Test func `a token that has expired leaves nothing to do`() throws {
    let plan = try Self.plan(
      [.before(token: "3")],
      sql: "DELETE FROM ACHANGE WHERE ZTRANSACTIONID < 5; DELETE FROM ATRANSACTION WHERE Z_PK < 5")
    #expect(plan.deletion.isEmpty)
  }

  /// The pages of what stays, written anew, take about the size that was asked for.
  @Test func `the remaining history has about the requested size`() throws {
    let folder = try TemporaryFolder()
    let path = try LongHistory.write(
      to: folder.file("a.store"), transactions: 20_000, changesEach: 3)
    let pruner = try HistoryPruner(path: path)
    let all = try #require(
      try pruner.plan(PruneRequest(.transactions([.keepLast(1)]))).history.byteCount)
    let plan = try pruner.plan(PruneRequest(.transactions([.maxSize(bytes: all / 3)])))
    #expect(try pruner.prune(plan).problem == nil)
    let query = try StoreQuery(path: path)
    try query.run("VACUUM INTO '\(folder.file("b.store"))'")
    let left =
      try HistoryPruner(path: folder.file("b.store"))
      .plan(PruneRequest(.transactions([.keepLast(1)]))).history.byteCount ?? 0
    #expect(left <= all / 3 + 8 * 4096)
    #expect(left >= all / 4)
    // What was said of the bytes is about right.
    #expect(abs((plan.byteCount ?? 0) - (all - left)) < all / 20)
  }

  @Test func `a limit equal to the size deletes nothing`() throws {
    let bytes = try #require(try Self.plan([.keepLast(1)]).history.byteCount)
    let all = try Self.plan([.maxSize(bytes: bytes)])
    #expect(all.cut == HistoryCut(before: 1) && all.remainingByteCount == bytes)
  }

  /// Also if not even the newest transaction fits.
  @Test(arguments: [Int64(1), 100_000]) func `the plan has the exact remaining size`(
    _ bytes: Int64
  ) throws {
    let folder = try TemporaryFolder()
    let path = try LongHistory.write(
      to: folder.file("a.store"), transactions: 500, changesEach: 3,
      sizes: [499: 1000, 500: 1000])
    let pruner = try HistoryPruner(path: path)
    let plan = try pruner.plan(PruneRequest(.transactions([.maxSize(bytes: bytes)])))
    #expect(plan.deletion.transactionCount > 0)
    #expect(try pruner.prune(plan).problem == nil)
    let left = try StoreFile(path: path).read { try $0.historyByteCount() }
    #expect(left != nil && plan.remainingByteCount == left)
  }

  /// Also where newer pages hold fewer rows than older ones.
  @Test(arguments: [false, true]) func `the size limit keeps as much as fits`(
    _ isFragmented: Bool
  ) throws {
    let folder = try TemporaryFolder()
    let path = try LongHistory.write(to: folder.file("a.store"), transactions: 3000, changesEach: 3)
    if isFragmented {
      try StoreQuery(path: path).run("DELETE FROM ACHANGE WHERE Z_PK > 3000 AND Z_PK % 3 > 0")
    }
    let pruner = try HistoryPruner(path: path)
    let all = try #require(try StoreFile(path: path).read { try $0.historyByteCount() })
    for part: Int64 in 2...12 {
      let limit = all / part
      let plan = try pruner.plan(PruneRequest(.transactions([.maxSize(bytes: limit)])))
      let left = try #require(plan.remainingByteCount)
      #expect(left <= limit && left > limit - (48 << 10), "\(limit)")
    }
  }

  /// Of a store that is too large for a trial, the size is estimated, and on the safe side.
  @Test func `the remaining size of a large store is estimated on the safe side`() throws {
    let folder = try TemporaryFolder()
    let path = try LongHistory.write(
      to: folder.file("a.store"), transactions: 10_000, changesEach: 3)
    try StoreQuery(path: path).run("CREATE TABLE ZLARGE AS SELECT zeroblob(26 << 20)")
    let pruner = try HistoryPruner(path: path)
    let all = try #require(
      try pruner.plan(PruneRequest(.transactions([.keepLast(1)]))).history.byteCount)
    let plan = try pruner.plan(PruneRequest(.transactions([.maxSize(bytes: all / 2)])))
    #expect(plan.remainingByteCount == nil)
    #expect(try pruner.prune(plan).problem == nil)
    let left = try #require(try StoreFile(path: path).read { try $0.historyByteCount() })
    #expect(left <= all / 2 && left >= all / 4)
    // Little of a history is mostly pages that are filled in part.
    for part: Int64 in 20...30 {
      let plan = try pruner.plan(PruneRequest(.transactions([.maxSize(bytes: all / part)])))
      #expect(try pruner.prune(plan).problem == nil)
      let left = try #require(try StoreFile(path: path).read { try $0.historyByteCount() })
      #expect(left <= all / part, "\(all / part)")
    }
  }

  @Test func `changes of an entity that left the model are deleted by its name or number`() throws {
    let folder = try TemporaryFolder()
    let path = try SampleStore.write(to: folder.file("sample.store"))
    let query = try StoreQuery(path: path)
    try query.run(
      """
      UPDATE ACHANGE SET ZENTITY = 50 WHERE Z_PK IN (1, 5, 9);
      UPDATE ACHANGE SET ZENTITY = 51 WHERE Z_PK = 2;
      INSERT INTO Z_PRIMARYKEY VALUES (50, 'Gone', 0, 9)
      """)
    let pruner = try HistoryPruner(path: path)
    #expect(throws: HistoryError.presentEntity(name: "Trip", path: path)) {
      try pruner.plan(PruneRequest(.entity("Trip")))
    }
    #expect(throws: HistoryError.presentEntity(name: "Trip", path: path)) {
      try pruner.plan(PruneRequest(.entity("#5")))
    }
    #expect(throws: HistoryError.self) { try pruner.plan(PruneRequest(.entity("Nothing"))) }
    var small = PruneRequest(.entity("Gone"))
    small.ifLargerThan = 1 << 40
    #expect(try pruner.plan(small).deletion.isEmpty)
    for (name, count) in [("Gone", 3), ("#51", 1), ("#51", 0), ("#52", 0)] {
      let plan = try pruner.plan(PruneRequest(.entity(name)))
      #expect(plan.deletion.changeCount == count)
      #expect(plan.deletion.transactionCount == 0)
      #expect(try pruner.prune(plan).deleted.changeCount == count)
    }
    #expect(try query.lines("SELECT count(*) FROM ATRANSACTION") == ["12"])
    #expect(try query.lines("SELECT count(*) FROM ACHANGE") == ["23"])
    // Without a model it cannot be known who has left it.
    try query.run("UPDATE Z_MODELCACHE SET Z_CONTENT = x'00'")
    #expect(throws: HistoryError.presentEntity(name: "Gone", path: path)) {
      try pruner.plan(PruneRequest(.entity("Gone")))
    }
  }

  /// A consumer that sets its bookmark while somebody thinks about the plan.
  @Test func `a bookmark set after the plan stops the prune`() throws {
    let folder = try TemporaryFolder()
    let path = try SampleStore.write(to: folder.file("sample.store"))
    let pruner = try HistoryPruner(path: path)
    let plan = try pruner.plan(PruneRequest(.transactions([.keepLast(2)])))
    let file = BookmarkFile.path(besideStore: path)
    let token = HistoryToken(storeIdentifier: StoreWriter.identifier, transaction: 5)
    try BookmarkFile.set(Bookmark(name: "late", token: token, timestamp: nil), in: file)
    #expect(throws: StoreWriteError.self) { try pruner.prune(plan) }
    #expect(try StoreQuery(path: path).lines("SELECT count(*) FROM ATRANSACTION") == ["12"])
    try FileBytes.write(Array("nonsense".utf8), to: file)
    #expect(throws: HistoryError.self) { try pruner.prune(plan) }
    #expect(throws: HistoryError.self) { try pruner.plan(plan.request) }
    #expect(try StoreQuery(path: path).lines("SELECT count(*) FROM ATRANSACTION") == ["12"])
  }

  @Test func `mirroring set up after the plan stops the prune`() throws {
    let folder = try TemporaryFolder()
    let path = try SampleStore.write(to: folder.file("sample.store"))
    let pruner = try HistoryPruner(path: path)
    let plan = try pruner.plan(PruneRequest(.transactions([.keepLast(2)])))
    let query = try StoreQuery(path: path)
    try query.run("CREATE TABLE ANSCKMETADATAENTRY (Z_PK INTEGER PRIMARY KEY)")
    #expect(throws: HistoryError.self) { try pruner.prune(plan) }
    #expect(try query.lines("SELECT count(*) FROM ATRANSACTION") == ["12"])
  }

  @Test func `transactions saved after the plan stay`() throws {
    let folder = try TemporaryFolder()
    let path = try SampleStore.write(to: folder.file("sample.store"))
    let pruner = try HistoryPruner(path: path)
    let plan = try pruner.plan(PruneRequest(.transactions([.all])))
    try StoreEditor(path: path).appendHistory(
      changes: [RecordedChange(number: 0, kind: .insert, entityNumber: 1, primaryKey: 99)])
    let result = try pruner.prune(plan)
    #expect(result.problem == nil)
    #expect(result.deleted.transactionCount == 12)
    #expect(try StoreQuery(path: path).lines("SELECT Z_PK FROM ATRANSACTION") == ["13"])
  }
}
