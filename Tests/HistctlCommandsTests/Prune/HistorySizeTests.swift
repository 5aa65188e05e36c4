import TestSupport
import Testing

/// Sizes are said as SQLite's own table of pages has them.
@Suite(.bounded) struct HistorySizeTests {
  /// What the history takes by SQLite's table of pages, asked by a program that knows nothing of ours.
  private static func pages(_ path: String) async throws -> Int64? {
    guard let sqlite = Tool("sqlite3") else { return nil }
    let result = try await sqlite.run([
      path,
      """
      SELECT sum(pgsize) FROM dbstat WHERE aggregate = TRUE AND name IN (SELECT name FROM
        sqlite_master WHERE tbl_name IN ('ACHANGE', 'ATRANSACTION', 'ATRANSACTIONSTRING'))
      """,
    ])
    return result.lines.first.flatMap { Int64($0) }
  }

  private static func history(in folder: TemporaryFolder) throws -> String {
    try LongHistory.write(
      to: folder.file("a.store"), transactions: 3000, changesEach: 7, sizes: [40: 900, 2000: 3000])
  }

  @Test(arguments: [
    100, 200, 400,
  ])
  func `a history is cut to the requested size, and a second run deletes nothing`(
    kibibytes: Int64
  ) async throws {
    let folder = try TemporaryFolder()
    let path = try Self.history(in: folder)
    guard let before = try await Self.pages(path) else { return }
    #expect(before > 600 << 10)
    let line = ["prune", path, "--max-size", "\(kibibytes)K"]
    #expect(try await InProcess.run(line + ["--yes"]).status == 0)
    let after = try #require(try await Self.pages(path))
    #expect(abs(after - kibibytes << 10) < kibibytes << 7, "\(after) bytes are left")
    let again = try await InProcess.run(line + ["--yes"])
    #expect(again.status == 0)
    #expect(try await Self.pages(path) == after)
  }

  @Test
  func `the estimated size of sealed history is close to its former size`() async throws {
    let folder = try TemporaryFolder()
    let path = try Self.history(in: folder)
    guard let before = try await Self.pages(path) else { return }
    let archive = folder.file("sealed")
    #expect(try await InProcess.run(["archive", path, archive]).status == 0)
    let prune = ["prune", path, "--keep-last", "1", "--archive", archive, "--yes"]
    #expect(try await InProcess.run(prune).status == 0)
    let stats = try await InProcess.run(["stats", path, "--archive", archive, "--csv"])
    #expect(stats.status == 0)
    let together = try await InProcess.run(["stats", path, "--archive", archive, "--json"])
    let jq = try #require(Tool("jq"))
    let bytes = try await jq.run([".bytes"], input: together.text)
    let said = try #require(bytes.lines.first.flatMap { Int64($0) })
    #expect(said > before / 2 && said < before * 2, "\(said) for \(before)")
  }
}
