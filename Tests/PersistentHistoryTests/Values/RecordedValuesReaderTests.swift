import Foundation
import PersistentHistory
import StoreFormat
import TestSupport
import Testing

/// Recorded values as a reader of the history gives them with their changes.
@Suite(.bounded) struct RecordedValuesReaderTests {
  private let trips: RecordedTrips

  init() throws { trips = try RecordedTrips() }

  /// What a reader gives, as text by transaction, object and name.
  private func texts(_ query: HistoryQuery = HistoryQuery(), path: String? = nil) throws -> [String]
  {
    try StoreFile(path: path ?? trips.path).read { snapshot in
      var query = query
      query.recordedValues = try RecordedValues(beside: snapshot)
      let reader = try HistoryReader(snapshot: snapshot, query: query)
      var texts: [String] = []
      while let transaction = try reader.next() {
        for change in transaction.changes {
          texts += change.values.map { value in
            "\(transaction.number) \(change.object?.description ?? "") \(value.name)"
          }
        }
      }
      return texts
    }
  }

  @Test func `each change has its own values`() throws {
    #expect(
      try texts().filter { !$0.hasPrefix("2") } == [
        "4 Trip/p1 name", "4 Trip/p1 score", "6 Trip/p1 name", "6 Trip/p1 score",
        "6 Trip/p1 token",
      ])
    #expect(try texts().count == 15)
    #expect(try texts(HistoryQuery(order: .descending)).count == 15)
    #expect(
      try texts(
        HistoryQuery(
          change: ChangeCondition(entities: ["LivingAccommodation"]),
          keepsOnlyMatchingChanges: true)) == ["2 LivingAccommodation/p1 trip"])
  }

  @Test func `values are left out unless requested`() throws {
    try StoreFile(path: trips.path).read { snapshot in
      let reader = try HistoryReader(snapshot: snapshot)
      var count = 0
      while let transaction = try reader.next() {
        #expect(transaction.changes.allSatisfy { $0.values.isEmpty })
        count += 1
      }
      #expect(count == 6)
    }
  }

  @Test func `values of another copy are never shown`() throws {
    // In this copy transaction 4 was saved at another time.
    try StoreQuery(path: trips.path).run(
      "UPDATE ATRANSACTION SET ZTIMESTAMP = ZTIMESTAMP + 1 WHERE Z_PK = 4")
    #expect(try texts().filter { $0.hasPrefix("4") } == [])
    #expect(try texts().count == 13)
  }

  @Test func `a file of another store is refused`() throws {
    let other = try RecordedTrips()
    let error = try #require(throws: StoreError.self) {
      try StoreFile(path: trips.path).read { snapshot in
        _ = try RecordedValues(beside: snapshot, path: other.valuesPath)
      }
    }
    guard case .unusableValues(other.valuesPath, let reason) = error else {
      Issue.record("another error: \(error)")
      return
    }
    #expect(reason.hasPrefix("its values are of the store"))
  }

  @Test func `a store without a file of values has none`() throws {
    try FileManager.default.removeItem(atPath: trips.valuesPath)
    try StoreFile(path: trips.path).read { snapshot in
      let values = try RecordedValues(beside: snapshot)
      #expect(values == nil)
    }
  }

  @Test func `a change with more values than a page holds has all of them`() throws {
    try StoreQuery(path: trips.valuesPath).run(
      """
      WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 1000)
      INSERT INTO recorded_value SELECT 4, timestamp, 8, entity, primary_key, 'x' || i, 'text',
        'a', NULL, 'b', NULL, NULL FROM n, recorded_value
        WHERE transaction_number = 4 AND name = 'name'
      """)
    #expect(try texts().count == 1015)
  }

  @Test(arguments: [
    "DROP TABLE recorded_value", "ALTER TABLE recorded_value RENAME COLUMN old TO before",
    "PRAGMA user_version = 9", "PRAGMA application_id = 1", "DELETE FROM store",
    "DROP TABLE recorded_value; CREATE VIEW recorded_value AS SELECT 1 AS transaction_number",
    "UPDATE recorded_value SET kind = 'nonsense'",
    "UPDATE recorded_value SET name = x'00' WHERE name = 'stay'",
    "UPDATE recorded_value SET new_length = 3", "UPDATE recorded_value SET primary_key = 'x'",
    """
    WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 5000)
    INSERT INTO recorded_value SELECT 4, timestamp, 8, entity, primary_key, 'x' || i, 'text',
      'a', NULL, 'b', NULL, NULL FROM n, recorded_value WHERE transaction_number = 4 AND name = 'name'
    """,
  ])
  func `a hostile file is an error that names it`(_ harm: String) throws {
    let query = try StoreQuery(path: trips.valuesPath)
    try query.run(harm)
    #expect {
      try texts()
    } throws: { error in
      if case StoreError.unusableValues(trips.valuesPath, _) = error { true } else { false }
    }
  }

  @Test(arguments: [[], Array("text".utf8), Array("SQLite format 3\0".utf8)])
  func `errors name files that are not databases`(_ bytes: [UInt8]) throws {
    try Data(bytes + [UInt8](repeating: 1, count: bytes.isEmpty ? 0 : 4096)).write(
      to: URL(fileURLWithPath: trips.valuesPath))
    #expect {
      try texts()
    } throws: { error in
      if case StoreError.unusableValues(trips.valuesPath, _) = error { true } else { false }
    }
  }

  @Test func `a file with flipped bytes is read or refused`() throws {
    let original = try Data(contentsOf: URL(fileURLWithPath: trips.valuesPath))
    var generator = SeededGenerator(seed: 7)
    for _ in 0..<200 {
      var bytes = original
      for _ in 0..<4 {
        bytes[Int.random(in: 0..<bytes.count, using: &generator)] = UInt8.random(
          in: 0...255, using: &generator)
      }
      try bytes.write(to: URL(fileURLWithPath: trips.valuesPath))
      do {
        _ = try texts()
      } catch let error as StoreError {
        #expect(error.path == trips.valuesPath)
      }
    }
  }

  @Test func `reading changes no byte`() throws {
    let before = try Data(contentsOf: URL(fileURLWithPath: trips.valuesPath))
    _ = try texts()
    #expect(try Data(contentsOf: URL(fileURLWithPath: trips.valuesPath)) == before)
    #expect(try Data(contentsOf: URL(fileURLWithPath: trips.path + "")).count > 0)
  }
}
