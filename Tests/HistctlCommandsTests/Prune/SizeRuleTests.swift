import TestSupport
import Testing

/// `prune --max-size` leaves what `check --max-size` accepts.
@Suite(.bounded) struct SizeRuleTests {
  /// Writes the sample store of `demo`, with its authors and their indexes, and its history a hundred
  /// times over.
  private static func write(in folder: TemporaryFolder) async throws -> String {
    let demo = try await InProcess.run(["demo", folder.path, "--ending", "2026-11-20", "-q"])
    try #require(demo.status == 0, "\(demo.errors)")
    let store = folder.file("trips.store")
    try StoreQuery(path: store).run(
      """
      WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 100)
      INSERT INTO ATRANSACTION
        SELECT 353 + (i - 1) * 302 + Z_PK - 51, Z_ENT, Z_OPT, ZAUTHORTS, ZBUNDLEIDTS,
          ZCONTEXTNAMETS, ZPROCESSIDTS, ZTIMESTAMP + i, ZAUTHOR, ZBUNDLEID, ZCONTEXTNAME,
          ZPROCESSID, ZQUERYGEN FROM n, ATRANSACTION WHERE Z_PK <= 353 ORDER BY 1;
      INSERT INTO ACHANGE (Z_ENT, ZCHANGETYPE, ZENTITY, ZENTITYPK, ZTRANSACTIONID, ZCOLUMNS)
        SELECT 16001, 1, 1, Z_PK, Z_PK, x'80' FROM ATRANSACTION WHERE Z_PK > 353;
      UPDATE Z_PRIMARYKEY SET Z_MAX = (SELECT max(Z_PK) FROM ATRANSACTION)
        WHERE Z_NAME = 'TRANSACTION';
      UPDATE Z_PRIMARYKEY SET Z_MAX = (SELECT max(Z_PK) FROM ACHANGE) WHERE Z_NAME = 'CHANGE'
      """)
    return store
  }

  @Test(arguments: ["150K", "200K", "400K"])
  func `a prune reaches the size that check measures`(_ size: String) async throws {
    let folder = try TemporaryFolder()
    let store = try await Self.write(in: folder)
    #expect(try await InProcess.run(["check", store, "--max-size", size]).status == 1)
    let plan = try await InProcess.run(["prune", store, "--max-size", size, "-n", "--json"])
    let act = try await InProcess.run(["prune", store, "--max-size", size, "--yes", "--json"])
    #expect(act.status == 0 && act.errors == "")
    #expect(plan.lines.first == act.lines.first)
    #expect(act.lines.last?.contains(#""complete":true"#) == true)
    #expect(try await InProcess.run(["check", store, "--max-size", size]).status == 0)
  }

  /// Of a large store it is known only afterwards.
  @Test(arguments: [false, true])
  func `an unreachable size is reported once, with its reason`(_ isLarge: Bool) async throws {
    let sample = try SampleFolder()
    if isLarge { try await sample.sqlite("CREATE TABLE ZLARGE AS SELECT zeroblob(26 << 20)") }
    let result = try await sample.run("prune sample.store --max-size 4K --yes")
    let lines = result.errors.split(separator: "\n")
    #expect(lines.count == 1, "\(result.errors)")
    #expect(lines.first?.contains("the history will not get smaller than") == true)
    #expect(lines.first?.contains("(limit 4.0 KiB): ") == true)
  }
}
