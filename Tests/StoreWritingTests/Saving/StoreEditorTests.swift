import StoreFormat
import StoreTransactions
import StoreWriting
import TestSupport
import Testing

@Suite(.bounded) struct StoreEditorTests {
  private let folder: TemporaryFolder
  private let path: String
  private let editor: StoreEditor
  private let query: StoreQuery

  init() throws {
    folder = try TemporaryFolder()
    path = folder.file("Trips.store")
    try StoreCreator.create(at: path, model: TripsModel.model)
    editor = try StoreEditor(path: path)
    query = try StoreQuery(path: path)
  }

  private func save(_ seconds: Double = 743_906_500) -> StoreSave {
    StoreSave(
      author: "app", bundle: "Trips", process: "Trips", context: nil,
      timestamp: StoreTimestamp(secondsSinceReferenceDate: seconds))
  }

  private let changes = """
    SELECT Z_PK, Z_ENT, Z_OPT, ZCHANGETYPE, ZENTITY, ZENTITYPK, ZTRANSACTIONID, hex(ZCOLUMNS)
    FROM ACHANGE ORDER BY Z_PK
    """

  /// A trip with two items, a stay and a tag, as one save.
  private func insertTrip() throws -> (
    trip: StoreObject, first: StoreObject, second: StoreObject, stay: StoreObject,
    tag: StoreObject
  ) {
    var save = save()
    let trip = save.insert(
      "Trip",
      values: [
        "name": .text("Rome"), "identifier": .blob(Array(0..<16)), "startDate": .real(743_000_000),
        "isFavorite": .integer(1), "score": .integer(-5), "token": .blob([]), "cost": .real(12),
        "place.latitude": .real(41.9),
      ])
    let first = save.insert(
      "BucketListItem", values: ["title": .text("Forum")], toOne: ["trip": trip])
    let second = save.insert("BucketListItem", values: ["isDone": .integer(0)])
    let stay = save.insert(
      "LivingAccommodation", values: ["placeName": .text("Hotel"), "address": .text("Via")],
      toOne: ["trip": trip])
    let tag = save.insert("Tag", values: ["label": .text("city")], toMany: ["trips": [trip]])
    save.update(trip, toMany: ["items": [first, second]])
    let appended = try #require(try editor.append(save))
    func stored(_ object: StoreObject) throws -> StoreObject {
      try #require(appended.stored(object))
    }
    return (
      try stored(trip), try stored(first), try stored(second), try stored(stay), try stored(tag)
    )
  }

  @Test func `inserted objects have rows, keys and positions in lists`() throws {
    _ = try insertTrip()
    #expect(
      try query.lines("SELECT * FROM ZTRIP") == [
        "1|5|1|1|-5|1|2|12.0|41.9||743000000|Rome|000102030405060708090a0b0c0d0e0f|"
      ])
    #expect(try query.lines("SELECT typeof(ZTOKEN), typeof(ZCOST) FROM ZTRIP") == ["blob|real"])
    #expect(
      try query.lines("SELECT * FROM ZBUCKETLISTITEM") == [
        "1|3|1||1|2048|Forum", "2|3|1|0|1|3072|",
      ])
    #expect(try query.lines("SELECT * FROM ZACCOMMODATION") == ["1|2|1|1||Via|Hotel"])
    #expect(try query.lines("SELECT * FROM Z_4TRIPS") == ["1|1"])
    #expect(
      try query.lines("SELECT * FROM ATRANSACTION") == [
        "1|16002||1|2||2|743906500.0|||||"
      ])
    #expect(
      try query.lines("SELECT * FROM ATRANSACTIONSTRING") == ["1|16003||app", "2|16003||Trips"])
    #expect(
      try query.lines(changes) == [
        "1|16001||0|5|1|1|", "2|16001||0|3|1|1|", "3|16001||0|3|2|1|", "4|16001||0|2|1|1|",
        "5|16001||0|4|1|1|",
      ])
    #expect(try query.lines("SELECT DISTINCT typeof(ZCOLUMNS) FROM ACHANGE") == ["null"])
    #expect(
      try query.lines("SELECT * FROM Z_PRIMARYKEY") == [
        "1|Accommodation|0|1", "2|LivingAccommodation|1|0", "3|BucketListItem|0|2", "4|Tag|0|1",
        "5|Trip|0|1", "16001|CHANGE|0|5", "16002|TRANSACTION|0|1",
        "16003|TRANSACTIONSTRING|0|2",
      ])
  }

  @Test func `an update of a relationship is a change of both ends`() throws {
    let objects = try insertTrip()
    var save = save(743_906_600)
    save.update(objects.first, values: ["isDone": .integer(1)], toOne: ["trip": nil])
    save.update(objects.tag, values: ["label": .text("town")])
    save.update(objects.tag, values: ["label": .text("place")])
    let appended = try editor.append(save)
    #expect(appended?.position.number == 2)
    #expect(appended?.changeCount == 3)
    // BucketListItem: trip, its order key, isDone, title. Tag: label, trips.
    // Trip: stay, its entity key, cost, identifier, isFavorite, name, place twice, score,
    // startDate, token, items, tags.
    #expect(
      try query.lines(changes + " LIMIT -1 OFFSET 5") == [
        "6|16001||1|3|1|2|E0", "7|16001||1|4|1|2|80", "8|16001||1|5|1|2|0010",
      ])
    #expect(
      try query.lines("SELECT Z_OPT, ZISDONE, ZTRIP, Z_FOK_TRIP FROM ZBUCKETLISTITEM") == [
        "2|1||", "1|0|1|3072",
      ])
    #expect(try query.lines("SELECT Z_OPT, ZLABEL FROM ZTAG") == ["2|place"])
    #expect(try query.lines("SELECT Z_OPT FROM ZTRIP") == ["2"])
  }

  @Test func `a one-to-one relationship is kept at both ends`() throws {
    let objects = try insertTrip()
    var second = save()
    let other = second.insert(
      "Trip", values: ["name": .text("Oslo")], toOne: ["stay": objects.stay])
    let appended = try #require(try editor.append(second))
    #expect(appended.primaryKey(of: other) == 2)
    #expect(try query.lines("SELECT ZSTAY, Z1_STAY FROM ZTRIP") == ["|", "1|2"])
    #expect(try query.lines("SELECT ZTRIP FROM ZACCOMMODATION") == ["2"])
    #expect(
      try query.lines(changes + " LIMIT -1 OFFSET 5") == [
        "6|16001||0|5|2|2|", "7|16001||1|5|1|2|C000", "8|16001||1|2|1|2|80",
      ])
  }

  @Test func `a deletion keeps preserved values`() throws {
    let objects = try insertTrip()
    var save = save()
    save.update(objects.trip, values: ["name": .text("Never seen")])
    save.delete(objects.trip)
    save.delete(objects.stay)
    #expect(try editor.append(save)?.changeCount == 5)
    #expect(
      try query.lines(changes + " LIMIT -1 OFFSET 5") == [
        "6|16001||1|3|1|2|C0", "7|16001||1|3|2|2|C0", "8|16001||1|4|1|2|40",
        "9|16001||2|5|1|2|", "10|16001||2|2|1|2|",
      ])
    let tombstones = """
      SELECT ZTOMBSTONE0, ZTOMBSTONE1, ZTOMBSTONE2, ZTOMBSTONE3, ZTOMBSTONE4, ZTOMBSTONE5,
        typeof(ZTOMBSTONE4), typeof(ZTOMBSTONE5) FROM ACHANGE WHERE ZCHANGETYPE = 2
      """
    #expect(
      try query.lines(tombstones) == [
        "000102030405060708090a0b0c0d0e0f|1|Rome|-5|743000000.0||real|blob",
        "Hotel||||||null|null",
      ])
    for table in ["ZTRIP", "ZACCOMMODATION", "Z_4TRIPS"] {
      #expect(try query.lines("SELECT count(*) FROM \(table)") == ["0"])
    }
    #expect(try query.lines("SELECT ZTRIP, Z_FOK_TRIP FROM ZBUCKETLISTITEM") == ["|", "|"])
  }

  @Test func `only the outcome of a save is recorded`() throws {
    #expect(try editor.append(save()) == nil)
    var vanishing = save()
    let tag = vanishing.insert("Tag")
    vanishing.update(tag, values: ["label": .text("x")])
    vanishing.delete(tag)
    #expect(try editor.append(vanishing) == nil)
    #expect(try query.lines("SELECT max(Z_MAX) FROM Z_PRIMARYKEY") == ["0"])
    var save = save()
    let trip = save.insert("Trip", toMany: ["tags": [tag]])
    save.update(trip, values: ["name": .text("Rome")])
    save.insert("BucketListItem", toOne: ["trip": tag])
    save.delete(tag)
    // The tag belongs to another save.
    #expect(throws: StoreWriteError.unusableObject(entity: "Tag")) { try editor.append(save) }
    #expect(try query.lines("SELECT max(Z_MAX) FROM Z_PRIMARYKEY") == ["0"])
  }

  @Test func `an ordered relationship is reordered`() throws {
    let objects = try insertTrip()
    var save = save()
    save.update(objects.trip, toMany: ["items": [objects.second, objects.first]])
    try editor.append(save)
    #expect(
      try query.lines("SELECT Z_PK FROM ZBUCKETLISTITEM ORDER BY Z_FOK_TRIP") == ["2", "1"])
    // Only the place of the one that was moved, slot 1, and the set.
    #expect(
      try query.lines(changes + " LIMIT -1 OFFSET 5") == [
        "6|16001||1|5|1|2|0010", "7|16001||1|3|1|2|40",
      ])
  }

  @Test func `torn highest numbers are corrected`() throws {
    _ = try insertTrip()
    try query.run("UPDATE Z_PRIMARYKEY SET Z_MAX = 0")
    var save = save()
    save.author("widget")
    let tag = save.insert("Tag")
    let appended = try #require(try editor.append(save))
    #expect(appended.position.number == 2)
    #expect(appended.primaryKey(of: tag) == 2)
    #expect(
      try query.lines("SELECT Z_ENT, Z_MAX FROM Z_PRIMARYKEY WHERE Z_MAX > 0") == [
        "4|2", "16001|6", "16002|2", "16003|3",
      ])
  }

  @Test func `numbers of deleted rows are not used again`() throws {
    let objects = try insertTrip()
    var deletion = save()
    deletion.delete(objects.tag)
    try editor.append(deletion)
    try query.run("DELETE FROM ACHANGE; DELETE FROM ATRANSACTION")
    var save = save()
    let tag = save.insert("Tag")
    let appended = try #require(try editor.append(save))
    #expect(appended.position.number == 3)
    #expect(appended.primaryKey(of: tag) == 2)
    #expect(try query.lines("SELECT Z_PK FROM ACHANGE") == ["8"])
  }

  @Test func `history can be appended without objects`() throws {
    let header = TransactionHeader(
      author: "sync", timestamp: StoreTimestamp(secondsSinceReferenceDate: 1.5))
    let position = try editor.appendHistory(
      header,
      changes: [
        RecordedChange(number: 0, kind: .insert, entityNumber: 4, primaryKey: 7),
        RecordedChange(
          number: 0, kind: .update, entityNumber: 5, primaryKey: 8,
          mask: ColumnMask([0xC3, 0x00])),
        RecordedChange(
          number: 0, kind: .delete, entityNumber: 2, primaryKey: 9, tombstone: [.text("Hut")]),
      ])
    #expect(
      position
        == TransactionPosition(
          number: 1, timestamp: StoreTimestamp(secondsSinceReferenceDate: 1.5)))
    #expect(
      try query.lines(
        "SELECT ZCHANGETYPE, ZENTITY, ZENTITYPK, hex(ZCOLUMNS), ZTOMBSTONE0 FROM ACHANGE") == [
          "0|4|7||", "1|5|8|C300|", "2|2|9||Hut",
        ])
    try editor.appendHistory()
    #expect(
      try query.lines("SELECT Z_MAX FROM Z_PRIMARYKEY WHERE Z_ENT > 16000") == ["3", "2", "1"])
  }

  @Test func `a store with plain author texts keeps its layout`() throws {
    let path = folder.file("plain.store")
    try StoreCreator.create(at: path, model: TripsModel.model)
    // The tables of macOS 10.13 and iOS 11.
    let query = try StoreQuery(path: path)
    try query.run(
      """
      DROP TABLE ATRANSACTION; DROP TABLE ATRANSACTIONSTRING;
      CREATE TABLE ATRANSACTION ( Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, \
      ZTIMESTAMP FLOAT, ZAUTHOR VARCHAR, ZBUNDLEID VARCHAR, ZCONTEXTNAME VARCHAR, \
      ZPROCESSID VARCHAR, ZQUERYGEN BLOB )
      """)
    var save = StoreSave(
      author: "app", bundle: "b", process: "p", context: "c",
      timestamp: StoreTimestamp(secondsSinceReferenceDate: 5))
    save.insert("Tag")
    try StoreEditor(path: path).append(save)
    #expect(try query.lines("SELECT * FROM ATRANSACTION") == ["1|16002||5.0|app|b|c|p|"])
    #expect(
      try query.lines("SELECT * FROM Z_PRIMARYKEY WHERE Z_ENT > 16000") == [
        "16001|CHANGE|0|1", "16002|TRANSACTION|0|1",
      ])
  }

  @Test func `a store without history or model is refused`() throws {
    let without = folder.file("without.store")
    try StoreCreator.create(at: without, model: TripsModel.model)
    try StoreQuery(path: without).run(
      "DROP TABLE ACHANGE; DROP TABLE ATRANSACTION; DROP TABLE ATRANSACTIONSTRING")
    #expect(throws: StoreWriteError.store(.withoutHistory(path: without))) {
      try StoreEditor(path: without)
    }
    try query.run("UPDATE Z_MODELCACHE SET Z_CONTENT = NULL")
    #expect(
      throws: StoreWriteError.store(
        .withoutModel(path: path, reason: "the model cache is empty"))
    ) { try StoreEditor(path: path) }
    #expect(throws: StoreWriteError.store(.missing(path: folder.file("none")))) {
      try StoreEditor(path: folder.file("none"))
    }
  }

  @Test func `a save that needs a trigger of the frameworks is refused, and other triggers run`()
    throws
  {
    try query.run(
      """
      CREATE TABLE Counts (tags INTEGER); INSERT INTO Counts VALUES (0);
      CREATE TRIGGER count AFTER INSERT ON ZTAG BEGIN UPDATE Counts SET tags = tags + 1; END;
      CREATE TRIGGER Z_DA_x AFTER INSERT ON ZBUCKETLISTITEM
      BEGIN SELECT NSCoreDataDATriggerUpdatedAffectedObjectValue('x'); END;
      CREATE TRIGGER other AFTER UPDATE ON ZTRIP BEGIN SELECT madeUpFunction(1); END;
      """)
    var first = save()
    first.insert("Tag")
    let trip = first.insert("Trip")
    let appended = try #require(try editor.append(first))
    #expect(try query.lines("SELECT tags FROM Counts") == ["1"])
    let before = try query.contents()
    var second = save()
    second.insert("Tag")
    second.insert("BucketListItem")
    #expect(
      throws: StoreWriteError.frameworkTrigger(table: "ZBUCKETLISTITEM", detail: "Z_DA_x")
    ) { try editor.append(second) }
    var third = save()
    third.insert("Tag")
    third.update(try #require(appended.stored(trip)), values: ["score": .integer(1)])
    let error = #expect(throws: StoreWriteError.self) { try editor.append(third) }
    #expect(error?.message.contains("no such function: madeUpFunction") ?? false)
    #expect(try query.contents() == before)
  }

  @Test func `a busy store is reported and left unchanged`() throws {
    let impatient = try StoreEditor(path: path, busyTimeout: 0.05)
    try query.run("BEGIN IMMEDIATE")
    var save = save()
    save.insert("Tag")
    #expect(throws: StoreWriteError.store(.busy(path: path, seconds: 0.05))) {
      try impatient.append(save)
    }
    try query.run("ROLLBACK")
    #expect(try impatient.append(save)?.position.number == 1)
  }

  @Test func `a store migrated meanwhile is read again`() throws {
    var first = save()
    first.insert("Tag")
    try editor.append(first)
    let moved = TripsModel.model.entities.values.map { entity in
      entity.name == "Tag"
        ? ManagedEntity(
          name: "Tag",
          properties: entity.properties + [.attribute(.init(name: "color", type: .integer16))])
        : entity
    }
    let cache = try ModelArchive.cache(of: ManagedModel(entities: moved))
    let hex = cache.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    try query.run(
      "ALTER TABLE ZTAG ADD COLUMN ZCOLOR INTEGER; UPDATE Z_MODELCACHE SET Z_CONTENT = x'\(hex)'")
    var second = save()
    second.insert("Tag", values: ["color": .integer(3)])
    try editor.append(second)
    #expect(try query.lines("SELECT Z_PK, ZCOLOR FROM ZTAG") == ["1|", "2|3"])
  }
}

extension StoreSave {
  fileprivate mutating func author(_ author: String) { header.author = author }
}
