import Foundation
import TestSupport
import Testing

/// What `info` says of a store, for people and for programs.
@Suite(.bounded) struct InfoTests {
  @Test func `info is a page`() async throws {
    let result = try await SampleFolder().run("info sample.store --date raw")
    // How large SQLite's pages make the store is SQLite's business.
    let text = result.text.replacing(#/\d+\.\d KiB/#, with: "N KiB")
    #expect(
      text == """
        store       sample.store
        identifier  1D070E6D-8F4B-4E3A-9C61-0A5B7C9D2E3F
        written by  SwiftData (framework 1345, macOS 14.4 / iOS 17.4)
        size        N KiB
        entities    5
        history     12 transactions, 27 changes, N KiB
        oldest      1  743906560.0
        newest      12  743907220.0

        ENTITY               INSERTS  UPDATES  DELETES
        BucketListItem             3        3        3
        LivingAccommodation        3        3        3
        Trip                       3        3        3

        AUTHOR  TRANSACTIONS
        app                6
        widget             3
        (none)             3

        BUNDLE             TRANSACTIONS
        com.example.Trips            12

        PROCESS  TRANSACTIONS
        Trips              12

        """)
    #expect(result.errors == "")
    #expect(result.status == 0)
  }

  @Test func `the JSON has the same facts as the page`() async throws {
    let sample = try SampleFolder()
    let result = try await sample.run("info sample.store --json")
    #expect(result.lines.count == 1)
    let object = try #require(
      try JSONSerialization.jsonObject(with: Data(result.output)) as? [String: Any])
    #expect(object["type"] as? String == "info")
    #expect(object["path"] as? String == "sample.store")
    #expect(object["store"] as? String == SampleFolder.identifier)
    #expect(object["origin"] as? String == "SwiftData")
    #expect(object["frameworkVersion"] as? Int == 1345)
    #expect(object["storeBytes"] as? Int == (try FileBytes.read(sample.store)).count)
    #expect(object["transactions"] as? Int == 12)
    #expect(object["changes"] as? Int == 27)
    #expect(object["highestIssued"] as? Int == 12)
    #expect(object["mirrored"] as? Bool == false)
    #expect(object["hasHistory"] as? Bool == true)
    #expect(
      object["modelEntities"] as? [String] == [
        "Accommodation", "LivingAccommodation", "BucketListItem", "Tag", "Trip",
      ])
    let oldest = object["oldest"] as? [String: Any]
    #expect(oldest?["transaction"] as? Int == 1)
    #expect(oldest?["timestamp"] as? String == "2024-07-29T00:42:40.000000Z")
  }

  @Test(.enabled(if: Tool("jq") != nil)) func `jq reads the JSON`() async throws {
    let info = try await SampleFolder().run("info sample.store --json")
    let jq = try #require(Tool("jq"))
    let read = try await jq.run(
      ["-c", "[.transactions, [.authors[] | [.author, .transactions]], .notices]"],
      input: info.text)
    #expect(read.text == "[12,[[\"app\",6],[\"widget\",3],[null,3]],[]]\n")
  }

  struct Notice: Sendable, CustomTestStringConvertible {
    let kind: String
    let sql: String
    var testDescription: String { kind }
  }

  @Test(
    .enabled(if: Tool("sqlite3") != nil),
    arguments: [
      Notice(kind: "pruned", sql: "DELETE FROM ATRANSACTION WHERE Z_PK < 3"),
      Notice(kind: "emptied", sql: "DELETE FROM ACHANGE; DELETE FROM ATRANSACTION"),
      Notice(kind: "torn", sql: "UPDATE Z_PRIMARYKEY SET Z_MAX = 3 WHERE Z_ENT = 16002"),
      Notice(kind: "mirrored", sql: "CREATE TABLE ANSCKMETADATAENTRY (Z_PK INTEGER PRIMARY KEY)"),
      Notice(kind: "missingIndex", sql: "DROP INDEX ACHANGE_ZTRANSACTIONID_INDEX"),
      Notice(kind: "missingMetadata", sql: "UPDATE Z_METADATA SET Z_PLIST = NULL"),
      Notice(
        kind: "notListed",
        sql: """
          WITH RECURSIVE n(i) AS (SELECT 100 UNION ALL SELECT i + 1 FROM n WHERE i < 66000)
          INSERT INTO ATRANSACTION (Z_PK, Z_ENT, ZAUTHOR) SELECT i, 16002, 'author ' || i FROM n;
          UPDATE Z_PRIMARYKEY SET Z_MAX = 66000 WHERE Z_ENT = 16002
          """),
    ]) func `each notice is in the JSON and on the page`(_ notice: Notice) async throws
  {
    let sample = try SampleFolder()
    try await sample.sqlite(notice.sql)
    let program = try await sample.run("info sample.store --json")
    #expect(program.text.contains("\"notices\":[{\"kind\":\"\(notice.kind)\""))
    let person = try await sample.run("info sample.store")
    #expect(person.text.contains("\nnote: "))
    #expect(program.status == 0 && person.status == 0)
  }

  /// A stray file beside a store must not keep anybody from learning what the store is.
  @Test func `unreadable bookmarks leave the rest of the page`() async throws {
    let sample = try SampleFolder()
    let well = try await sample.run("info sample.store")
    try FileBytes.write(Array("{bad json".utf8), to: sample.store + "-bookmarks.json")
    let text = try await sample.run("info sample.store")
    #expect(text.status == 9)
    #expect(text.text.hasPrefix(well.text))
    #expect(text.text.contains("note: ") && text.errors.contains("sample.store-bookmarks.json"))
    let json = try await sample.run("info sample.store --json")
    #expect(json.status == 9)
    #expect(json.text.contains(#""transactions":12"#))
    #expect(json.text.contains(#""notices":[{"kind":"unreadableBookmarks","#))
  }

  @Test func `the history that a mirror needs is reported`() async throws {
    let folder = try TemporaryFolder()
    let writer = try StoreWriter(path: folder.file("sample.store"))
    try SampleStore.fill(writer)
    try MirroredTables.add(
      to: writer, token: try MirroredTables.archive([StoreWriter.identifier: 10]),
      records: [
        .init(needsUpload: true, lastExported: .integer(7)), .init(lastExported: .integer(9)),
      ])
    try writer.close()
    let person = try await InProcess.run(["info", writer.path])
    #expect(person.status == 0)
    #expect(
      person.text.contains(
        """

        mirrored    to CloudKit, history read up to 10, 2 transactions behind, 1 of 2 records are pending
        mirror log  not known: there is no table ANSCKEVENT

        """))
    #expect(
      person.text.contains(
        "note: the store is mirrored to CloudKit, which needs its history from transaction 7 on\n"))
    let program = try await InProcess.run(["info", writer.path, "--json"])
    #expect(
      program.text.contains(
        #""mirrored":true,"mirroring":{"transaction":10,"state":"valid","behind":2,"records":2,"#
          + #""pendingRecords":1,"lowestPending":7,"neededFrom":7,"#
          + #""eventsReason":"there is no table ANSCKEVENT"}"#))
  }

  @Test func `the log of a mirror shows since when its uploads fail, and with which error`()
    async throws
  {
    let folder = try TemporaryFolder()
    let writer = try StoreWriter(path: folder.file("sample.store"))
    try SampleStore.fill(writer)
    try MirroredTables.add(
      to: writer, token: try MirroredTables.archive([StoreWriter.identifier: 12]))
    let (first, day) = (743_990_400.0, 86_400.0)
    func event(
      _ type: Int64, day number: Double, code: Int64? = nil, ends: Bool = true
    ) -> MirroredTables.Event {
      let start = first + number * day
      return .init(
        type, started: .real(start), ended: ends ? .real(start + 60) : .null,
        succeeded: ends && code == nil, errorDomain: code == nil ? .null : .text("CKErrorDomain"),
        errorCode: .integer(code ?? 0))
    }
    try MirroredTables.add(
      [
        event(0, day: 0), event(2, day: 0, code: 4), event(2, day: 1), event(2, day: 2, code: 4),
        event(2, day: 3, code: 25), event(1, day: 3, ends: false), event(2, day: 4, ends: false),
      ], to: writer)
    try writer.close()
    let person = try await InProcess.run(["info", writer.path, "--date", "utc"])
    #expect(
      person.text.contains(
        """

        mirror log  setup succeeded 2024-07-30T00:01:00Z
        mirror log  import started 2024-08-02T00:00:00Z and has not ended
        mirror log  export fails since 2024-08-01T00:00:00Z, 2 attempts \
        (CKErrorDomain 25 quotaExceeded); last succeeded 2024-07-31T00:01:00Z

        """), "\(person.text)")
    let program = try await InProcess.run(["info", writer.path, "--json"])
    #expect(
      program.text.contains(
        #"{"event":"export","started":"2024-08-03T00:00:00.000000Z","#
          + #""lastSuccess":"2024-07-31T00:01:00.000000Z","failures":2,"#
          + #""failingSince":"2024-08-01T00:00:00.000000Z","errorDomain":"CKErrorDomain","#
          + #""errorCode":25}"#), "\(program.text)")

    let within = try await InProcess.run(["check", writer.path, "--date", "utc"])
    #expect(within.status == 0)
    #expect(
      within.text.contains(", upload to CloudKit fails since 2024-08-01T00:00:00Z, 2 attempts"))
    let beyond = try await InProcess.run([
      "check", writer.path, "--max-export-failure", "1d", "--json",
    ])
    #expect(beyond.status == 1)
    #expect(beyond.text.contains(#""findings":[{"finding":"failingExport","message":"upload to "#))
    let metrics = try await InProcess.run(["check", writer.path, "--prometheus"])
    for line in [
      #"histctl_mirror_behind_transactions{path="…"} 0"#,
      #"histctl_mirror_failures{path="…",event="setup"} 0"#,
      #"histctl_mirror_failures{path="…",event="export"} 2"#,
      #"histctl_mirror_failing_since_timestamp_seconds{path="…",event="export"} 1722470400"#,
      #"histctl_mirror_last_success_timestamp_seconds{path="…",event="export"} 1722384060"#,
    ] {
      let store = #"path="\#(writer.path)",store="\#(StoreWriter.identifier)""#
      #expect(
        metrics.text.contains(line.replacing(#"path="…""#, with: store) + "\n"), "\(metrics.text)")
    }
  }

  @Test(
    arguments: [
      (
        "ALTER TABLE ANSCKEVENT DROP COLUMN ZENDEDAT",
        "not known: ANSCKEVENT has no column ZENDEDAT"
      ),
      ("DROP TABLE ANSCKEVENT", "not known: there is no table ANSCKEVENT"),
      ("UPDATE ANSCKEVENT SET ZCLOUDKITEVENTTYPE = 'x'", nil),
      (
        "UPDATE ANSCKEVENT SET ZERRORDOMAIN = char(27) || '[2J', ZSTARTEDAT = 'x'",
        "export fails, 1 attempt (\\e[2J 2); never succeeded"
      ),
      (
        "UPDATE ANSCKEVENT SET ZERRORDOMAIN = zeroblob(10000000), ZERRORCODE = 1.5, ZSTARTEDAT = 9e999",
        "export fails"
      ),
    ] as [(String, String?)])
  func `a log of a mirror with other contents is not guessed at`(
    sql: String, words: String?
  ) async throws {
    let folder = try TemporaryFolder()
    let writer = try StoreWriter(path: folder.file("sample.store"))
    try SampleStore.fill(writer)
    try MirroredTables.add(to: writer, token: nil)
    try MirroredTables.add(
      [
        .init(
          2, started: .real(1), ended: .real(2), errorDomain: .text("CKErrorDomain"),
          errorCode: .integer(2))
      ], to: writer)
    try writer.sql(sql)
    try writer.close()
    let person = try await InProcess.run(["info", writer.path])
    #expect(person.status == 0)
    let lines = person.text.split(separator: "\n").filter { $0.hasPrefix("mirror log") }
    #expect(lines.count == (words == nil ? 0 : 1))
    let check = try await InProcess.run(["check", writer.path, "--max-export-failure", "1d"])
    let isUnknown = words?.hasPrefix("not known") ?? false
    #expect(check.text.contains("whether uploads to CloudKit fail is not known: ") == isUnknown)
    #expect(!isUnknown || check.status == 1)
    if let words { #expect(lines.first?.contains(words) == true, "\(person.text)") }
  }

  @Test func `bookmarks are listed`() async throws {
    let sample = try SampleFolder()
    let bookmarks = """
      {"schema":1,"bookmarks":[{"name":"widget","token":{"storeTokens":\
      {"\(SampleFolder.identifier)":10}},"timestampRaw":743907100.0}]}
      """
    try FileBytes.write(Array(bookmarks.utf8), to: sample.store + "-bookmarks.json")
    let result = try await sample.run("info sample.store")
    #expect(
      result.text.hasSuffix(
        """

        BOOKMARK  STATE  TOKEN  BEHIND  TIME
        @widget   valid  10          2  2024-07-29 00:51:40

        """))
    let qualified = try await sample.run("info sample.store --qualified")
    #expect(qualified.text.contains("  \(SampleFolder.identifier):10  "))
  }

  /// SQLite adds up the same groups; letters that only look alike are different to it.
  @Test(.enabled(if: Tool("jq") != nil))
  func `authors of real and random text are counted as SQL counts them`() async throws {
    let sample = try SampleFolder()
    let query = try StoreQuery(path: sample.store)
    try query.run(
      """
      WITH RECURSIVE n(i) AS (SELECT 100 UNION ALL SELECT i + 1 FROM n WHERE i < 1599)
        INSERT INTO ATRANSACTIONSTRING (Z_PK, Z_ENT, ZNAME)
        SELECT i, 16003, iif(i < 102, 'Zo' || iif(i = 100, char(235), 'e' || char(776)), 'author ' || i) FROM n;
      INSERT INTO ATRANSACTION (Z_PK, Z_ENT, ZTIMESTAMP, ZAUTHORTS)
        SELECT Z_PK, 16002, 743907220.0 + Z_PK, Z_PK FROM ATRANSACTIONSTRING WHERE Z_PK >= 100;
      INSERT INTO ACHANGE (Z_PK, Z_ENT, ZCHANGETYPE, ZENTITY, ZENTITYPK, ZTRANSACTIONID)
        SELECT Z_PK, 16001, Z_PK / 4 % 3, 1000 + Z_PK / 3, Z_PK, Z_PK FROM ATRANSACTIONSTRING WHERE Z_PK >= 100;
      """)
    let result = try await sample.run("info sample.store --json")
    let sums = try await #require(Tool("jq")).run(
      [
        "-c",
        #"[.transactions, ([.authors[].transactions] | add), (.authors | length), .changes, ([.entities[] | .inserts + .updates + .deletes] | add), (.notices | map(select(.kind == "notListed")) | length)]"#,
      ], input: result.text)
    let counts = try query.lines(
      """
      WITH counts AS (
        SELECT (SELECT count(*) FROM ATRANSACTION) AS transactions, (SELECT count(*) FROM ACHANGE) AS changes,
          (SELECT count(DISTINCT coalesce(ZAUTHORTS, 0)) FROM ATRANSACTION) AS authors)
      SELECT json_array(transactions, transactions, authors, changes, changes, 0) FROM counts
      """)
    #expect(sums.lines == counts)
  }

  /// Without history tables the store is described all the same, and the status says so.
  @Test func `a store without history is described`() async throws {
    let folder = try TemporaryFolder()
    var shape = StoreWriter.Shape()
    shape.hasHistory = false
    try StoreWriter(path: folder.file("plain.store"), shape: shape).close()
    let result = try await InProcess.run(["info", "plain.store"], folder: folder.path)
    #expect(result.status == 8)
    #expect(result.text.hasPrefix("store       plain.store\nidentifier  1D070E6D-"))
    #expect(!result.text.contains("history"))
    #expect(result.errors.contains("histctl: plain.store keeps no history: "))
    let program = try await InProcess.run(
      ["info", "plain.store", "--json"], folder: folder.path)
    #expect(program.status == 8)
    #expect(program.text.contains(#""hasHistory":false"#))
    #expect(program.errors.contains(#""kind":"withoutHistory","code":8,"#))
  }

  @Test func `empty tables are an empty history`() async throws {
    let folder = try TemporaryFolder()
    try StoreWriter(path: folder.file("empty.store")).close()
    for line in [["log", "empty.store"], ["log", "empty.store", "--json"]] {
      let result = try await InProcess.run(line, folder: folder.path)
      #expect(result.status == 0)
      #expect(result.text == "" && result.errors == "")
    }
    let info = try await InProcess.run(["info", "empty.store"], folder: folder.path)
    #expect(info.status == 0)
    #expect(info.text.contains("history     0 transactions, 0 changes"))
  }
}
