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

  @Test(.enabled(if: Tool("sqlite3") != nil))
  func `an answer from a history without the saves that made its objects says so`() async throws {
    let sample = try SampleFolder()
    try await sample.sqlite(
      """
      DELETE FROM ACHANGE; DELETE FROM ATRANSACTION;
      UPDATE Z_PRIMARYKEY SET Z_MAX = 0 WHERE Z_ENT IN (16001, 16002);
      UPDATE Z_PRIMARYKEY SET Z_MAX = 5 WHERE Z_ENT < 16000
      """)
    for line in Self.commands.dropLast() {
      let text = try await sample.run(line)
      #expect(text.status == 0)
      #expect(
        text.errors.ranges(of: "objects were saved, but no save was recorded").count == 1,
        "\(line): \(text.errors)")
      let quiet = try await sample.run(line + " -q")
      #expect(quiet.errors == "", "\(line): \(quiet.errors)")
      let json = try await sample.run(line + " --json")
      #expect(json.errors.contains(#""kind":"unrecordedSaves""#), "\(line): \(json.errors)")
      try await SchemaCheck.expectFits(json.errors)
    }
  }

  @Test(arguments: ["log", "stats", "export", "log --json"])
  func `lines without a transaction are said to have none`(_ command: String) async throws {
    let sample = try SampleFolder()
    try FileBytes.write([], to: sample.folder.file("empty.jsonl"))
    for (input, name) in [("-", "standard input"), ("empty.jsonl", "empty.jsonl")] {
      let words = command.split(separator: " ").map(String.init)
      let result = try await Tool.histctl.run(
        [words[0], input] + words.dropFirst(), folder: sample.folder.path)
      #expect(result.status == 0)
      #expect(result.errors.contains("\(name) has no transaction"), "\(result.errors)")
      if command.hasSuffix("--json") {
        #expect(result.errors.contains(#""kind":"emptyInput""#), "\(result.errors)")
        try await SchemaCheck.expectFits(result.errors)
      }
    }
  }

  @Test(arguments: [
    "log sample.store --after 9 --until 4", "export sample.store --after 9 --until 4",
    "stats sample.store --after 9 --until 4",
  ])
  func `a range whose end is before its beginning is named as the reason`(
    _ line: String
  )
    async throws
  {
    let sample = try SampleFolder()
    let text = try await sample.run(line)
    #expect(text.status == 0)
    #expect(
      text.errors == "the range is empty: its end, 4, is before its beginning, 9\n",
      "\(text.errors)")
    let json = try await sample.run(line + " --json")
    #expect(json.errors.contains(#""kind":"emptyRange""#), "\(json.errors)")
    try await SchemaCheck.expectFits(json.errors)
    #expect(try await sample.run("log sample.store --after 9 --until 9").errors == "")
  }

  @Test func `an empty list of bookmarks and an empty range say so on a terminal`() async throws {
    guard Tool.hasTerminals else { return }
    let sample = try SampleFolder()
    for (command, words) in [
      ("bookmark check", "no bookmarks in "), ("bookmark list", "no bookmarks in "),
      ("diff sample.store last", "no change after 12 up to 12"),
    ] {
      let arguments = command.split(separator: " ").map {
        $0 == "sample.store" ? sample.store : String($0)
      }
      let result = try await Tool.histctl.runOnTerminal(
        arguments + (command.hasPrefix("diff") ? ["--no-pager"] : [sample.store]))
      #expect(
        result.text.contains(words) && !result.text.contains("that matches"), "\(result.text)")
    }
  }

  @Test(.enabled(if: Tool("sqlite3") != nil))
  func `the first sealing of an emptied history says what was deleted`() async throws {
    let sample = try SampleFolder()
    try await sample.sqlite("DELETE FROM ACHANGE; DELETE FROM ATRANSACTION")
    let result = try await sample.run("archive sample.store sealed")
    #expect(
      result.errors.contains("the history is empty: its transactions were deleted"),
      "\(result.errors)")
  }

  @Test(arguments: ["log", "log --json"])
  func `a name that none of several histories has is reported`(_ command: String) async throws {
    let sample = try SampleFolder()
    try SampleStore.write(to: sample.folder.file("other.store"))
    let result = try await sample.run(command + " sample.store other.store --author widgit")
    #expect(result.errors.contains("no transaction has the author 'widgit'"), "\(result.errors)")
    #expect(result.errors.contains("did you mean 'widget'?"), "\(result.errors)")
    let known = try await sample.run(
      command + " sample.store other.store --author widget --kind delete --entity Trip")
    #expect(!known.errors.contains("has the author"), "\(known.errors)")
  }

  @Test(.enabled(if: Tool("sqlite3") != nil))
  func `a verification says that a history was emptied`() async throws {
    let sample = try SampleFolder()
    try await sample.sqlite("DELETE FROM ACHANGE; DELETE FROM ATRANSACTION")
    let text = try await sample.run("verify sample.store")
    #expect(text.text.contains("ok, 0 transactions") && text.status == 0, "\(text.text)")
    #expect(text.text.contains("the history was emptied after number 12"), "\(text.text)")
    let json = try await sample.run("verify sample.store --json")
    #expect(json.text.contains(#""emptiedAfter":12"#), "\(json.text)")
    try await SchemaCheck.expectFits(json.text)
  }

  @Test(.enabled(if: RealStores.path("swiftdata-rm-4wal.store") != nil))
  func `transactions with known values are listed in their order`() async throws {
    let folder = try TemporaryFolder()
    let store = try folder.copy(store: try #require(RealStores.path("swiftdata-rm-4wal.store")))
    let result = try await InProcess.run(["log", store, "--value", "name=none"])
    #expect(result.errors.contains("(1, 6 to 37)"), "\(result.errors)")
  }

  /// A token that works would not help: the end of the range is before the beginning of the history.
  @Test(arguments: [
    "log sample.store 2..4", "log sample.store --after 2 --until 4", "log sample.store --until 4",
    "log sample.store --range 2..4", "diff sample.store 2 4", "diff sample.store 2..4",
    "stats sample.store --range ..4", "export sample.store --after 0 --until 4",
  ])
  func `a range before the history has a hint of its own`(_ line: String) async throws {
    let sample = try SampleFolder()
    let pruned = try await sample.run("prune sample.store --before 8 --yes -q")
    #expect(pruned.status == 0, "\(pruned.errors)")
    let result = try await sample.run(line)
    #expect(result.status == 4)
    #expect(result.errors.contains("nothing up to 4 is left here"), "\(result.errors)")
  }

  @Test
  func `no transaction is searched if none is asked for`() async throws {
    guard Tool.hasTerminals else { return }
    let sample = try SampleFolder()
    let result = try await Tool.histctl.runOnTerminal(
      ["log", sample.store, "-n", "0", "--no-pager"])
    #expect(!result.text.contains("no transaction matches"), "\(result.text)")
  }

  @Test
  func `a range of one transaction is written as one number`() async throws {
    let sample = try SampleFolder()
    let plan = try await sample.run("prune sample.store --keep-last 1 --dry-run")
    #expect(plan.text.contains("1 transaction, 12, from "), "\(plan.text)")
  }

  @Test
  func `verifying a folder without an archive names the search for stores`() async throws {
    let sample = try SampleFolder()
    let result = try await sample.run("verify .")
    #expect(result.status == 8)
    #expect(result.errors.contains("list the stores in this one with: histctl find ."))
  }

  @Test
  func `a snapshot without a log names the state that can be copied`() async throws {
    let sample = try SampleFolder()
    let past = try await sample.run("snapshot sample.store 3 -o past.store")
    #expect(past.status == 2)
    #expect(
      past.errors.contains("the state after the last transaction can always be copied"),
      "\(past.errors)")
    let last = try await sample.run("snapshot sample.store last -o last.store")
    #expect(last.status == 0, "\(last.errors)")
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
