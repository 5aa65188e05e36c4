import Foundation
import StoreFormat
import StoreTransactions
import StoreWriting
import TestSupport
import Testing

/// What is kept beside a store of the values of updates, read by SQLite itself.
@Suite(.bounded) struct RecordedValuesTests {
  @Test func `the old and new value of every kind are recorded`() throws {
    let trips = try RecordedTrips()
    #expect(
      try trips.rows().filter { $0.hasPrefix("2|") } == [
        "2|5|Trip/p1|cost|real|NULL|0.0", "2|5|Trip/p1|identifier|uuid|\(uuid("11"))|\(uuid("22"))",
        "2|5|Trip/p1|isFavorite|boolean|0|1", "2|5|Trip/p1|name|text|'Rome'|'Roma'",
        "2|5|Trip/p1|place.latitude|real|NULL|41.9", "2|5|Trip/p1|place.longitude|real|NULL|12.5",
        "2|5|Trip/p1|startDate|date|743000000.0|743000000.5",
        "2|5|Trip/p1|stay|object|NULL|'LivingAccommodation/p1'",
        "2|5|Trip/p1|token|data|NULL|X'0102FF'",
        "2|6|LivingAccommodation/p1|trip|object|NULL|'Trip/p1'",
      ])
  }

  private func uuid(_ byte: String) -> String {
    "X'" + String(repeating: byte, count: 16) + "'"
  }

  @Test func `inserts, deletes, to-many relationships and other writers leave no values`() throws {
    let trips = try RecordedTrips()
    #expect(
      try trips.rows().filter { !$0.hasPrefix("2|") } == [
        "4|8|Trip/p1|name|text|'Roma'|'Rom'", "4|8|Trip/p1|score|integer|1|9",
        "6|11|Trip/p1|name|text|'Rom'|'Rom'", "6|11|Trip/p1|score|integer|9|NULL",
        "6|11|Trip/p1|token|data|X'0102FF'|digest",
      ])
  }

  @Test func `recorded times and numbers are those of the store`() throws {
    let trips = try RecordedTrips()
    let query = try StoreQuery(path: trips.valuesPath)
    try query.run("ATTACH '\(trips.path)' AS store")
    #expect(
      try query.lines(
        """
        SELECT count(*) FROM recorded_value v
        JOIN store.ATRANSACTION t ON t.Z_PK = v.transaction_number AND t.ZTIMESTAMP = v.timestamp
        JOIN store.ACHANGE c ON c.Z_PK = v.change_number AND c.ZTRANSACTIONID = t.Z_PK
          AND c.ZENTITYPK = v.primary_key AND c.ZCHANGETYPE = 1
        """) == ["15"])
    #expect(
      try query.lines("SELECT identifier FROM main.store")
        == query.lines("SELECT Z_UUID FROM Z_METADATA"))
  }

  @Test func `a long value is recorded as its digest`() async throws {
    let trips = try RecordedTrips()
    let sum = try #require(Tool("sha256sum"))
    try Data(repeating: 7, count: 70_000).write(
      to: URL(fileURLWithPath: trips.folder.file("token")))
    let digits = try await sum.run([trips.folder.file("token")]).text.prefix(64)
    #expect(
      try StoreQuery(path: trips.valuesPath).lines(
        "SELECT lower(hex(new)), new_length FROM recorded_value WHERE new_length IS NOT NULL")
        == ["\(digits)|70000"])
  }

  @Test func `the file has the permissions of its store`() throws {
    let folder = try TemporaryFolder()
    let path = folder.file("Trips.store")
    try StoreCreator.create(at: path, model: TripsModel.model)
    try FileManager.default.setAttributes([.posixPermissions: 0o640], ofItemAtPath: path)
    _ = try StoreEditor(path: path, recordsValues: true)
    let attributes = try FileManager.default.attributesOfItem(atPath: path + "-values.db")
    #expect(attributes[.posixPermissions] as? Int == 0o640)
  }

  @Test func `values of an unfinished save are removed by the next`() throws {
    let trips = try RecordedTrips()
    let query = try StoreQuery(path: trips.valuesPath)
    try query.run(
      """
      INSERT INTO recorded_value SELECT 7, timestamp, 40, entity, primary_key, name, kind, 'x',
        NULL, 'y', NULL, NULL FROM recorded_value WHERE transaction_number = 4
      """)
    let editor = try StoreEditor(path: trips.path, recordsValues: true)
    var save = StoreSave(author: "app")
    save.update(StoreObject(entityName: "Trip", primaryKey: 1), values: ["cost": .real(3)])
    #expect(try editor.append(save)?.position.number == 7)
    #expect(
      try trips.rows().filter { $0.hasPrefix("7|") } == ["7|12|Trip/p1|cost|real|0.0|3.0"])
  }

  @Test func `unrecordable saves are refused`() throws {
    let trips = try RecordedTrips()
    let editor = try StoreEditor(path: trips.path, recordsValues: true)
    // As a damaged file would.
    try StoreQuery(path: trips.valuesPath).run("DROP TABLE recorded_value")
    var save = StoreSave(author: "app")
    save.update(StoreObject(entityName: "Trip", primaryKey: 1), values: ["cost": .real(3)])
    #expect {
      try editor.append(save)
    } throws: { error in
      if case StoreWriteError.unrecordedValues(trips.valuesPath, _) = error { true } else { false }
    }
    let store = try StoreQuery(path: trips.path)
    #expect(try store.lines("SELECT max(Z_PK) FROM ATRANSACTION") == ["6"])
    #expect(try store.lines("SELECT ZCOST FROM ZTRIP WHERE Z_PK = 1") == ["0.0"])
  }

  @Test func `values are not added to the file of another store`() throws {
    let trips = try RecordedTrips()
    let other = try RecordedTrips()
    try FileManager.default.removeItem(atPath: trips.valuesPath)
    try FileManager.default.copyItem(atPath: other.valuesPath, toPath: trips.valuesPath)
    #expect {
      try StoreEditor(path: trips.path, recordsValues: true)
    } throws: { error in
      if case StoreWriteError.unrecordedValues(_, let reason) = error {
        reason.contains("are of the store")
      } else {
        false
      }
    }
  }

  @Test func `a removed file of values is created again`() throws {
    let trips = try RecordedTrips()
    let editor = try StoreEditor(path: trips.path, recordsValues: true)
    for name in ["", "-wal", "-shm"] {
      try? FileManager.default.removeItem(atPath: trips.valuesPath + name)
    }
    var save = StoreSave(author: "app")
    save.update(StoreObject(entityName: "Trip", primaryKey: 1), values: ["cost": .real(3)])
    try editor.append(save)
    #expect(try trips.rows() == ["7|12|Trip/p1|cost|real|0.0|3.0"])
  }

  @Test func `an update before a delete in the same save leaves no values`() throws {
    let trips = try RecordedTrips()
    let editor = try StoreEditor(path: trips.path, recordsValues: true)
    var save = StoreSave(author: "app")
    let rome = StoreObject(entityName: "Trip", primaryKey: 1)
    save.update(rome, values: ["cost": .real(3)])
    save.delete(rome)
    try editor.append(save)
    // The stay has lost its trip, which is an update of the stay.
    #expect(
      try trips.rows().filter { $0.hasPrefix("7|") }
        == ["7|12|LivingAccommodation/p1|trip|object|'Trip/p1'|NULL"])
  }
}
