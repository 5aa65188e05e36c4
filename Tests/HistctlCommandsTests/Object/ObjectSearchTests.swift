import StoreFormat
import StoreWriting
import TestSupport
import Testing

/// Objects that are named by their values or their address.
@Suite(.bounded) struct ObjectSearchTests {
  private static let identifier = SampleFolder.identifier

  @Test(arguments: [
    ("object sample.store", ""), ("blame sample.store", ""), ("object sample.store", "--json"),
    ("blame sample.store", "--json"), ("show sample.store", ""),
    ("log sample.store --changes --object", "--only-matching"),
    ("export sample.store --quiet --object", "--only-matching"),
    ("stats sample.store --json --object", ""), ("diff sample.store 5 --object", ""),
  ])
  func `a value names the object that its tombstone preserved`(
    _ command: String, _ options: String
  ) async throws {
    let sample = try SampleFolder()
    func output(_ object: String) async throws -> Tool.Result {
      let words = (command + " ").split(separator: " ").map(String.init)
      return try await sample.run(words + [object] + options.split(separator: " ").map(String.init))
    }
    let key = try await output("Trip/p5")
    #expect(key.status == 0 && !key.text.isEmpty)
    for other in [
      "Trip[name=Rome 8]", "Trip[score=80]", "Trip[name~ROME 8][score>=80]",
      "x-coredata://\(Self.identifier)/Trip/p5",
      "0xb1f2c3d4e5 <x-coredata://\(Self.identifier)/Trip/p5>",
    ] {
      let result = try await output(other)
      #expect(result.text == key.text, "\(other)")
      #expect(result.errors == key.errors, "\(other)")
      #expect(result.status == 0)
    }
  }

  @Test
  func `several objects are listed with their keys`() async throws {
    let sample = try SampleFolder()
    for command in ["object", "blame", "show"] {
      let result = try await sample.run([command, "sample.store", "Trip[name~rome]"])
      #expect(result.status == 1)
      #expect(result.text == "")
      #expect(
        result.errors.contains(
          "names 3 objects: Trip/p1 (deleted), Trip/p5 (deleted), Trip/p9 (deleted)"))
    }
    let json = try await sample.run(["object", "sample.store", "Trip[name~rome]", "--json"])
    #expect(json.errors.contains(#""objects":["Trip/p1","Trip/p5","Trip/p9"]"#))
    try await SchemaCheck.expectFits(json.errors)
    let all = try await sample.run(["log", "sample.store", "--object", "Trip[score<=80]"])
    let each = try await sample.run(
      ["log", "sample.store", "--object", "Trip/p1", "--object", "Trip/p5"])
    #expect(all.text == each.text)
  }

  @Test
  func `objects are found by current values first, then by earlier ones`() async throws {
    let trips = try OpenTrips()
    try trips.save { $0.update(OpenTrips.trip(2), values: ["name": .text("Roma")]) }
    try trips.save { $0.update(OpenTrips.trip(3), values: ["name": .text("Roma][=")]) }
    try trips.save { $0.delete(OpenTrips.trip(1)) }
    func heading(_ object: String) async throws -> String? {
      try await InProcess.run(["object", trips.path, object]).lines.first
    }
    #expect(try await heading("Trip[name=Roma]")?.hasPrefix("Trip/p2") == true)
    // What the log tells of the past.
    #expect(try await heading("Trip[name=Oslo]")?.hasPrefix("Trip/p2") == true)
    #expect(try await heading("Trip[name=Rome]")?.hasPrefix("Trip/p1") == true)
    #expect(try await heading("Trip[name=Roma][score=1]")?.hasPrefix("Trip/p2") == true)
    let several = try await InProcess.run(["blame", trips.path, "Trip[score=1]"])
    #expect(several.status == 1)
    #expect(several.errors.contains("Trip/p2, Trip/p3, Trip/p1 (deleted)"))
    // One in the store is meant, and the other is mentioned.
    try trips.save { $0.update(OpenTrips.trip(3), values: ["name": .text("Rome")]) }
    let one = try await InProcess.run(["object", trips.path, "Trip[name=Rome]"])
    #expect(one.lines.first?.hasPrefix("Trip/p3") == true)
    #expect(one.errors.contains("Trip/p1 (deleted) had these values too"))
    let json = try await InProcess.run(["object", trips.path, "Trip[name=Rome]", "--json"])
    #expect(json.errors.contains(#""kind":"otherObjects""#))
    try await SchemaCheck.expectFits(json.errors)
  }

  @Test
  func `too many matching objects are refused`() async throws {
    let folder = try TemporaryFolder()
    let path = folder.file("many.store")
    try StoreCreator.create(at: path, model: TripsModel.model)
    let editor = try StoreEditor(path: path)
    var save = StoreSave()
    for number in 1...1001 {
      save.insert("Trip", values: ["name": .text("Rome"), "score": .integer(Int64(number))])
    }
    try editor.append(save)
    try editor.close()
    for arguments in [["object", path], ["log", path, "--object"]] {
      let result = try await InProcess.run(arguments + ["Trip[name=Rome]"])
      #expect(result.status == 1)
      #expect(result.errors.contains("names more than 1,000 objects: Trip/p1, Trip/p2, "))
      #expect(result.errors.contains("Trip/p20 and 980 more"))
    }
    let one = try await InProcess.run(["object", path, "Trip[name=Rome][score>1000]"])
    #expect(one.lines.first?.hasPrefix("Trip/p1001") == true)
  }

  struct Problem: Sendable, CustomTestStringConvertible {
    let object: String
    let status: Int
    let kind: String
    var testDescription: String { object }
  }

  static let problems = [
    Problem(object: "Trip[name=Paris]", status: 1, kind: "unknownObject"),
    Problem(object: "Trip[nme=Rome]", status: 64, kind: "unknownAttribute"),
    Problem(object: "Tripp[name=Rome]", status: 64, kind: "unknownEntity"),
    Problem(object: "Trip[score=many]", status: 64, kind: "unusableValue"),
    Problem(object: "Trip[name]", status: 64, kind: "malformedObject"),
    Problem(object: "Trip[]", status: 64, kind: "malformedObject"),
    Problem(object: "Trip[=x]", status: 64, kind: "malformedObject"),
    Problem(
      object: "x-coredata://00000000-8F4B-4E3A-9C61-0A5B7C9D2E3F/Trip/p1", status: 64,
      kind: "objectOfOtherStore"),
    Problem(object: "Trip/p777", status: 1, kind: "unknownObject"),
  ]

  @Test(arguments: problems)
  func `a mistake is an error and not an empty answer`(_ problem: Problem) async throws {
    let sample = try SampleFolder()
    for command in ["object", "blame", "show"] {
      let result = try await sample.run([command, "sample.store", problem.object, "--json"])
      #expect(result.status == problem.status, "\(command)")
      #expect(result.errors.contains(#""kind":"\#(problem.kind)""#), "\(command): \(result.errors)")
    }
  }

  @Test
  func `the address of an object is a value of a relationship`() async throws {
    let trips = try OpenTrips()
    try trips.save { _ = $0.insert("BucketListItem", toOne: ["trip": OpenTrips.trip(2)]) }
    let store = try await InProcess.run(["info", trips.path, "--json"]).text
      .firstMatch(of: #/"store":"([0-9A-F-]+)"/#).map { String($0.1) }
    for value in ["Trip/p2", "x-coredata://\(try #require(store))/Trip/p2"] {
      let result = try await InProcess.run(
        ["object", trips.path, "BucketListItem[trip=\(value)]"])
      #expect(result.lines.first?.hasPrefix("BucketListItem/p1") == true, "\(result.errors)")
    }
    let other = try await InProcess.run(
      ["log", trips.path, "--value", "trip=x-coredata://\(Self.identifier.dropLast())0/Trip/p2"])
    #expect(other.status == 64)
  }

  @Test(
    .enabled(if: Tool("sqlite3") != nil),
    arguments: [
      ("swiftdata-cheftime.store", "SDRecipe", "ZSDRECIPE", "ZNAME", "name"),
      ("swiftdata-cocktails.store", "Cocktail", "ZCOCKTAIL", "ZCOCKTAILNAME", "cocktailName"),
    ])
  func `every object with a unique text is found by it, as SQL finds it`(
    _ place: (String, String, String, String, String)
  ) async throws {
    let (name, entity, table, column, attribute) = place
    guard let path = RealStores.path(name) else { return }
    let folder = try TemporaryFolder()
    let copy = try folder.copy(store: path)
    let sqlite = try #require(Tool("sqlite3"))
    let rows = try await sqlite.run([
      copy,
      "SELECT Z_PK, \(column) FROM \(table) WHERE Z_ENT = (SELECT Z_ENT FROM Z_PRIMARYKEY WHERE "
        + "Z_NAME = '\(entity)') AND \(column) IS NOT NULL GROUP BY \(column) HAVING count(*) = 1 LIMIT 5",
    ])
    for row in rows.lines {
      let fields = row.split(separator: "|", maxSplits: 1).map(String.init)
      let result = try await InProcess.run(
        ["object", copy, "\(entity)[\(attribute)=\(fields[1])]"])
      #expect(result.lines.first?.hasPrefix("\(entity)/p\(fields[0])") == true, "\(result.errors)")
    }
  }
}
