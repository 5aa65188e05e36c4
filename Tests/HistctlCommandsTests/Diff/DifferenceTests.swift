import Foundation
import StoreFormat
import TestSupport
import Testing

/// `diff --with COPY --values`.
@Suite(.bounded) struct DifferenceTests {
  private let trips: OpenTrips

  init() throws {
    trips = try OpenTrips()
    try trips.sql("VACUUM INTO '\(trips.folder.file("Copy.store"))'")
    try trips.save { $0.update(OpenTrips.trip(1), values: ["name": .text("Roma")]) }
    try trips.save { $0.delete(OpenTrips.trip(2)) }
    try trips.sql("UPDATE ZTRIP SET ZSCORE = 5 WHERE Z_PK IN (1, 3)")
  }

  private func run(_ line: String) async throws -> Tool.Result {
    try await InProcess.run(
      line.split(separator: " ").map(String.init), folder: trips.folder.path)
  }

  @Test func `text shows values and differences missing in the history`() async throws {
    let result = try await run("diff Trips.store --with Copy.store --values")
    #expect(result.status == 0)
    #expect(result.errors == "")
    let text = result.text
    #expect(text.contains("from Copy.store to Trips.store\n"))
    #expect(
      text.contains(
        #"~ Trip/p1  2       name: "Rome" -> "Roma"; not in the history: score: 1 -> 5"#))
    #expect(text.contains(#"- Trip/p2  3       name: "Oslo", score: 1"#))
    #expect(text.contains("~ Trip/p3  -       not in the history: score: 1 -> 5"))
    #expect(
      text.hasSuffix(
        "3 objects: 2 updated, 1 deleted; of 2, the histories do not mention all that differs\n"))
    #expect(
      try await run("diff Trips.store --with Copy.store --values --exit-code").status == 1)
    #expect(
      try await run("diff Copy.store --with Copy.store --values").errors.contains("same file"))
  }

  @Test func `JSON and statistics show values and unexplained differences`() async throws {
    let json = try await run("diff Trips.store --with Copy.store --values --json")
    try await SchemaCheck.expectFits(json.text, schema: "man/histctl-json.schema.json")
    #expect(json.lines.count == 4)
    #expect(
      json.lines[1].contains(
        #""values":{"name":{"old":"Rome","new":"Roma"},"score":{"old":1,"new":5}}"#))
    #expect(
      json.lines[1].contains(#""columns":{"Z_OPT":{"old":1,"new":2}},"unexplained":["score"]"#))
    #expect(
      try await run("diff Trips.store --with Copy.store --values --name-only").lines
        == ["Trip/p1", "Trip/p2", "Trip/p3"])
    #expect(
      try await run("diff Trips.store --with Copy.store --values --stat").text
        .contains("~2 -1"))
    #expect(
      try await run("diff Trips.store --with Copy.store --values --kind delete --name-only").lines
        == ["Trip/p2"])
  }

  @Test func `stores without common history are compared by values`() async throws {
    try trips.sql("DELETE FROM ACHANGE; DELETE FROM ATRANSACTION")
    #expect(try await run("diff Trips.store --with Copy.store").status == 4)
    let result = try await run("diff Trips.store --with Copy.store --values")
    #expect(result.status == 0)
    #expect(result.errors.contains("have no common transaction any more"))
    #expect(result.text.contains(#"~ Trip/p1  -       name: "Rome" -> "Roma", score: 1 -> 5"#))
    let json = try await run("diff Trips.store --with Copy.store --values --json")
    try await SchemaCheck.expectFits(json.text, schema: "man/histctl-json.schema.json")
    #expect(json.lines.count == 3)
  }

  @Test func `wrong combinations are refused`() async throws {
    for line in [
      "diff Trips.store 1 --values", "diff Trips.store --with Copy.store --values --each",
      "diff Trips.store --with Copy.store --values --no-values",
      "diff Trips.store --with Copy.store --values --author app",
    ] {
      #expect(try await run(line).status == 64, "\(line)")
    }
    #expect(
      try await run("diff Trips.store --with Copy.store --values --entity Trop").status != 0)
  }
}
