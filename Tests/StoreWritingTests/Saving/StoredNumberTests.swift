import TestSupport
import Testing

@testable import StoreEditing
@testable import StoreFormat
@testable import StoreWriting

/// Numbers in a store that leave no room to count on, and rows that are out of order.
@Suite(.bounded) struct StoredNumberTests {
  @Test
  func `the last numbers of a table are used, and a save after them is an error`() throws {
    let folder = try TemporaryFolder()
    let path = folder.file("Trips.store")
    try StoreCreator.create(at: path, model: TripsModel.model)
    let query = try StoreQuery(path: path)
    let editor = try StoreEditor(path: path)
    func save(_ author: String) throws -> TransactionPosition? {
      var save = StoreSave(author: author)
      save.insert("Trip")
      return try editor.append(save)?.position
    }
    _ = try save("app")
    try query.run("UPDATE Z_PRIMARYKEY SET Z_MAX = 9223372036854775806")
    #expect(try save("widget")?.number == .max)
    #expect(
      try query.lines("SELECT max(Z_PK) FROM ZTRIP UNION SELECT max(Z_PK) FROM ACHANGE")
        == ["\(Int64.max)"])
    let before = try query.contents()
    #expect(throws: StoreWriteError.numbersExhausted(table: "ZTRIP")) { try save("widget") }
    #expect(try query.contents() == before)
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
