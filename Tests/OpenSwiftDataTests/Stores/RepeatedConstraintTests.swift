import OpenSwiftData
import TestSupport
import Testing

@Model
final class Marker {
  #Unique<Marker>([\.label], [\.code, \.lat], [\.code, \.lat], [\.code_lat])
  #Index<Marker>([\.name, \.date], [\.nameDate], [\.namedate])
  #Index<Marker>(.binary([\.lat]), .rtree([\.lat]))

  @Attribute(.unique) var label: String
  var code: String
  var code_lat: String
  var lat: Double
  var name = ""
  var date = ""
  var nameDate = ""
  var namedate = ""

  init(label: String, code: String = "", lat: Double = 0) {
    self.label = label
    self.code = code
    self.lat = lat
    code_lat = label
  }
}

enum SpotV1 {
  @Model
  final class Spot {
    #Unique<Spot>([\.a, \.b])
    var a: String
    var b: String
    var a_b: String

    init(a: String, b: String, both: String) {
      self.a = a
      self.b = b
      a_b = both
    }
  }
}

enum SpotV2 {
  @Model
  final class Spot {
    #Unique<Spot>([\.a_b], [\.b, \.a])
    var a: String
    var b: String
    var a_b: String

    init(a: String, b: String, both: String) {
      self.a = a
      self.b = b
      a_b = both
    }
  }
}

/// What is said twice is done once, and what has the same name gets another one.
@Suite(.bounded) struct RepeatedConstraintTests {
  private func open(_ path: String) throws -> ModelContainer {
    try ModelContainer(
      for: Marker.self, configurations: ModelConfiguration(url: URL(fileURLWithPath: path)))
  }

  @Test func `each index is created once`() throws {
    let folder = try TemporaryFolder()
    let path = folder.file("M.store")
    let context = ModelContext(try open(path))
    let entity = try #require(context.container.schema.entity(for: Marker.self))
    #expect(entity.uniquenessConstraints == [["label"], ["code", "lat"], ["code_lat"]])
    #expect(entity.indices == [["name", "date"], ["nameDate"], ["namedate"], ["lat"]])
    let query = try StoreQuery(path: path)
    let indexes = try query.lines(
      """
      SELECT i."unique", group_concat(c.name, ',') FROM pragma_index_list('ZMARKER') AS i,
        pragma_index_info(i.name) AS c GROUP BY i.name ORDER BY 1, 2
      """)
    #expect(
      indexes == [
        "0|ZLAT", "0|ZNAME,ZDATE", "0|ZNAMEDATE", "0|ZNAMEDATE1", "1|ZCODE,ZLAT", "1|ZCODE_LAT",
        "1|ZLABEL",
      ])
    for (label, code, lat) in [("a", "x", 1.0), ("b", "x", 2), ("a", "x", 3)] {
      context.insert(Marker(label: label, code: code, lat: lat))
      try context.save()
    }
    #expect(
      try query.lines("SELECT ZLABEL, ZLAT FROM ZMARKER ORDER BY 1") == ["a|3.0", "b|2.0"])
    // It is the same store the next time.
    let names = try query.lines("SELECT name FROM sqlite_master ORDER BY name")
    #expect(try ModelContext(open(path)).fetchCount(FetchDescriptor<Marker>()) == 2)
    #expect(try query.lines("SELECT name FROM sqlite_master ORDER BY name") == names)
  }

  @Test func `a migration recreates an index of the same name`() throws {
    let folder = try TemporaryFolder()
    let configuration = ModelConfiguration(url: URL(fileURLWithPath: folder.file("S.store")))
    let old = ModelContext(
      try ModelContainer(for: SpotV1.Spot.self, configurations: configuration))
    old.insert(SpotV1.Spot(a: "x", b: "y", both: "1"))
    try old.save()
    let context = ModelContext(
      try ModelContainer(for: SpotV2.Spot.self, configurations: configuration))
    context.insert(SpotV2.Spot(a: "z", b: "z", both: "1"))
    try context.save()
    let query = try StoreQuery(path: folder.file("S.store"))
    #expect(try query.lines("SELECT ZA, ZB, ZA_B FROM ZSPOT") == ["z|z|1"])
    #expect(
      try query.lines(
        """
        SELECT group_concat(c.name, ',') FROM pragma_index_list('ZSPOT') AS i,
          pragma_index_info(i.name) AS c GROUP BY i.name ORDER BY 1
        """) == ["ZA_B", "ZB,ZA"])
  }
}
