import TestSupport
import Testing

@testable import StoreEditing
@testable import StoreFormat
@testable import StoreTransactions

/// Deleting a history in batches.
@Suite(.bounded) struct HistoryEraserTests {
  private static func deletion(
    _ path: String, through last: Int64,
    looseChanges: HistoryDeletion.LooseChanges = .deletedIfUnfinished
  ) throws -> HistoryDeletion {
    try StoreFile(path: path).read {
      try $0.deletion(ofTransactionsThrough: last, looseChanges: looseChanges)
    }
  }

  private static func erase(
    _ path: String, through last: Int64, busyTimeout: Double = 5,
    progress: (DeletedHistory) -> Void = { _ in }
  ) throws -> Erasure {
    try HistoryEraser(location: StoreLocation(path: path), busyTimeout: busyTimeout)
      .erase(deletion(path, through: last), progress: progress)
  }

  /// What is left holds together: no change is without its transaction, and none is missing between
  /// the oldest and the newest.
  private static func expectWhole(_ query: StoreQuery) throws {
    #expect(
      try query.lines(
        """
        SELECT count(*) FROM ACHANGE
        WHERE ZTRANSACTIONID NOT IN (SELECT Z_PK FROM ATRANSACTION)
        """) == ["0"])
    #expect(
      try query.lines(
        "SELECT count(*) FROM ATRANSACTION HAVING count(*) <> max(Z_PK) - min(Z_PK) + 1") == [])
  }

  @Test(arguments: [-5, 0, 1, 4, 500, 999, 1000, 5000])
  func `all transactions up to a number are deleted`(_ last: Int64) throws {
    let folder = try TemporaryFolder()
    let path = try LongHistory.write(
      to: folder.file("a.store"), transactions: 1000, changesEach: 3, sizes: [4: 0, 7: 2000])
    let query = try StoreQuery(path: path)
    let before = try query.contents()
    let result = try Self.erase(path, through: last)
    #expect(result.problem == nil)
    let gone = min(max(Int(last), 0), 1000)
    #expect(result.deleted.transactionCount == gone)
    #expect(
      try query.lines("SELECT min(Z_PK), count(*) FROM ATRANSACTION")
        == [gone == 1000 ? "|0" : "\(gone + 1)|\(1000 - gone)"])
    let left = try query.lines("SELECT count(*) FROM ACHANGE").first.flatMap { Int($0) }
    #expect(left == (before["ACHANGE"]?.count ?? 0) - result.deleted.changeCount)
    #expect(
      try query.lines("SELECT count(*) FROM ACHANGE WHERE ZTRANSACTIONID <= \(last)") == ["0"])
    let after = try query.contents()
    #expect(
      Set(before.keys.filter { before[$0] != after[$0] })
        == (gone == 0 ? [] : ["ACHANGE", "ATRANSACTION"]))
    #expect(try query.lines("PRAGMA integrity_check") == ["ok"])
    #expect(try query.lines("PRAGMA journal_mode") == ["wal"])
  }

  /// Everything before it first, so that no token leads to it; then its changes; then itself.
  @Test func `a large transaction is deleted last, its changes before it`() throws {
    let folder = try TemporaryFolder()
    let path = try LongHistory.write(
      to: folder.file("a.store"), transactions: 8, changesEach: 2, sizes: [4: 100_000])
    let query = try StoreQuery(path: path)
    var seen: [String] = []
    let result = try Self.erase(path, through: 6) { _ in
      let line = try? query.lines(
        """
        SELECT (SELECT min(Z_PK) FROM ATRANSACTION),
          (SELECT count(*) FROM ACHANGE WHERE ZTRANSACTIONID = 4)
        """)
      seen += line ?? []
      #expect(throws: Never.self) { try Self.expectWhole(query) }
    }
    #expect(result.problem == nil)
    #expect(result.deleted == DeletedHistory(transactionCount: 6, changeCount: 100_010))
    #expect(result.batchCount == seen.count)
    let partly = seen.filter { !$0.hasSuffix("|0") && !$0.hasSuffix("|100000") }
    // How many batches it takes is the machine's business.
    #expect(!partly.isEmpty, "\(seen)")
    #expect(partly.allSatisfy { $0.hasPrefix("4|") }, "\(seen)")
    #expect(try query.lines("SELECT Z_PK FROM ATRANSACTION") == ["7", "8"])
    #expect(try query.lines("PRAGMA integrity_check") == ["ok"])
  }

  /// Steps are as large as they may be: 512 changes, unless it is one transaction, and 128 transactions.
  @Test(
    arguments: [
      (0, [:], [128, 128, 44]), (128, [1: 127], Array(repeating: 4, count: 75)),
      (100, [3: 600, 4: 512, 5: 1], [2, 1, 1, 6] + Array(repeating: 5, count: 58)),
    ] as [(Int, [Int: Int], [Int])])
  func `a step has at most 512 changes or one transaction`(
    _ changesEach: Int, _ sizes: [Int: Int], _ counts: [Int]
  ) throws {
    let folder = try TemporaryFolder()
    let path = try LongHistory.write(
      to: folder.file("a.store"), transactions: 300, changesEach: changesEach, sizes: sizes)
    let found = try Self.deletion(path, through: 300).steps.map { step in
      if case .transactions(let span) = step {
        #expect(span.changeCount <= 512 || span.count == 1)
        return span.count
      }
      return 0
    }
    #expect(found == counts)
  }

  /// Each change is read with all of its columns.
  @Test func `a step has few changes of a table of 2,000 columns`() throws {
    let folder = try TemporaryFolder()
    var shape = StoreWriter.Shape()
    shape.tombstoneColumns = 1980
    let path = try LongHistory.write(
      to: folder.file("a.store"), transactions: 30, changesEach: 3, sizes: [4: 100], shape: shape)
    var parts: [Int] = []
    for case .transactions(let span) in try Self.deletion(path, through: 30).steps {
      parts += span.parts
    }
    #expect(parts.reduce(0, +) == 29 * 3 + 100)
    #expect(parts.allSatisfy { $0 * 1980 <= 16_384 }, "\(parts)")
  }

  /// The same bytes in another column, or of another storage class, are another change.
  @Test func `digests tell values apart that have the same bytes`() {
    func digest(_ tombstone: [StoredValue]) -> RowDigest {
      var digest = RowDigest(coversContent: true)
      digest.add(
        change: 1, transaction: 1, kind: .delete, primaryKey: 1,
        content: ChangeContent(entityNumber: 1, mask: nil, tombstone: tombstone, extra: []))
      return digest
    }
    let values: [[StoredValue]] = [
      [.text("ab"), .text("c")], [.text("a"), .text("bc")], [.text("abc"), .text("")],
      [.blob(Array("ab".utf8)), .text("c")], [.malformedText(Array("ab".utf8)), .text("c")],
      [.text("ab"), .blob(Array("c".utf8))], [.integer(1), .text("")],
      [.real(Double(bitPattern: 1)), .text("")], [.null, .integer(1)], [.integer(0), .integer(1)],
    ]
    #expect(Set(values.map(digest)).count == values.count)
  }

  @Test(arguments: [[], [[]], [[RowDigest(coversContent: false)]]])
  func `digests of other rows stop the deletion`(
    _ digests: [[RowDigest]]
  ) throws {
    let folder = try TemporaryFolder()
    let path = try LongHistory.write(to: folder.file("a.store"), transactions: 9, changesEach: 3)
    let deletion = try Self.deletion(path, through: 5)
    let result = try HistoryEraser(location: StoreLocation(path: path))
      .erase(deletion.requiring(digests))
    guard case StoreWriteError.store(.damaged)? = result.problem else {
      Issue.record("\(String(describing: result.problem))")
      return
    }
    #expect(result.deleted.transactionCount == 0)
    #expect(try StoreQuery(path: path).lines("SELECT count(*) FROM ATRANSACTION") == ["9"])
  }

  @Test func `other connections see a complete history after every batch`() throws {
    let folder = try TemporaryFolder()
    let path = try LongHistory.write(
      to: folder.file("a.store"), transactions: 30_000, changesEach: 4)
    let query = try StoreQuery(path: path)
    var counts: [Int] = []
    let result = try Self.erase(path, through: 29_990) { deleted in
      counts.append(deleted.transactionCount)
      #expect(throws: Never.self) { try Self.expectWhole(query) }
    }
    #expect(result.problem == nil)
    #expect(counts.count > 1 && counts == counts.sorted() && counts.last == 29_990)
    #expect(try query.lines("SELECT count(*) FROM ACHANGE") == ["40"])
  }

  /// The numbers that others add meanwhile stay.
  @Test func `transactions saved during the deletion stay`() throws {
    let folder = try TemporaryFolder()
    let path = try LongHistory.write(to: folder.file("a.store"), transactions: 2000, changesEach: 9)
    let query = try StoreQuery(path: path)
    let deletion = try Self.deletion(path, through: 2000)
    try query.run("INSERT INTO ATRANSACTION (Z_PK, ZTIMESTAMP) VALUES (2001, 8e8)")
    var number = 2001
    let eraser = try HistoryEraser(location: StoreLocation(path: path))
    let result = eraser.erase(
      deletion,
      progress: { _ in
        number += 1
        #expect(throws: Never.self) {
          try query.run("INSERT INTO ATRANSACTION (Z_PK, ZTIMESTAMP) VALUES (\(number), 8e8)")
        }
      })
    #expect(result.problem == nil)
    #expect(
      try query.lines("SELECT min(Z_PK), max(Z_PK), count(*) FROM ATRANSACTION")
        == ["2001|\(number)|\(number - 2000)"])
  }

  /// What somebody else does to the rows that are to go, or to the first that is to stay, ends it.
  @Test(arguments: [
    "DELETE FROM ATRANSACTION WHERE Z_PK = 3", "DELETE FROM ACHANGE WHERE ZTRANSACTIONID = 2",
    "INSERT INTO ATRANSACTION (Z_PK, ZTIMESTAMP) VALUES (0, 5.0)",
    "INSERT INTO ACHANGE (ZTRANSACTIONID) VALUES (5)", "DELETE FROM ATRANSACTION WHERE Z_PK = 7",
    "UPDATE ATRANSACTION SET ZTIMESTAMP = 1.5 WHERE Z_PK = 7", "UPDATE Z_METADATA SET Z_UUID = 'x'",
    "DELETE FROM ACHANGE; DELETE FROM ATRANSACTION",
  ])
  func `a history that changed after the plan is left unchanged`(_ sql: String) throws {
    let folder = try TemporaryFolder()
    let path = try LongHistory.write(to: folder.file("a.store"), transactions: 9, changesEach: 2)
    let deletion = try Self.deletion(path, through: 6)
    let query = try StoreQuery(path: path)
    try query.run(sql)
    let before = try query.contents()
    let result = try HistoryEraser(location: StoreLocation(path: path)).erase(deletion)
    guard case .historyChanged? = result.problem as? StoreWriteError else {
      Issue.record("\(String(describing: result.problem))")
      return
    }
    #expect(result.deleted == DeletedHistory(transactionCount: 0, changeCount: 0))
    #expect(try query.contents() == before)
  }

  @Test func `a change during the deletion stops it`() throws {
    let folder = try TemporaryFolder()
    let path = try LongHistory.write(
      to: folder.file("a.store"), transactions: 20_000, changesEach: 4)
    let query = try StoreQuery(path: path)
    let result = try Self.erase(path, through: 19_999) { _ in
      try? query.run("DELETE FROM ACHANGE WHERE ZTRANSACTIONID = 19000")
    }
    guard case .historyChanged? = result.problem as? StoreWriteError else {
      Issue.record("\(String(describing: result.problem))")
      return
    }
    #expect((1..<19_000).contains(result.deleted.transactionCount))
    #expect(
      try query.lines("SELECT min(Z_PK) FROM ATRANSACTION")
        == ["\(result.deleted.transactionCount + 1)"])
    try Self.expectWhole(query)
    // Looking anew, the rest goes.
    #expect(try Self.erase(path, through: 19_999).problem == nil)
    #expect(try query.lines("SELECT Z_PK FROM ATRANSACTION") == ["20000"])
  }

  @Test(arguments: [true, false]) func `a busy store is left unchanged`(_ usesLog: Bool) throws {
    let folder = try TemporaryFolder()
    var shape = StoreWriter.Shape()
    shape.usesWriteAheadLog = usesLog
    let path = try LongHistory.write(
      to: folder.file("a.store"), transactions: 9, changesEach: 2, shape: shape)
    let query = try StoreQuery(path: path)
    let before = try query.contents()
    let deletion = try Self.deletion(path, through: 6)
    let eraser = try HistoryEraser(location: StoreLocation(path: path), busyTimeout: 0.1)
    try query.run("BEGIN IMMEDIATE")
    let result = eraser.erase(deletion)
    #expect(
      result.problem as? StoreWriteError == .store(.busy(path: path, seconds: 0.1)),
      "\(String(describing: result.problem))")
    try query.run("ROLLBACK")
    #expect(try query.contents() == before)
    #expect(eraser.erase(deletion).problem == nil)
    #expect(try query.lines("SELECT count(*) FROM ATRANSACTION") == ["3"])
  }

  /// Without a log, readers keep a commit waiting.
  @Test func `a reader of a store without a log stops the deletion`() throws {
    let folder = try TemporaryFolder()
    var shape = StoreWriter.Shape()
    shape.usesWriteAheadLog = false
    let path = try LongHistory.write(
      to: folder.file("a.store"), transactions: 9, changesEach: 2, shape: shape)
    let query = try StoreQuery(path: path)
    try query.run("BEGIN")
    #expect(try query.lines("SELECT count(*) FROM ATRANSACTION") == ["9"])
    let result = try Self.erase(path, through: 6, busyTimeout: 0.2)
    #expect(result.problem as? StoreWriteError == .store(.busy(path: path, seconds: 0.2)))
    try query.run("COMMIT")
    #expect(try query.lines("SELECT count(*) FROM ATRANSACTION") == ["9"])
    #expect(try Self.erase(path, through: 6).problem == nil)
    #expect(try query.lines("PRAGMA journal_mode") == ["delete"])
  }

  /// The log is not let grow while somebody reads in it; what that one sees stays the same.
  @Test func `a reader that pins the log stops the deletion before the log grows`() throws {
    let folder = try TemporaryFolder()
    let path = try LongHistory.write(
      to: folder.file("a.store"), transactions: 60_000, changesEach: 6)
    let reader = try StoreQuery(path: path)
    let other = try StoreQuery(path: path)
    try other.run("INSERT INTO ATRANSACTION (Z_PK, ZTIMESTAMP) VALUES (60001, 8e8)")
    try reader.run("BEGIN")
    #expect(try reader.lines("SELECT count(*) FROM ACHANGE") == ["360000"])
    var longest = 0
    let result = try Self.erase(path, through: 59_999, busyTimeout: 0.3) { _ in
      longest = max(longest, (try? FileBytes.read(path + "-wal").count) ?? 0)
    }
    #expect(result.problem as? StoreWriteError == .pinnedLog(path: path, seconds: 0.3))
    #expect((1..<59_999).contains(result.deleted.transactionCount))
    #expect(longest < 16 << 20)
    #expect(try reader.lines("SELECT count(*) FROM ACHANGE") == ["360000"])
    try reader.run("COMMIT")
    try Self.expectWhole(other)
    #expect(try Self.erase(path, through: 59_999).problem == nil)
    #expect(try other.lines("SELECT Z_PK FROM ATRANSACTION") == ["60000", "60001"])
  }

  /// Nobody's triggers run, whatever they would do, and no model is asked for.
  @Test func `deletion runs no trigger and needs no model`() throws {
    let folder = try TemporaryFolder()
    var shape = StoreWriter.Shape()
    shape.modelCache = [1, 2, 3]
    let path = try LongHistory.write(
      to: folder.file("a.store"), transactions: 9, changesEach: 2, shape: shape)
    let query = try StoreQuery(path: path)
    try query.run(
      """
      CREATE TABLE WITNESS (X);
      CREATE TRIGGER A AFTER DELETE ON ACHANGE BEGIN INSERT INTO WITNESS VALUES (1); END;
      CREATE TRIGGER B AFTER DELETE ON ATRANSACTION BEGIN SELECT NSCoreDataFunction(1); END
      """)
    #expect(try Self.erase(path, through: 6).problem == nil)
    #expect(try query.lines("SELECT count(*) FROM WITNESS") == ["0"])
    #expect(try query.lines("SELECT count(*) FROM ATRANSACTION") == ["3"])
  }

  @Test func `changes without an index and out of order are deleted`() throws {
    let folder = try TemporaryFolder()
    let path = try LongHistory.write(
      to: folder.file("a.store"), transactions: 300, changesEach: 4, sizes: [50: 3000])
    let query = try StoreQuery(path: path)
    try query.run("DROP INDEX ACHANGE_ZTRANSACTIONID_INDEX; UPDATE ACHANGE SET Z_PK = -Z_PK")
    let result = try Self.erase(path, through: 200)
    #expect(result.problem == nil)
    #expect(result.deleted == DeletedHistory(transactionCount: 200, changeCount: 3796))
    #expect(
      try query.lines("SELECT min(ZTRANSACTIONID), count(*) FROM ACHANGE") == ["201|400"])
  }

  /// Numbers of transactions that no framework writes.
  @Test func `changes with malformed transaction numbers are deleted or kept by their value`()
    throws
  {
    let folder = try TemporaryFolder()
    let path = try LongHistory.write(to: folder.file("a.store"), transactions: 9, changesEach: 1)
    let query = try StoreQuery(path: path)
    try query.run(
      """
      INSERT INTO ACHANGE (ZTRANSACTIONID)
      VALUES (4.5), (6.5), (NULL), ('text'), (x'05'), (-3), (-9e999), (1e300), (9223372036854775807)
      """)
    let deletion = try Self.deletion(path, through: 6, looseChanges: .deleted)
    #expect(deletion.disorder == "a change names the transaction 4.5")
    // -9e999, 4.5 and 6.5 are no whole numbers; the last one is after the cut.
    #expect(deletion.keptChangeCount == 2)
    let result = try HistoryEraser(location: StoreLocation(path: path)).erase(deletion)
    #expect(result.problem == nil)
    #expect(result.deleted == DeletedHistory(transactionCount: 6, changeCount: 7))
    #expect(try query.lines("SELECT count(*) FROM ACHANGE") == ["11"])
    #expect(try StoreFile(path: path).read { try $0.changeCountWithoutNumber() } == 3)
  }

  @Test func `all changes of an entity are deleted if they are as planned`() throws {
    let folder = try TemporaryFolder()
    let path = try LongHistory.write(
      to: folder.file("a.store"), transactions: 3000, changesEach: 5)
    let query = try StoreQuery(path: path)
    try query.run("UPDATE ACHANGE SET ZENTITY = 77 WHERE Z_PK % 3 = 0 OR Z_PK = 7000")
    let before = try query.contents()
    let deletion = try StoreFile(path: path).read { try $0.deletion(ofChangesOfEntity: 77) }
    // One that has come or gone since is not what was planned.
    for sql in ["= 77 WHERE Z_PK = 4", "= 4 WHERE Z_PK = 3"] {
      try query.run("UPDATE ACHANGE SET ZENTITY \(sql)")
      let stopped = try HistoryEraser(location: StoreLocation(path: path)).erase(deletion)
      guard case .historyChanged? = stopped.problem as? StoreWriteError else {
        Issue.record("\(String(describing: stopped.problem))")
        return
      }
      try query.run(
        "UPDATE ACHANGE SET ZENTITY = iif(Z_PK % 3 = 0, 77, 4) WHERE Z_PK IN (3, 4)")
    }
    let result = try HistoryEraser(location: StoreLocation(path: path)).erase(deletion)
    #expect(result.problem == nil)
    #expect(result.deleted == DeletedHistory(transactionCount: 0, changeCount: 5001))
    let after = try query.contents()
    #expect(Set(before.keys.filter { before[$0] != after[$0] }) == ["ACHANGE"])
    let entity = try #require(
      try query.lines("SELECT name FROM pragma_table_info('ACHANGE')").firstIndex(of: "ZENTITY"))
    let isRest = after["ACHANGE"] == before["ACHANGE"]?.filter { $0[entity] != .integer(77) }
    #expect(isRest)
    try query.run("UPDATE ACHANGE SET ZENTITY = 77 WHERE Z_PK = 7001")
    let second = try StoreFile(path: path).read { try $0.deletion(ofChangesOfEntity: 77) }
    try query.run("INSERT INTO Z_PRIMARYKEY VALUES (77, 'Renamed', 0, 0)")
    let refused = try HistoryEraser(location: StoreLocation(path: path)).erase(second)
    guard case .historyChanged? = refused.problem as? StoreWriteError else {
      Issue.record("\(String(describing: refused.problem))")
      return
    }
  }

  @Test func `a removed store is not created again`() throws {
    let folder = try TemporaryFolder()
    let path = try LongHistory.write(to: folder.file("a.store"), transactions: 9, changesEach: 1)
    let location = try StoreLocation(path: path)
    try folder.remove("a.store")
    #expect(throws: (any Error).self) { try HistoryEraser(location: location) }
    #expect(try folder.names().filter { !$0.hasSuffix("-wal") && !$0.hasSuffix("-shm") } == [])
  }
}
