import Foundation
import TestSupport
import Testing

/// The examples of the pages work as they stand there.
@Suite(.bounded, .needsOptimization, .enabled(if: Tool("jq") != nil && Tool("bash") != nil))
struct ManualExampleTests {
  /// The command lines of one example of a page, and the status that it says they end with.
  struct Example: Sendable, CustomTestStringConvertible {
    let page: String
    let line: String
    let status: Int

    var testDescription: String { "\(page): \(line)" }
  }

  static let examples: [Example] = Manual.pageNames.flatMap { name -> [Example] in
    guard let page = try? Manual.page(name) else { return [] }
    var examples: [Example] = []
    var status = 0
    var block: [String]?
    for line in Manual.section("EXAMPLES", of: page) {
      if line.hasPrefix(#".\" exits with "#) {
        status = line.split(separator: " ").last.flatMap { Int($0) } ?? -1
      } else if line.hasPrefix(".Bd -literal") {
        block = []
      } else if line == ".Ed" {
        let script = (block ?? []).map(Manual.unescaped).joined(separator: "\n")
        examples.append(Example(page: name, line: script, status: status))
        block = nil
        status = 0
      } else {
        block?.append(line)
      }
    }
    return examples
  }

  /// The files that the examples name, by their names.
  private static let files = Task { () async throws -> [String: [UInt8]] in
    let folder = try TemporaryFolder()
    for name in ["default.store", "Trips.store"] {
      try SampleStore.write(to: folder.file(name))
      let token = #"{"storeTokens":{"\#(StoreWriter.identifier)":7}}"#
      try FileBytes.write(
        Array(
          """
          {"schema":1,"bookmarks":[{"name":"widget","token":\(token),"timestampRaw":743906920.0}]}
          """.utf8), to: folder.file("\(name)-bookmarks.json"))
      try FileBytes.write(Array(token.utf8), to: folder.file("saved-token.json"))
      let preferences =
        "<plist><dict><key>historyToken</key><string>\(token)</string></dict></plist>"
      try FileBytes.write(Array(preferences.utf8), to: folder.file("com.example.Trips.plist"))
    }
    let backup = try StoreQuery(path: try SampleStore.write(to: folder.file("backup.store")))
    try backup.run(
      "DELETE FROM ACHANGE WHERE ZTRANSACTIONID > 8; DELETE FROM ATRANSACTION WHERE Z_PK > 8")
    try FileBytes.write(Array("3\n".utf8), to: folder.file("widget.token"))
    try FileBytes.write(Array("<html></html>\n".utf8), to: folder.file("earlier.html"))
    try FileBytes.write(
      Array("[trips]\nstore = default.store\nprune.keep-last = 100\ncompact = yes\n".utf8),
      to: folder.file("maintain.conf"))
    let plist = try await Tool.histctl.run(
      ["token", "show", folder.file("Trips.store"), "last", "--as", "plist"])
    try FileBytes.write(plist.output, to: folder.file("token.plist"))
    return try UnchangedStoreTests.files(folder)
  }

  /// A folder with the stores and tokens that the examples name.
  private static func folder() async throws -> TemporaryFolder {
    let folder = try TemporaryFolder()
    for (name, bytes) in try await files.value { try FileBytes.write(bytes, to: folder.file(name)) }
    return folder
  }

  /// Adds an archive of the history that the examples have.
  private static func addArchive(to folder: TemporaryFolder) async throws {
    let result = try await Tool.histctl.run(
      ["archive", "default.store", "history-archive", "--quiet"], folder: folder.path)
    try #require(result.status == 0, "\(result.errors)")
  }

  @Test func `every page of a command has examples`() {
    #expect(Set(Self.examples.map(\.page)).isSuperset(of: Manual.commandPageNames))
  }

  @Test(arguments: examples)
  func `an example ends as its page says`(_ example: Example) async throws {
    let folder = try await Self.folder()
    if example.line.contains("history-archive") { try await Self.addArchive(to: folder) }
    let bash = try #require(Tool("bash"))
    let result = try await bash.run(
      ["--norc", "-e", "-o", "pipefail", "-c", example.line],
      environment: ["PATH": Manual.searchPath, "TERM": "dumb", "HOME": folder.path],
      folder: folder.path)
    #expect(result.status == example.status, "\(result.errors)")
  }

  @Test(arguments: [
    ("histctl log default.store --object Trip/p9 --only-matching --changes --reverse", "Trip/p9"),
    ("histctl log default.store --entity Trip --kind delete", "Trip"),
    ("histctl show default.store 4 --json | jq '.changes[].entity'", "\"Trip\""),
    ("histctl log default.store --after @widget --json | jq -r .author | sort -u", "app"),
    ("histctl log default.store --after 2024-07-29 --until 2024-07-30", "12"),
    ("histctl diff default.store 9 --entity Trip --kind delete", "name: \"Rome 12\""),
    ("histctl object default.store Trip/p9", "deleted in transaction 12"),
    (
      #"histctl diff default.store "2024-07-29 00:42" "2024-07-29 00:52" --stat"#, "Trip  "
    ),
  ])
  func `examples that promise an answer print it`(_ line: String, _ words: String) async throws {
    // Long lines are broken in the pages.
    let lines = Self.examples.map { $0.line.replacing(#/ ?\\?\n +/#, with: " ") }
    #expect(lines.contains(line), "no page has this example any more")
    let folder = try await Self.folder()
    let bash = try #require(Tool("bash"))
    let result = try await bash.run(
      ["--norc", "-c", line], environment: ["PATH": Manual.searchPath], folder: folder.path)
    #expect(result.text.contains(words))
  }
}
