import StoreFormat
import TestSupport
import Testing

@testable import PersistentHistory

@Suite(.bounded) struct HistoryOverviewTests {
  private static func overview(_ path: String) throws -> HistoryOverview {
    try StoreFile(path: path).read { snapshot in
      try HistoryOverview(snapshot: snapshot)
    }
  }

  private static func sqlite(_ path: String, _ sql: String) async throws -> [String] {
    let result = try await #require(Tool("sqlite3")).run([path, sql])
    #expect(result.errors.isEmpty, "\(result.errors)")
    return result.lines
  }

  /// Texts with their counts as `app 6`, sorted; nothing for no text.
  private static func lines(_ texts: TextCounts) -> [String] {
    texts.counts.map { "\($0.text?.string ?? "∅") \($0.count)" }.sorted()
  }

  private static func check(_ path: String) async throws {
    let overview = try overview(path)
    let totals = [
      String(overview.transactionCount), overview.oldest.map { "\($0.number)" } ?? "",
      overview.newest.map { "\($0.number)" } ?? "", String(overview.changeCount ?? -1),
    ]
    #expect(
      try await sqlite(
        path,
        """
        SELECT count(*), min(Z_PK), max(Z_PK), (SELECT count(*) FROM ACHANGE) FROM ATRANSACTION
        """) == [totals.joined(separator: "|")])
    let entities = overview.entities.map {
      "\($0.entity.label)|\($0.inserts)|\($0.updates)|\($0.deletes)"
    }
    #expect(
      try await sqlite(
        path,
        """
        SELECT coalesce((SELECT Z_NAME FROM Z_PRIMARYKEY AS p WHERE p.Z_ENT = ZENTITY), '#' || ZENTITY),
          sum(ZCHANGETYPE = 0), sum(ZCHANGETYPE = 1), sum(ZCHANGETYPE = 2)
        FROM ACHANGE GROUP BY ZENTITY
        """
      ).sorted() == entities.sorted())
    let totalsOfEntities = overview.entities.map(\.total)
    #expect(totalsOfEntities == totalsOfEntities.sorted(by: >))
    #expect(overview.entities.allSatisfy { $0.others == 0 })
    let isInterned =
      try await sqlite(
        path, "SELECT count(*) FROM sqlite_master WHERE name = 'ATRANSACTIONSTRING'") == ["1"]
    for (column, counts) in [
      ("ZAUTHOR", overview.authors), ("ZBUNDLEID", overview.bundles),
      ("ZPROCESSID", overview.processes),
    ] {
      let text =
        isInterned
        ? "(SELECT ZNAME FROM ATRANSACTIONSTRING AS s WHERE s.Z_PK = t.\(column)TS)" : column
      #expect(
        try await sqlite(
          path,
          "SELECT coalesce(\(text), '∅') || ' ' || count(*) FROM ATRANSACTION AS t GROUP BY \(text)"
        ).sorted() == lines(counts))
    }
    let issued = try await sqlite(
      path,
      "SELECT max(coalesce((SELECT Z_MAX FROM Z_PRIMARYKEY WHERE Z_ENT = 16002), 0), "
        + "coalesce((SELECT max(Z_PK) FROM ATRANSACTION), 0))")
    #expect(issued == [String(overview.highestIssued)])
    // Not every sqlite3 can look into pages.
    if let bytes = overview.historyByteCount {
      let pages = try await #require(Tool("sqlite3")).run([
        path,
        "SELECT sum(pgsize) FROM dbstat WHERE name LIKE '%ACHANGE%' OR name LIKE '%TRANSACTION%'",
      ])
      if pages.status == 0 { #expect(pages.lines == [String(bytes)]) }
    }
  }

  /// Real stores that have history tables.
  private static let stores = RealStores.paths.filter {
    !["kik-old", "notesv7", "scout"].contains(where: $0.contains)
  }

  @Test(
    .enabled(if: !stores.isEmpty && Tool("sqlite3") != nil, "there are no real stores here"),
    arguments: stores)
  func `overviews of real stores agree with plain SQL`(store: String) async throws {
    let folder = try TemporaryFolder()
    try await Self.check(try folder.copy(store: store))
  }

  @Test(.enabled(if: Tool("sqlite3") != nil))
  func `the overview of the sample agrees with plain SQL`() async throws {
    let folder = try TemporaryFolder()
    let path = try SampleStore.write(to: folder.file("trips.store"))
    try await Self.check(path)
    let overview = try Self.overview(path)
    #expect(Self.lines(overview.authors) == ["app 6", "widget 3", "∅ 3"])
    #expect(overview.authors.counts.first?.text == "app")
    #expect(!overview.isTorn && overview.highestIssued == 12)
  }

  @Test
  func `torn counters, unknown kinds and malformed texts are counted`() throws {
    let folder = try TemporaryFolder()
    let path = folder.file("trips.store")
    let writer = try StoreWriter(path: path)
    try SampleStore.fill(writer)
    try writer.sql(
      """
      UPDATE ACHANGE SET ZCHANGETYPE = 7 WHERE Z_PK = 1;
      UPDATE ACHANGE SET ZCHANGETYPE = NULL WHERE Z_PK = 2;
      UPDATE ACHANGE SET ZENTITY = 'x' WHERE Z_PK = 3;
      UPDATE ACHANGE SET ZENTITY = NULL WHERE Z_PK = 4;
      INSERT INTO ATRANSACTIONSTRING (Z_PK, ZNAME) VALUES (77, x'61');
      UPDATE ATRANSACTION SET ZAUTHORTS = 77 WHERE Z_PK = 1;
      UPDATE ATRANSACTION SET ZAUTHORTS = 99 WHERE Z_PK = 2;
      UPDATE ATRANSACTION SET ZAUTHORTS = NULL, ZAUTHOR = x'62' WHERE Z_PK = 3;
      UPDATE Z_PRIMARYKEY SET Z_MAX = 11 WHERE Z_ENT = 16002;
      """)
    try writer.close()
    let overview = try Self.overview(path)
    #expect(overview.isTorn && overview.highestIssued == 12 && overview.changeCount == 27)
    #expect(overview.entities.reduce(0) { $0 + $1.others } == 2)
    #expect(overview.entities.first { $0.entity.name == nil }?.total == 2)
    // Of the app's six one is gone, of the widget's three one; the third had none before.
    #expect(Self.lines(overview.authors) == ["app 5", "widget 2", "∅ 5"])
  }

  @Test
  func `an empty history has neither beginning nor end`() throws {
    let folder = try TemporaryFolder()
    try StoreWriter(path: folder.file("trips.store")).close()
    let overview = try Self.overview(folder.file("trips.store"))
    #expect(overview.transactionCount == 0 && overview.oldest == nil && overview.newest == nil)
    #expect(overview.highestIssued == 0 && !overview.isTorn && overview.entities.isEmpty)
    #expect(overview.authors.counts.isEmpty && overview.changeCount == 0)
  }
}
