import TestSupport
import Testing

@testable import StoreFormat
@testable import StoreTransactions
@testable import StoreWriting

/// Numbers in a store that leave no room to count on.
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
}
