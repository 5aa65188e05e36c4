import TestSupport
import Testing

/// An answer about a time before the beginning of a pruned history says that it is incomplete.
@Suite(.bounded) struct MissingBeginningTests {
  private static let note = "history begins at 6, 2024-07-29 00:47:40; earlier changes are unknown"

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
  ])
  func `a query before the beginning of the history has a note, unless --quiet is given`(
    _ line: String
  ) async throws {
    let sample = try await Self.sample()
    let result = try await sample.run(line)
    #expect(result.errors.contains(Self.note), "\(result.errors)")
    #expect(result.status == 0)
    let options = line.contains(" -o ") ? " --overwrite --quiet" : " --quiet"
    let quiet = try await sample.run(line + options)
    #expect(quiet.status == 0 && quiet.errors == "", "\(quiet.errors)")
  }

  @Test(arguments: [
    "log sample.store", "log sample.store --after 0", "export sample.store",
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
}
