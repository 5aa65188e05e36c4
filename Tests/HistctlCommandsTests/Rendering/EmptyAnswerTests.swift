import Foundation
import TestSupport
import Testing

/// An answer that is empty because something is not known says so, also without a terminal.
@Suite(.bounded) struct EmptyAnswerTests {
  private static let commands = [
    "log sample.store", "export sample.store", "stats sample.store", "diff sample.store first last",
    "show sample.store first..last", "log sample.store --author app",
  ]

  @Test(
    .enabled(if: Tool("sqlite3") != nil),
    arguments: commands)
  func `an answer from an emptied history says once that it was deleted`(
    _ line: String
  ) async throws {
    let sample = try SampleFolder()
    try await sample.sqlite("DELETE FROM ACHANGE; DELETE FROM ATRANSACTION")
    let words = "the history is empty: the transactions up to 12 were deleted"
    let text = try await sample.run(line)
    #expect(text.status == 0)
    #expect(text.errors.ranges(of: words).count == 1, "\(text.errors)")
    let json = try await sample.run(line + " --json")
    #expect(json.status == 0)
    let records = try (json.text + json.errors).split(separator: "\n").compactMap {
      try JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: Any]
    }
    let gaps = records.filter { $0["type"] as? String == "gap" }
    #expect(gaps.count == 1 && gaps[0]["after"] as? Int == 0 && gaps[0]["oldest"] == nil)
    // A gap is a record of the stream of lines, with a schema of its own.
    let others = json.errors.split(separator: "\n").filter { !$0.contains("\"type\":\"gap\"") }
    if !others.isEmpty { try await SchemaCheck.expectFits(others.joined(separator: "\n") + "\n") }
  }

  @Test
  func `an answer from a history that never had a transaction says so on a terminal only`()
    async throws
  {
    let folder = try TemporaryFolder()
    try StoreWriter(path: folder.file("sample.store")).close()
    for line in Self.commands.dropLast() {
      let result = try await InProcess.run(
        line.split(separator: " ").map(String.init), folder: folder.path)
      #expect(result.status == 0 && result.errors == "", "\(line): \(result.errors)")
    }
    guard Tool.hasTerminals else { return }
    for command in ["log", "export", "stats"] {
      let terminal = try await Tool.histctl.runOnTerminal(
        [command, folder.file("sample.store")] + (command == "export" ? [] : ["--no-pager"]))
      #expect(terminal.text.contains("no save has been recorded yet"), "\(terminal.text)")
    }
  }

  @Test
  func `unknown values are not compared, with a warning`() async throws {
    let trips = try OpenTrips()
    try trips.save { $0.update(OpenTrips.trip(1), values: ["name": .text("v1")]) }
    // This save is lost to the log.
    try trips.save { $0.update(OpenTrips.trip(1), values: ["name": .text("v2")]) }
    try trips.sql("PRAGMA wal_checkpoint(TRUNCATE)")
    try trips.save { $0.update(OpenTrips.trip(1), values: ["name": .text("v3")]) }
    func run(_ line: String) async throws -> Tool.Result {
      try await InProcess.run(
        line.split(separator: " ").map(String.init), folder: trips.folder.path)
    }
    for (value, count, first) in [("v2", 2, 3), ("v9", 1, 4)] {
      let text = try await run("log Trips.store --value name=\(value)")
      #expect(text.status == 0 && (value == "v2") == (text.text != ""))
      #expect(text.errors.contains("known for \(count) of the "), "\(text.errors)")
      #expect(
        text.errors.contains("(\(first == 4 ? "4" : "3 to 4")); the others were not compared"),
        "\(text.errors)")
      let json = try await run("log Trips.store --json --value name=\(value)")
      try await SchemaCheck.expectFits(json.errors)
      let note = try #require(
        try JSONSerialization.jsonObject(with: Data(json.errors.utf8)) as? [String: Any])
      #expect(note["type"] as? String == "note" && note["kind"] as? String == "unknownValues")
      #expect(note["known"] as? Int == count)
      #expect(note["knownRanges"] as? [[Int]] == [[first, 4]])
      #expect(try await run("log Trips.store --quiet --value name=\(value)").errors == "")
    }
    // Nothing is said where all that could match is known.
    #expect(try await run("log Trips.store --after 3 --value name=v9").errors == "")
  }
}
