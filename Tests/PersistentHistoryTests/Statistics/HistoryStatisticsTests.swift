import StoreFormat
import TestSupport
import Testing

@testable import PersistentHistory

@Suite(.bounded) struct HistoryStatisticsTests {
  /// The time at which the sample was saved, to the hour.
  private static let now = StoreTimestamp(secondsSinceReferenceDate: 743_910_000)

  private static func statistics(
    _ path: String, _ query: HistoryQuery = HistoryQuery(), unit: PeriodUnit? = nil,
    now: StoreTimestamp = now
  ) throws -> HistoryStatistics {
    try StoreFile(path: path).read { snapshot in
      try HistoryStatistics(
        snapshot: snapshot, query: query, unit: unit, clock: .universal, now: now)
    }
  }

  private static func sqlite(_ path: String, _ sql: String) throws -> [String] {
    try StoreQuery(path: path).lines(sql).sorted()
  }

  private static func figures(_ activity: Activity) -> String {
    [activity.transactions, activity.inserts, activity.updates, activity.deletes, activity.others]
      .map { "\($0)" }.joined(separator: "|")
  }

  /// What plain SQL says, with each group sorted and summed by SQLite itself.
  private static func check(_ path: String) throws {
    let statistics = try statistics(path, now: .now())
    let sums = """
      count(DISTINCT t.Z_PK), coalesce(sum(c.ZCHANGETYPE = 0), 0),
      coalesce(sum(c.ZCHANGETYPE = 1), 0), coalesce(sum(c.ZCHANGETYPE = 2), 0), 0
      """
    let joined = "FROM ATRANSACTION AS t LEFT JOIN ACHANGE AS c ON c.ZTRANSACTIONID = t.Z_PK"
    #expect(try sqlite(path, "SELECT \(sums) \(joined)") == [figures(statistics.total)])
    let isInterned =
      try sqlite(path, "SELECT 1 FROM sqlite_master WHERE name = 'ATRANSACTIONSTRING'") == ["1"]
    for (column, ranking) in [
      ("ZAUTHOR", statistics.authors), ("ZBUNDLEID", statistics.bundles),
      ("ZPROCESSID", statistics.processes),
    ] {
      let text =
        isInterned
        ? "(SELECT ZNAME FROM ATRANSACTIONSTRING AS s WHERE s.Z_PK = t.\(column)TS)"
        : "t.\(column)"
      #expect(
        try sqlite(path, "SELECT coalesce(\(text), '∅'), \(sums) \(joined) GROUP BY \(text)")
          == ranking.groups.map { "\($0.key?.string ?? "∅")|\(figures($0.activity))" }.sorted())
    }
    #expect(
      try sqlite(
        path,
        """
        SELECT coalesce((SELECT Z_NAME FROM Z_PRIMARYKEY WHERE Z_ENT = c.ZENTITY), '#' || c.ZENTITY),
          \(sums) FROM ATRANSACTION AS t JOIN ACHANGE AS c ON c.ZTRANSACTIONID = t.Z_PK
        GROUP BY c.ZENTITY
        """)
        == statistics.entities.groups.map { "\($0.key.label)|\(figures($0.activity))" }.sorted())
    #expect(
      try sqlite(
        path,
        """
        SELECT c.ZCHANGETYPE, \(sums) FROM ATRANSACTION AS t
        JOIN ACHANGE AS c ON c.ZTRANSACTIONID = t.Z_PK GROUP BY c.ZCHANGETYPE
        """)
        == statistics.kinds.groups.map { "\($0.key?.rawValue ?? -1)|\(figures($0.activity))" })
    let days = try Self.statistics(path, unit: .day, now: .now())
    #expect(
      try sqlite(
        path,
        """
        SELECT date(t.ZTIMESTAMP + 978307200, 'unixepoch'), \(sums) \(joined)
        WHERE t.ZTIMESTAMP >= 0 GROUP BY 1
        """) == days.periods.map { "\($0.period.name)|\(figures($0.activity))" })
  }

  private static let stores = RealStores.paths.filter {
    !["kik-old", "notesv7", "scout"].contains(where: $0.contains)
  }

  @Test(.enabled(if: !stores.isEmpty, "there are no real stores here"), arguments: stores)
  func `statistics of real stores agree with plain SQL`(store: String) throws {
    let folder = try TemporaryFolder()
    try Self.check(try folder.copy(store: store))
  }

  @Test(arguments: [false, true])
  func `statistics of the sample agree with plain SQL`(hasPlainStrings: Bool) throws {
    let folder = try TemporaryFolder()
    var shape = StoreWriter.Shape()
    shape.hasPlainStrings = hasPlainStrings
    try Self.check(try SampleStore.write(to: folder.file("trips.store"), shape: shape))
  }

  @Test
  func `every byte of the history is attributed`() throws {
    let folder = try TemporaryFolder()
    let path = try SampleStore.write(to: folder.file("trips.store"))
    let statistics = try Self.statistics(path)
    guard let size = statistics.size else { return }
    let pages = try Self.sqlite(
      path,
      "SELECT sum(pgsize) FROM dbstat WHERE name LIKE '%ACHANGE%' OR name LIKE '%TRANSACTION%'")
    #expect(pages == ["\(size.pageByteCount)"])
    #expect(statistics.byteCount(of: statistics.total) == size.pageByteCount)
    let authors = statistics.authors.groups.compactMap { statistics.byteCount(of: $0.activity) }
    #expect(abs(authors.reduce(0, +) - size.pageByteCount) <= 3)
    // Apart from the rows of transactions, what is measured is what SQLite has written.
    let changes = statistics.kinds.groups.reduce(0) { $0 + $1.activity.recordByteCount }
    let payload = try Self.sqlite(
      path, "SELECT sum(payload) FROM dbstat WHERE name = 'ACHANGE'"
    ).compactMap { Int64($0) }
    let measured = try #require(payload.first)
    #expect((measured * 8 / 10...measured * 13 / 10).contains(changes), "\(changes) \(measured)")
  }

  @Test
  func `conditions select the same transactions as the reader`() throws {
    let folder = try TemporaryFolder()
    let path = try SampleStore.write(to: folder.file("trips.store"))
    for query in [
      HistoryQuery(after: 4), HistoryQuery(until: 7), HistoryQuery(author: .init(anyOf: ["app"])),
      HistoryQuery(author: .init(noneOf: ["app"])), HistoryQuery(limit: 5),
      HistoryQuery(change: ChangeCondition(kinds: [.delete])),
      HistoryQuery(after: 2, change: ChangeCondition(entities: ["Trip"])),
      HistoryQuery(order: .descending, limit: 3),
    ] {
      let statistics = try Self.statistics(path, query)
      let all = try StoreFile(path: path).read { snapshot in
        let reader = try HistoryReader(snapshot: snapshot, query: query)
        var all: [HistoryTransaction] = []
        while let next = try reader.next() { all.append(next) }
        return all
      }
      #expect(statistics.total.transactions == Int64(all.count))
      #expect(statistics.total.changes == Int64(all.reduce(0) { $0 + $1.changes.count }))
      #expect(statistics.oldest?.number == all.map(\.number).min())
      #expect(statistics.newest?.number == all.map(\.number).max())
      #expect(!statistics.isWhole)
    }
  }

  @Test
  func `an empty history has no activity`() throws {
    let folder = try TemporaryFolder()
    try StoreWriter(path: folder.file("trips.store")).close()
    let statistics = try Self.statistics(folder.file("trips.store"))
    #expect(statistics.total.isEmpty && statistics.periods.isEmpty && statistics.times == nil)
    #expect(statistics.oldest == nil && statistics.newest == nil)
    #expect(statistics.authors.groups.isEmpty && statistics.kinds.groups.isEmpty)
    #expect(statistics.dayCount == 1)
    #expect(
      GrowthForecast(statistics, byteCount: 1 << 40) == (statistics.size == nil ? nil : .never))
  }

  @Test
  func `impossible times are counted separately`() throws {
    let folder = try TemporaryFolder()
    let path = folder.file("trips.store")
    let writer = try StoreWriter(path: path)
    try SampleStore.fill(writer)
    try writer.sql(
      """
      UPDATE ATRANSACTION SET ZTIMESTAMP = 1e300 WHERE Z_PK = 1;
      UPDATE ATRANSACTION SET ZTIMESTAMP = NULL WHERE Z_PK = 2;
      UPDATE ATRANSACTION SET ZTIMESTAMP = 'noon' WHERE Z_PK = 3;
      UPDATE ATRANSACTION SET ZTIMESTAMP = -9e999 WHERE Z_PK = 4;
      UPDATE ATRANSACTION SET ZTIMESTAMP = -1.0 WHERE Z_PK = 5;
      UPDATE ATRANSACTION SET ZTIMESTAMP = 252423993600.0 WHERE Z_PK = 6;
      UPDATE ATRANSACTION SET ZTIMESTAMP = x'00' WHERE Z_PK = 7;
      """)
    try writer.close()
    let statistics = try Self.statistics(path)
    #expect(statistics.withoutTime.transactions == 7)
    #expect(statistics.periods.reduce(0) { $0 + $1.activity.transactions } == 5)
    #expect(statistics.total.transactions == 12 && statistics.total.changes == 27)
  }

  @Test
  func `a clock that is slower than the store's keeps all its times`() throws {
    let folder = try TemporaryFolder()
    let path = try SampleStore.write(to: folder.file("trips.store"))
    let early = StoreTimestamp(secondsSinceReferenceDate: 700_000_000)
    let statistics = try Self.statistics(path, now: early)
    #expect(statistics.withoutTime.isEmpty)
    #expect(statistics.periods.reduce(0) { $0 + $1.activity.transactions } == 12)
  }

  @Test
  func `rows of unknown kinds and entities are counted`() throws {
    let folder = try TemporaryFolder()
    let path = folder.file("trips.store")
    let writer = try StoreWriter(path: path)
    try SampleStore.fill(writer)
    try writer.sql(
      """
      UPDATE ACHANGE SET ZCHANGETYPE = 7 WHERE Z_PK = 1;
      UPDATE ACHANGE SET ZCHANGETYPE = 'x' WHERE Z_PK = 2;
      UPDATE ACHANGE SET ZENTITY = 'x' WHERE Z_PK = 3;
      UPDATE ACHANGE SET ZENTITY = 9223372036854775807, ZCOLUMNS = 'text' WHERE Z_PK = 4;
      UPDATE ACHANGE SET ZCOLUMNS = 3.5, ZTOMBSTONE0 = 9223372036854775807 WHERE Z_PK = 7;
      UPDATE ATRANSACTION SET ZAUTHORTS = 'x', ZAUTHOR = x'FF' WHERE Z_PK = 1;
      UPDATE ATRANSACTION SET ZAUTHORTS = -1 WHERE Z_PK = 2;
      """)
    try writer.close()
    let statistics = try Self.statistics(path)
    #expect(statistics.total.changes == 27 && statistics.total.others == 2)
    #expect(statistics.kinds.groups.last?.key == nil)
    #expect(statistics.kinds.groups.last?.activity.others == 2)
    #expect(statistics.entities.groups.contains { $0.key.label == "#9223372036854775807" })
    #expect(statistics.entities.groups.contains { $0.key.label == "#?" })
  }

  @Test
  func `authors and entities beyond the limit are combined into one group`() throws {
    let folder = try TemporaryFolder()
    let path = folder.file("trips.store")
    try StoreWriter(path: path).close()
    let count = HistoryStatistics.maxGroups + 50
    try StoreQuery(path: path).run(
      """
      INSERT INTO ATRANSACTIONSTRING (Z_PK, ZNAME)
        WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < \(count))
        SELECT i, 'author ' || i FROM n;
      INSERT INTO ATRANSACTION (Z_PK, Z_ENT, ZTIMESTAMP, ZAUTHORTS)
        SELECT Z_PK, 16002, 743906500.5 + Z_PK, Z_PK FROM ATRANSACTIONSTRING;
      INSERT INTO ACHANGE (Z_PK, Z_ENT, ZCHANGETYPE, ZENTITY, ZENTITYPK, ZTRANSACTIONID)
        SELECT Z_PK, 16001, 1, 1000 + Z_PK, 1, Z_PK FROM ATRANSACTIONSTRING;
      """)
    let statistics = try Self.statistics(path)
    #expect(statistics.authors.groups.count == HistoryStatistics.maxGroups)
    let (groups, rest) = statistics.authors.top(10)
    #expect(groups.count == 10)
    #expect(rest?.groupCount == nil)
    #expect(rest?.activity.transactions == Int64(count) - 10)
    #expect(rest?.activity.changes == Int64(count) - 10)
    let entities = statistics.entities.top(.max)
    #expect(entities.rest?.activity.changes == 50 && entities.rest?.activity.transactions == 50)
  }

  @Test
  func `authors that only look alike are counted apart`() throws {
    let folder = try TemporaryFolder()
    let path = folder.file("trips.store")
    let writer = try StoreWriter(path: path)
    try writer.transaction(1, author: "Ren\u{E9}")
    try writer.sql("INSERT INTO ATRANSACTIONSTRING VALUES (77, 16003, NULL, ?)", ["Rene\u{301}"])
    try writer.transaction(2)
    try writer.sql("UPDATE ATRANSACTION SET ZAUTHORTS = 77 WHERE Z_PK = 2")
    try writer.close()
    #expect(try Self.statistics(path).authors.groups.count == 2)
  }

  @Test
  func `too many periods are refused`() throws {
    let folder = try TemporaryFolder()
    let path = folder.file("trips.store")
    let writer = try StoreWriter(path: path)
    try writer.transaction(1, at: 1000.5)
    try writer.transaction(2, at: 743_906_500.5)
    try writer.close()
    #expect(throws: HistoryError.tooManyPeriods(unit: .hour)) {
      _ = try Self.statistics(path, unit: .hour)
    }
    let statistics = try Self.statistics(path)
    #expect(statistics.unit == .month && statistics.periods.count == 2)
  }

  @Test
  func `the forecast continues the rate of the last 30 days`() throws {
    let folder = try TemporaryFolder()
    let path = folder.file("trips.store")
    let writer = try StoreWriter(path: path)
    for number in 1...100 {
      try writer.transaction(Int64(number), at: 743_906_500.5 + Double(number) * 86_400)
    }
    try writer.close()
    let now = StoreTimestamp(secondsSinceReferenceDate: 743_906_500.5 + 100 * 86_400)
    let statistics = try Self.statistics(path, now: now)
    #expect(statistics.dayCount == 99)
    #expect(statistics.lastMonth?.transactions == 30 && statistics.lastWeek?.transactions == 7)
    guard let pages = statistics.size, let rate = statistics.bytesPerDay else { return }
    // Pages that are there without any transaction do not grow with them.
    let size = pages.pageByteCount
    let records = Double(pages.recordByteCount) / 100
    #expect(rate > records && rate < records * 3)
    #expect(GrowthForecast(statistics, byteCount: size) == .reached)
    let forecast = try #require(GrowthForecast(statistics, byteCount: size * 2))
    guard case .inDays(let days) = forecast else {
      Issue.record("\(forecast)")
      return
    }
    #expect(abs(days - Double(size) / rate) < 1)
    let date = try #require(forecast.date(from: now))
    #expect(
      abs(date.secondsSinceReferenceDate - now.secondsSinceReferenceDate - days * 86_400) < 1)
    // What no calendar has is no date.
    #expect(GrowthForecast(statistics, byteCount: .max)?.date(from: now) == nil)
  }
}
