import Foundation
import StoreFormat
import TestSupport
import Testing

/// What bloats a history: the objects and attributes that `stats` ranks.
@Suite(.bounded) struct FrequentObjectTests {
  private typealias Object = [String: Any]

  private static func json(_ result: Tool.Result) throws -> Object {
    #expect(result.status == 0, "\(result.errors)")
    try #require(result.lines.count == 1)
    return try #require(
      try JSONSerialization.jsonObject(with: Data(result.output)) as? Object)
  }

  /// A store in which an object is saved again and again, with two attributes, among 50 others.
  private static func bloated(_ folder: TemporaryFolder, updates: Int) throws -> String {
    let path = folder.file("bloated.store")
    let writer = try StoreWriter(path: path)
    let mask = SampleStore.mask("Trip", ["name", "score"])
    for number in 1...Int64(51) {
      try writer.transaction(number, at: 700_000_000, author: "app")
      try writer.change(number, of: number, 0, TripsModel.number("Trip"), number)
    }
    let numbers =
      "WITH RECURSIVE n(i) AS (SELECT 52 UNION ALL SELECT i + 1 FROM n WHERE i < \(51 + updates))"
    try writer.transaction(1_000_000, at: 700_000_000, author: "widget")
    try writer.sql(
      """
      \(numbers) INSERT INTO ATRANSACTION (Z_PK, Z_ENT, ZTIMESTAMP, ZAUTHORTS)
        SELECT i, 16002, 700000000.0 + (i - 52) * 14,
          (SELECT Z_PK FROM ATRANSACTIONSTRING WHERE ZNAME = 'widget') FROM n
      """)
    let hex = mask.map { String(format: "%02x", $0) }.joined()
    try writer.sql(
      """
      \(numbers) INSERT INTO ACHANGE (Z_PK, Z_ENT, ZCHANGETYPE, ZENTITY, ZENTITYPK, ZTRANSACTIONID, ZCOLUMNS)
        SELECT i, 16001, 1, \(TripsModel.number("Trip")), 7, i, x'\(hex)' FROM n
      """)
    try writer.sql("DELETE FROM ATRANSACTION WHERE Z_PK = 1000000")
    try writer.sql("UPDATE Z_PRIMARYKEY SET Z_MAX = \(51 + updates) WHERE Z_ENT IN (16001, 16002)")
    try writer.close()
    return path
  }

  @Test
  func `a frequently saved object is reported with its share, author and interval`()
    async throws
  {
    let folder = try TemporaryFolder()
    let path = try Self.bloated(folder, updates: 18_000)
    let result = try await InProcess.run(["stats", path, "--json"])
    try await SchemaCheck.expectFits(result.text)
    let stats = try Self.json(result)
    let objects = try #require(stats["objects"] as? [Object])
    #expect(objects.count == 10)
    let first = try #require(objects.first)
    #expect(first["object"] as? String == "Trip/p7")
    #expect(first["changes"] as? Int == 18_001 && first["updates"] as? Int == 18_000)
    #expect(abs((first["share"] as? Double ?? 0) - 18_001.0 / 18_051) < 1e-12)
    #expect(first["author"] as? String == "widget" && first["authorChanges"] as? Int == 18_000)
    #expect(abs((first["interval"] as? Double ?? 0) - 17_999.0 * 14 / 18_000) < 1e-9)
    #expect((first["first"] as? Object)?["transaction"] as? Int == 7)
    #expect((first["last"] as? Object)?["transaction"] as? Int == 18_051)
    #expect(stats["maxUnlistedChanges"] == nil)
    let attributes = try #require(stats["attributes"] as? [Object])
    #expect(attributes.map { $0["attribute"] as? String } == ["name", "score"])
    for attribute in attributes {
      #expect(attribute["updates"] as? Int == 18_000)
      #expect(attribute["interval"] as? Double == 14)
      #expect(attribute["author"] as? String == "widget")
    }
    let text = try await InProcess.run(["stats", path]).text
    #expect(text.contains(#/\nTrip/p7 +18,001 +99\.7 %.*  13 s .* widget\n/#))
    #expect(text.contains(#/\nTrip\.name +18,000 +99\.7 %.*  14 s .* widget\n/#))
    let metrics = try await InProcess.run(["check", path, "--prometheus"]).lines
    #expect(
      metrics.contains {
        $0.hasPrefix("histctl_history_largest_object_share{")
          && $0.hasSuffix(#",object="Trip/p7"} \#(18_001.0 / 18_051)"#)
      })
    // The report lists it too.
    let report = try await InProcess.run(["report", path, "-o", folder.file("r.html"), "--quiet"])
    #expect(report.status == 0)
    let page = String(decoding: try FileBytes.read(folder.file("r.html")), as: UTF8.self)
    #expect(page.contains(#"["Trip/p7",1,18000,0,0,0.997"#))
  }

  @Test(arguments: [0, 1])
  func `frequent objects are exact among more objects than are counted at a time`(
    _ seed: Int
  ) async throws {
    let folder = try TemporaryFolder()
    let path = folder.file("many.store")
    // 60,000 changes of 30,000 objects, and 20 objects that change 100 to 119 times, spread over all.
    let writer = try StoreWriter(path: path)
    try writer.sql(
      """
      WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 600)
      INSERT INTO ATRANSACTION (Z_PK, Z_ENT, ZTIMESTAMP) SELECT i, 16002, 7e8 + i FROM n;
      WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 62189),
        keys(k, c) AS (SELECT 0, 100 UNION ALL SELECT k + 1, c + 1 FROM keys WHERE k < 19),
        hot(k, j) AS (SELECT k, 1 FROM keys UNION ALL
          SELECT hot.k, j + 1 FROM hot WHERE j < 100 + hot.k),
        rows(p, key) AS (SELECT (i * 37 + \(seed) * 11) % 600, 1000 + i % 30000 FROM n WHERE i < 60000
          UNION ALL SELECT (j * 5 + k) % 600, k + 1 FROM hot)
      INSERT INTO ACHANGE (Z_ENT, ZCHANGETYPE, ZENTITY, ZENTITYPK, ZTRANSACTIONID, ZCOLUMNS)
        SELECT 16001, 1, \(TripsModel.number("Trip")), key, p + 1, x'80' FROM rows ORDER BY p, key;
      INSERT INTO Z_PRIMARYKEY SELECT 16001, 'CHANGE', 0, max(Z_PK) FROM ACHANGE;
      INSERT INTO Z_PRIMARYKEY VALUES (16002, 'TRANSACTION', 0, 600);
      UPDATE Z_PRIMARYKEY SET Z_MAX = 31000 WHERE Z_ENT = \(TripsModel.number("Trip"))
      """)
    try writer.close()
    let stats = try Self.json(
      try await InProcess.run(["stats", path, "--json", "--top", "20"]))
    let objects = try #require(stats["objects"] as? [Object])
    #expect(
      objects.map { $0["pk"] as? Int ?? 0 } == Array((1...20).reversed()))
    #expect(
      objects.map { $0["changes"] as? Int ?? 0 } == (100...119).reversed().map { $0 })
    #expect((stats["maxUnlistedChanges"] as? Int ?? 0) > 0)
  }

  @Test(
    .enabled(if: Tool("sqlite3") != nil),
    arguments: RealStores.paths)
  func `counts of real stores agree with SQL`(_ path: String) async throws {
    let folder = try TemporaryFolder()
    let copy = try folder.copy(store: path)
    let result = try await InProcess.run(["stats", copy, "--json", "--top", "5"])
    guard result.status == 0 else { return }
    try await SchemaCheck.expectFits(result.text)
    let objects = try Self.json(result)["objects"] as? [Object] ?? []
    let sqlite = try #require(Tool("sqlite3"))
    let letter = try await sqlite.run(
      [copy, "SELECT substr(name, 1, 1) FROM sqlite_master WHERE name LIKE '_TRANSACTION'"]
    ).text.prefix(1)
    let counts = try await sqlite.run([
      copy,
      """
      SELECT count(*) FROM \(letter)CHANGE WHERE ZENTITYPK IS NOT NULL
      AND ZTRANSACTIONID IN (SELECT Z_PK FROM \(letter)TRANSACTION)
      GROUP BY ZENTITY, ZENTITYPK ORDER BY 1 DESC LIMIT 5
      """,
    ])
    #expect(objects.map { "\($0["changes"] as? Int ?? 0)" } == counts.lines)
  }
}
