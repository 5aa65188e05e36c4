import StoreFormat
import TestSupport
import Testing

@testable import PersistentHistory

@Suite(.bounded) struct ObjectLifeTests {
  /// What is read of an object: its changes as text, and its life.
  private static func read(
    _ object: String, of path: String, _ query: HistoryQuery = HistoryQuery()
  ) throws -> (changes: [String], life: ObjectLife, error: HistoryError?) {
    try StoreFile(path: path).read { snapshot in
      let reader = try ObjectLifeReader(
        HistoryObject(object), snapshot: snapshot, query: query)
      var changes: [String] = []
      while let transaction = try reader.nextTransaction() {
        #expect(transaction.isPartial)
        while let change = try reader.nextChange() {
          changes.append(
            "\(transaction.number) \(change.kind?.name ?? "?") \(change.object?.description ?? "?")"
          )
        }
      }
      let isUnknown = reader.life.state == .unknown
      return (changes, reader.life, isUnknown ? try reader.unknownObject() : nil)
    }
  }

  /// A store with the sample's history and with tables for its objects.
  private static func store(_ folder: TemporaryFolder, _ sql: String = "SELECT 1") throws -> String
  {
    let path = try SampleStore.write(to: folder.file("trips.store"))
    let query = try StoreQuery(path: path)
    try query.run(
      """
      CREATE TABLE ZTRIP (Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZNAME VARCHAR);
      CREATE TABLE ZACCOMMODATION
        (Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZPLACENAME VARCHAR);
      """)
    try query.run(sql)
    return path
  }

  @Test
  func `a deleted object has its insert, last update and tombstone`() throws {
    let folder = try TemporaryFolder()
    let path = try Self.store(folder)
    let (changes, life, _) = try Self.read("Trip/p5", of: path)
    #expect(changes == ["5 insert Trip/p5", "6 update Trip/p5", "8 delete Trip/p5"])
    #expect(life.state == .deleted)
    #expect(life.object == HistoryObject(entityName: "Trip", primaryKey: 5))
    #expect(life.inserted?.transaction == 5)
    #expect(life.inserted?.author == "app")
    #expect(life.updated?.transaction == 6)
    #expect(life.updated?.author == "widget")
    #expect(life.deleted?.transaction == 8)
    #expect(life.deleted?.timestamp == StoreTimestamp(secondsSinceReferenceDate: 743_906_980))
    #expect(life.deleted?.process == "Trips")
    #expect((life.updateCount, life.changeCount) == (1, 3))
    #expect(life.deletion?.preservedValues?.map(\.attribute.name).contains("name") == true)
    #expect(life.present == nil)
  }

  @Test
  func `an object with a row is present, whatever its history says`() throws {
    let folder = try TemporaryFolder()
    let path = try Self.store(
      folder, "INSERT INTO ZTRIP VALUES (5, 5, 7, 'Rome'), (77, 5, 1, 'Oslo')")
    let (changes, life, _) = try Self.read("Trip/p5", of: path)
    #expect(changes.count == 3)
    #expect(life.state == .present)
    #expect(life.present?.version == 7)
    #expect(life.present?.values.first { $0.name == "name" }?.value == .text("Rome"))
    #expect(life.present?.missingProperties.contains("cost") == true)
    let (none, silent, _) = try Self.read("Trip/p77", of: path)
    #expect(none.isEmpty)
    #expect(silent.state == .present)
    #expect(silent.inserted == nil)
  }

  @Test
  func `an object without a row and a recorded delete is missing`() throws {
    let folder = try TemporaryFolder()
    let path = try Self.store(
      folder,
      "DELETE FROM ACHANGE WHERE ZTRANSACTIONID = 8; DELETE FROM ATRANSACTION WHERE Z_PK = 8")
    let (changes, life, _) = try Self.read("Trip/p5", of: path)
    #expect(changes.count == 2)
    #expect(life.state == .missing)
    #expect(life.deleted == nil)
  }

  @Test(arguments: [
    "Accommodation/p5", "LivingAccommodation/p5",
    "x-coredata://\(StoreWriter.identifier)/Accommodation/p5",
  ])
  func `an object may be named by an ancestor or descendant of its entity`(name: String) throws {
    let folder = try TemporaryFolder()
    let path = try Self.store(folder)
    let (changes, life, _) = try Self.read(name, of: path)
    #expect(
      changes == [
        "5 insert LivingAccommodation/p5", "7 update LivingAccommodation/p5",
        "8 delete LivingAccommodation/p5",
      ])
    #expect(life.object.description == "LivingAccommodation/p5")
    try StoreQuery(path: path).run("INSERT INTO ZACCOMMODATION VALUES (5, 2, 1, 'Hotel')")
    let present = try Self.read(name, of: path).life
    #expect(present.present?.entityName == "LivingAccommodation")
    #expect(present.object.description == "LivingAccommodation/p5")
    // One that is of the super-entity itself is found by the name of the other as well.
    try StoreQuery(path: path).run("UPDATE ZACCOMMODATION SET Z_ENT = 1")
    #expect(try Self.read(name, of: path).life.object.description == "Accommodation/p5")
  }

  @Test
  func `conditions restrict the returned changes and not the life`() throws {
    let folder = try TemporaryFolder()
    let path = try Self.store(folder)
    let whole = try Self.read("Trip/p5", of: path).life
    for (query, changes) in [
      (HistoryQuery(after: 5, until: 6), ["6 update Trip/p5"]),
      (HistoryQuery(author: .init(anyOf: ["widget"])), ["6 update Trip/p5"]),
      (HistoryQuery(change: ChangeCondition(kinds: [.delete])), ["8 delete Trip/p5"]),
      (
        HistoryQuery(change: ChangeCondition(entities: ["Tag"])),
        ["5 insert Trip/p5", "6 update Trip/p5", "8 delete Trip/p5"]
      ),
      (HistoryQuery(after: 8), []),
    ] {
      let (given, life, _) = try Self.read("Trip/p5", of: path, query)
      #expect(given == changes)
      #expect(life == whole)
    }
    #expect(throws: HistoryError.unknownAttribute(name: "titel", suggestions: [])) {
      try Self.read(
        "Trip/p5", of: path, HistoryQuery(change: ChangeCondition(attributes: ["titel"])))
    }
  }

  @Test
  func `an unknown object is an error that says what is known of its key`() throws {
    let folder = try TemporaryFolder()
    let path = try Self.store(
      folder,
      """
      UPDATE Z_PRIMARYKEY SET Z_MAX = 9 WHERE Z_NAME = 'Trip';
      UPDATE Z_PRIMARYKEY SET Z_MAX = 0 WHERE Z_NAME = 'Accommodation';
      INSERT INTO Z_PRIMARYKEY VALUES (6, 'Camping', 1, 0);
      INSERT INTO ZACCOMMODATION VALUES (44, 6, 1, 'Forest');
      """)
    #expect(
      try Self.read("Trip/p3", of: path).error
        == .unknownObject(object: "Trip/p3", other: nil, highestPrimaryKey: 9, oldest: nil))
    // A sibling is another object, and its history is another one's.
    let sibling = try Self.read("LivingAccommodation/p44", of: path)
    #expect(
      sibling.error
        == .unknownObject(
          object: "LivingAccommodation/p44", other: "Camping/p44", highestPrimaryKey: 0,
          oldest: nil))
    #expect(sibling.error?.remedy.contains("Camping/p44") == true)
    #expect(try Self.read("Accommodation/p44", of: path).life.state == .present)
    #expect(try Self.read("Camping/p5", of: path).changes.isEmpty)
    try StoreQuery(path: path).run("DELETE FROM ATRANSACTION WHERE Z_PK < 6")
    let pruned = try #require(try Self.read("Trip/p3", of: path).error)
    #expect(
      pruned == .unknownObject(object: "Trip/p3", other: nil, highestPrimaryKey: 9, oldest: 6))
    #expect(pruned.remedy.contains("9") && pruned.remedy.contains("before transaction 6"))
  }

  @Test
  func `a store without history tables still has its objects`() throws {
    let folder = try TemporaryFolder()
    let path = folder.file("x.store")
    var shape = StoreWriter.Shape()
    shape.hasHistory = false
    let writer = try StoreWriter(path: path, shape: shape)
    try writer.sql(
      "CREATE TABLE ZTAG (Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZLABEL VARCHAR)")
    try writer.sql("INSERT INTO ZTAG VALUES (3, 4, 1, 'warm')")
    try writer.close()
    #expect(try Self.read("Tag/p3", of: path).life.state == .present)
    #expect(try Self.read("Tag/p4", of: path).life.state == .unknown)
  }

  @Test
  func `a wrong entity, form or store of an object is an error`() throws {
    let folder = try TemporaryFolder()
    let path = try Self.store(folder)
    #expect(throws: HistoryError.unknownEntity(name: "Trp", suggestions: ["Trip"])) {
      try Self.read("Trp/p1", of: path)
    }
    #expect(throws: HistoryError.malformedObject(text: "Trip")) { try Self.read("Trip", of: path) }
    #expect(throws: HistoryError.self) {
      try Self.read("x-coredata://AAAAAAAA-BBBB-CCCC-DDDD-EEEEEEEEEEEE/Trip/p1", of: path)
    }
  }
}
