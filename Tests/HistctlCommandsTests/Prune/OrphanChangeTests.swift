import Foundation
import TestSupport
import Testing

/// Changes that belong to no transaction: `prune` deletes what it can prove, and reports the rest.
@Suite(.bounded) struct OrphanChangeTests {
  private static func numbers(_ sample: SampleFolder) throws -> [String] {
    try StoreQuery(path: sample.store).lines("SELECT Z_PK FROM ACHANGE ORDER BY Z_PK")
  }

  private static func objects(_ text: String) throws -> [[String: Any]] {
    try text.split(separator: "\n").compactMap {
      try JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: Any]
    }
  }

  @Test(
    arguments: [
      "DELETE FROM ATRANSACTION WHERE Z_PK = 1",
      "UPDATE ACHANGE SET ZTRANSACTIONID = 0 WHERE ZTRANSACTIONID = 3",
      "UPDATE ACHANGE SET ZTRANSACTIONID = -5 WHERE ZTRANSACTIONID = 3",
      "UPDATE ACHANGE SET ZTRANSACTIONID = NULL WHERE ZTRANSACTIONID = 3",
      "UPDATE ACHANGE SET ZTRANSACTIONID = 'three' WHERE ZTRANSACTIONID = 3",
    ], ["--archive arch", ""])
  func `orphan changes stay and are reported, without an archive and with one that lacks them`(
    _ sql: String, _ archive: String
  ) async throws {
    let sample = try SampleFolder()
    let query = try StoreQuery(path: sample.store)
    try query.run(sql)
    let orphans = try query.lines(
      """
      SELECT Z_PK FROM ACHANGE WHERE typeof(ZTRANSACTIONID) <> 'integer'
        OR ZTRANSACTIONID NOT IN (SELECT Z_PK FROM ATRANSACTION)
      """)
    let deleted = try query.lines("SELECT count(*) FROM ACHANGE WHERE ZTRANSACTIONID < 9").first
      .flatMap { Int($0) }.map {
        $0 - orphans.count + (sql.contains("NULL") || sql.contains("'") ? orphans.count : 0)
      }
    let dryRun = try await sample.run(
      "prune sample.store --before 9 \(archive) --dry-run --json")
    #expect(dryRun.status == 0, "\(dryRun.errors)")
    let plan = try #require(Self.objects(dryRun.text).first)
    #expect(plan["orphanChanges"] as? Int == orphans.count)
    #expect(plan["changes"] as? Int == deleted)
    let warning = try #require(Self.objects(dryRun.errors).first)
    #expect(warning["type"] as? String == "warning")
    #expect(warning["kind"] as? String == "orphanChange")

    let pruned = try await sample.run("prune sample.store --before 9 \(archive) --yes --json")
    #expect(pruned.status == 0, "\(pruned.errors)")
    let result = try #require(Self.objects(pruned.text).last)
    #expect(result["changes"] as? Int == deleted)
    #expect(result["orphanChanges"] as? Int == orphans.count)
    #expect(try Self.numbers(sample).filter(orphans.contains) == orphans)
    #expect(
      try query.lines(
        "SELECT count(*) FROM ACHANGE WHERE ZTRANSACTIONID IN (1, 2, 3, 4, 5, 6, 7, 8)")
        == ["\(sql.contains("DELETE") ? orphans.count : 0)"])
    #expect(try await sample.run("verify sample.store").status == 5)
  }

  @Test
  func `--ignore-guard damage deletes orphan changes before the cut without an archive`()
    async throws
  {
    let sample = try SampleFolder()
    let query = try StoreQuery(path: sample.store)
    try query.run(
      """
      UPDATE ACHANGE SET ZTRANSACTIONID = -5 WHERE ZTRANSACTIONID = 3;
      UPDATE ACHANGE SET ZTRANSACTIONID = NULL WHERE ZTRANSACTIONID = 4
      """)
    let sealed = try await sample.run(
      "prune sample.store --before 6 --archive arch --yes --ignore-guard damage")
    #expect(sealed.status == 0, "\(sealed.errors)")
    #expect(try query.lines("SELECT count(*) > 0 FROM ACHANGE WHERE ZTRANSACTIONID = -5") == ["1"])
    let pruned = try await sample.run(
      "prune sample.store --before 9 --yes --ignore-guard damage")
    #expect(pruned.status == 0, "\(pruned.errors)")
    #expect(
      try query.lines("SELECT DISTINCT ZTRANSACTIONID FROM ACHANGE ORDER BY 1").prefix(2)
        == ["", "9"])
  }

  @Test(arguments: ["", "--archive arch"], ["--dry-run", "--yes"])
  func `orphan changes between transactions stop a prune`(
    _ archive: String, _ mode: String
  ) async throws {
    for sql in [
      "DELETE FROM ATRANSACTION WHERE Z_PK = 4",
      "UPDATE ACHANGE SET ZTRANSACTIONID = 4.5 WHERE ZTRANSACTIONID = 4",
    ] {
      let sample = try SampleFolder()
      let query = try StoreQuery(path: sample.store)
      try query.run(sql)
      let before = try query.contents()
      let refused = try await sample.run("prune sample.store --before 9 \(archive) \(mode)")
      #expect(refused.status == 5, "\(refused.text)\(refused.errors)")
      #expect(try query.contents() == before)
      let ignored = try await sample.run(
        "prune sample.store --before 9 --yes --ignore-guard damage")
      #expect(ignored.status == 0, "\(ignored.errors)")
      #expect(try query.lines("SELECT min(Z_PK) FROM ATRANSACTION") == ["9"])
    }
  }

  /// A restore that was killed has inserted the first changes of a transaction with very many.
  @Test
  func `remains of an interrupted restore are deleted, with an archive only if they are sealed`()
    async throws
  {
    for (archive, sql, isDeleted) in [
      ("", "", true), ("--archive arch", "", true), ("--archive other", "", false),
      ("--archive arch", "UPDATE ACHANGE SET ZCOLUMNS = x'10' WHERE Z_PK = 700", false),
    ] {
      let folder = try TemporaryFolder()
      let store = try LongHistory.write(
        to: folder.file("a.store"), transactions: 20, changesEach: 2, sizes: [5: 2000])
      func run(_ line: String) async throws -> Tool.Result {
        try await Tool.histctl.run(
          line.split(separator: " ").map(String.init), folder: folder.path)
      }
      #expect(try await run("archive a.store arch").status == 0)
      let query = try StoreQuery(path: store)
      try query.run(
        """
        DELETE FROM ACHANGE WHERE ZTRANSACTIONID < 5 OR ZTRANSACTIONID = 5 AND Z_PK > 1032;
        DELETE FROM ATRANSACTION WHERE Z_PK < 6;
        \(sql)
        """)
      let pruned = try await run("prune a.store --before 15 \(archive) --yes")
      #expect(pruned.status == 0, "\(archive) \(pruned.errors)")
      #expect(
        try query.lines("SELECT count(*) FROM ACHANGE WHERE ZTRANSACTIONID = 5")
          == [isDeleted ? "0" : "1024"], "\(archive) \(sql)")
      #expect(pruned.errors.contains("belong to no transaction") == !isDeleted)
      #expect(try query.lines("SELECT min(Z_PK) FROM ATRANSACTION") == ["15"])
    }
  }
}
