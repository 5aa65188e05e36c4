import Foundation
import HistoryCoding
import TestSupport
import Testing

/// Old and new values that were recorded beside a store, through the commands.
@Suite(.bounded) struct RecordedValuesTests {
  private let trips: RecordedTrips

  init() throws { trips = try RecordedTrips() }

  private func run(
    _ line: String, environment: [String: String] = [:]
  ) async throws
    -> Tool.Result
  {
    try await InProcess.run(
      line.split(separator: " ").map(String.init), environment: environment,
      folder: trips.folder.path)
  }

  // MARK: - Showing

  @Test func `show has a line for each value`() async throws {
    let result = try await run("show Trips.store 4 --date raw")
    #expect(
      result.lines.suffix(5) == [
        "  ~ Trip/p1  name, score, tags", #"      name: "Roma" -> "Rom""#, "      score: 1 -> 9",
        "  ~ Tag/p1  trips", "Trip ~1  Tag ~1",
      ])
    #expect(result.errors == "")
    let whole = try await run("show Trips.store 2").text
    for line in [
      "cost: nil -> 0.0", "isFavorite: false -> true", "place.latitude: nil -> 41.9",
      "startDate: 2024-07-18T12:53:20Z -> 2024-07-18T12:53:20Z (differs)",
      "identifier: 11111111-1111-1111-1111-111111111111 -> 22222222-2222-2222-2222-222222222222",
      "stay: nil -> LivingAccommodation/p1", "token: nil -> 3 bytes", "trip: nil -> Trip/p1",
    ] {
      #expect(whole.contains("      " + line + "\n"), "\(line)")
    }
    let last = try await run("show Trips.store last").text
    #expect(last.contains(#"      name: "Rom" (unchanged)"#))
    #expect(last.contains("      token: 3 bytes -> 70,000 bytes ("))
    #expect(last.contains("      score: 9 -> nil"))
  }

  @Test func `output without recorded values is the same`() async throws {
    let without = try await run("show Trips.store 4 --no-values")
    #expect(without.lines.contains("  ~ Trip/p1  name, score, tags"))
    let json = try await run("log Trips.store --json --no-values").output
    try FileManager.default.removeItem(atPath: trips.valuesPath)
    #expect(try await run("log Trips.store --json").output == json)
    #expect(try await run("show Trips.store 4").output == without.output)
  }

  @Test func `log, diff and object show recorded values beside names`() async throws {
    let log = try await run("log Trips.store --changes --reverse")
    #expect(
      log.lines.contains(#"    ~ Trip/p1  name: "Roma" -> "Rom", score: 1 -> 9, tags"#))
    #expect(log.lines.contains("    ~ Trip/p2  name"))
    let each = try await run("diff Trips.store 3 5 --each")
    #expect(each.text.contains(#"name: "Roma" -> "Rom", score: 1 -> 9, tags"#))
    let object = try await run("object Trips.store Trip/p1")
    #expect(object.text.contains(#"~ updated  name: "Roma" -> "Rom", score: 1 -> 9, tags"#))
  }

  @Test(.enabled(if: Tool.hasTerminals))
  func `control characters in values are escaped on a terminal`() async throws {
    try StoreQuery(path: trips.valuesPath).run(
      "UPDATE recorded_value SET kind = 'text', new = 'a' || char(27) || '[31m' || char(0x202e) "
        + "|| char(10) || 'b' || printf('%.200c', 'x') WHERE transaction_number = 4")
    for command in [["show"], ["log", "--changes", "-n", "4"], ["diff", "3"]] {
      let words = command.prefix(1) + [trips.path] + command.dropFirst()
      let result = try await Tool.histctl.runOnTerminal(
        words + (command == ["show"] ? ["4"] : []) + ["--no-pager", "--color", "never"])
      #expect(result.status == 0, "\(command)")
      #expect(!result.output.contains(27), "\(command)")
      #expect(!result.text.contains("\u{202e}"), "\(command)")
      #expect(result.text.contains("Rom"), "\(command)")
      if command == ["show"] {
        #expect(result.lines.filter { $0.contains(" -> ") }.allSatisfy { $0.count <= 81 })
      }
    }
  }

  // MARK: - Lines

  @Test(.enabled(if: Tool("jq") != nil)) func `jq finds old and new values`() async throws {
    let jq = try #require(Tool("jq"))
    let lines = try await run("export Trips.store")
    let values = try await jq.run(
      [
        "-r",
        ".transaction as $t | .changes[] | select(.values) | .values | to_entries[] "
          + "| select(.key == \"name\") | \"\\($t) \\(.value.old) \\(.value.new)\"",
      ], input: lines.text)
    #expect(values.lines == ["2 Rome Roma", "4 Roma Rom", "6 Rom Rom"])
    try await SchemaCheck.expectFits(lines.text, schema: "man/histctl-json.schema.json")
    try await SchemaCheck.expectFits(
      try await run("export Trips.store --format changes").text,
      schema: "man/histctl-changes.schema.json")
    try await SchemaCheck.expectFits(
      try await run("diff Trips.store 0 --json").text, schema: "man/histctl-json.schema.json")
  }

  @Test func `exported lines are read back with their values`() async throws {
    let lines = try await run("export Trips.store -o lines.jsonl")
    #expect(lines.status == 0)
    let again = try await run("export lines.jsonl")
    #expect(
      again.output
        == Array(try Data(contentsOf: URL(fileURLWithPath: trips.folder.file("lines.jsonl")))))
    let show = try await run("show lines.jsonl 4")
    #expect(show.lines.contains(#"      name: "Roma" -> "Rom""#))
    let bare = try await run("export lines.jsonl --no-values")
    #expect(bare.output == (try await run("export Trips.store --no-values")).output)
    let diff = try await run("diff lines.jsonl 1 6 --json")
    #expect(diff.text.contains(#""name":{"old":"Rome","new":"Rom"}"#))
  }

  // MARK: - Net changes

  @Test func `a diff has the first old and the last new value`() async throws {
    let diff = try await run("diff Trips.store 1 --json")
    let line = try #require(diff.lines.first { $0.contains(#""object":"Trip/p1""#) })
    #expect(line.contains(#""name":{"old":"Rome","new":"Rom"},"#))
    #expect(line.contains(#""score":{"old":1,"new":null}"#))
    #expect(line.contains(#""isFavorite":{"type":"boolean","old":false,"new":true}"#))
    let text = try await run("diff Trips.store 2 4")
    #expect(text.text.contains(#"name: "Roma" -> "Rom", score: 1 -> 9, tags"#))
    // A filter chooses the changes before they are folded.
    let widget = try await run("diff Trips.store 1 --author widget --json")
    #expect(
      widget.text.contains(
        #""values":{"name":{"old":"Roma","new":"Rom"},"score":{"old":1,"new":9}}"#))
    let score = try await run("diff Trips.store 1 --attribute score --json")
    #expect(score.text.contains(#""name":{"old":"Roma","new":"Rom"}"#))
    #expect(!score.text.contains("isFavorite"))
  }

  // MARK: - The file

  @Test func `info reports the recorded values`() async throws {
    let result = try await run("info Trips.store")
    #expect(result.text.contains("values      2 to 6, "))
    let json = try await run("info Trips.store --json")
    #expect(json.text.contains(#""values":{"path":""#))
    #expect(json.text.contains(#""first":2,"last":6}"#))
    #expect(!(try await run("info Trips.store --no-values")).text.contains("values "))
  }

  @Test func `--values-file reads another file`() async throws {
    try FileManager.default.moveItem(
      atPath: trips.valuesPath, toPath: trips.folder.file("elsewhere.db"))
    #expect(!(try await run("show Trips.store 4")).text.contains("Roma"))
    let result = try await run("show Trips.store 4 --values-file elsewhere.db")
    #expect(result.lines.contains(#"      name: "Roma" -> "Rom""#))
    let missing = try await run("show Trips.store 4 --values-file nowhere.db")
    #expect(missing.status == 9)
    #expect(missing.errors.contains("nowhere.db"))
    #expect(missing.errors.contains("check the path of --values-file"))
    let unsealed = try await run("archive Trips.store sealed --values-file nowhere.db")
    #expect(unsealed.status == 9)
    #expect(unsealed.errors.contains("check the path of --values-file"))
    #expect(try await run("show Trips.store 4 --values-file x --no-values").status == 64)
  }

  @Test func `an unusable file is reported and skipped`() async throws {
    try StoreQuery(path: trips.valuesPath).run("CREATE INDEX hog ON recorded_value (kind || name)")
    let calculated = try await run("show Trips.store 4")
    #expect(calculated.status == 5)
    #expect(calculated.errors.contains("the index hog of its table recorded_value is calculated"))
    let other = try RecordedTrips()
    try FileManager.default.removeItem(atPath: trips.valuesPath)
    try FileManager.default.copyItem(atPath: other.valuesPath, toPath: trips.valuesPath)
    let foreign = try await run("show Trips.store 4")
    #expect(foreign.status == 5)
    #expect(foreign.errors.contains("are of the store"))
    #expect(foreign.lines.contains("  ~ Trip/p1  name, score, tags"))
    #expect(try await run("show Trips.store 4 --no-values").status == 0)
    try Data("no database".utf8).write(to: URL(fileURLWithPath: trips.valuesPath))
    let broken = try await run("log Trips.store --json")
    #expect(broken.status == 5)
    #expect(broken.lines.count == 6)
    #expect(broken.errors.contains(#""kind":"unusableValues""#))
    #expect(broken.errors.contains("it is no file of recorded values"))
    #expect(broken.errors.contains("--values-file"))
    // This command has no such option.
    let sealing = try await run("prune Trips.store --keep-last 2 --archive sealed --yes")
    #expect(sealing.status == 5 && !sealing.errors.contains("--values-file"))
  }

  @Test func `reading leaves the file of values unchanged`() async throws {
    let before = try Data(contentsOf: URL(fileURLWithPath: trips.valuesPath))
    for command in [
      "show Trips.store 4", "log Trips.store --changes", "diff Trips.store 0", "info Trips.store",
      "export Trips.store", "object Trips.store Trip/p1",
    ] { #expect(try await run(command).status == 0, "\(command)") }
    #expect(try Data(contentsOf: URL(fileURLWithPath: trips.valuesPath)) == before)
  }
}
