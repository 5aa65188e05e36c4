import Foundation
import StoreFormat
import TestSupport
import Testing

/// What is wrong with a file or a command line, and the status and words that tell of it.
@Suite(.bounded) struct ExitStatusTests {
  /// One thing that is wrong.
  struct Case: Sendable, CustomTestStringConvertible {
    let testDescription: String
    /// Puts the file `x.store` into a folder that has `sample.store`.
    let prepare: @Sendable (SampleFolder) throws -> Void
    let line: String
    let status: Int
    let kind: String
    /// What the words must say: the thing, the expectation, the remedy.
    let words: [String]

    /// What is wrong with `x.store` itself.
    init(
      _ name: String, _ status: Int, _ kind: String, _ words: [String],
      prepare: @escaping @Sendable (SampleFolder) throws -> Void = { _ in }
    ) {
      self.init(name, "log x.store", status, kind, words, prepare: prepare)
    }

    init(
      _ name: String, _ line: String, _ status: Int, _ kind: String,
      _ words: [String], prepare: @escaping @Sendable (SampleFolder) throws -> Void = { _ in }
    ) {
      testDescription = name
      self.line = line
      self.status = status
      self.kind = kind
      self.words = words
      self.prepare = prepare
    }
  }

  static func write(_ bytes: [UInt8]) -> @Sendable (SampleFolder) throws -> Void {
    { try FileBytes.write(bytes, to: $0.folder.file("x.store")) }
  }

  /// The sample store with some bytes replaced.
  static func patch(_ offset: Int, _ bytes: [UInt8]) -> @Sendable (SampleFolder) throws -> Void {
    {
      var content = try FileBytes.read($0.store)
      content.replaceSubrange(offset..<offset + bytes.count, with: bytes)
      try FileBytes.write(content, to: $0.folder.file("x.store"))
    }
  }

  static let files: [Case] = [
    Case("missing file", 9, "missing", ["no file at x.store", "check the path"]),
    Case("missing folder", "log none/x.store", 9, "missing", ["none/x.store", "check the path"]),
    Case("file taken for a folder", "log sample.store/x", 9, "missing", ["sample.store/x"]),
    Case("directory", 8, "notAStore", ["x.store is not a", "it is a directory", "store file"]) {
      try FileManager.default.createDirectory(
        atPath: $0.folder.file("x.store"), withIntermediateDirectories: false)
    },
    Case("pipe", 8, "notAStore", ["x.store is not a", "it is a pipe", "with -"]) {
      mkfifo($0.folder.file("x.store"), 0o600)
    },
    Case(
      "log of a store", "log sample.store-wal", 8, "notAStore",
      ["it is the -wal file of sample.store", "give sample.store,"]
    ) { try FileBytes.write(Array(repeating: 7, count: 4096), to: $0.store + "-wal") },
    Case("device", "log /dev/null", 8, "notAStore", ["/dev/null is not a", "device"]),
    Case(
      "empty file", 8, "notAStore", ["x.store is not a", "the file is empty", "store file itself"],
      prepare: write([])),
    Case(
      "text", 8, "notAStore", ["x.store is not a", "SQLite", "give the store file itself"],
      prepare: write(Array("hello\n".utf8))),
    Case(
      "encrypted bytes", 8, "notAStore", ["x.store is not a", "encrypted", "decrypted first"]
    ) {
      var random = SeededGenerator(seed: 7)
      try FileBytes.write(
        (0..<8192).map { _ in .random(in: 0...255, using: &random) },
        to: $0.folder.file("x.store"))
    },
    Case(
      "magic text alone", 8, "notAStore", ["x.store"],
      prepare: write(Array("SQLite format 3\0".utf8))),
    Case("first page alone", 5, "damaged", ["x.store is damaged", "from a backup"]) {
      try FileBytes.write(
        Array(try FileBytes.read($0.store).prefix(4096)), to: $0.folder.file("x.store"))
    },
    Case("half a store", 5, "damaged", ["x.store is damaged", "-wal"]) {
      let bytes = try FileBytes.read($0.store)
      try FileBytes.write(Array(bytes.prefix(bytes.count / 2)), to: $0.folder.file("x.store"))
    },
    Case("flipped magic text", 8, "notAStore", ["x.store"], prepare: patch(3, [0xFF])),
    Case("page size of 3", 5, "damaged", ["x.store is damaged"], prepare: patch(16, [0, 3])),
    Case("unknown file version", 5, "damaged", ["x.store"], prepare: patch(18, [9, 9])),
    Case(
      "schema in an unknown format", 5, "damaged", ["x.store is damaged"],
      prepare: patch(44, [0, 0, 0, 99])),
    Case(
      "garbage for a first page", 5, "damaged", ["x.store is damaged"],
      prepare: patch(100, Array(repeating: 0xA5, count: 3996))),
  ]

  static let commandLines: [Case] = [
    Case("unknown option", "log sample.store --bogus", 64, "usage", ["--bogus", "usage:"]),
    Case("missing store", "log", 64, "usage", ["<store>", "usage: histctl log"]),
    Case("missing token", "show sample.store", 64, "usage", ["<token>", "usage: histctl show"]),
    Case("no tokens", "token check sample.store", 64, "usage", ["<token>", "usage:"]),
    Case("one argument too many", "compact sample.store x", 64, "usage", ["'x'", "usage:"]),
    Case("diff without a token", "diff sample.store", 64, "usage", ["<token>", "usage:"]),
    Case(
      "two answers of diff", "diff sample.store 1 --each --stat", 64, "usage",
      ["--each, --stat and --name-only", "usage: histctl diff"]),
    Case(
      "an unknown entity of diff", "diff sample.store 1 --entity Tripp", 64, "unknownEntity",
      ["did you mean Trip?"]),
    Case("diff of a missing file", "diff x.store 1", 9, "missing", ["no file at x.store"]),
    Case(
      "unknown kind", "log sample.store --kind move", 64, "usage",
      ["'move'", "insert, update, delete"]),
    Case("unknown date style", "log sample.store --date x", 64, "usage", ["'x'", "relative"]),
    Case("unknown colour", "log sample.store --color x", 64, "usage", ["'x'", "always"]),
    Case("unknown form", "token show sample.store 1 --as x", 64, "usage", ["'x'", "plist"]),
    Case("count in letters", "log sample.store -n x", 64, "usage", ["'x'", "-n <count>"]),
    Case("negative count", "log sample.store -n=-1", 64, "usage", ["-n", "usage:"]),
    Case("huge count", "log sample.store -n 99999999999999999999", 64, "usage", ["-n <count>"]),
    Case(
      "waiting for ever", "log sample.store --busy-timeout inf", 64, "usage",
      ["--busy-timeout", "0 to 86400"]),
    Case(
      "unknown entity", "log sample.store --entity Tripp", 64, "unknownEntity",
      ["'Tripp'", "did you mean Trip?"]),
    Case(
      "entity without a near name", "log sample.store --entity Zebra", 64, "unknownEntity",
      ["'Zebra'", "info"]),
    Case(
      "unknown attribute", "log sample.store --attribute startDat", 64, "unknownAttribute",
      ["'startDat'", "did you mean startDate?"]),
    Case(
      "attribute of another entity", "log sample.store --entity Tag --attribute isDone", 64,
      "unknownAttribute", ["'isDone'"]),
    Case(
      "object without a key", "log sample.store --object Trip", 64, "malformedObject",
      ["'Trip'", "write Trip/p12"]),
    Case(
      "object of an unknown entity", "log sample.store --object Tripp/p1", 64, "unknownEntity",
      ["'Tripp'", "did you mean Trip?"]),
    Case(
      "object of another store",
      "log sample.store --object x-coredata://00000000-8F4B-4E3A-9C61-0A5B7C9D2E3F/Trip/p1", 64,
      "objectOfOtherStore", ["another store", SampleFolder.identifier]),
    Case(
      "store without history", 8, "withoutHistory",
      ["x.store keeps no history", "NSPersistentHistoryTrackingKey"]
    ) {
      var shape = StoreWriter.Shape()
      shape.hasHistory = false
      try StoreWriter(path: $0.folder.file("x.store"), shape: shape).close()
    },
    Case(
      "bookmarks that are none", "log sample.store --after @a --bookmark-file x.store", 9,
      "unreadableBookmarks", ["x.store", "not the JSON of bookmarks", "--bookmark-file"],
      prepare: write(Array("hello".utf8))),
    Case(
      "unknown bookmark", "log sample.store --after @nobody", 64, "unknownBookmark",
      ["'nobody'", "sample.store-bookmarks.json"]),
    Case(
      "missing token file", "log sample.store --after @./none", 9, "unreadableToken",
      ["./none", "no such file", "NSPersistentHistoryToken"]),
    Case(
      "token file without a token", "log sample.store --after @./x.store", 9, "unreadableToken",
      ["./x.store", "more than one line"], prepare: write(Array("a\nb\n".utf8))),
  ]

  static let tokens: [Case] = [
    "abc", "99999999999999999999", "last~", "last~x", "first-3", "first~-1", "@", "5:5",
    "1D070E6D-8F4B-4E3A-9C61-0A5B7C9D2E3F:", "1D070E6D:5", ":5", "2026-13-01", "2026-02-30",
    "2026-11-01T25:00", "5x", "2w3", "1e400d", "--", "+", "0x10", "last~1~1", "1,2", "nan",
    "9999999999999999999y", "@a\u{7}b", "x-coredata://a/b/p1",
  ].map { token in
    Case("token \(token)", "log sample.store --after=" + token, 64, "malformedToken", ["'"])
  }

  @Test(arguments: files + commandLines + tokens) func `each error has its status and kind as JSON`(
    _ problem: Case
  ) async throws {
    let sample = try SampleFolder()
    try problem.prepare(sample)
    let result = try await sample.run(problem.line + " --json")
    #expect(result.status == problem.status, "\(result.errors)")
    #expect(result.text == "")
    #expect(result.errors.last == "\n" && result.errors.split(separator: "\n").count == 1)
    let object = try #require(
      try JSONSerialization.jsonObject(with: Data(result.errors.utf8)) as? [String: Any])
    #expect(object["type"] as? String == "error")
    #expect(object["kind"] as? String == problem.kind)
    #expect(object["code"] as? Int == problem.status)
    // What is wrong, and what to do about it.
    let message = try #require(object["message"] as? String)
    let hint = try #require(object["hint"] as? String)
    #expect(message != "" && hint != "")
    for word in problem.words { #expect("\(message)\n\(hint)".contains(word), "\(result.errors)") }
  }

  /// People get the same words, in two lines.
  @Test(
    arguments: (files + commandLines + tokens).enumerated().filter { $0.offset % 8 == 0 }
      .map(\.element)) func `each error has its status and a message as text`(
      _ problem: Case
    ) async throws
  {
    let sample = try SampleFolder()
    try problem.prepare(sample)
    let person = try await sample.run(problem.line)
    #expect(person.status == problem.status, "\(person.errors)")
    #expect(person.text == "")
    let program = try await sample.run(problem.line + " --json")
    let object = try #require(
      try JSONSerialization.jsonObject(with: Data(program.errors.utf8)) as? [String: Any])
    let message = try #require(object["message"] as? String)
    let hint = try #require(object["hint"] as? String)
    #expect(
      person.errors
        == "histctl: \(message)\nhint: \(hint)\n".replacing("\u{7}", with: #"\u{7}"#))
  }

  @Test(arguments: ["", " ", "\u{202E}", String(repeating: "9", count: 100_000)])
  func `malformed tokens are refused`(_ token: String) async throws {
    let result = try await SampleFolder().run(["log", "sample.store", "--after", token])
    #expect(result.status == 64)
    #expect(result.text == "")
    #expect(result.errors.contains("is not a token"))
  }

  @Test(.enabled(if: Tool("sqlite3") != nil))
  func `other databases are refused`() async throws {
    let folder = try TemporaryFolder()
    let sqlite = try #require(Tool("sqlite3"))
    _ = try await sqlite.run([
      folder.file("other.db"), "CREATE TABLE x (y); INSERT INTO x VALUES (1)",
    ])
    let result = try await Tool.histctl.run(["log", "other.db"], folder: folder.path)
    #expect(result.status == 8)
    #expect(result.errors.contains("other.db is not a Core Data or SwiftData store"))
    #expect(result.errors.contains("without the tables of Core Data"))
  }
}
