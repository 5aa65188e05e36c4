import TestSupport
import Testing

@testable import StoreFormat
@testable import StoreWriting

@Suite(.bounded) struct EntityColumnsTests {
  private static func withTrips(
    _ sql: [String] = [], _ body: (StoreSnapshot, EntityColumns) throws -> Void
  ) throws {
    let folder = try TemporaryFolder()
    let path = folder.file("trips.store")
    try StoreCreator.create(at: path, model: TripsModel.model)
    let query = try StoreQuery(path: path)
    for sql in sql { try query.run(sql) }
    try StoreFile(path: path).read { snapshot in
      let plan = try #require(try snapshot.objectSchema().columns(of: "Trip"))
      try body(snapshot, plan)
    }
  }

  @Test func `a plan has the columns and the slots of each property`() throws {
    try Self.withTrips { _, plan in
      // By hand, from the model and the rules of columns and slots.
      #expect(
        plan.values.map { "\($0.path) \($0.columns.map(\.name)) \($0.slots)" } == [
          #"cost ["ZCOST"] [2]"#, #"identifier ["ZIDENTIFIER"] [3]"#,
          #"isFavorite ["ZISFAVORITE"] [4]"#, #"name ["ZNAME"] [5]"#,
          #"place.latitude ["ZLATITUDE"] [6]"#, #"place.longitude ["ZLONGITUDE"] [7]"#,
          #"score ["ZSCORE"] [8]"#, #"startDate ["ZSTARTDATE"] [9]"#,
          #"stay ["ZSTAY", "Z1_STAY"] [0, 1]"#, #"token ["ZTOKEN"] [10]"#,
        ])
      #expect(plan.relationships.map(\.path) == ["items", "stay", "tags"])
      #expect(plan["items"]?.table == "ZBUCKETLISTITEM" && plan["tags"]?.table == "Z_4TRIPS")
      #expect(plan["place.longitude"]?.name == "place" && plan["place"] == nil)
      #expect(plan["draft"] == nil)
    }
  }

  @Test func `a row is read by the columns of the plan`() throws {
    let row = """
      INSERT INTO ZTRIP (Z_PK, Z_ENT, Z_OPT, ZNAME, ZLATITUDE, ZSTAY, Z1_STAY)
      VALUES (7, 5, 1, 'Rome', 41.9, 3, 2)
      """
    try Self.withTrips([row]) { snapshot, plan in
      let selection = ObjectSelection(
        ["name", "place.latitude", "place.longitude", "stay"].compactMap { plan[$0] })
      let statement = StatementRunner(snapshot.database)
      let contents = try selection.read(7, statement) { row in
        selection.properties.indices.map {
          selection.content(at: $0, of: row, snapshot.entities)?.recorded { _ in nil }
        }
      }
      #expect(
        contents == [
          .value(.text("Rome")), .value(.real(41.9)), .value(.null),
          .value(.text("LivingAccommodation/p3")),
        ])
      #expect(try selection.read(8, statement) { _ in true } == nil)
    }
  }

  @Test func `tables that lack columns have fewer properties`() throws {
    try Self.withTrips { _, plan in
      let present = plan.present { table in
        table == "Z_4TRIPS" ? ["Z_4TAGS"] : ["ZNAME", "ZSTAY", "ZTRIP"]
      }
      #expect(present.values.map(\.path) == ["name", "stay"])
      #expect(present["stay"]?.columns.map(\.name) == ["ZSTAY"])
      #expect(present["items"]?.allColumnNames == ["ZTRIP"])
      // A table of pairs needs both keys.
      #expect(present["tags"]?.storage == nil && present["tags"]?.slots == plan["tags"]?.slots)
    }
  }
}
