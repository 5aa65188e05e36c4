import Foundation
import TestSupport
import Testing

/// A store with a page that cannot be read gives all that stands before it, whatever the form.
@Suite(.bounded, .enabled(if: Tool("sqlite3") != nil)) struct DamagedPageTests {
  private static let count = 900

  /// A long history, with a damaged page in the midst of its changes.
  private static func store(in folder: TemporaryFolder) async throws -> String {
    let path = folder.file("x.store")
    try LongHistory.writeForApps(to: path, transactions: count, changesEach: 1)
    let sqlite = try #require(Tool("sqlite3"))
    let mark = "here-is-the-page"
    let marked = try await sqlite.run([
      path, "UPDATE ACHANGE SET ZTOMBSTONE0 = '\(mark)' WHERE ZTRANSACTIONID = \(count / 2)",
    ])
    #expect(marked.status == 0)
    var bytes = try FileBytes.read(path)
    let place = try #require(Data(bytes).firstRange(of: Data(mark.utf8)))
    // A page of a kind that there is not.
    bytes[place.lowerBound / 4096 * 4096] = 0x77
    try FileBytes.write(bytes, to: path)
    return path
  }

  private static func numbers(_ lines: [String]) throws -> [Int] {
    try lines.map {
      let object = try JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: Any]
      return try #require(object?["transaction"] as? Int)
    }
  }

  @Test func `rows before a damaged page are shown`() async throws {
    let folder = try TemporaryFolder()
    let store = try await Self.store(in: folder)
    func run(_ line: String) async throws -> [String] {
      let result = try await Tool.histctl.run(
        line.split(separator: " ").map { $0 == "STORE" ? store : String($0) })
      #expect(result.status == 5, "\(line): \(result.errors)")
      #expect(result.errors.contains("damaged"))
      #expect(result.output.last == UInt8(ascii: "\n"))
      return result.lines
    }
    for direction in ["", " --reverse"] {
      let changes = try await run("log STORE --changes --date raw" + direction)
      // The heading of the one that cannot be read is there already.
      let whole = changes.filter { $0.hasPrefix("    ") }.count
      #expect(whole > 100)
      let ascending = !direction.isEmpty
      let expected = (1...whole).map { ascending ? $0 : Self.count + 1 - $0 }
      // That the last one has no other change may stand in the damaged page.
      let numbers = try Self.numbers(await run("log STORE --json" + direction))
      #expect(numbers == expected || numbers == expected.dropLast())
      // What is summed up may be read a little ahead.
      let lines = try await run("log STORE --date raw" + direction)
      let summed = lines.compactMap { Int($0.drop { $0 == " " }.prefix { $0 != " " }) }
      #expect(expected.starts(with: summed) && summed.count > whole / 2)
      guard ascending else { continue }
      #expect(try Self.numbers(await run("export STORE")) == numbers)
      let rows = try await run("export STORE --format csv")
      #expect(rows.count == numbers.count + 1)
      let packed = try await Tool.histctl.run(["export", store, "-o", folder.file("out.jsonl")])
      #expect(packed.status == 5)
      #expect(!FileManager.default.fileExists(atPath: folder.file("out.jsonl")))
    }
  }

  @Test(arguments: [
    "log STORE", "log STORE --reverse", "export STORE", "export STORE --format csv",
    "stats STORE", "stats STORE --sessions", "stats STORE --only-matching --kind insert",
  ])
  func `what can be read on both sides of a damaged page is told`(_ line: String) async throws {
    let folder = try TemporaryFolder()
    let store = try await Self.store(in: folder)
    func run(_ line: String) async throws -> Tool.Result {
      try await Tool.histctl.run(
        line.split(separator: " ").map { $0 == "STORE" ? store : String($0) })
    }
    let result = try await run(line)
    let hint = try #require(
      result.errors.firstMatch(
        of: #/meanwhile, read what is up to (\d+) with --until \1, and after (\d+) with --after \2/#
      ))
    let (until, after) = (try #require(Int(hint.1)), try #require(Int(hint.2)))
    #expect(until < Self.count / 2 && after >= Self.count / 2, "\(result.errors)")
    // Nothing more can be read beside the page.
    let before = try await run("log STORE --json --until \(until)")
    #expect(before.status == 0 && before.lines.count == until, "\(before.errors)")
    #expect(try await run("log STORE --json --until \(until + 1)").status == 5)
    let rest = try await run("export STORE --after \(after)")
    #expect(rest.status == 0 && rest.lines.count == Self.count - after, "\(rest.errors)")
    #expect(try await run("export STORE --after \(after - 1)").status == 5)
    guard line == "log STORE" else { return }
    let json = try await run("log STORE --json")
    #expect(json.errors.contains(#""readableUntil":\#(until),"readableAfter":\#(after)"#))
    try await SchemaCheck.expectFits(json.errors)
  }

  @Test(arguments: [
    "diff STORE 0", "diff STORE 0 --stat", "diff STORE 0 --each", "diff STORE 0 --name-only",
    "show STORE ..last",
  ])
  func `commands with a range name the ranges on both sides of a damaged page`(
    _ line: String
  ) async throws {
    let folder = try TemporaryFolder()
    let store = try await Self.store(in: folder)
    func run(_ line: String) async throws -> Tool.Result {
      try await Tool.histctl.run(
        line.split(separator: " ").map { $0 == "STORE" ? store : String($0) })
    }
    let result = try await run(line)
    #expect(result.status == 5)
    let hint = try #require(
      result.errors.firstMatch(
        of: #/meanwhile, read what is up to (\d+) with \.\.\1, and after (\d+) with \2\.\./#),
      "\(result.errors)")
    let (until, after) = (try #require(Int(hint.1)), try #require(Int(hint.2)))
    #expect(until < Self.count / 2 && after >= Self.count / 2, "\(result.errors)")
    let command = line.hasPrefix("diff") ? "diff" : "show"
    for range in ["..\(until)", "\(after).."] {
      let part = try await run("\(command) STORE \(range)")
      #expect(part.status == 0 && !part.lines.isEmpty, "\(range): \(part.errors)")
    }
  }

  @Test(arguments: [
    "log STORE other.store", "stats STORE other.store", "diff STORE other.store 0 --stat",
    "export STORE other.store --output-dir out", "stats STORE other.store --sessions",
    "log STORE other.store --reverse -n 600",
  ])
  func `what can be read beside a damaged page is told of one of several stores`(
    _ line: String
  ) async throws {
    let folder = try TemporaryFolder()
    let store = try await Self.store(in: folder)
    try SampleStore.write(to: folder.file("other.store"))
    func run(_ line: String) async throws -> Tool.Result {
      try await Tool.histctl.run(
        line.split(separator: " ").map { $0 == "STORE" ? store : String($0) }, folder: folder.path)
    }
    let text = try await run(line)
    #expect(text.status == 3)
    #expect(text.errors.contains("meanwhile, read what is up to "), "\(text.errors)")
    #expect(text.errors.ranges(of: "is damaged").count == 1, "\(text.errors)")
    let json = try await run(line.replacing(" out", with: " out2") + " --json")
    #expect(json.status == 3)
    #expect(
      json.errors.contains(#/"readableUntil":\d+,"readableAfter":\d+/#), "\(json.errors)")
    try await SchemaCheck.expectFits(json.errors)
  }

  @Test
  func `a description of a store has what can be read beside a damaged page`() async throws {
    let folder = try TemporaryFolder()
    let store = try await Self.store(in: folder)
    let text = try await Tool.histctl.run(["info", store])
    #expect(text.status == 5 && text.errors.contains("is damaged"), "\(text.errors)")
    #expect(text.text.contains("900 transactions, an unknown number of changes"), "\(text.text)")
    let json = try await Tool.histctl.run(["info", store, "--json"])
    #expect(json.status == 5 && json.text.contains(#""transactions":900,"changes":null"#))
    try await SchemaCheck.expectFits(json.text + json.errors)
  }

  @Test
  func `a damaged copy is not said to be counted`() async throws {
    let folder = try TemporaryFolder()
    let store = try await Self.store(in: folder)
    try LongHistory.writeForApps(to: folder.file("sound.store"), transactions: 9, changesEach: 1)
    let result = try await Tool.histctl.run(["stats", store, folder.file("sound.store")])
    #expect(result.status == 3 && result.errors.contains("is damaged"), "\(result.errors)")
    #expect(!result.errors.contains("copies of one store"), "\(result.errors)")
  }

  @Test
  func `a page and a refused change say where the damage is`() async throws {
    let folder = try TemporaryFolder()
    let store = try await Self.store(in: folder)
    let report = try await Tool.histctl.run(["report", store, "-o", folder.file("page.html")])
    #expect(report.status == 5)
    #expect(report.errors.contains("meanwhile, read what is up to "), "\(report.errors)")
    let compact = try await Tool.histctl.run(["compact", store])
    #expect(compact.status == 5)
    #expect(compact.errors.contains("is damaged: the store: SQLite's pages: "), "\(compact.errors)")
  }
}
