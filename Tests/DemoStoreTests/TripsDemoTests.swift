import DemoStore
import Foundation
import StoreFormat
import StoreTransactions
import TestSupport
import Testing

/// The sample store, as plain SQL and an independent decoder see it.
@Suite(.bounded) struct TripsDemoTests {
  private let folder: TemporaryFolder
  private let path: String
  private let query: StoreQuery

  init() throws {
    folder = try TemporaryFolder()
    path = folder.file("trips.store")
    try Self.write(day: 20, to: path)
    query = try StoreQuery(path: path)
  }

  /// Writes the store whose history ends on a day of November 2026.
  private static func write(day: Int, to path: String) throws {
    let date = try #require(CivilDate(year: 2026, month: 11, day: day))
    try TripsDemo(lastDay: date).write(to: path)
  }

  @Test func `the store has the tables that the frameworks create`() throws {
    #expect(try query.lines("PRAGMA integrity_check") == ["ok"])
    #expect(try query.lines("PRAGMA journal_mode") == ["wal"])
    let history = StoreSchema.history.replacing(
      "ZCOLUMNS BLOB )", with: "ZCOLUMNS BLOB, ZTOMBSTONE0 BLOB, ZTOMBSTONE1 BLOB )")
    #expect(
      try query.lines(
        """
        SELECT sql FROM sqlite_master WHERE sql NOT NULL
        AND tbl_name IN ('ACHANGE', 'ATRANSACTION', 'ATRANSACTIONSTRING') ORDER BY 1
        """)
        == history.split(separator: ";").map { $0.trimmingCharacters(in: .whitespacesAndNewlines) }
        .filter { !$0.isEmpty }.sorted())
    #expect(
      try query.lines("SELECT Z_ENT, Z_NAME, Z_SUPER FROM Z_PRIMARYKEY") == [
        "1|BucketListItem|0", "2|LivingAccommodation|0", "3|Trip|0", "16001|CHANGE|0",
        "16002|TRANSACTION|0", "16003|TRANSACTIONSTRING|0",
      ])
  }

  @Test func `the day determines the store`() throws {
    let again = folder.file("again.store")
    try Self.write(day: 20, to: again)
    let isSame = try FileBytes.read(again) == FileBytes.read(path)
    #expect(isSame)
    let other = folder.file("other.store")
    try Self.write(day: 21, to: other)
    let otherQuery = try StoreQuery(path: other)
    let identifier = "SELECT Z_UUID FROM Z_METADATA"
    #expect(try otherQuery.lines(identifier) != query.lines(identifier))
    #expect(
      try #require(try query.lines(identifier).first).wholeMatch(
        of: #/[0-9A-F]{8}-[0-9A-F]{4}-4[0-9A-F]{3}-[89AB][0-9A-F]{3}-[0-9A-F]{12}/#) != nil)
    // The same story, a day later.
    let changes = "SELECT Z_PK, ZTRANSACTIONID, ZCHANGETYPE, ZENTITY, ZENTITYPK FROM ACHANGE"
    #expect(try otherQuery.lines(changes) == query.lines(changes))
    #expect(
      try otherQuery.lines("SELECT min(ZTIMESTAMP) - 86400 FROM ATRANSACTION")
        == query.lines("SELECT min(ZTIMESTAMP) FROM ATRANSACTION"))
  }

  @Test func `the history lacks its beginning and nothing else`() throws {
    let span = try #require(
      try query.rows("SELECT min(Z_PK), max(Z_PK), count(*) FROM ATRANSACTION").first)
    guard case .integer(let first) = span[0], case .integer(let last) = span[1] else {
      Issue.record("no history")
      return
    }
    #expect(first > 20)
    #expect(span[2] == .integer(last - first + 1))
    #expect(last - first > 200)
    #expect(try query.lines("SELECT Z_MAX FROM Z_PRIMARYKEY WHERE Z_ENT = 16002") == ["\(last)"])
    #expect(
      try query.lines(
        "SELECT max(Z_PK) = (SELECT Z_MAX FROM Z_PRIMARYKEY WHERE Z_ENT = 16001) FROM ACHANGE")
        == ["1"])
    #expect(
      try query.lines(
        """
        SELECT count(*) FROM ACHANGE
        WHERE ZTRANSACTIONID NOT IN (SELECT Z_PK FROM ATRANSACTION)
        """) == ["0"])
    // Six weeks, each later than the one before, up to the evening of the last day.
    let times = try query.rows("SELECT ZTIMESTAMP FROM ATRANSACTION ORDER BY Z_PK").map { row in
      if case .real(let seconds) = row[0] { seconds } else { Double.nan }
    }
    #expect(zip(times, times.dropFirst()).allSatisfy { $0 < $1 })
    let end = try #require(CivilDate(year: 2026, month: 11, day: 21))
    let midnight = try #require(LocalTime(date: end, hour: 0, minute: 0, second: 0)).timestamp
      .secondsSinceReferenceDate
    let newest = try #require(times.last)
    #expect(newest < midnight && newest > midnight - 6 * 3600)
    let days = (midnight - (times.first ?? 0)) / 86_400
    #expect(days > 41.4 && days < 42.1)
  }

  @Test func `the history has every kind of save`() throws {
    #expect(
      try query.lines("SELECT DISTINCT ZENTITY, ZCHANGETYPE FROM ACHANGE ORDER BY 1, 2")
        == (1...3).flatMap { entity in (0...2).map { "\(entity)|\($0)" } })
    let writers = try query.lines(
      """
      SELECT DISTINCT author.ZNAME, bundle.ZNAME, process.ZNAME, context.ZNAME
      FROM ATRANSACTION t
      LEFT JOIN ATRANSACTIONSTRING author ON author.Z_PK = t.ZAUTHORTS
      LEFT JOIN ATRANSACTIONSTRING bundle ON bundle.Z_PK = t.ZBUNDLEIDTS
      LEFT JOIN ATRANSACTIONSTRING process ON process.Z_PK = t.ZPROCESSIDTS
      LEFT JOIN ATRANSACTIONSTRING context ON context.Z_PK = t.ZCONTEXTNAMETS
      ORDER BY 1, 4
      """)
    #expect(
      writers == [
        "|com.example.SampleTrips|SampleTrips|calendar-import",
        "|com.example.SampleTrips|SampleTrips|weather-refresh",
        "app|com.example.SampleTrips|SampleTrips|",
        "server-sync|com.example.SampleTrips|SampleTrips|",
        "widget|com.example.SampleTrips.TripsWidget|TripsWidget|",
      ])
    func count(_ sql: String) throws -> Int {
      try query.lines(sql).first.flatMap { Int($0) } ?? 0
    }
    // Transactions without a change, updates without an attribute, relationships alone.
    #expect(
      try count(
        """
        SELECT count(*) FROM ATRANSACTION
        WHERE Z_PK NOT IN (SELECT ZTRANSACTIONID FROM ACHANGE)
        """) > 1)
    #expect(try count("SELECT count(*) FROM ACHANGE WHERE ZCOLUMNS = x'00'") > 5)
    #expect(
      try count("SELECT count(*) FROM ACHANGE WHERE ZENTITY = 1 AND ZCOLUMNS = x'80'") > 0)
    // Whole trips go with all that belongs to them, by the app and by the server.
    let cascades = try query.lines(
      """
      SELECT name.ZNAME, count(*) FROM ACHANGE c JOIN ATRANSACTION t ON t.Z_PK = c.ZTRANSACTIONID
      JOIN ATRANSACTIONSTRING name ON name.Z_PK = t.ZAUTHORTS
      WHERE t.Z_PK IN (SELECT ZTRANSACTIONID FROM ACHANGE WHERE ZENTITY = 3 AND ZCHANGETYPE = 2)
      AND ZCHANGETYPE = 2 GROUP BY t.Z_PK
      """)
    #expect(cascades.count > 2)
    #expect(cascades.allSatisfy { Int($0.split(separator: "|")[1]) ?? 0 > 3 })
    #expect(Set(cascades.map { $0.prefix { $0 != "|" } }) == ["app", "server-sync"])
  }

  @Test func `tombstones keep the preserved attributes`() throws {
    // By the order of names: identifier, name; title; nothing.
    #expect(
      try query.lines(
        """
        SELECT DISTINCT ZENTITY, typeof(ZTOMBSTONE0), length(ZTOMBSTONE0) = 16, typeof(ZTOMBSTONE1)
        FROM ACHANGE WHERE ZCHANGETYPE = 2 AND ZENTITY <> 1 ORDER BY 1
        """) == ["2|null||null", "3|blob|1|text"])
    #expect(
      try query.lines(
        """
        SELECT DISTINCT typeof(ZTOMBSTONE0), typeof(ZTOMBSTONE1) FROM ACHANGE
        WHERE ZCHANGETYPE = 2 AND ZENTITY = 1
        """) == ["text|null"])
    #expect(
      try query.lines(
        "SELECT ZTOMBSTONE1 FROM ACHANGE WHERE ZENTITY = 3 AND ZCHANGETYPE = 2 ORDER BY Z_PK")
        == ["Long weekend", "Two capitals", "Company offsite"])
  }

  /// What the tables hold is what the story leaves.
  @Test func `the rows agree with the history`() throws {
    for (entity, table) in [(1, "ZBUCKETLISTITEM"), (2, "ZLIVINGACCOMMODATION"), (3, "ZTRIP")] {
      let gone = try query.lines(
        """
        SELECT count(*) FROM ACHANGE JOIN \(table) r ON r.Z_PK = ZENTITYPK
        WHERE ZENTITY = \(entity) AND ZCHANGETYPE = 2
        """)
      #expect(gone == ["0"])
      let inserted = try query.lines(
        """
        SELECT count(*) FROM ACHANGE c WHERE ZENTITY = \(entity) AND ZCHANGETYPE = 0
        AND NOT EXISTS (SELECT 1 FROM \(table) WHERE Z_PK = c.ZENTITYPK)
        AND NOT EXISTS (SELECT 1 FROM ACHANGE d WHERE d.ZENTITY = c.ZENTITY
          AND d.ZENTITYPK = c.ZENTITYPK AND d.ZCHANGETYPE = 2)
        """)
      #expect(inserted == ["0"])
    }
    for lost in [
      "SELECT count(*) FROM ZBUCKETLISTITEM WHERE ZTRIP NOT IN (SELECT Z_PK FROM ZTRIP)",
      "SELECT count(*) FROM ZBUCKETLISTITEM WHERE ZTRIP IS NULL",
      """
      SELECT count(*) FROM ZLIVINGACCOMMODATION a LEFT JOIN ZTRIP t
      ON t.Z_PK = a.ZTRIP AND t.ZLIVINGACCOMMODATION = a.Z_PK WHERE t.Z_PK IS NULL
      """,
      "SELECT count(*) FROM ZTRIP WHERE ZENDDATE <= ZSTARTDATE OR ZSTARTDATE IS NULL",
    ] {
      #expect(try query.lines(lost) == ["0"], "\(lost)")
    }
  }

  @Test(.enabled(if: RealStores.oracle != nil && Tool("python3") != nil))
  func `an independent decoder names every entity and attribute`() async throws {
    let oracle = try #require(RealStores.oracle)
    let lines = try await #require(Tool("python3")).run([oracle, path]).lines
    var (updates, tombstones) = (0, 0)
    for line in lines {
      let transaction = try #require(
        try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])
      for change in try #require(transaction["changes"] as? [[String: Any]]) {
        switch change["kind"] as? String {
        case "update":
          #expect(change["attributes"] is [String])
          updates += 1
        case "delete":
          let tombstone = try #require(change["tombstone"] as? [String: Any])
          let names: [String: Set<String>] = [
            "Trip": ["identifier", "name"], "BucketListItem": ["title"],
            "LivingAccommodation": [],
          ]
          #expect(Set(tombstone.keys) == names[change["entity"] as? String ?? ""])
          tombstones += 1
        default: break
        }
      }
    }
    #expect(updates > 200 && tombstones > 20)
  }

  @Test(arguments: [(1, 1, 1), (1, 2, 17), (9999, 12, 31), (9999, 1, 10)])
  func `a day whose story leaves the calendar is refused`(
    _ year: Int, _ month: Int, _ day: Int
  ) throws {
    let date = try #require(CivilDate(year: year, month: month, day: day))
    let error = #expect(throws: DemoError.self) { try TripsDemo(lastDay: date) }
    #expect(error?.message.contains("year \(year)") ?? false)
  }

  @Test(arguments: [(2, 1, 1), (1600, 2, 29), (9990, 12, 31)])
  func `any year of the calendar is accepted`(_ year: Int, _ month: Int, _ day: Int) throws {
    let date = try #require(CivilDate(year: year, month: month, day: day))
    let path = folder.file("\(year).store")
    try TripsDemo(lastDay: date).write(to: path)
    #expect(try StoreQuery(path: path).lines("PRAGMA integrity_check") == ["ok"])
  }

  @Test func `an existing file is left unchanged`() throws {
    let before = try FileBytes.read(path)
    #expect(throws: StoreWriteError.alreadyThere(path: path)) {
      try Self.write(day: 21, to: path)
    }
    #expect(try FileBytes.read(path) == before)
  }
}
