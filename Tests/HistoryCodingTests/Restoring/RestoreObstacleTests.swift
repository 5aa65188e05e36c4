import HistoryCoding
import PersistentHistory
import StoreFormat
import TestSupport
import Testing

/// What is not to be put back, and how far back it goes.
@Suite(.bounded) struct RestoreObstacleTests {
  /// A sample whose first transactions were sealed and pruned.
  private final class Sample {
    let folder: TemporaryFolder
    let path: String
    let sealed: SealedLines
    let query: StoreQuery

    init(
      firstKept: Int64 = 9, sql: String? = nil, _ prepare: (StoreWriter) throws -> Void = { _ in }
    ) throws {
      folder = try TemporaryFolder()
      path = folder.file("trips.store")
      let writer = try StoreWriter(path: path)
      try SampleStore.fill(writer)
      try prepare(writer)
      try writer.close()
      sealed = try SealedLines(store: path)
      query = try StoreQuery(path: path)
      try query.run(
        """
        DELETE FROM ACHANGE WHERE ZTRANSACTIONID < \(firstKept);
        DELETE FROM ATRANSACTION WHERE Z_PK < \(firstKept)
        """)
      if let sql { try query.run(sql) }
    }

    func plan(_ from: String? = nil, _ sealed: SealedLines? = nil) throws -> RestorePlan {
      try HistoryRestorer(path: path).plan(RestoreRequest(from: from), of: sealed ?? self.sealed)
    }

    func obstacle(_ from: String? = nil, _ sealed: SealedLines? = nil) throws -> RestoreObstacle? {
      do {
        _ = try plan(from, sealed)
        return nil
      } catch let obstacle as RestoreObstacle {
        #expect(!obstacle.message.isEmpty && !obstacle.remedy.isEmpty)
        return obstacle
      }
    }
  }

  /// Sealed history that somebody else puts back just before it is looked at.
  private final class RestoredMeanwhile: SealedLines {
    private let store: String

    init(_ sample: Sample) {
      store = sample.path
      super.init(
        storeIdentifier: sample.sealed.storeIdentifier ?? "",
        transactions: sample.sealed.transactions)
    }

    override func transactions(_ query: HistoryQuery) throws -> any TransactionSource {
      let restorer = try HistoryRestorer(path: store)
      let sealed = keeping(.min ... .max)
      let plan = try restorer.plan(RestoreRequest(), of: sealed)
      #expect(try restorer.restore(plan, of: sealed).problem == nil)
      return try super.transactions(query)
    }
  }

  @Test
  func `a concurrent restore is reported as a change, not as an obstacle`() throws {
    let sample = try Sample()
    #expect {
      _ = try HistoryRestorer(path: sample.path).plan(
        RestoreRequest(), of: RestoredMeanwhile(sample))
    } throws: { error in
      if case .historyChanged? = error as? StoreWriteError { true } else { false }
    }
    #expect(try sample.query.lines("SELECT count(*) FROM ATRANSACTION") == ["12"])
  }

  private static let froms: [(String, Int64?)] = [
    ("1", 1), ("4", 4), ("8", 8), ("9", nil), ("12", nil), ("0", 1), ("first", nil),
    ("last", nil), ("2024-07-29T00:46:40Z", 5), ("2024-07-29T00:46:41Z", 6),
    ("2001-01-01T00:00:00Z", 1), ("2030-01-01", nil),
  ]

  @Test(arguments: froms) func `a restore begins at the requested transaction`(
    _ from: String, _ first: Int64?
  ) throws {
    let sample = try Sample()
    let plan = try sample.plan(from)
    #expect(plan.first?.number == first)
    #expect(plan.transactionCount == first.map { Int(9 - $0) } ?? 0)
    #expect(plan.oldestAfterwards?.number == first ?? 9)
    let restorer = try HistoryRestorer(path: sample.path)
    #expect(try restorer.restore(plan, of: sample.sealed).problem == nil)
    #expect(
      try sample.query.lines("SELECT min(Z_PK), count(*) FROM ATRANSACTION")
        == ["\(first ?? 9)|\(13 - (first ?? 9))"])
  }

  @Test func `a token of no sealed transaction is an obstacle`() throws {
    let sample = try Sample()
    let part = sample.sealed.keeping(4...9)
    #expect(
      try sample.obstacle("3", part) == .notSealed(path: sample.path, wanted: 3, oldestSealed: 4))
    #expect(try sample.plan("4", part).first?.number == 4)
    #expect(try sample.plan(nil, part).first?.number == 4)
    #expect(throws: HistoryError.self) { try sample.plan("99") }
    #expect(throws: HistoryError.self) { try sample.plan("@nobody") }
    #expect(
      try sample.obstacle("3", sample.sealed.keeping(9...12))
        == .notSealed(path: sample.path, wanted: 3, oldestSealed: 9))
    #expect(try sample.plan(nil, sample.sealed.keeping(10...12)).isEmpty)
  }

  @Test func `a gap between archive and store is an obstacle`() throws {
    let sample = try Sample()
    let gap = RestoreObstacle.gap(
      path: sample.path, newestSealed: 6, oldest: 9, newestIssued: 12)
    #expect(try sample.obstacle(nil, sample.sealed.keeping(1...6)) == gap)
    #expect(try sample.plan(nil, sample.sealed.keeping(1...8)).transactionCount == 8)
    let empty = try Sample(firstKept: 13)
    #expect(
      try empty.obstacle(nil, empty.sealed.keeping(1...11))
        == .gap(path: empty.path, newestSealed: 11, oldest: nil, newestIssued: 12))
    #expect(try empty.plan().transactionCount == 12)
  }

  @Test func `another store or a diverged copy is an obstacle`() throws {
    let sample = try Sample()
    let other = SealedLines(storeIdentifier: "OTHER", transactions: sample.sealed.transactions)
    #expect(
      try sample.obstacle(nil, other)
        == .otherStore(path: sample.path, identifier: StoreWriter.identifier, sealed: "OTHER"))
    let sqls = [
      "UPDATE ATRANSACTION SET ZTIMESTAMP = ZTIMESTAMP + 0.001 WHERE Z_PK = 9",
      "UPDATE ACHANGE SET Z_PK = 3 WHERE Z_PK = (SELECT max(Z_PK) FROM ACHANGE)",
      "INSERT INTO ACHANGE (Z_PK, ZTRANSACTIONID, ZENTITY, ZENTITYPK, ZCHANGETYPE) VALUES (99, 9, 5, 1, 0)",
      "INSERT INTO ACHANGE (Z_PK, ZTRANSACTIONID, ZENTITY, ZENTITYPK, ZCHANGETYPE) VALUES (99, 2, 5, 1, 0)",
      """
      DELETE FROM ACHANGE; DELETE FROM ATRANSACTION;
      UPDATE Z_PRIMARYKEY SET Z_MAX = 11 WHERE Z_ENT = 16002
      """,
      """
      DELETE FROM ACHANGE; DELETE FROM ATRANSACTION;
      UPDATE Z_PRIMARYKEY SET Z_MAX = 5 WHERE Z_ENT = 16001
      """,
    ]
    for sql in sqls {
      let copy = try Sample(sql: sql)
      let obstacle = try copy.obstacle()
      guard case .diverged? = obstacle else {
        Issue.record("\(sql): \(String(describing: obstacle))")
        continue
      }
    }
  }

  @Test func `a number of a missing text is restored unless it is taken now`() throws {
    let sql = "UPDATE ATRANSACTION SET ZAUTHORTS = 40 WHERE Z_PK = 3"
    let whole = try Sample(sql: nil) { try $0.sql(sql) }
    #expect(try whole.plan().transactionCount == 8)
    let taken = try Sample(sql: "INSERT INTO ATRANSACTIONSTRING VALUES (40, 16003, NULL, 'new')") {
      try $0.sql(sql)
    }
    guard case .diverged? = try taken.obstacle() else {
      Issue.record("a text that nobody set")
      return
    }
  }

  @Test func `a missing column is an obstacle if a value needs it`() throws {
    let tombstones = try Sample(sql: "ALTER TABLE ACHANGE DROP COLUMN ZTOMBSTONE5")
    guard case .unfitTable(_, 8, let detail)? = try tombstones.obstacle() else {
      Issue.record("a tombstone without a column")
      return
    }
    #expect(detail.contains("ZTOMBSTONE5"))
    #expect(try tombstones.obstacle("9") == nil)
    let extra = try Sample(sql: "ALTER TABLE ATRANSACTION DROP COLUMN ZNEW") {
      try $0.sql(
        "ALTER TABLE ATRANSACTION ADD COLUMN ZNEW; UPDATE ATRANSACTION SET ZNEW = 1 WHERE Z_PK = 2")
    }
    guard case .unfitTable(_, 2, _)? = try extra.obstacle() else {
      Issue.record("a column that is gone")
      return
    }
    // Up to there it can be done, also where the way back is a moment.
    #expect(try extra.plan("3").transactionCount == 6)
    #expect(try extra.plan("2024-07-29T00:44:40Z").transactionCount == 6)
  }

  /// A mirror reads on behind its token: only one whose token nobody knows may be misled.
  @Test(
    arguments: [(9, true), (12, true), (3, true), (40, false), (0, false), (nil, false)]
      as [(Int64?, Bool)])
  func `a mirror whose token is unknown is an obstacle`(_ token: Int64?, _ isAllowed: Bool) throws {
    let sample = try Sample { writer in
      try MirroredTables.add(
        to: writer, token: token.map { try MirroredTables.archive([StoreWriter.identifier: $0]) })
    }
    let plan = try sample.plan()
    #expect(plan.refusals.isEmpty == isAllowed)
    let restorer = try HistoryRestorer(path: sample.path)
    if !isAllowed {
      #expect(throws: HistoryError.self) { try restorer.restore(plan, of: sample.sealed) }
    }
    let ignoring = try restorer.plan(
      RestoreRequest(ignoredGuards: ["mirroring"]), of: sample.sealed)
    #expect(ignoring.refusals.isEmpty)
    #expect(try restorer.restore(ignoring, of: sample.sealed).inserted.transactionCount == 8)
  }

  /// What others do between the plan and the act, and in the middle of it, ends it or does not matter.
  @Test func `a prune after the plan stops the restore, and a save does not`() throws {
    let saves = try Sample()
    let plan = try saves.plan()
    try saves.query.run(
      "INSERT INTO ATRANSACTION (Z_PK, Z_ENT, ZTIMESTAMP) VALUES (13, 16002, 743990000.5)")
    let restorer = try HistoryRestorer(path: saves.path)
    #expect(try restorer.restore(plan, of: saves.sealed).problem == nil)
    let sqls = [
      "DELETE FROM ACHANGE WHERE ZTRANSACTIONID < 10; DELETE FROM ATRANSACTION WHERE Z_PK < 10",
      "UPDATE ATRANSACTION SET ZTIMESTAMP = 1.5 WHERE Z_PK = 9",
      "UPDATE Z_PRIMARYKEY SET Z_NAME = 'Other' WHERE Z_ENT = 4", "DELETE FROM Z_MODELCACHE",
      "UPDATE Z_METADATA SET Z_UUID = 'OTHER'", "CREATE TABLE ZNEW (Z_PK INTEGER PRIMARY KEY)",
      "INSERT INTO ACHANGE (Z_PK, ZTRANSACTIONID) VALUES (2, 12)",
    ]
    for sql in sqls {
      let sample = try Sample()
      let plan = try sample.plan()
      try sample.query.run(sql)
      let before = try sample.query.contents()
      let result = try HistoryRestorer(path: sample.path).restore(plan, of: sample.sealed)
      guard case StoreWriteError.historyChanged? = result.problem else {
        Issue.record("\(sql): \(String(describing: result.problem))")
        continue
      }
      // All of this sample is one batch.
      #expect(result.inserted.transactionCount == 0)
      #expect(try sample.query.contents() == before)
    }
  }

  @Test func `the plan lists the bookmarks that work again`() throws {
    let sample = try Sample()
    for (name, number) in [("a", 3), ("b", 8), ("c", 9), ("d", 99), ("e", 5)] as [(String, Int64)] {
      try BookmarkFile.set(
        Bookmark(
          name: name, token: .init(storeIdentifier: StoreWriter.identifier, transaction: number),
          timestamp: nil), in: BookmarkFile.path(besideStore: sample.path))
    }
    #expect(try sample.plan("5").returningBookmarks.map(\.bookmark.name) == ["b", "e"])
    #expect(try sample.plan("@a").returningBookmarks.map(\.bookmark.name) == ["a", "b", "e"])
  }
}
