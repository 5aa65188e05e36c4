import DurableFiles
import Foundation
import StoreFormat
import SystemPackage
import TestSupport
import Testing

@testable import PersistentHistory

@Suite(.bounded) struct BookmarkFileTests {
  private static let store = StoreWriter.identifier

  private static func write(_ content: String, beside folder: TemporaryFolder) throws {
    try FileBytes.write(
      Array(content.utf8), to: folder.file("trips.store-bookmarks.json"))
  }

  private static func entry(_ name: String, _ tokens: String, _ time: String? = nil) -> String {
    #"{"name":"\#(name)","token":{"storeTokens":{\#(tokens)}}"#
      + (time.map { #","timestampRaw":\#($0)"# } ?? "") + "}"
  }

  @Test
  func `a file of bookmarks never grows beyond what can be read`() throws {
    let folder = try TemporaryFolder()
    let path = folder.file("trips.store-bookmarks.json")
    func bookmark(_ number: Int) -> Bookmark {
      Bookmark(
        name: "run-\(100_000 + number)",
        token: HistoryToken(storeIdentifier: Self.store, transaction: 5), timestamp: nil)
    }
    func length(_ count: Int) throws -> Int {
      try BookmarkFile.encode((0..<count).map(bookmark)).count
    }
    let each = try length(3) - length(2)
    let count = try (SmallFile.limit - length(1)) / each
    let bytes = try BookmarkFile.encode((0..<count).map(bookmark))
    try FileBytes.write(bytes, to: path)
    var isFull = false
    for number in count..<count + 3 where !isFull {
      let before = try FileBytes.read(path)
      do {
        try BookmarkFile.set(bookmark(number), in: path)
      } catch {
        isFull = true
        #expect(error as? HistoryError == HistoryError.fullBookmarks(path: path))
        #expect(try FileBytes.read(path) == before)
      }
    }
    #expect(isFull)
    #expect(try BookmarkFile(path: path).bookmarks.count >= count)
    // There is a way out, and one that moves needs no more room.
    try BookmarkFile.set(bookmark(0), in: path)
    try BookmarkFile.remove([bookmark(1).name], from: path)
    try BookmarkFile.set(bookmark(count + 3), in: path)
  }

  @Test
  func `a hold on absent bookmarks locks their folder under each of its names`() throws {
    let folder = try TemporaryFolder()
    try FileManager.default.createDirectory(
      atPath: folder.file("there"), withIntermediateDirectories: false)
    try FileManager.default.createSymbolicLink(
      atPath: folder.file("link"), withDestinationPath: "there")
    let hold = BookmarkHold(path: folder.file("link/trips.store-bookmarks.json"))
    try hold.take {}
    for name in ["link", "there"] {
      #expect(throws: Errno.resourceTemporarilyUnavailable) {
        try FolderLock.take(folder.file(name), timeout: 0)
      }
    }
    hold.release()
    try BookmarkFile.set(
      Bookmark(
        name: "a", token: HistoryToken(storeIdentifier: Self.store, transaction: 5), timestamp: nil),
      in: folder.file("link/trips.store-bookmarks.json"))
    #expect(try FolderNames.list(folder.file("there")) == ["trips.store-bookmarks.json"])
  }

  @Test(.enabled(if: geteuid() == 0, "only an administrator can give files away"))
  func
    `an administrator leaves the file to its owner, and a new file to that of the folder`()
    throws
  {
    let folder = try TemporaryFolder()
    let path = folder.file("trips.store-bookmarks.json")
    func owner() throws -> [Int?] {
      let found = try FileManager.default.attributesOfItem(atPath: path)
      return [.ownerAccountID, .groupOwnerAccountID, .posixPermissions].map { found[$0] as? Int }
    }
    let bookmark = Bookmark(
      name: "a", token: HistoryToken(storeIdentifier: Self.store, transaction: 5), timestamp: nil)
    try FileManager.default.setAttributes(
      [.ownerAccountID: 12_345, .groupOwnerAccountID: 12_346], ofItemAtPath: folder.path)
    try BookmarkFile.set(bookmark, in: path)
    #expect(try owner() == [12_345, 12_346, 0o600])
    try FileManager.default.setAttributes(
      [.ownerAccountID: 23_456, .groupOwnerAccountID: 23_457], ofItemAtPath: path)
    try BookmarkFile.set(bookmark, in: path)
    #expect(try owner() == [23_456, 23_457, 0o600])
    try BookmarkFile.remove(["a"], from: path)
    #expect(try owner() == [23_456, 23_457, 0o600])
  }

  @Test
  func `a bookmark's token has the state of its transaction and of the time it remembers`() throws {
    let folder = try TemporaryFolder()
    // Transaction 7 of the sample was saved at 743,906,920.
    let writer = try StoreWriter(path: folder.file("trips.store"))
    try SampleStore.fill(writer)
    try writer.sql("DELETE FROM ATRANSACTION WHERE Z_PK = 3")
    try writer.sql("UPDATE ATRANSACTION SET ZTIMESTAMP = 743906557.824189 WHERE Z_PK = 8")
    try writer.sql("UPDATE ATRANSACTION SET ZTIMESTAMP = NULL WHERE Z_PK = 9")
    try writer.close()
    let here = { (number: Int) in #""\#(Self.store)":\#(number)"# }
    try Self.write(
      """
      {"schema": 1, "bookmarks": [
        \(Self.entry("same", here(7), "743906920")), \(Self.entry("exact", here(8), "743906557.824189")),
        \(Self.entry("near", here(8), "743906557.8241891")), \(Self.entry("moved", here(7), "743906920.5")),
        \(Self.entry("timeless", here(7))), \(Self.entry("gone", here(3), "743906680")),
        \(Self.entry("ahead", here(13), "1")), \(Self.entry("start", here(0))),
        \(Self.entry("lost", here(9), "1.5")), \(Self.entry("unknown", here(9), "null")),
        \(Self.entry("foreign", #""\#(UInt8.max)":7"#, "5")),
        \(Self.entry("both", #""X":1,"# + here(7).lowercased()))
      ], "later": {}}
      """, beside: folder)
    let moved = StoreTimestamp(secondsSinceReferenceDate: 743_906_920.5)
    let found = StoreTimestamp(secondsSinceReferenceDate: 743_906_920)
    let lost = StoreTimestamp(secondsSinceReferenceDate: 1.5)
    let expected: [(String, TokenState)] = [
      ("same", .valid), ("exact", .valid), ("moved", .diverged(remembered: moved, found: found)),
      ("timeless", .valid), ("gone", .expired), ("ahead", .ahead(highestIssued: 12)),
      ("start", .valid), ("lost", .diverged(remembered: lost, found: nil)), ("unknown", .valid),
      ("foreign", .foreign(identifiers: ["255"])), ("both", .valid),
    ]
    try StoreFile(path: folder.file("trips.store")).read { snapshot in
      let resolver = TokenResolver(snapshot: snapshot)
      for (name, state) in expected {
        #expect(try resolver.resolve("@" + name).state == state, "\(name)")
      }
      let near = try resolver.resolve("@near")
      #expect(near.state.name == "diverged" && near.number == 8)
      let error = #expect(throws: HistoryError.self) { try resolver.resolveUsable("@moved") }
      let message = try #require(error).message
      #expect(message.contains("token @moved comes from another copy of"))
      #expect(message.contains("the oldest token that works is 1, of 2024-07-29T00:42:40Z"))
      #expect(try #require(error).remedy.hasSuffix("from transaction 1 on"))
      #expect(
        throws: HistoryError.unknownBookmark(
          name: "nobody", path: folder.file("trips.store-bookmarks.json"),
          known: [
            "ahead", "both", "exact", "foreign", "gone", "lost", "moved", "near", "same", "start",
            "timeless", "unknown",
          ])
      ) { try resolver.resolve("@nobody") }
    }
  }

  @Test
  func `an emptied file is not taken for one without bookmarks`() throws {
    let folder = try TemporaryFolder()
    try Self.write("", beside: folder)
    let error = #expect(throws: HistoryError.self) {
      try BookmarkFile(path: folder.file("trips.store-bookmarks.json"))
    }
    #expect(try #require(error).message.contains("it is empty"))
  }

  @Test
  func `a store without a file has no bookmarks`() throws {
    let folder = try TemporaryFolder()
    let path = folder.file("none.json")
    #expect(try BookmarkFile(path: path).bookmarks.isEmpty)
    let error = #expect(throws: HistoryError.self) {
      try BookmarkFile(path: path).bookmark(named: "x")
    }
    #expect(error?.message == "no bookmark named 'x' in \(path)")
    #expect(error?.remedy == "there are none; set it where its consumer stands")
  }

  @Test
  func `bookmarks can be kept in another file`() throws {
    let folder = try TemporaryFolder()
    try SampleStore.write(to: folder.file("trips.store"))
    try FileBytes.write(
      Array(
        #"{"schema":1,"bookmarks":[\#(Self.entry("x", #""\#(Self.store)":7"#))]}"#.utf8),
      to: folder.file("mine.json"))
    try StoreFile(path: folder.file("trips.store")).read { snapshot in
      let resolver = TokenResolver(snapshot: snapshot, bookmarkPath: folder.file("mine.json"))
      let token = try resolver.resolve("@x")
      #expect(token.number == 7)
    }
  }

  @Test(
    arguments: [
      (#"{"schema":2,"bookmarks":[]}"#, "its schema is 2, expected 1"),
      (#"{"schema":2,"bookmarks":{"widget":5}}"#, "its schema is 2, expected 1"),
      (#"{"schema":0}"#, "its schema is 0, expected 1"),
      (" ", "it is not the JSON of bookmarks"), ("[]", "it is not the JSON of bookmarks"),
      (#"{"bookmarks":[]}"#, "it is not the JSON of bookmarks"),
      (#"{"schema":1}"#, "it is not the JSON of bookmarks"),
      (#"{"schema":"1","bookmarks":[]}"#, "it is not the JSON of bookmarks"),
      (#"{"schema":1,"bookmarks":[{"name":"x"}]}"#, "it is not the JSON of bookmarks"),
      (#"{"schema":1,"bookmarks":[]"#, "it is not the JSON of bookmarks"),
      (
        #"{"schema":1,"bookmarks":[{"name":"x","token":{"storeTokens":{"A":-1}}}]}"#,
        "it is not the JSON of bookmarks"
      ),
      (
        #"{"schema":1,"bookmarks":[\#(entry("x", #""A":1"#)),\#(entry("x", #""A":2"#))]}"#,
        "it has two bookmarks named 'x'"
      ),
      (
        #"{"schema":1,"bookmarks":[\#(entry("../x", #""A":1"#))]}"#,
        "it has a bookmark named '../x', which cannot be a name"
      ),
      (
        String(repeating: " ", count: 1 << 20) + #"{"schema":1,"bookmarks":[]}"#,
        "it is larger than 1 MiB"
      ),
    ])
  func `a malformed file is refused`(content: String, reason: String) throws {
    let folder = try TemporaryFolder()
    try Self.write(content, beside: folder)
    let path = folder.file("trips.store-bookmarks.json")
    #expect(throws: HistoryError.unreadableBookmarks(path: path, reason: reason)) {
      try BookmarkFile(path: path)
    }
  }

  @Test(arguments: [
    ("a", true), ("A.b_c-9", true), ("_", true), ("9-", true), ("-", false), ("-a", false),
    (".", false), ("..a", false), ("", false), ("a b", false), ("a/b", false),
    ("é", false), ("[", false), ("{", false), ("@", false), ("`", false), ("a\n", false),
  ])
  func `a bookmark name has only ASCII letters, digits, dots, dashes and underscores`(
    text: String, isName: Bool
  ) {
    #expect(Bookmark.isName(text) == isName)
  }

  @Test
  func `pipes and other special files are not waited for`() throws {
    let folder = try TemporaryFolder()
    let path = folder.file("trips.store-bookmarks.json")
    #expect(mkfifo(path, 0o600) == 0)
    #expect(throws: HistoryError.unreadableBookmarks(path: path, reason: "it is not a file")) {
      try BookmarkFile(path: path)
    }
  }
}
