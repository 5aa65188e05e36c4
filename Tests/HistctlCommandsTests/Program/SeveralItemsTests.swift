import Foundation
import TestSupport
import Testing

/// One item that cannot be used does not take the answer on the others, and no item is counted twice.
@Suite(.bounded) struct SeveralItemsTests {
  @Test func `a malformed token does not stop the check of other tokens`() async throws {
    let sample = try SampleFolder()
    let text = try await sample.run("token check sample.store 3 no-token last")
    #expect(text.status == 64)
    #expect(text.rows.count == 2 && text.text.contains("last"), "\(text.text)")
    #expect(text.errors.contains("'no-token' is not a token"), "\(text.errors)")
    let json = try await sample.run("token check sample.store 3 no-token 99 --json")
    #expect(json.status == 64)
    let states = try json.lines.map { line in
      let object = try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any]
      return "\(object?["token"] ?? "") \(object?["state"] ?? "") \(object?["error"] ?? "")"
    }
    #expect(
      states == ["3 valid ", "no-token malformed malformedToken", "99 ahead historyTokenAhead"])
    #expect(json.errors.contains(#""kind":"malformedToken""#), "\(json.errors)")
    try await SchemaCheck.expectFits(json.text, schema: "man/histctl-reports.schema.json")
    let alone = try await sample.run("token check sample.store no-token --json")
    #expect(alone.status == 64 && alone.output.isEmpty)
  }

  @Test func `an unknown bookmark does not stop the check of others`() async throws {
    let sample = try SampleFolder()
    _ = try await sample.run("bookmark set sample.store widget 3")
    let result = try await sample.run("bookmark check sample.store nobody widget")
    #expect(result.status == 64 && result.text.contains("widget"), "\(result.text)")
    #expect(result.errors.contains("no bookmark named 'nobody'"), "\(result.errors)")
  }

  @Test func `a store given by two names is read once`() async throws {
    let sample = try SampleFolder()
    try FileManager.default.linkItem(
      atPath: sample.store, toPath: sample.folder.file("second.store"))
    let report = try await sample.run(
      "report sample.store second.store sample.store -o r.html --json")
    #expect(report.status == 0 && report.text.contains(#""histories":1"#), "\(report.text)")
    let check = try await sample.run("check sample.store second.store --max-size 1G --json")
    #expect(check.lines.count == 1, "\(check.text)")
  }

  /// Part is done only if one store is.
  @Test(arguments: [
    "log", "stats", "export --output-dir out", "report -o r.html --overwrite",
    "check --max-size 1G", "find", "diff 0 --stat",
  ])
  func `if no store can be read, the status is that of the worst error`(
    _ line: String
  ) async throws {
    let sample = try SampleFolder()
    try FileBytes.write([], to: sample.folder.file("empty"))
    let (command, options) = (line.prefix { $0 != " " }, line.drop { $0 != " " })
    func run(_ stores: String) async throws -> Tool.Result {
      try await sample.run("\(command) \(stores)\(options)")
    }
    let none = try await run("nothing.store neither.store")
    #expect(none.status == 9, "\(none.errors)")
    #expect(none.errors.contains("no file at nothing.store"), "\(none.errors)")
    guard command != "check" else { return }
    let part = try await run("nothing.store sample.store")
    #expect(part.status == 3, "\(part.errors)")
    guard !["find", "diff"].contains(command) else { return }
    let worst = try await run("empty nothing.store")
    #expect(worst.status == 9, "\(worst.errors)")
    try SampleStore.write(to: sample.folder.file("other.store"))
    try await sample.sqlite(
      "UPDATE Z_METADATA SET Z_UUID = 'E8F7C1D2-8F4B-4E3A-9C61-0A5B7C9D2E3F'")
    let bookmark = try await run("sample.store other.store --after @nobody")
    #expect(bookmark.status == 64, "\(bookmark.errors)")
  }

  @Test(arguments: [
    "check --max-size 1G --stores-from list", "report -o r.html --stores-from list",
    "log --stores-from list", "stats --stores-from list",
    "export --output-dir out --stores-from list", "prune --keep-last 1 --yes --stores-from list",
  ])
  func `an empty list of stores is reported`(_ line: String) async throws {
    let sample = try SampleFolder()
    try FileBytes.write([], to: sample.folder.file("list"))
    let result = try await sample.run(line)
    #expect(result.status == 0 && result.errors.contains("the list of stores is empty"))
    let json = try await sample.run(line + " --json")
    #expect(json.errors.contains(#""kind":"emptyList""#), "\(json.errors)")
  }

  @Test func `messages about several stores have times in the style of tables`() async throws {
    let sample = try SampleFolder()
    try await sample.sqlite("DELETE FROM ACHANGE WHERE ZTRANSACTIONID < 6")
    try await sample.sqlite("DELETE FROM ATRANSACTION WHERE Z_PK < 6")
    try SampleStore.write(to: sample.folder.file("other.store"))
    for (style, time) in [("local", "2024-07-29 00:47:40"), ("utc", "2024-07-29T00:47:40Z")] {
      for line in [
        "report sample.store other.store --after 3 -o \(style).html",
        "export sample.store other.store --after 3 --output-dir \(style)",
      ] {
        let result = try await sample.run(line + " --date \(style)")
        #expect(result.status == 3 && result.errors.contains("6, of \(time)\n"), "\(result.errors)")
      }
    }
  }

  @Test func `an unknown object is reported beside others`() async throws {
    let sample = try SampleFolder()
    for line in ["--object Trip/p99", "--object Trip/p9 --object Trip/p99"] {
      let result = try await sample.run("log sample.store " + line)
      #expect(result.errors.contains("Trip/p99 is neither in the store"), "\(result.errors)")
      #expect(result.status == 1 && result.text.isEmpty == !line.contains("Trip/p9 "), "\(result)")
    }
  }

  @Test func `a search that only finds damage ends with its status`() async throws {
    let sample = try SampleFolder()
    let bytes = Array(try FileBytes.read(sample.store).prefix(30_000))
    let folder = sample.folder.file("torn")
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    try FileBytes.write(bytes, to: folder + "/x.store")
    #expect(try await Tool.histctl.run(["find", folder]).status == 5)
    #expect(try await Tool.histctl.run(["find", folder, sample.store]).status == 3)
  }

  @Test func `recordings are JSON on both streams`() async throws {
    let folder = try TemporaryFolder()
    var shape = StoreWriter.Shape()
    shape.keepsLog = true
    let store = try SampleStore.write(to: folder.file("sample.store"), shape: shape)
    let timeout = try #require(Tool("timeout"))
    for options in [["--once"], []] {
      let result = try await timeout.run(
        ["-s", "INT", "3", Tool.histctl.path, "record", store, "--json"] + options)
      for line in result.text.split(separator: "\n") + result.errors.split(separator: "\n") {
        #expect(
          throws: Never.self, "\(line)",
          performing: { try JSONSerialization.jsonObject(with: Data(line.utf8)) })
      }
    }
  }

  @Test(arguments: [
    "check --max-size 1G", "report -o r.html", "log", "stats", "log --json", "check --prometheus",
    "export --output-dir out", "prune --keep-last 1 --yes", "export --output-dir out --json",
  ])
  func `a store without history is skipped if a list names it, and an error otherwise`(
    _ line: String
  ) async throws {
    let sample = try SampleFolder()
    var shape = StoreWriter.Shape()
    shape.hasHistory = false
    try StoreWriter(path: sample.folder.file("quiet.store"), shape: shape).close()
    try SampleStore.write(to: sample.folder.file("other.store"))
    try FileBytes.write(
      Array("sample.store\nother.store\nquiet.store\n".utf8), to: sample.folder.file("list"))
    let listed = try await sample.run(line + " --stores-from list")
    // The copies have the same identifier.
    let status = line.hasPrefix("export") ? 3 : 0
    #expect(listed.status == status, "\(listed.errors)")
    #expect(!listed.errors.contains("keeps no history"), "\(listed.errors)")
    #expect(!listed.text.contains("quiet.store") || line.hasPrefix("report"), "\(listed.text)")
    if line.contains("--json") {
      #expect(listed.errors.contains(#""kind":"withoutHistory""#), "\(listed.errors)")
      #expect(listed.errors.contains(#""paths":["quiet.store"]"#), "\(listed.errors)")
    } else {
      #expect(
        listed.errors.contains("1 store without history was skipped: quiet.store"),
        "\(listed.errors)")
    }
    let fresh = try SampleFolder()
    try StoreWriter(path: fresh.folder.file("quiet.store"), shape: shape).close()
    let named = try await fresh.run(line + " sample.store quiet.store")
    #expect(named.status != 0 && named.errors.contains("keeps no history"), "\(named.errors)")
  }
}
