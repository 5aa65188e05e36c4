import TestSupport
import Testing

/// Several processes that append to one store.
@Suite(.bounded, .needsOptimization) struct AppendingProcessesTests {
  private static let perProcess = 5_000

  @Test(.enabled(if: Tool("sqlite3") != nil))
  func `two processes that append 5,000 transactions each lose none and repeat no number`()
    async throws
  {
    let folder = try TemporaryFolder()
    let saves = try await AppendedSaves.create(at: folder.file("shared.store"))
    let appender = Tool.built("StoreAppender")
    async let first = appender.run([saves.path, "app", "\(Self.perProcess)"])
    async let second = appender.run([saves.path, "widget", "\(Self.perProcess)"])
    let results = try await [first, second]

    // What each was told that it saved.
    let numbers = results.map { $0.lines.compactMap { Int($0) } }
    for (result, numbers) in zip(results, numbers) {
      #expect(result.status == 0, "\(result.errors)")
      #expect(numbers.count == Self.perProcess)
      #expect(numbers == numbers.sorted())
    }
    #expect(numbers.joined().sorted() == Array(2...2 * Self.perProcess + 1))

    let findings = try await saves.findings()
    #expect(findings.problems == [])
    #expect(findings.transactionCount == 2 * Self.perProcess + 1)
  }

  @Test(
    .enabled(if: Tool("sqlite3") != nil),
    arguments: [
      "DELETE FROM ATRANSACTION WHERE Z_PK = 3", "DELETE FROM ATRANSACTION WHERE Z_PK = 4",
      "DELETE FROM ACHANGE WHERE Z_PK = (SELECT max(Z_PK) FROM ACHANGE)",
      "DELETE FROM ACHANGE WHERE ZTRANSACTIONID = 3",
      "UPDATE ACHANGE SET ZTRANSACTIONID = 3 WHERE Z_PK = 2",
      "DELETE FROM ZTRIP WHERE Z_PK = 2", "DELETE FROM ZBUCKETLISTITEM WHERE Z_PK = 4",
      "INSERT INTO ZTAG (Z_PK, Z_ENT, Z_OPT) VALUES (2, 4, 1)",
      "UPDATE ZTRIP SET Z_OPT = 1 WHERE Z_PK = 1", "UPDATE ZTRIP SET ZNAME = 'x' WHERE Z_PK = 1",
      "UPDATE ZTAG SET ZLABEL = 'app 2'", "UPDATE ZBUCKETLISTITEM SET ZTRIP = 1",
      "UPDATE Z_PRIMARYKEY SET Z_MAX = Z_MAX - 1 WHERE Z_ENT = 3",
      "UPDATE Z_PRIMARYKEY SET Z_MAX = Z_MAX + 1 WHERE Z_ENT = 16001",
      "DELETE FROM Z_PRIMARYKEY WHERE Z_ENT = 16002",
      "DELETE FROM ATRANSACTIONSTRING WHERE ZNAME = 'app 3'",
    ])
  func `the check of appended stores finds damage`(_ damage: String) async throws {
    let folder = try TemporaryFolder()
    let saves = try await AppendedSaves.create(at: folder.file("default.store"))
    let result = try await Tool.built("StoreAppender").run([saves.path, "app", "3"])
    #expect(result.lines == ["2", "3", "4"])
    #expect(try await saves.findings() == .init(problems: [], transactionCount: 4))
    try StoreQuery(path: saves.path).run(damage)
    #expect(try await saves.findings().problems != [])
  }
}
