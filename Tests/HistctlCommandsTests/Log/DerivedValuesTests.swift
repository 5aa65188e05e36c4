import Foundation
import StoreFormat
import StoreWriting
import TestSupport
import Testing

/// Values that were not kept with a change follow from the object's other changes, as `blame` finds them.
@Suite(.bounded) struct DerivedValuesTests {
  private static func update(_ trips: OpenTrips, _ name: String, of key: Int64 = 1) throws {
    try trips.save { $0.update(OpenTrips.trip(key), values: ["name": .text(name)]) }
  }

  private static func numbers(_ trips: OpenTrips, _ line: String) async throws -> [Int] {
    let result = try await InProcess.run(
      line.split(separator: " ").map(String.init) + ["--json"], folder: trips.folder.path)
    #expect(result.status == 0, "\(result.errors)")
    return try result.text.split(separator: "\n").compactMap {
      let line = try JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: Any]
      return line?["number"] as? Int ?? line?["transaction"] as? Int
    }
  }

  /// Trip 1 is v1 in transaction 2, v2 in 3, v3 in 4, v4 in 5 and v5 in 6; only 4 and 6 are in the log or recorded.
  private static func tripsWithGaps() async throws -> OpenTrips {
    let trips = try OpenTrips()
    for name in ["v1", "v2"] { try update(trips, name) }
    try trips.sql("PRAGMA wal_checkpoint(TRUNCATE)")
    try update(trips, "v3")
    let recorded = try await InProcess.run(
      ["record", "Trips.store", "--once"], folder: trips.folder.path)
    #expect(recorded.status == 0, "\(recorded.errors)")
    try trips.sql("PRAGMA wal_checkpoint(TRUNCATE)")
    try update(trips, "v4")
    try trips.sql("PRAGMA wal_checkpoint(TRUNCATE)")
    try update(trips, "v5")
    return trips
  }

  @Test(arguments: [
    "", " --reverse", " --only-matching", " -n 5", " --object Trip/p1", " --kind update",
  ])
  func `a value that a gap hides is found with its setter and its remover`(
    _ options: String
  ) async throws {
    let trips = try await Self.tripsWithGaps()
    for (value, expected) in [("v2", [3, 4]), ("v3", [4, 5]), ("v4", [5, 6]), ("v5", [6])] {
      let found = try await Self.numbers(trips, "log Trips.store --value name=\(value)" + options)
      #expect(found.sorted() == expected, "\(value): \(found)")
      let blame = try await Self.numbers(
        trips, "blame Trips.store Trip/p1 --attribute name --at \(expected[0])")
      #expect(blame == [expected[0]])
    }
    // Nothing tells what transaction 2 set.
    #expect(try await Self.numbers(trips, "log Trips.store --value name=v1" + options) == [])
  }

  @Test func `the present value is that of the last change`() async throws {
    let trips = try OpenTrips()
    try Self.update(trips, "v1", of: 2)
    try trips.sql("PRAGMA wal_checkpoint(TRUNCATE)")
    #expect(try await Self.numbers(trips, "log Trips.store --value name=v1") == [2])
    #expect(try await Self.numbers(trips, "log Trips.store --value name=Rome") == [1])
    #expect(try await Self.numbers(trips, "log Trips.store --value name=Oslo") == [])
    #expect(
      try await Self.numbers(trips, "log Trips.store --value name=v1 --value score=1") == [])
    #expect(
      try await Self.numbers(trips, "log Trips.store --value name=Rome --value score=1") == [1])
    #expect(try await Self.numbers(trips, "log Trips.store --value name=v1 --no-values") == [])
  }

  @Test func `nothing is derived across a transaction that was deleted`() async throws {
    let trips = try await Self.tripsWithGaps()
    try trips.sql(
      "DELETE FROM ATRANSACTION WHERE Z_PK = 5; DELETE FROM ACHANGE WHERE ZTRANSACTIONID = 5")
    #expect(try await Self.numbers(trips, "log Trips.store --value name=v4") == [6])
    #expect(try await Self.numbers(trips, "log Trips.store --value name=v2").sorted() == [3, 4])
  }

  @Test func `a deleted object had the value that was set last`() async throws {
    let trips = try OpenTrips()
    try Self.update(trips, "v1")
    let recorded = try await InProcess.run(
      ["record", "Trips.store", "--once"], folder: trips.folder.path)
    #expect(recorded.status == 0, "\(recorded.errors)")
    try trips.save { $0.delete(OpenTrips.trip(1)) }
    try trips.sql("PRAGMA wal_checkpoint(TRUNCATE)")
    #expect(try await Self.numbers(trips, "log Trips.store --value name=v1").sorted() == [2, 3])
  }

  /// No change of such an attribute is recorded, so no transaction can be said to have set it.
  @Test func `an attribute that the store calculates has no setter`() async throws {
    let folder = try TemporaryFolder()
    let path = folder.file("x.store")
    let model = ManagedModel(entities: [
      ManagedEntity(
        name: "Plot",
        properties: [
          .attribute(.init(name: "width", type: .double)),
          .attribute(.init(name: "area", type: .double, isDerived: true)),
        ])
    ])
    try StoreCreator.create(at: path, model: model)
    let editor = try StoreEditor(path: path)
    var save = StoreSave(author: "app")
    save.insert("Plot", values: ["width": .real(2)])
    try editor.append(save)
    save = StoreSave(author: "app")
    save.update(StoreObject(entityName: "Plot", primaryKey: 1), values: ["width": .real(3)])
    try editor.append(save)
    try StoreQuery(path: path).run("UPDATE ZPLOT SET ZAREA = 9")
    let text = try await InProcess.run(["blame", path, "Plot/p1"])
    let lines = text.lines.map { $0.split(separator: " ").joined(separator: " ") }
    #expect(lines.contains { $0.hasPrefix("area - - ") && $0.hasSuffix("9.0 (derived)") })
    #expect(lines.contains { $0.hasPrefix("width 2 ") } && text.errors == "", "\(text.text)")
    let past = try await InProcess.run(["blame", path, "Plot/p1", "--at", "1"])
    #expect(past.text.contains(/not known +\(derived\)/), "\(past.text)")
    let json = try await InProcess.run(["blame", path, "Plot/p1", "--json"])
    try await SchemaCheck.expectFits(json.text, schema: "man/histctl-json.schema.json")
    #expect(json.text.contains(#""attribute":"area","value":9.0,"derived":true}"#), "\(json.text)")
    for options in [["--attribute", "area"], ["--value", "area=9"], ["--value", "area=8"]] {
      let empty = try await InProcess.run(["log", path] + options)
      #expect(empty.status == 0 && empty.text == "")
      #expect(empty.errors.contains("the store calculates area from other"), "\(empty.errors)")
    }
  }
}
