import TestSupport
import Testing

/// An answer about a time before the beginning of a pruned history says that it is incomplete.
@Suite(.bounded) struct MissingBeginningTests {
  private static let note =
    "history begins at 6, 2024-07-29 00:47:40; the 5 transactions before it were deleted, and their "
    + "changes are unknown"

  private static func sample() async throws -> SampleFolder {
    let sample = try SampleFolder()
    try await sample.sqlite("DELETE FROM ACHANGE WHERE ZTRANSACTIONID < 6")
    try await sample.sqlite("DELETE FROM ATRANSACTION WHERE Z_PK < 6")
    return sample
  }

  @Test(arguments: [
    "log sample.store --after 2024-07-01", "log sample.store --after 2024-07-01 --kind delete",
    "diff sample.store 2024-07-01", "object sample.store Trip/p5", "stats sample.store",
    "token check sample.store 2024-07-01", "export sample.store --after 2024-07-01 -o x.jsonl",
    "export sample.store -o x.jsonl", "export sample.store --format csv",
    "export sample.store --after 0 --author widget", "log sample.store",
    "log sample.store --after 0",
    "log sample.store --count", "log sample.store -n 1000", "archive sample.store sealed",
    "archive sample.store sealed --dry-run", "export sample.store sample.store --output-dir out",
  ])
  func `a query before the beginning of the history has a note, unless --quiet is given`(
    _ line: String
  ) async throws {
    let sample = try await Self.sample()
    let result = try await sample.run(line)
    #expect(result.errors.contains(Self.note), "\(result.errors)")
    #expect(result.status == 0)
    let options = line.contains(" -o ") ? " --overwrite --quiet" : " --quiet"
    let quiet = try await Self.sample().run(line + options)
    #expect(quiet.status == 0 && quiet.errors == "", "\(quiet.errors)")
  }

  @Test(arguments: [
    "log sample.store -n 3", "log sample.store --after 8", "export sample.store --after 6",
    "object sample.store Trip/p9", "log sample.store --after 2024-07-29T00:48:00Z",
    "stats sample.store --after 8",
  ])
  func `a query within the kept history has no note`(_ line: String) async throws {
    let result = try await Self.sample().run(line)
    #expect(!result.errors.contains("history begins"), "\(result.errors)")
    #expect(!result.text.contains(#""type":"gap""#))
  }

  @Test(arguments: [
    "log sample.store --after 2024-07-01", "export sample.store --after 2024-07-01",
  ])
  func `JSON has a gap for the missing beginning`(_ line: String) async throws {
    let options = line.hasPrefix("log") ? " --json --reverse" : ""
    let result = try await Self.sample().run(line + options)
    #expect(
      result.lines.first?.hasPrefix(
        #"{"schema":1,"type":"gap","store":"\#(SampleFolder.identifier)""#)
        == true, "\(result.text.prefix(300))")
    #expect(result.lines.first?.contains(#""oldest":6"#) == true)
    #expect(result.lines.count == 8)
    try await SchemaCheck.expectFits(result.text, schema: "man/histctl-json.schema.json")
  }

  @Test(arguments: [
    "log sample.store --json", "export sample.store --json", "archive sample.store sealed --json",
    "log sample.store --stat --json",
  ])
  func `JSON of a whole history has the gap on standard error`(_ line: String) async throws {
    let result = try await Self.sample().run(line)
    #expect(
      result.errors == """
        {"schema":1,"type":"gap","store":"\(SampleFolder.identifier)","after":0,"oldest":6}

        """)
    #expect(!result.text.contains(#""type":"gap""#))
    #expect(try await Self.sample().run(line + " --quiet").errors == "")
  }

  @Test func `only the first run for a bookmark, and the first sealing, have the note`()
    async throws
  {
    for line in [
      "export sample.store --output-dir out --bookmark nightly",
      "export sample.store sample.store --output-dir out --bookmark nightly",
      "archive sample.store sealed",
    ] {
      let sample = try await Self.sample()
      #expect(try await sample.run(line).errors.contains(Self.note), "\(line)")
      for _ in 0..<2 {
        let again = try await sample.run(line)
        #expect(again.status == 0 && !again.errors.contains("history begins"), "\(again.errors)")
      }
    }
  }

  @Test func `a note on one of several histories names it`() async throws {
    let sample = try await Self.sample()
    try SampleStore.write(to: sample.folder.file("other.store"))
    let export = try await sample.run("export sample.store other.store --output-dir out")
    #expect(
      export.errors.ranges(of: "sample.store: \(Self.note)\n").count == 1
        && !export.errors.contains("other.store: history begins"), "\(export.errors)")
    let log = try await sample.run("log sample.store other.store")
    #expect(log.errors == "histctl: sample.store: \(Self.note)\n")
  }
}
