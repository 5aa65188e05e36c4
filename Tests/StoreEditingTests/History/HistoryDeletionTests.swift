import StoreEditing
import StoreFormat
import StoreTransactions
import StoreWriting
import TestSupport
import Testing

/// Deleting the beginning of a history.
@Suite(.bounded) struct HistoryDeletionTests {
  /// A store with four transactions of two changes each, and every text used by one alone.
  private func store(_ folder: TemporaryFolder) throws -> (StoreEditor, StoreQuery) {
    let path = folder.file("Trips.store")
    try StoreCreator.create(at: path, model: TripsModel.model)
    let editor = try StoreEditor(path: path)
    for number in 1...4 {
      var save = StoreSave(
        author: "author \(number)", timestamp: StoreTimestamp(secondsSinceReferenceDate: 5))
      save.insert("Tag")
      save.insert("Trip")
      try editor.append(save)
    }
    return (editor, try StoreQuery(path: path))
  }

  @Test(arguments: [(1, 0), (0, 0), (-5, 0), (2, 1), (4, 3), (5, 4), (Int64.max, 4)])
  func `all transactions before a number are deleted`(_ number: Int64, _ deleted: Int) throws {
    let (editor, query) = try store(try TemporaryFolder())
    let before = try query.contents()
    let answer = try editor.inTransaction { try $0.deleteHistory(before: number) }
    #expect(answer.transactionCount == deleted)
    #expect(answer.changeCount == deleted * 2)
    #expect(
      try query.lines("SELECT Z_PK FROM ATRANSACTION") == (1...4).dropFirst(deleted).map { "\($0)" }
    )
    #expect(
      try query.lines("SELECT Z_PK, ZTRANSACTIONID FROM ACHANGE")
        == (1...8).dropFirst(deleted * 2).map { "\($0)|\(($0 + 1) / 2)" })
    // Nothing else, not even texts that nobody uses, and least of all the highest numbers.
    let after = try query.contents()
    #expect(
      Set(before.keys.filter { before[$0] != after[$0] })
        == (deleted == 0 ? [] : ["ACHANGE", "ATRANSACTION"]))
    #expect(try query.lines("PRAGMA integrity_check") == ["ok"])
    var save = StoreSave(author: "author 1")
    save.insert("Tag")
    #expect(try editor.append(save)?.position.number == 5)
    #expect(try query.lines("SELECT max(Z_PK) FROM ACHANGE") == ["9"])
    #expect(try query.lines("SELECT count(*) FROM ATRANSACTIONSTRING") == ["4"])
  }

  @Test func `a busy store is left unchanged`() throws {
    let folder = try TemporaryFolder()
    let (_, query) = try store(folder)
    let impatient = try StoreEditor(path: folder.file("Trips.store"), busyTimeout: 0.05)
    let before = try query.contents()
    try query.run("BEGIN IMMEDIATE")
    #expect(
      throws: StoreWriteError.store(.busy(path: folder.file("Trips.store"), seconds: 0.05))
    ) { try impatient.inTransaction { try $0.deleteHistory(before: 3) } }
    try query.run("ROLLBACK")
    #expect(try query.contents() == before)
  }

  /// What is left of a store that the frameworks wrote is what plain SQL leaves of it.
  @Test(.needsRealStores, arguments: RealStores.paths)
  func `deletion from a real store leaves what plain SQL leaves`(
    _ path: String
  ) throws {
    let (folder, other) = (try TemporaryFolder(), try TemporaryFolder())
    let copy = try folder.copy(store: path)
    guard let editor = try? StoreEditor(path: copy) else { return }
    let expected = try StoreQuery(path: other.copy(store: path))
    guard let middle = try expected.lines("SELECT avg(Z_PK) FROM ATRANSACTION").first,
      let number = Double(middle).map({ Int64($0) })
    else { return }
    _ = try editor.inTransaction { try $0.deleteHistory(before: number) }
    try editor.close()
    try expected.run(
      """
      DELETE FROM ACHANGE WHERE ZTRANSACTIONID < \(number);
      DELETE FROM ATRANSACTION WHERE Z_PK < \(number)
      """)
    let left = try StoreQuery(path: copy)
    let tables = try left.lines(
      """
      SELECT name FROM sqlite_master
      WHERE name IN ('ACHANGE', 'ATRANSACTION', 'ATRANSACTIONSTRING', 'Z_PRIMARYKEY', 'Z_METADATA')
      """)
    #expect(tables.count >= 4)
    for table in tables {
      let rows = "SELECT * FROM \(table) ORDER BY 1"
      let isSame = try left.rows(rows) == expected.rows(rows)
      #expect(isSame, "\(table)")
    }
    #expect(try left.lines("PRAGMA integrity_check") == ["ok"])
  }

  @Test func `a closed editor leaves one file`() throws {
    let folder = try TemporaryFolder()
    let path = folder.file("Trips.store")
    try StoreCreator.create(at: path, model: TripsModel.model)
    for durability in [WritingConnection.Durability.everySave, .whenClosed] {
      let editor = try StoreEditor(path: path, durability: durability)
      var save = StoreSave()
      save.insert("Tag")
      try editor.append(save)
      #expect(try folder.names().contains("Trips.store-wal"))
      try editor.close()
      #expect(try folder.names() == ["Trips.store"])
      #expect(throws: (any Error).self) { try editor.append(save) }
    }
    #expect(try StoreQuery(path: path).lines("SELECT count(*) FROM ZTAG") == ["2"])
  }

  /// While somebody else has the store open the log stays, and nothing is lost.
  @Test func `a store that others use keeps its log`() throws {
    let folder = try TemporaryFolder()
    let (editor, query) = try store(folder)
    try query.run("BEGIN")
    #expect(try query.lines("SELECT count(*) FROM ATRANSACTION") == ["4"])
    let impatient = try StoreEditor(path: folder.file("Trips.store"), busyTimeout: 0.05)
    var save = StoreSave()
    save.insert("Tag")
    try impatient.append(save)
    try impatient.close()
    try query.run("COMMIT")
    #expect(try query.lines("SELECT count(*) FROM ATRANSACTION") == ["5"])
    _ = editor
  }

  @Test(arguments: 0..<8)
  func `rows of an entity that are out of order are reported as damage`(seed: Int) throws {
    let folder = try TemporaryFolder()
    let path = try LongHistory.write(to: folder.file("a.store"), transactions: 60, changesEach: 2)
    let query = try StoreQuery(path: path)
    try query.run("PRAGMA wal_checkpoint(TRUNCATE)")
    let root = try #require(
      Int(try query.lines("SELECT rootpage FROM sqlite_master WHERE name = 'ACHANGE'")[0]))
    let pageSize = try #require(Int(try query.lines("PRAGMA page_size")[0]))
    let entity = try #require(
      Int64(try query.lines("SELECT ZENTITY FROM ACHANGE ORDER BY Z_PK LIMIT 1")[0]))
    var bytes = try FileBytes.read(path)
    // A table of one page, or the first leaf of a larger one.
    var page = (root - 1) * pageSize
    if bytes[page] == 0x05 {
      let cell = page + Int(bytes[page + 12]) * 256 + Int(bytes[page + 13])
      page = (bytes[cell..<cell + 4].reduce(0) { $0 * 256 + Int($1) } - 1) * pageSize
    }
    try #require(bytes[page] == 0x0D)
    for byte in 0..<2 { bytes.swapAt(page + 8 + 2 * seed + byte, page + 8 + 2 * (seed + 2) + byte) }
    let spoiled = folder.file("b.store")
    try FileBytes.write(bytes, to: spoiled)
    let error = #expect(throws: StoreError.self) {
      try StoreFile(path: spoiled).read { try $0.deletion(ofChangesOfEntity: entity) }
    }
    guard case .damaged(_, "ACHANGE", _)? = error else {
      Issue.record("\(String(describing: error))")
      return
    }
  }
}
