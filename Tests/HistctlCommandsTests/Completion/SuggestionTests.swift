import Foundation
import TestSupport
import Testing

/// Completions have the values of a store, safe to show and to type, and no words on failure.
@Suite(.bounded) struct SuggestionTests {
  /// Asks for values as the completion scripts do.
  private static func ask(
    _ kind: String, _ path: String, _ more: [String] = []
  ) async throws -> Tool.Result {
    let (command, argument) =
      switch kind {
      case "bookmark": (["bookmark", "remove"], "positional@1")
      case "token": (["log"], "--after")
      default: (["log"], "--" + kind)
      }
    let words = ["histctl"] + command + [path] + more + [""]
    return try await InProcess.run(
      ["---completion"] + command + ["--", argument, "\(words.count - 1)", "0"] + words)
  }

  @Test(arguments: [
    ("author", ["app", "widget"]), ("bundle", ["com.example.Trips"]), ("process", ["Trips"]),
    ("entity", ["Accommodation", "BucketListItem", "LivingAccommodation", "Tag", "Trip"]),
    (
      "attribute",
      [
        "address", "cost", "identifier", "isConfirmed", "isDone", "isFavorite", "items", "label",
        "name", "place", "placeName", "score", "startDate", "stay", "tags", "title", "token",
        "trip", "trips",
      ]
    ),
    ("bookmark", ["sync\tbookmark at 4"]),
  ])
  func `a store's values are listed`(_ kind: String, _ values: [String]) async throws {
    for hasPlainStrings in [false, true] {
      let folder = try TemporaryFolder()
      var shape = StoreWriter.Shape()
      shape.hasPlainStrings = hasPlainStrings
      let path = try SampleStore.write(to: folder.file("default.store"), shape: shape)
      try FileBytes.write(
        Array(
          #"{"schema":1,"bookmarks":[{"name":"sync","token":{"storeTokens":{"A":4}}}]}"#.utf8),
        to: path + "-bookmarks.json")
      let result = try await Self.ask(kind, path)
      #expect(result.lines == values)
      #expect(result.status == 0)
    }
  }

  @Test func `tokens are bookmarks, words and numbers, the newest first`() async throws {
    let folder = try TemporaryFolder()
    let path = try SampleStore.write(to: folder.file("default.store"))
    let bookmarks = folder.file("elsewhere.json")
    try FileBytes.write(
      Array(#"{"schema":1,"bookmarks":[{"name":"sync","token":{"storeTokens":{"A":4}}}]}"#.utf8),
      to: bookmarks)
    let lines = try await Self.ask("token", path, ["--bookmark-file", bookmarks]).lines
    #expect(
      lines.map { $0.prefix { $0 != "\t" } } == [
        "@sync", "first", "last", "today", "yesterday", "1d", "1w", "12", "11", "10", "9", "8", "7",
        "6", "5", "4", "3", "2", "1",
      ])
    // 743906500 + 12 * 60 seconds after the beginning of 2001; every fourth save is the app's.
    #expect(lines.contains("12\t2024-07-29 00:53:40 app"))
    #expect(lines.contains("11\t2024-07-29 00:52:40"))
  }

  @Test func `objects are those that changed last`() async throws {
    let folder = try TemporaryFolder()
    let path = try SampleStore.write(to: folder.file("default.store"))
    let lines = try await Self.ask("object", path).lines
    // The last three deletes, each of an object of every entity; all else is about the same ones.
    #expect(
      lines
        == [9, 5, 1].flatMap {
          ["Trip/p\($0)", "LivingAccommodation/p\($0)", "BucketListItem/p\($0)"]
        })
  }

  @Test func `values with control characters are left out, and others are as stored`() async throws
  {
    let folder = try TemporaryFolder()
    let path = try CompletionStore.write(in: folder)
    #expect(try await Self.ask("author", path).lines == CompletionStore.authors)
    for kind in ["author", "token", "object"] {
      let output = try await Self.ask(kind, path).output
      #expect(output.allSatisfy { $0 >= 0x20 || $0 == 0x09 || $0 == 0x0A })
      #expect(!String(decoding: output, as: UTF8.self).contains("\u{202E}"))
    }
  }

  @Test func `a list has 200 values at most`() async throws {
    let folder = try TemporaryFolder()
    let path = folder.file("default.store")
    let writer = try StoreWriter(path: path)
    try writer.sql(
      """
      WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 1000)
      INSERT INTO ATRANSACTIONSTRING SELECT i, 16003, NULL, 'author ' || i FROM n
      """)
    try writer.sql(
      """
      WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 1000)
      INSERT INTO ATRANSACTION (Z_PK, Z_ENT, ZTIMESTAMP, ZAUTHORTS) SELECT i, 16002, i, i FROM n
      """)
    try writer.close()
    #expect(try await Self.ask("author", path).lines.count == 200)
    let tokens = try await Self.ask("token", path).lines
    #expect(tokens.count == 206)
    #expect(tokens[6].hasPrefix("1000\t"))
    #expect(tokens.last?.hasPrefix("801\t") == true)
  }

  @Test(arguments: ["author", "token", "entity", "bookmark", "attribute"])
  func `every failure is silent and ends with 0`(_ kind: String) async throws {
    let folder = try TemporaryFolder()
    try FileBytes.write([], to: folder.file("empty"))
    try FileBytes.write(Array(repeating: 0x53, count: 5000), to: folder.file("noise"))
    let store = try SampleStore.write(to: folder.file("torn"))
    try FileBytes.write(Array(try FileBytes.read(store).prefix(9000)), to: store)
    for name in ["missing", "empty", "noise", "torn", "."] {
      let result = try await Self.ask(kind, folder.file(name))
      // The form of an empty list is that of the shell whose script another test writes at the same time.
      let isBlank = (result.text + result.errors).allSatisfy { $0.isWhitespace }
      #expect(isBlank, "\(name): \(result.text + result.errors)")
      #expect(result.status == 0, "\(name)")
    }
  }

  @Test func `a damaged file of bookmarks leaves the other tokens`() async throws {
    let folder = try TemporaryFolder()
    let path = try SampleStore.write(to: folder.file("default.store"))
    try FileBytes.write(Array("{".utf8), to: path + "-bookmarks.json")
    let tokens = try await Self.ask("token", path)
    #expect(tokens.lines.first?.hasPrefix("first\t") == true)
    #expect(tokens.errors == "")
    let bookmarks = try await Self.ask("bookmark", path)
    #expect(bookmarks.text + bookmarks.errors == "\n")
    #expect(bookmarks.status == 0)
  }

  @Test func `a locked store is not waited for`() async throws {
    let folder = try TemporaryFolder()
    var shape = StoreWriter.Shape()
    shape.usesWriteAheadLog = false
    let path = folder.file("default.store")
    let writer = try StoreWriter(path: path, shape: shape)
    try SampleStore.fill(writer)
    #expect(try await Self.ask("author", path).lines == ["app", "widget"])
    // In this mode the lock of a write is kept.
    try writer.sql("PRAGMA locking_mode = EXCLUSIVE")
    try writer.transaction(13, author: "server")
    let result = try await Self.ask("author", path)
    #expect(result.text + result.errors == "\n")
    #expect(result.status == 0)
    try writer.close()
    let unlocked = try await Self.ask("author", path)
    #expect(unlocked.lines == ["app", "server", "widget"], "\(unlocked)")
  }

  @Test func `a store is left unchanged`() async throws {
    let folder = try TemporaryFolder()
    var shape = StoreWriter.Shape()
    shape.keepsLog = true
    let path = try SampleStore.write(to: folder.file("default.store"), shape: shape)
    let before = try [path, path + "-wal"].map(FileBytes.read)
    for kind in [
      "attribute", "author", "bookmark", "bundle", "entity", "object", "process", "token",
    ] {
      let result = try await Self.ask(kind, path)
      #expect(result.errors == "")
      #expect(kind == "bookmark" || !result.lines.isEmpty, "\(kind)")
    }
    #expect(try [path, path + "-wal"].map(FileBytes.read) == before)
  }
}
