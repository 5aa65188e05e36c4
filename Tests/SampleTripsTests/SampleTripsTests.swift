import Foundation
import TestSupport
import Testing

/// The app and its widget share a store, and the app finds out what the widget has done.
@Suite(.bounded) struct SampleTripsTests {
  private static let app = Tool.built("sampletrips")
  private static let widget = Tool.built("sampletrips-widget")

  /// A folder in which the app has made two trips and read everything.
  private static func folder() async throws -> TemporaryFolder {
    let folder = try TemporaryFolder()
    for arguments in [
      ["add", "Rome", "--destination", "Italy", "--from", "2026-12-01", "--stay", "Casa"],
      ["add", "Oslo", "--from", "2026-12-24", "--days", "3", "--plan", "Ski", "--plan", "Eat"],
      ["read"],
    ] {
      let result = try await app.run(arguments, folder: folder.path)
      try #require(result.status == 0, "\(result.errors)")
    }
    return folder
  }

  private static func list(_ folder: TemporaryFolder) async throws -> Tool.Result {
    try await app.run([], folder: folder.path)
  }

  @Test func `the app reads the widget's changes once`() async throws {
    let folder = try await Self.folder()
    #expect(
      try await Self.list(folder).text == """
           TRIP  DESTINATION  STARTS      STAY  PLANS
           Rome  Italy        2026-12-01  Casa
           Oslo  Oslo         2026-12-24  -     Eat, Ski

        """)
    let confirmed = try await Self.widget.run(["--confirm", "Rome"], folder: folder.path)
    #expect(confirmed.text == "Casa is confirmed\n")
    // Looking does not make it read.
    for _ in 1...2 {
      let list = try await Self.list(folder)
      #expect(list.lines.contains("●  Rome  Italy        2026-12-01  Casa (confirmed)"))
      #expect(list.lines.last == "● 1 unread")
    }
    // What the app does itself is not news to it.
    let edited = try await Self.app.run(
      ["edit", "Oslo", "--name", "Bergen", "--stay", "Hytte"], folder: folder.path)
    #expect(edited.status == 0, "\(edited.errors)")
    #expect(try await Self.list(folder).lines.last == "● 1 unread")
    #expect(try await Self.app.run(["read"], folder: folder.path).status == 0)
    #expect(try await !Self.list(folder).text.contains("●"))

    let query = try StoreQuery(path: folder.file("Trips.store"))
    #expect(
      try query.lines(
        """
        SELECT s.ZNAME, count(*) FROM ATRANSACTION t
        JOIN ATRANSACTIONSTRING s ON s.Z_PK = t.ZAUTHORTS GROUP BY 1 ORDER BY 1
        """) == ["app|3", "widget|1"])
    let token = try String(contentsOfFile: folder.file("Trips.store-token.json"), encoding: .utf8)
    let identifier = try query.lines("SELECT Z_UUID FROM Z_METADATA")[0]
    #expect(token == #"{"storeTokens":{"\#(identifier)":4}}"#)
  }

  @Test func `models that an edit replaces are deleted`() async throws {
    let folder = try await Self.folder()
    let edited = try await Self.app.run(["edit", "Rome", "--stay", "Hotel"], folder: folder.path)
    #expect(edited.status == 0, "\(edited.errors)")
    #expect(try await Self.app.run(["delete", "Oslo"], folder: folder.path).status == 0)
    let query = try StoreQuery(path: folder.file("Trips.store"))
    #expect(try query.lines("SELECT ZPLACENAME FROM ZLIVINGACCOMMODATION") == ["Hotel"])
    #expect(try query.lines("SELECT count(*) FROM ZBUCKETLISTITEM") == ["0"])
  }

  @Test(arguments: ["expired", "broken"])
  func `a token that does not work is discarded`(_ kind: String) async throws {
    let folder = try await Self.folder()
    #expect(try await Self.widget.run(["--confirm", "Rome"], folder: folder.path).status == 0)
    if kind == "expired" {
      let pruned = try await Tool.histctl.run(
        ["prune", folder.file("Trips.store"), "--keep-last", "1", "--yes"])
      #expect(pruned.status == 0, "\(pruned.errors)")
    } else {
      try "{".write(
        toFile: folder.file("Trips.store-token.json"), atomically: true, encoding: .utf8)
    }
    let list = try await Self.list(folder)
    #expect(list.status == 0)
    #expect(list.errors.contains("so all that the widget has done counts as new"))
    #expect(list.lines.last == "● 1 unread")
    #expect(try await Self.app.run(["read"], folder: folder.path).status == 0)
    let again = try await Self.list(folder)
    #expect(again.errors == "" && !again.text.contains("●"))
  }

  @Test func `each mistake has a message`() async throws {
    let folder = try await Self.folder()
    for (tool, arguments, words) in [
      (Self.app, ["add", "Rome"], "there is a trip Rome already"),
      (Self.app, ["edit", "Nome"], "there is no trip Nome, but there are Rome, Oslo"),
      (Self.app, ["edit", "Rome", "--from", "soon"], "'soon' is not a date"),
      (Self.app, ["add", "Bonn", "--days", "0"], "--days 0 is not a number from 1 to 3650"),
      (Self.widget, ["--confirm", "Oslo"], "Oslo has no place to stay"),
    ] {
      let result = try await tool.run(arguments, folder: folder.path)
      #expect(result.status != 0)
      #expect(result.errors.contains(words), "\(result.errors)")
    }
    #expect(
      try StoreQuery(path: folder.file("Trips.store"))
        .lines("SELECT count(*) FROM ATRANSACTION") == ["2"])
  }

  @Test func `control characters in names are escaped`() async throws {
    let folder = try TemporaryFolder()
    let name = "\u{1B}[31mRed\u{202E}"
    #expect(try await Self.app.run(["add", name], folder: folder.path).status == 0)
    let list = try await Self.list(folder)
    #expect(list.text.contains("\u{FFFD}[31mRed\u{FFFD}"))
    #expect(!list.text.unicodeScalars.contains("\u{1B}"))
  }
}
