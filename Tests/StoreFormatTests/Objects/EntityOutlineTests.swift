import TestSupport
import Testing

@testable import StoreFormat
@testable import StoreWriting

@Suite(.bounded) struct EntityOutlineTests {
  private static func outlines(of path: String) throws -> [EntityOutline] {
    try StoreFile(path: path).read { snapshot in
      let reader = try snapshot.entityOutlines()
      return try reader.entities.map(reader.outline)
    }
  }

  private static func trips(
    in folder: TemporaryFolder, sql: [String] = []
  ) throws -> [String: EntityOutline] {
    let path = folder.file("trips.store")
    try StoreCreator.create(at: path, model: TripsModel.model)
    let query = try StoreQuery(path: path)
    for sql in sql { try query.run(sql) }
    return Dictionary(
      try outlines(of: path).map { ($0.label, $0) }, uniquingKeysWith: { first, _ in first })
  }

  /// A property in a line: slots, name, kind, tombstones, table and columns.
  private static func line(_ property: EntityOutline.Property) -> String {
    let place = property.stored.map { Self.place(of: $0) } ?? ""
    return "\(property.slots) \(property.name) \(property.kind) \(property.tombstoneSlots)\(place)"
  }

  private static func place(of property: StoredProperty) -> String {
    property.table.map { " \($0).\(property.allColumnNames.joined(separator: ","))" } ?? ""
  }

  @Test
  func `properties come in the order of their slots, each with its columns`() throws {
    let entities = try Self.trips(in: TemporaryFolder())
    let trip = try #require(entities["Trip"])
    #expect(trip.number == 5 && trip.tableName == "ZTRIP" && trip.isAbstract == false)
    // By hand, from the model and the rules of slots; the tables are those that SQLite has.
    #expect(
      trip.properties?.map(Self.line) == [
        "[0, 1] stay toOne [] ZTRIP.ZSTAY,Z1_STAY", "[2] cost attribute [] ZTRIP.ZCOST",
        "[3] identifier attribute [0] ZTRIP.ZIDENTIFIER",
        "[4] isFavorite attribute [1] ZTRIP.ZISFAVORITE",
        "[5] name attribute [2] ZTRIP.ZNAME", "[6, 7] place attribute []",
        "[8] score attribute [3] ZTRIP.ZSCORE", "[9] startDate attribute [4] ZTRIP.ZSTARTDATE",
        "[10] token attribute [5] ZTRIP.ZTOKEN",
        "[11] items toMany [] ZBUCKETLISTITEM.ZTRIP,Z_FOK_TRIP",
        "[12] tags toMany [] Z_4TRIPS.Z_5TRIPS,Z_4TAGS", "[] draft attribute []",
      ])
    #expect(
      trip.tombstoneNames == [
        "identifier", "isFavorite", "name", "score", "startDate", "token",
      ])
    let place = try #require(trip.properties?.first { $0.name == "place" })
    #expect(place.elements.map(\.path) == ["place.latitude", "place.longitude"])
    #expect(place.elements.map(\.slots) == [[6], [7]])
    #expect(place.elements.map(\.allColumnNames) == [["ZLATITUDE"], ["ZLONGITUDE"]])
    #expect(trip.properties?.contains(where: \.lacksColumns) == false)
  }

  @Test
  func `inherited properties are included and name their origin`() throws {
    let entities = try Self.trips(in: TemporaryFolder())
    let root = try #require(entities["Accommodation"])
    let own = try #require(entities["LivingAccommodation"])
    #expect(root.isAbstract == true && own.isAbstract == false)
    #expect(root.subentityNames == ["LivingAccommodation"] && own.subentityNames.isEmpty)
    #expect(root.parentName == nil && own.parentName == "Accommodation")
    #expect(own.tableName == "ZACCOMMODATION")
    #expect(
      own.properties?.map { "\($0.name) \($0.declaringEntityName ?? "")" } == [
        "trip Accommodation", "address Accommodation", "isConfirmed LivingAccommodation",
        "placeName LivingAccommodation",
      ])
  }

  @Test
  func `a column that is missing in the table is not named`() throws {
    let entities = try Self.trips(
      in: TemporaryFolder(),
      sql: [
        "ALTER TABLE ZTRIP DROP COLUMN ZCOST", "ALTER TABLE ZTRIP DROP COLUMN ZLATITUDE",
        "DROP TABLE Z_4TRIPS",
      ])
    let trip = try #require(entities["Trip"]?.properties)
    #expect(trip.filter(\.lacksColumns).map(\.name) == ["cost", "place", "tags"])
    #expect(trip.filter(\.lacksColumns).allSatisfy { $0.stored?.table == nil })
    #expect(entities["Tag"]?.properties?.filter(\.lacksColumns).map(\.name) == ["trips"])
  }

  @Test
  func `an entity without a model has a number, a name, a table and columns`() throws {
    let entities = try Self.trips(in: TemporaryFolder(), sql: ["DELETE FROM Z_MODELCACHE"])
    #expect(entities.count == 5)
    let own = try #require(entities["LivingAccommodation"])
    #expect(own.number == 2 && own.parentName == "Accommodation" && own.isAbstract == nil)
    #expect(own.properties == nil && own.tombstoneNames.isEmpty)
    #expect(
      own.columns.map { "\($0.name) \($0.declaredType)" } == [
        "Z_PK INTEGER", "Z_ENT INTEGER", "Z_OPT INTEGER", "ZTRIP INTEGER",
        "ZISCONFIRMED INTEGER", "ZADDRESS VARCHAR", "ZPLACENAME VARCHAR",
      ])
  }

  @Test
  func `entities that only the store or only the model has are included`() throws {
    let entities = try Self.trips(
      in: TemporaryFolder(),
      sql: [
        "UPDATE Z_PRIMARYKEY SET Z_NAME = 'Gone' WHERE Z_ENT = 4",
        "UPDATE Z_PRIMARYKEY SET Z_NAME = 'Trip' WHERE Z_ENT = 3",
      ])
    #expect(
      entities.keys.sorted() == [
        "#3", "#5", "Accommodation", "BucketListItem", "Gone", "LivingAccommodation", "Tag",
        "Trip",
      ])
    #expect(entities["Gone"]?.properties == nil)
    #expect(entities["Tag"]?.number == nil)
    #expect(entities["Tag"]?.properties?.map(\.name) == ["label", "trips"])
  }

  /// SQLite knows the tables, and nothing of models.
  @Test(.needsRealStores, arguments: RealStores.paths)
  func `every column of a real store's tables belongs to a property`(_ path: String) throws {
    let folder = try TemporaryFolder()
    let copy = try folder.copy(store: path)
    let outlines = try Self.outlines(of: copy)
    let query = try StoreQuery(path: copy)
    #expect(
      try outlines.map { "\($0.number ?? 0)|\($0.label)" }
        == query.lines("SELECT Z_ENT, Z_NAME FROM Z_PRIMARYKEY WHERE Z_ENT < 16001 ORDER BY 1"))
    var named: [String: Set<String>] = [:]
    for property in outlines.flatMap({ $0.properties ?? [] }) {
      #expect(!property.lacksColumns, "\(property.name)")
      for part in [property.stored].compactMap({ $0 }) + property.elements {
        guard let table = part.table else { continue }
        named[table, default: []].formUnion(part.allColumnNames)
      }
    }
    for table in Set(outlines.compactMap(\.tableName)) {
      let columns = try query.lines("SELECT name FROM pragma_table_info('\(table)')")
      let own = outlines.first { $0.tableName == table }
      #expect(own?.columns.map(\.name) == columns)
      guard own?.properties != nil else { continue }
      #expect(
        named[table, default: []].union(["Z_PK", "Z_ENT", "Z_OPT"]) == Set(columns), "\(table)")
    }
  }

  @Test
  func `slots have names, kinds and preserved values`() throws {
    let slots = try #require(TripsModel.slots["Trip"])
    let trip = EntityOutline(name: "Trip", number: 5, slots: slots)
    let whole = try #require(try Self.trips(in: TemporaryFolder())["Trip"])
    #expect(trip.tombstoneNames == whole.tombstoneNames)
    let kept = whole.properties?.filter { !$0.slots.isEmpty }
    #expect(trip.properties?.map(\.name) == kept?.map(\.name))
    #expect(trip.properties?.map(\.slots) == kept?.map(\.slots))
    #expect(trip.properties?.map(\.kind) == kept?.map(\.kind))
    #expect(trip.properties?.map(\.tombstoneSlots) == kept?.map(\.tombstoneSlots))
    #expect(EntityOutline(name: nil, number: 7, slots: nil).properties == nil)
  }
}
