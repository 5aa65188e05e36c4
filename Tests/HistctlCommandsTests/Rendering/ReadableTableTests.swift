import Foundation
import StoreFormat
import TestSupport
import Testing

/// Tables that stay readable: on narrow terminals, with long names, and in a pipe.
@Suite(.bounded) struct ReadableTableTests {
  private static func store(_ folder: TemporaryFolder, authors: [String]) throws -> String {
    let path = folder.file("default.store")
    let writer = try StoreWriter(path: path)
    for (index, author) in authors.enumerated() {
      try writer.transaction(Int64(index + 1), author: author)
    }
    try writer.close()
    return path
  }

  @Test(.enabled(if: Tool.hasTerminals))
  func `a narrow terminal loses seconds before authors`() async throws {
    let sample = try SampleFolder()
    func run(_ options: [String], _ columns: Int) async throws -> Tool.Result {
      try await Tool.histctl.runOnTerminal(
        ["log", sample.store, "-n", "1", "--no-pager", "--color", "never"] + options,
        columns: columns)
    }
    // With seconds the line takes 60 columns.
    let narrow = try await run([], 59)
    #expect(narrow.text.contains("AUTHOR") && !narrow.text.contains("AUTHOR hidden"))
    #expect(narrow.text.contains("2024-07-29 00:5") && !narrow.text.contains("00:53:4"))
    let wide = try await run([], 90)
    #expect(wide.text.contains("00:53:40  "), "\(wide.text)")
    let asked = try await run(["--process", "Trips"], 60)
    #expect(asked.text.contains("PROCESS") && asked.text.contains("Trips"), "\(asked.text)")
    let utc = try await run(["--date", "utc"], 60)
    #expect(utc.text.contains("00:53Z"), "\(utc.text)")
  }

  @Test(.enabled(if: Tool.hasTerminals))
  func `names with the same beginning stay distinguishable`() async throws {
    let folder = try TemporaryFolder()
    let authors = (1...11).map { "com.example.trips.background.synchronisation.worker-\($0)" }
    let store = try Self.store(folder, authors: authors)
    for words in [["stats"], ["info"], ["log", "--author", authors[0], "--author", authors[1]]] {
      let result = try await Tool.histctl.runOnTerminal(
        [words[0], store, "--no-pager", "--color", "never", "--quiet"] + words.dropFirst(),
        columns: 60)
      let lines = result.lines.filter { $0.contains("com.") && $0.contains("…") }
      #expect(lines.count >= 2, "\(result.text)")
      let names = lines.compactMap { $0.firstMatch(of: /com\.[^ ]*…[^ ]*/)?.output }
      #expect(Set(names).count == names.count, "\(names)")
    }
  }

  @Test(arguments: ["stats", "info"])
  func `names that differ by an identifier are grouped`(_ command: String) async throws {
    let folder = try TemporaryFolder()
    let authors = (0..<12).map { number in
      let digest = Data((0..<64).map { UInt8(truncatingIfNeeded: $0 * 7 + number) })
      return "migration from model { \(digest.base64EncodedString()) }"
    }
    let store = try Self.store(folder, authors: authors + ["app"])
    let result = try await InProcess.run([command, store])
    let rows = result.lines.filter { $0.contains("migration from") }
    #expect(rows.count == 1, "\(result.text)")
    #expect(rows.first?.contains("migration from model { … } (12 names)") == true)
    #expect(rows.first?.contains(" 12 ") == true || rows.first?.hasSuffix(" 12") == true)
    let json = try await InProcess.run(["stats", store, "--json"])
    #expect(json.text.ranges(of: "migration from").count >= 9, "\(json.text)")
  }

  @Test func `a long name in a pipe leaves numbers near their titles`() async throws {
    let folder = try TemporaryFolder()
    let store = try Self.store(
      folder, authors: ["app", String(repeating: "long ", count: 300) + "end"])
    for command in ["stats", "info", "log"] {
      let result = try await InProcess.run([command, store])
      let line = result.lines.first { $0.contains("long ") } ?? ""
      #expect(line.contains("…") && line.contains("end") && line.count < 200, "\(line)")
    }
  }

  @Test func `a pasted token is not echoed`() async throws {
    let sample = try SampleFolder()
    let token = try await sample.run("token show sample.store 5 --as plist")
    let hex = token.output.map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
    let result = try await sample.run(["token", "check", "sample.store", hex])
    #expect(result.status == 0 && result.text.count < 300, "\(result.text)")
    #expect(result.text.contains("…") && result.text.contains("valid"))
    let json = try await sample.run(["token", "check", "sample.store", hex, "--json"])
    #expect(json.text.contains(hex))
  }

  @Test func `statistics can count matching changes only`() async throws {
    let sample = try SampleFolder()
    func changes(_ options: String) async throws -> Int? {
      let result = try await sample.run("stats sample.store --json \(options)")
      let object = try JSONSerialization.jsonObject(with: Data(result.output)) as? [String: Any]
      return object?["changes"] as? Int
    }
    // Every fourth transaction inserts three objects, one of them a trip.
    let matching = try await changes("--entity Trip --kind insert --only-matching")
    #expect(matching == 3)
    #expect(try await changes("--entity Trip --kind insert") == 9)
    let log = try await sample.run(
      "log sample.store --json --entity Trip --kind insert --only-matching")
    let counted = log.text.ranges(of: #""kind":"insert""#).count
    #expect(counted == matching, "\(log.text)")
    #expect(try await changes("--only-matching") == changes(""))
  }
}
