import Foundation
import TestSupport
import Testing

@testable import StoreFormat
@testable import StoreWriting

@Suite(.bounded) struct ObjectReaderTests {
  /// A store of the trips' model with a trip, its item, its stay and its tags.
  private static func trips(_ folder: TemporaryFolder) throws -> String {
    let path = folder.file("Trips.store")
    try StoreCreator.create(at: path, model: TripsModel.model)
    let editor = try StoreEditor(path: path)
    var save = StoreSave(timestamp: StoreTimestamp(secondsSinceReferenceDate: 743_906_500))
    let trip = save.insert(
      "Trip",
      values: [
        "name": .text("Rome"), "identifier": .blob(Array(0..<16)), "startDate": .real(743_000_000),
        "isFavorite": .integer(1), "token": .blob([1, 2, 3]), "place.latitude": .real(41.9),
      ])
    save.insert("BucketListItem", values: ["title": .text("Forum")], toOne: ["trip": trip])
    save.insert("LivingAccommodation", values: ["address": .text("Via")], toOne: ["trip": trip])
    for label in ["city", "warm"] {
      save.insert("Tag", values: ["label": .text(label)], toMany: ["trips": [trip]])
    }
    _ = try editor.append(save)
    return path
  }

  /// A store for photos, whose data may stand in files and whose thumbs may not.
  private static func photos(_ folder: TemporaryFolder) throws -> String {
    let path = folder.file("photos.store")
    let model = ManagedModel(entities: [
      ManagedEntity(
        name: "Photo",
        properties: [
          .attribute(.init(name: "data", type: .binaryData, allowsExternalStorage: true)),
          .attribute(.init(name: "thumb", type: .binaryData)),
        ])
    ])
    try StoreCreator.create(at: path, model: model)
    return path
  }

  private static func object(
    _ entity: String, _ key: Int64, of path: String
  ) throws -> PresentObject? {
    try StoreFile(path: path).read { snapshot in
      try snapshot.objects()
        .object(entityNumber: snapshot.entities.number(of: entity) ?? 0, primaryKey: key)
    }
  }

  @Test
  func `an object has attributes, relationships and counts by name`() throws {
    let folder = try TemporaryFolder()
    let path = try Self.trips(folder)
    let trip = try #require(try Self.object("Trip", 1, of: path))
    #expect(trip.version == 1)
    #expect(trip.isNamedByModel)
    #expect(
      trip.values.map(\.name) == [
        "cost", "identifier", "isFavorite", "name", "place.latitude", "place.longitude", "score",
        "startDate", "token",
      ])
    let values = Dictionary(uniqueKeysWithValues: trip.values.map { ($0.name, $0) })
    #expect(values["name"]?.value == .text("Rome"))
    #expect(values["name"]?.byteCount == 4)
    #expect(values["isFavorite"]?.type == .boolean)
    // The column keeps a date without a fraction as an integer.
    #expect(values["startDate"]?.value == .real(743_000_000))
    #expect(values["place.latitude"]?.value == .real(41.9))
    #expect(values["place.longitude"]?.value == .null)
    #expect(values["token"]?.byteCount == 3)
    #expect(trip.references.map(\.name) == ["stay"])
    #expect(trip.references[0].entityName == "LivingAccommodation")
    #expect(trip.references[0].primaryKey == 1)
    #expect(trip.counts.map { "\($0.name) \($0.count)" } == ["items 1", "tags 2"])
    #expect(trip.missingProperties == [])

    let stay = try #require(try Self.object("Accommodation", 1, of: path))
    #expect(stay.entityName == "LivingAccommodation")
    #expect(stay.values.map(\.name) == ["address", "isConfirmed", "placeName"])
    #expect(stay.references.map { $0.primaryKey } == [1])
    let tag = try #require(try Self.object("Tag", 2, of: path))
    #expect(tag.counts.map { "\($0.name) \($0.count)" } == ["trips 1"])
  }

  @Test
  func `a key without a row has no object`() throws {
    let folder = try TemporaryFolder()
    let path = try Self.trips(folder)
    for (entity, key) in [("Trip", Int64(2)), ("Trip", 0), ("Trip", .min), ("Nobody", 1)] {
      #expect(try Self.object(entity, key, of: path) == nil)
    }
    // Tests write stores whose objects have no tables.
    let bare = try SampleStore.write(to: folder.file("bare.store"))
    #expect(try Self.object("Trip", 1, of: bare) == nil)
  }

  @Test
  func `long values are not read, and their length is reported`() throws {
    let folder = try TemporaryFolder()
    let path = try Self.trips(folder)
    let length = ObjectReader.longestValue
    // The longest value that a connection reads is 64 MiB; the length of data is known without.
    for extra in [0, 1, 3_000_000, 80 << 20] {
      try StoreQuery(path: path).run(
        """
        UPDATE ZTRIP SET ZNAME = printf('%.*c', \(length + min(extra, 3_000_000)), 'x'),
          ZTOKEN = zeroblob(\(length + extra))
        """)
      let trip = try #require(try Self.object("Trip", 1, of: path))
      let name = try #require(trip.values.first { $0.name == "name" })
      #expect(name.byteCount == length + min(extra, 3_000_000))
      #expect(name.isLeftOut == (extra > 0))
      #expect(name.value == (extra > 0 ? .null : .text(String(repeating: "x", count: length))))
      let token = try #require(trip.values.first { $0.name == "token" })
      #expect(token.byteCount == length + extra)
      #expect(token.isLeftOut == (extra > 0))
      #expect(token.value == (extra > 0 ? .null : .blob(Array(repeating: 0, count: length))))
    }
    // Bytes count, not characters.
    try StoreQuery(path: path).run(
      "UPDATE ZTRIP SET ZNAME = replace(printf('%.*c', \(length - 1), '-'), '-', 'é')")
    let value = try #require(
      try Self.object("Trip", 1, of: path)?.values.first { $0.name == "name" })
    #expect(value.isLeftOut)
    #expect(value.byteCount == 2 * length - 2)
  }

  @Test(arguments: [
    ("ZNAME", "x'ff'", "name", StoredValue.blob([0xff])), ("ZNAME", "5.5", "name", .text("5.5")),
    ("ZNAME", "CAST(x'61ff' AS TEXT)", "name", .malformedText([0x61, 0xff])),
    ("ZSTARTDATE", "'tomorrow'", "startDate", .text("tomorrow")),
    ("ZSTARTDATE", "9e999", "startDate", .real(.infinity)),
    ("ZISFAVORITE", "x'00'", "isFavorite", .blob([0])),
    ("ZIDENTIFIER", "7", "identifier", .integer(7)),
    ("ZSCORE", "'x'", "score", .text("x")),
  ])
  func `values of an unexpected storage class are returned as they are`(
    column: String, sql: String, name: String, value: StoredValue
  ) throws {
    let folder = try TemporaryFolder()
    let path = try Self.trips(folder)
    try StoreQuery(path: path).run("UPDATE ZTRIP SET \(column) = \(sql)")
    #expect(try Self.object("Trip", 1, of: path)?.values.first { $0.name == name }?.value == value)
  }

  @Test
  func `a reference without a number has no key, and one to an unknown entity has no name`() throws
  {
    let folder = try TemporaryFolder()
    let path = try Self.trips(folder)
    try StoreQuery(path: path).run("UPDATE ZTRIP SET ZSTAY = 'x'")
    var stay = try #require(try Self.object("Trip", 1, of: path)?.references.first)
    #expect(stay.primaryKey == nil && stay.entityName == nil)
    try StoreQuery(path: path).run("UPDATE ZTRIP SET ZSTAY = 9, Z1_STAY = 77")
    stay = try #require(try Self.object("Trip", 1, of: path)?.references.first)
    #expect(stay.primaryKey == 9 && stay.entityName == nil)
  }

  @Test
  func `missing columns and tables are reported, the others read`() throws {
    let folder = try TemporaryFolder()
    let path = try Self.trips(folder)
    let query = try StoreQuery(path: path)
    try query.run("ALTER TABLE ZTRIP DROP COLUMN ZCOST")
    try query.run("ALTER TABLE ZTRIP RENAME COLUMN ZNAME TO \"Z NA\"\"ME\"")
    try query.run("DROP TABLE Z_4TRIPS")
    try query.run("DROP TABLE ZBUCKETLISTITEM")
    let trip = try #require(try Self.object("Trip", 1, of: path))
    #expect(trip.missingProperties == ["cost", "items", "name", "tags"])
    #expect(trip.values.first { $0.name == "isFavorite" }?.value == .integer(1))
    #expect(trip.counts == [])
    try query.run("ALTER TABLE ZTRIP DROP COLUMN Z_OPT")
    #expect(try Self.object("Trip", 1, of: path)?.version == nil)
  }

  @Test
  func `an object without a model has the names of its columns`() throws {
    let folder = try TemporaryFolder()
    let path = try Self.trips(folder)
    let query = try StoreQuery(path: path)
    try query.run("UPDATE Z_MODELCACHE SET Z_CONTENT = NULL")
    try query.run("ALTER TABLE ZTRIP ADD COLUMN \"odd \"\"name\"\"\" INTEGER")
    try query.run("UPDATE ZTRIP SET \"odd \"\"name\"\"\" = 4")
    let trip = try #require(try Self.object("Trip", 1, of: path))
    #expect(!trip.isNamedByModel)
    #expect(
      trip.values.map(\.name).sorted() == [
        "Z1_STAY", "ZIDENTIFIER", "ZISFAVORITE", "ZLATITUDE", "ZNAME", "ZSTARTDATE", "ZSTAY",
        "ZTOKEN", "odd \"name\"",
      ])
    #expect(trip.references == [] && trip.counts == [])
    // A sub-entity is found by the numbers alone.
    #expect(try Self.object("Accommodation", 1, of: path)?.entityName == "LivingAccommodation")
  }

  @Test
  func `cyclic hierarchies and ambiguous names have no object`() throws {
    let folder = try TemporaryFolder()
    let path = try Self.trips(folder)
    let query = try StoreQuery(path: path)
    try query.run("UPDATE Z_PRIMARYKEY SET Z_SUPER = 2 WHERE Z_ENT = 1")
    #expect(try Self.object("LivingAccommodation", 1, of: path) == nil)
    try query.run("INSERT INTO Z_PRIMARYKEY VALUES (90, 'Trip', 0, 0)")
    #expect(try Self.object("Trip", 1, of: path) == nil)
    try StoreFile(path: path).read { snapshot in
      #expect(snapshot.entities.root(of: 1) == nil)
      #expect(snapshot.entities.relatives(of: 1) == [1])
      #expect(snapshot.entities.relatives(of: 4) == [4])
      #expect(snapshot.entities.root(of: 12345) == nil)
      #expect(snapshot.entities.highestPrimaryKey(of: 12345) == nil)
    }
  }

  @Test
  func `an object may have more columns than one statement can select`() throws {
    let folder = try TemporaryFolder()
    let names = (0..<1500).map { "a\($0)" }
    let model = ManagedModel(entities: [
      ManagedEntity(
        name: "Wide", properties: names.map { .attribute(.init(name: $0, type: .integer64)) })
    ])
    let path = folder.file("wide.store")
    try StoreCreator.create(at: path, model: model)
    var save = StoreSave()
    save.insert(
      "Wide",
      values: Dictionary(
        uniqueKeysWithValues: names.enumerated().map { ($1, StoredValue.integer(Int64($0))) }))
    _ = try StoreEditor(path: path).append(save)
    let wide = try #require(try Self.object("Wide", 1, of: path))
    #expect(wide.values.count == 1500)
    #expect(wide.values.allSatisfy { "\($0.name)" == "a\($0.value.integerText)" })
  }

  @Test(arguments: [
    ("x'02' || CAST('1D070E6D-8F4B-4E3A-9C61-0A5B7C9D2E3F' AS BLOB) || x'00'", true),
    ("x'02' || CAST('1D070E6D-8F4B-4E3A-9C61-0A5B7C9D2E3F' AS BLOB)", true),
    ("x'01' || CAST('1D070E6D-8F4B-4E3A-9C61-0A5B7C9D2E3F' AS BLOB)", false),
    ("x'02' || CAST('../../../etc/passwd' AS BLOB)", false), ("x'02'", false), ("x''", false),
    ("NULL", false),
  ])
  func `values in external files have their file names`(sql: String, isExternal: Bool) throws {
    let folder = try TemporaryFolder()
    let path = try Self.photos(folder)
    try StoreQuery(path: path).run(
      "INSERT INTO ZPHOTO VALUES (1, 1, 1, CAST(\(sql) AS BLOB), CAST(\(sql) AS BLOB))")
    let photo = try #require(try Self.object("Photo", 1, of: path))
    let data = photo.values[0]
    #expect((data.externalFile != nil) == isExternal)
    #expect(data.isLeftOut == isExternal)
    if isExternal { #expect(data.value == .null && data.byteCount == nil) }
    // There are no files, and the other values name none.
    let isMarked = sql.hasPrefix("x'01'") || sql == "NULL"
    #expect((data.problem == nil) == isMarked)
    #expect(data.problemReason == "it is missing" || !isExternal)
    #expect(photo.values[1].problem == nil)
    #expect(photo.values[1].externalFile == nil)
  }

  @Test
  func `data stored inline is returned without its kind byte`() throws {
    let folder = try TemporaryFolder()
    let path = try Self.photos(folder)
    let query = try StoreQuery(path: path)
    try query.run("INSERT INTO ZPHOTO VALUES (1, 1, 1, x'01FFD8', x'01FFD8')")
    var photo = try #require(try Self.object("Photo", 1, of: path))
    #expect(photo.values.map(\.value) == [.blob([0xff, 0xd8]), .blob([1, 0xff, 0xd8])])
    #expect(photo.values.map(\.byteCount) == [2, 3])
    try query.run("UPDATE ZPHOTO SET ZDATA = zeroblob(100001), ZTHUMB = zeroblob(100001)")
    photo = try #require(try Self.object("Photo", 1, of: path))
    #expect(photo.values.map(\.byteCount) == [100_000, 100_001])
    #expect(photo.values.map(\.isLeftOut) == [true, true])
  }

  // MARK: - Real stores

  /// In a table that several entities share, an object has nothing in the columns of the others; and
  /// keys lead to rows of the entities that they name.
  @Test(.needsRealStores, arguments: RealStores.paths)
  func `the properties of real objects have the columns of their entities`(source: String) throws {
    let folder = try TemporaryFolder()
    let path = try folder.copy(store: source)
    let query = try StoreQuery(path: path)
    try StoreFile(path: path).read { snapshot in
      guard try snapshot.modelCache().model != nil else { return }
      let reader = try snapshot.objects()
      let tables = try ObjectTables(snapshot)
      let roots = snapshot.entities.modelEntries.filter { $0.superNumber == 0 }
      var held: Set<String> = []
      for root in roots {
        guard let table = try tables.table(ofEntity: root.number) else { continue }
        for row in try query.lines("SELECT Z_ENT, Z_PK FROM \(table.name)") { held.insert(row) }
      }
      for root in roots {
        guard let table = try tables.table(ofEntity: root.number) else { continue }
        let rows = try query.rows("SELECT * FROM \(table.name) ORDER BY Z_PK LIMIT 200")
        for row in rows {
          guard case .integer(let key) = row[0], case .integer(let own) = row[1] else { continue }
          let place = "\(source) \(table.name) \(key)"
          let object = try #require(
            try reader.object(entityNumber: root.number, primaryKey: key), "\(place)")
          #expect(object.entityNumber == own, "\(place)")
          #expect(object.isNamedByModel && object.missingProperties == [], "\(place)")
          for value in object.values { check(value, place) }
          for reference in object.references {
            guard let key = reference.primaryKey else { continue }
            let number = try #require(
              reference.entityName.flatMap(snapshot.entities.number(of:)), "\(place)")
            #expect(held.contains("\(number)|\(key)"), "\(place): \(reference)")
          }
          let plan = try tables.plan(ofEntity: own, in: table)
          let columns = Set(
            plan.values.flatMap { $0.columns.map(\.name) } + ["Z_PK", "Z_ENT", "Z_OPT"])
          for (column, value) in zip(table.columns, row)
          where !columns.contains(column) && !value.isNull && value != .integer(0) {
            // Places in ordered relationships, and keys that another entity has put here.
            #expect(
              column.hasPrefix("Z_FOK_") || column.dropFirst().first?.isNumber == true,
              "\(place): \(column)")
          }
        }
      }
    }
  }

  private func check(_ value: PresentObject.Value, _ place: String) {
    let isFitting =
      switch (value.type, value.value) {
      case (_, .null): true
      case (.integer16, .integer), (.integer32, .integer), (.integer64, .integer): true
      case (.boolean, .integer(let number)): number == 0 || number == 1
      case (.date, .real), (.double, .real), (.float, .real), (.decimal, .real): true
      case (.string, .text), (.uri, .text): true
      case (.uuid, .blob(let bytes)): bytes.count == 16
      case (.binaryData, .blob), (.transformable, .blob), (.undefined, _): true
      default: false
      }
    #expect(isFitting, "\(place): \(value.name) of type \(value.type.name) is \(value.value)")
  }
}

extension StoredValue {
  fileprivate var integerText: String {
    if case .integer(let number) = self { "\(number)" } else { "?" }
  }
}
