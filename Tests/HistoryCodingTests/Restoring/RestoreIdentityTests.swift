import Foundation
import HistoryCoding
import PersistentHistory
import StoreFormat
import TestSupport
import Testing

/// What was pruned and comes back out of lines is what was there, bit for bit.
@Suite(.bounded, .enabled(if: TableDump.isPossible))
struct RestoreIdentityTests {
  private static let stores = RealStores.paths.filter {
    !["kik-old", "notesv7", "scout"].contains(where: $0.contains)
  }

  /// Prunes a store to its newest transactions, restores it and compares; again and again.
  private static func check(
    _ path: String, keeping counts: [Int], from: String? = nil, usesPython: Bool = true
  ) async throws {
    let before = try await HistoryDump(path, usesPython: usesPython)
    let sealed = try SealedLines(store: path)
    let query = try StoreQuery(path: path)
    let restorer = try HistoryRestorer(path: path)
    for count in counts where count > 0 {
      try prune(path, [.keepLast(Int64(count))])
      let pruned = try query.lines("SELECT count(*) FROM ACHANGE").first.flatMap { Int($0) } ?? 0
      let plan = try restorer.plan(
        RestoreRequest(from: from, ignoredGuards: ["damage"]), of: sealed)
      #expect(plan.translatedEntities == [])
      #expect(plan.textCount == 0)
      let result = try restorer.restore(plan, of: sealed)
      #expect(result.problem == nil)
      #expect(result.inserted.transactionCount == plan.transactionCount)
      #expect(result.inserted.changeCount == plan.changeCount)
      let after = try await HistoryDump(path, usesPython: usesPython)
      #expect(after.differences(from: before) == [])
      #expect(plan.transactionCount == max(0, before["ATRANSACTION"].count - count))
      #expect(plan.changeCount == before["ACHANGE"].count - pruned)
      #expect(try query.lines("PRAGMA integrity_check") == ["ok"])
    }
    // Nothing is left to be done.
    #expect(try restorer.plan(RestoreRequest(ignoredGuards: ["damage"]), of: sealed).isEmpty)
  }

  private static func prune(_ path: String, _ rules: [RetentionRule]) throws {
    let pruner = try HistoryPruner(path: path)
    // A real store is torn, and hostile ones are.
    var request = PruneRequest(.transactions(rules))
    request.ignoredGuards = ["damage"]
    let result = try pruner.prune(pruner.plan(request))
    #expect(result.problem == nil)
  }

  /// SQLite takes each column of a row, also those without a value.
  @Test func `a batch has few rows of a table of 2,000 columns`() throws {
    let folder = try TemporaryFolder()
    var shape = StoreWriter.Shape()
    shape.tombstoneColumns = 1980
    let path = try LongHistory.write(
      to: folder.file("x.store"), transactions: 300, changesEach: 3, shape: shape)
    let sealed = try SealedLines(store: path)
    try Self.prune(path, [.keepLast(1)])
    let restorer = try HistoryRestorer(path: path)
    let plan = try restorer.plan(RestoreRequest(ignoredGuards: ["damage"]), of: sealed)
    var counts = [0]
    let result = try restorer.restore(plan, of: sealed) { counts.append($0.changeCount) }
    #expect(result.problem == nil)
    #expect(counts.last == 299 * 3)
    // However fast the machine is.
    #expect(zip(counts, counts.dropFirst()).allSatisfy { $1 - $0 <= 70 }, "\(counts)")
  }

  @Test
  func `a restore is exact while apps save and checkpoint`() throws {
    let folder = try TemporaryFolder()
    let path = try LongHistory.write(
      to: folder.file("x.store"), transactions: 60, changesEach: 40)
    let sealed = try SealedLines(store: path)
    let query = try StoreQuery(path: path)
    let before = try query.lines("SELECT * FROM ACHANGE ORDER BY Z_PK")
    try Self.prune(path, [.keepLast(5)])
    var saved: Int64 = 60
    let watched = WatchedHistory(base: sealed) {
      saved += 1
      try query.run(
        """
        INSERT INTO ATRANSACTION (Z_PK, Z_ENT, ZTIMESTAMP) VALUES (\(saved), 16002, \(800_000_000 + saved));
        UPDATE Z_PRIMARYKEY SET Z_MAX = \(saved) WHERE Z_ENT = 16002
        """)
      // Nobody reads who would keep the log from being emptied.
      #expect(try query.lines("PRAGMA wal_checkpoint(TRUNCATE)") == ["0|0|0"])
    }
    let restorer = try HistoryRestorer(path: path)
    let plan = try restorer.plan(RestoreRequest(), of: watched)
    #expect(plan.transactionCount == 55 && plan.changeCount == 55 * 40)
    #expect(saved > 100)
    #expect(try restorer.restore(plan, of: sealed).problem == nil)
    #expect(try query.lines("SELECT * FROM ACHANGE ORDER BY Z_PK") == before)
  }

  @Test
  func `a history whose beginning moves during planning is read again`() throws {
    let folder = try TemporaryFolder()
    let path = try LongHistory.write(to: folder.file("x.store"), transactions: 30, changesEach: 2)
    let sealed = try SealedLines(store: path)
    try Self.prune(path, [.keepLast(9)])
    var isPruned = false
    let watched = WatchedHistory(base: sealed) {
      guard !isPruned else { return }
      isPruned = true
      try Self.prune(path, [.keepLast(3)])
    }
    let restorer = try HistoryRestorer(path: path)
    #expect(throws: StoreWriteError.self) { try restorer.plan(RestoreRequest(), of: watched) }
    #expect(try restorer.plan(RestoreRequest(), of: watched).transactionCount == 27)
  }

  @Test(
    .enabled(if: !stores.isEmpty, "there are no real stores here"),
    arguments: stores)
  func `pruned real stores are restored exactly`(_ store: String) async throws {
    let folder = try TemporaryFolder()
    let path = try folder.copy(store: store)
    let numbers = try StoreQuery(path: path).lines("SELECT Z_PK FROM ATRANSACTION ORDER BY Z_PK")
    try await Self.check(path, keeping: [1, numbers.count / 2], usesPython: false)
    // The frameworks' rule: a token works while the transaction of exactly its number is there.
    try StoreFile(path: path).read { snapshot in
      let resolver = TokenResolver(snapshot: snapshot)
      for number in numbers {
        let state = try resolver.resolve(number).state
        #expect(state == .valid)
      }
    }
  }

  @Test(arguments: [(1, false), (2, false), (3, true), (4, false)] as [(UInt64, Bool)])
  func `stores with any value in every column are restored exactly`(
    seed: UInt64, hasPlainStrings: Bool
  ) async throws {
    let folder = try TemporaryFolder()
    let path = folder.file("hostile.store")
    var history = HostileHistory(seed: seed)
    try history.write(to: path, hasPlainStrings: hasPlainStrings)
    try await Self.check(path, keeping: [1, 20, 59])
  }

  @Test(arguments: 0..<3)
  func `stores with a rollback journal, plain texts or no index are restored exactly`(
    _ number: Int
  ) async throws {
    let folder = try TemporaryFolder()
    var shape = StoreWriter.Shape()
    shape.usesWriteAheadLog = number != 0
    shape.hasPlainStrings = number == 1
    let path = try SampleStore.write(to: folder.file("a.store"), shape: shape)
    if number == 2 { try StoreQuery(path: path).run("DROP INDEX ACHANGE_ZTRANSACTIONID_INDEX") }
    try await Self.check(path, keeping: [1, 5], from: "1")
  }

  @Test
  func `a fully deleted history is restored, and an unpruned one needs nothing`() async throws {
    let folder = try TemporaryFolder()
    let path = try SampleStore.write(to: folder.file("a.store"))
    let before = try await HistoryDump(path)
    let sealed = try SealedLines(store: path)
    let restorer = try HistoryRestorer(path: path)
    #expect(try restorer.plan(RestoreRequest(), of: sealed).isEmpty)
    try Self.prune(path, [.all])
    let result = try restorer.restore(restorer.plan(RestoreRequest(), of: sealed), of: sealed)
    #expect(result.inserted.transactionCount == SampleStore.transactionCount)
    #expect(try await HistoryDump(path) == before)
  }

  @Test
  func `the archive may end right before the store's history or overlap it`() async throws {
    let folder = try TemporaryFolder()
    let path = try SampleStore.write(to: folder.file("a.store"))
    let before = try await HistoryDump(path)
    let sealed = try SealedLines(store: path)
    for last: Int64 in 6...9 {
      try Self.prune(path, [.before(token: "7")])
      let part = sealed.keeping(1...last)
      let restorer = try HistoryRestorer(path: path)
      let plan = try restorer.plan(RestoreRequest(), of: part)
      #expect(plan.first?.number == 1)
      #expect(plan.last?.number == 6)
      #expect(try restorer.restore(plan, of: part).problem == nil)
      #expect(try await HistoryDump(path) == before)
    }
  }

  @Test
  func `a prune that ended in the middle of a transaction is undone`() async throws {
    let folder = try TemporaryFolder()
    let path = try LongHistory.write(
      to: folder.file("a.store"), transactions: 8, changesEach: 2, sizes: [4: 3000])
    let before = try await HistoryDump(path)
    let sealed = try SealedLines(store: path)
    let query = try StoreQuery(path: path)
    try query.run(
      """
      DELETE FROM ACHANGE WHERE ZTRANSACTIONID < 4; DELETE FROM ATRANSACTION WHERE Z_PK < 4;
      DELETE FROM ACHANGE
        WHERE Z_PK IN (SELECT Z_PK FROM ACHANGE WHERE ZTRANSACTIONID = 4 LIMIT 512)
      """)
    let restorer = try HistoryRestorer(path: path)
    let plan = try restorer.plan(RestoreRequest(), of: sealed)
    #expect(plan.completed?.number == 4)
    #expect(plan.changeCount == 518)
    #expect(plan.transactionCount == 3)
    // Also where nothing older is wanted.
    let little = try restorer.plan(RestoreRequest(from: "4"), of: sealed)
    #expect(little.transactionCount == 0 && little.changeCount == 512)
    #expect(try restorer.restore(little, of: sealed).inserted.changeCount == 512)
    let rest = try restorer.plan(RestoreRequest(), of: sealed)
    #expect(rest.completed == nil && rest.changeCount == 6)
    #expect(try restorer.restore(rest, of: sealed).problem == nil)
    #expect(try await HistoryDump(path) == before)
  }

  @Test
  func `changes left without their transaction are completed`() async throws {
    let folder = try TemporaryFolder()
    let path = try LongHistory.write(
      to: folder.file("a.store"), transactions: 9, changesEach: 3, sizes: [6: 1500])
    let before = try await HistoryDump(path)
    let sealed = try SealedLines(store: path)
    let query = try StoreQuery(path: path)
    try query.run(
      """
      DELETE FROM ATRANSACTION WHERE Z_PK < 7; DELETE FROM ACHANGE WHERE ZTRANSACTIONID < 3;
      DELETE FROM ACHANGE WHERE ZTRANSACTIONID = 6 AND Z_PK % 2
      """)
    let restorer = try HistoryRestorer(path: path)
    let plan = try restorer.plan(RestoreRequest(), of: sealed)
    #expect(plan.changeCount == 756)
    #expect(try restorer.restore(plan, of: sealed).problem == nil)
    #expect(try await HistoryDump(path) == before)

    // One that was not sealed belongs to another history.
    try query.run(
      """
      DELETE FROM ATRANSACTION WHERE Z_PK < 7;
      UPDATE ACHANGE SET ZENTITYPK = 4711 WHERE ZTRANSACTIONID = 5 AND Z_PK = 14
      """)
    #expect { try restorer.plan(RestoreRequest(), of: sealed) } throws: { error in
      if case RestoreObstacle.diverged(_, 5, _) = error { true } else { false }
    }
  }

  /// A reader meets every transaction with all of its changes, whenever it looks.
  @Test func `a transaction with very many changes is restored exactly`() async throws {
    let folder = try TemporaryFolder()
    let path = try LongHistory.write(
      to: folder.file("a.store"), transactions: 8, changesEach: 2, sizes: [4: 40_000])
    let before = try await HistoryDump(path)
    let sealed = try SealedLines(store: path)
    try Self.prune(path, [.keepLast(2)])
    let query = try StoreQuery(path: path)
    let restorer = try HistoryRestorer(path: path)
    let plan = try restorer.plan(RestoreRequest(), of: sealed)
    var batches = 0
    let result = try restorer.restore(plan, of: sealed) { _ in
      batches += 1
      let sizes = try? query.lines(
        """
        SELECT Z_PK, (SELECT count(*) FROM ACHANGE AS c WHERE c.ZTRANSACTIONID = t.Z_PK)
        FROM ATRANSACTION AS t ORDER BY Z_PK
        """)
      let whole = (1...8).map { "\($0)|\($0 == 4 ? 40_000 : 2)" }
      #expect(sizes == Array(whole.suffix(sizes?.count ?? 0)))
    }
    #expect(result.problem == nil)
    #expect(result.batchCount == batches)
    #expect(try await HistoryDump(path) == before)
  }

  @Test
  func `lost texts are restored under numbers that the app will not use`()
    async throws
  {
    let folder = try TemporaryFolder()
    let path = try SampleStore.write(to: folder.file("a.store"))
    let sealed = try SealedLines(store: path)
    try Self.prune(path, [.keepLast(1)])
    let query = try StoreQuery(path: path)
    // The newest transaction goes on naming texts that are gone.
    func loseTexts(highest: Int) throws {
      try query.run(
        """
        DELETE FROM ATRANSACTIONSTRING;
        UPDATE Z_PRIMARYKEY SET Z_MAX = \(highest) WHERE Z_ENT = 16003
        """)
    }
    try loseTexts(highest: 9)
    let keys = try query.lines("SELECT * FROM Z_PRIMARYKEY")
    let named = try query.lines(
      "SELECT ZAUTHORTS, ZBUNDLEIDTS, ZPROCESSIDTS, ZCONTEXTNAMETS FROM ATRANSACTION")
    let restorer = try HistoryRestorer(path: path)
    let plan = try restorer.plan(RestoreRequest(), of: sealed)
    #expect(plan.textCount == 5)
    #expect(try restorer.restore(plan, of: sealed).problem == nil)
    #expect(try query.lines("SELECT * FROM Z_PRIMARYKEY") == keys)
    let numbers = try query.lines("SELECT Z_PK FROM ATRANSACTIONSTRING ORDER BY Z_PK")
    #expect(numbers.count == 5 && numbers.allSatisfy { (Int($0) ?? 99) <= 9 })
    let taken = named.flatMap { $0.split(separator: "|").map(String.init) }
    #expect(Set(numbers).isDisjoint(with: taken))
    let now = try SealedLines(store: path)
    #expect(now.transactions.dropLast() == sealed.transactions.dropLast())

    // Where no number is left, nothing is done.
    try Self.prune(path, [.keepLast(1)])
    try loseTexts(highest: 3)
    #expect(throws: RestoreObstacle.withoutTextNumbers(path: path, count: 5)) {
      try restorer.plan(RestoreRequest(), of: sealed)
    }
  }
}
