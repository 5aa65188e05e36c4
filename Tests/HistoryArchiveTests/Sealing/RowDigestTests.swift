import PersistentHistory
import StoreEditing
import StoreFormat
import TestSupport
import Testing

@testable import HistoryArchive

/// Pruning compares each row with the sealed one.
@Suite(.bounded) struct RowDigestTests {
  private let folder: TemporaryFolder
  private let path: String
  private let archive: String

  /// Seals 20 transactions, of which the seventh is deleted in three parts, and the twelfth in two.
  init() throws {
    folder = try TemporaryFolder()
    path = try LongHistory.write(
      to: folder.file("a.store"), transactions: 20, changesEach: 3, sizes: [7: 1200, 12: 1024])
    archive = folder.file("archive")
    try ArchiveSealerTests.seal(path, in: archive, before: .end)
  }

  private func prune() throws -> Erasure {
    let pruner = try HistoryPruner(path: path)
    let plan = try pruner.plan(PruneRequest(.transactions([.keepLast(2)])))
    let schema = try StoreFile(path: path).read { try SegmentSchema($0).digest }
    let digests = try Archive(path: archive).rowDigests(
      of: plan.deletion, ofStore: #require(plan.storeIdentifier), schema: schema,
      missing: StoreFile(path: path).read { try $0.missingRanges(from: 1, upTo: 18) })
    #expect(
      digests.map(\.count)
        == plan.deletion.steps.map { step in
          if case .transactions(let span) = step { span.parts.count } else { 0 }
        })
    return try pruner.prune(plan, requiring: digests)
  }

  private func left() throws -> [String] {
    try StoreQuery(path: path).lines("SELECT Z_PK FROM ATRANSACTION ORDER BY Z_PK")
  }

  /// As the frameworks' `deleteHistory` leaves it with an author's predicate.
  @Test(arguments: ["3, 4, 12, 18", "7", "2, 5, 8, 11, 14, 17", "6, 8"])
  func `transactions that were deleted from the middle after sealing do not matter`(
    _ numbers: String
  ) throws {
    try StoreQuery(path: path).run(
      """
      DELETE FROM ACHANGE WHERE ZTRANSACTIONID IN (\(numbers));
      DELETE FROM ATRANSACTION WHERE Z_PK IN (\(numbers))
      """)
    let result = try prune()
    #expect(result.problem == nil)
    #expect(try left() == ["19", "20"])
  }

  @Test(arguments: [0, 1, 511, 512, 513, 1024, 1199, 1200])
  func `a prune interrupted within a transaction is continued`(_ gone: Int) throws {
    try StoreQuery(path: path).run(
      """
      DELETE FROM ACHANGE WHERE Z_PK IN
        (SELECT Z_PK FROM ACHANGE WHERE ZTRANSACTIONID = 7 ORDER BY Z_PK LIMIT \(gone));
      DELETE FROM ACHANGE WHERE ZTRANSACTIONID < 7;
      DELETE FROM ATRANSACTION WHERE Z_PK < 7
      """)
    let result = try prune()
    #expect(result.problem == nil)
    #expect(result.deleted.changeCount == 1200 - gone + 4 * 3 + 1024 + 6 * 3)
    #expect(try left() == ["19", "20"])
  }

  @Test(arguments: [
    ("UPDATE ACHANGE SET ZENTITYPK = 99 WHERE Z_PK = 5", 2),
    ("UPDATE ACHANGE SET ZCHANGETYPE = 2 WHERE Z_PK = 5", 2),
    ("UPDATE ACHANGE SET ZENTITY = ZENTITY + 1 WHERE Z_PK = 5", 2),
    ("UPDATE ACHANGE SET ZCOLUMNS = x'40' WHERE Z_PK = 5", 2),
    ("UPDATE ACHANGE SET Z_OPT = 2 WHERE Z_PK = 5", 2),
    ("UPDATE ATRANSACTION SET ZTIMESTAMP = 5 WHERE Z_PK = 3", 3),
    // In the second and in the last part of the seventh transaction.
    ("UPDATE ACHANGE SET ZENTITYPK = 9999 WHERE Z_PK = 18 + 600", 7),
    ("UPDATE ACHANGE SET ZENTITYPK = 9999 WHERE Z_PK = 18 + 1200", 7),
    // Only of the first transaction an interrupted run leaves a part.
    ("DELETE FROM ACHANGE WHERE Z_PK <= 4", 1),
  ])
  func `a row that differs from its digest stops the prune before its transaction`(
    _ sql: String, _ number: Int
  ) throws {
    let query = try StoreQuery(path: path)
    try query.run(sql)
    let result = try prune()
    guard case StoreWriteError.store(.damaged)? = result.problem else {
      Issue.record("\(String(describing: result.problem))")
      return
    }
    #expect(try left().suffix(21 - number) == (number...20).map { "\($0)" }[...])
  }

  @Test
  func `rows are compared without an index, too`() throws {
    let query = try StoreQuery(path: path)
    try query.run("DROP INDEX ACHANGE_ZTRANSACTIONID_INDEX")
    try query.run("UPDATE ACHANGE SET ZENTITYPK = 9999 WHERE Z_PK = 18 + 1200")
    guard case StoreWriteError.store(.damaged)? = try prune().problem else {
      Issue.record("a row that differs was deleted")
      return
    }
    #expect(try left().count == 20)
    try query.run("UPDATE ACHANGE SET ZENTITYPK = 1200 WHERE Z_PK = 18 + 1200")
    #expect(try prune().problem == nil)
    #expect(try left() == ["19", "20"])
  }
}
