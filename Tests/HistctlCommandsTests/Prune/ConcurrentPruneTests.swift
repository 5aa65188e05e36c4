import StoreFormat
import TestSupport
import Testing

/// Pruning while others use the store: nothing of theirs is lost or doubled.
@Suite(.bounded, .needsOptimization) struct ConcurrentPruneTests {
  /// A store of the model with a long history that tells nothing of its tables, and a tag to write on.
  private static func store(_ folder: TemporaryFolder, transactions: Int) throws -> String {
    let path = folder.file("Trips.store")
    try LongHistory.writeForApps(to: path, transactions: transactions, changesEach: 5)
    return path
  }

  @Test func `a prune does not disturb a writer and a reader`() async throws {
    let folder = try TemporaryFolder()
    let path = try Self.store(folder, transactions: 40_000)
    async let saves = Tool.built("StoreAppender").run([path, "app", "120"])
    async let pruning = Tool.histctl.run(
      ["prune", path, "--keep-last", "10", "--yes", "--busy-timeout", "600"])
    let reader = try StoreQuery(path: path)
    let question = """
      SELECT min(Z_PK), max(Z_PK), count(*), (SELECT count(*) FROM ACHANGE),
        (SELECT count(*) FROM ACHANGE WHERE ZTRANSACTIONID < (SELECT min(Z_PK) FROM ATRANSACTION))
      FROM ATRANSACTION
      """
    for _ in 0..<30 {
      try reader.run("BEGIN")
      let seen = try reader.lines(question)
      try await Task.sleep(for: .milliseconds(10))
      #expect(try reader.lines(question) == seen)
      try reader.run("COMMIT")
      let numbers = seen[0].split(separator: "|").compactMap { Int($0) }
      #expect(numbers[2] == numbers[1] - numbers[0] + 1, "\(seen)")
      #expect(numbers[4] == 0, "\(seen)")
    }
    let (saved, pruned) = (try await saves, try await pruning)
    #expect(saved.status == 0, "\(saved.errors)")
    #expect(pruned.status == 0, "\(pruned.errors)")

    let query = try StoreQuery(path: path)
    let left = try query.lines("SELECT Z_PK FROM ATRANSACTION ORDER BY Z_PK").compactMap { Int($0) }
    let first = try #require(left.first)
    #expect(left == Array(first...(first + left.count - 1)))
    #expect(left.last == 40_120)
    #expect(saved.lines.compactMap { Int($0) } == Array(40_001...40_120))
    #expect(
      try query.lines(
        """
        SELECT count(*) FROM ACHANGE WHERE ZTRANSACTIONID NOT IN (SELECT Z_PK FROM ATRANSACTION)
        """) == ["0"])
    #expect(try query.lines("SELECT count(*) FROM ZTRIP") == ["120"])
    #expect(try query.lines("SELECT ZLABEL FROM ZTAG WHERE Z_PK = 1") == ["app 120"])
    #expect(try query.lines("PRAGMA integrity_check") == ["ok"])
  }

  /// The one finds what it planned for, the other finds it gone; neither takes more than was planned.
  @Test func `two concurrent prunes delete what both planned`() async throws {
    let folder = try TemporaryFolder()
    let path = try Self.store(folder, transactions: 40_000)
    async let first = Tool.histctl.run([
      "prune", path, "--before", "30000", "--yes", "--busy-timeout", "60",
    ])
    async let second = Tool.histctl.run([
      "prune", path, "--before", "20000", "--yes", "--busy-timeout", "60",
    ])
    let statuses = [try await first.status, try await second.status]
    #expect(statuses.contains(0) || statuses.allSatisfy { [3, 7].contains($0) }, "\(statuses)")
    #expect(statuses.allSatisfy { [0, 3, 7].contains($0) }, "\(statuses)")
    let rest = try await Tool.histctl.run([
      "prune", path, "--before", "30000", "--yes", "--busy-timeout", "60",
    ])
    #expect(rest.status == 0, "\(rest.errors)")
    let query = try StoreQuery(path: path)
    #expect(
      try query.lines("SELECT min(Z_PK), max(Z_PK), count(*) FROM ATRANSACTION")
        == ["30000|40000|10001"])
    #expect(
      try query.lines("SELECT min(ZTRANSACTIONID), count(*) FROM ACHANGE") == ["30000|50005"])
    #expect(try query.lines("PRAGMA integrity_check") == ["ok"])
  }

  /// Whenever it is ended, a whole history is left, and the next run does the rest.
  @Test(.enabled(if: Tool("timeout") != nil), arguments: ["TERM", "KILL"], [0.05, 0.15, 0.3, 0.6])
  func `a prune ended by a signal leaves a complete history`(
    _ signal: String, _ seconds: Double
  ) async throws {
    let folder = try TemporaryFolder()
    let path = try LongHistory.write(
      to: folder.file("a.store"), transactions: 20_000, changesEach: 5, sizes: [9000: 40_000])
    let timeout = try #require(Tool("timeout"))
    let options = ["prune", path, "--keep-last", "3", "--yes", "--quiet"]
    let ended = try await timeout.run(
      ["--preserve-status", "-s", signal, "\(seconds)", Tool.histctl.path] + options)
    #expect([0, 137, 143].contains(ended.status), "\(ended.errors)")
    let query = try StoreQuery(path: path)
    #expect(try query.lines("PRAGMA integrity_check") == ["ok"])
    #expect(
      try query.lines("SELECT max(Z_PK), max(Z_PK) - min(Z_PK) + 1 - count(*) FROM ATRANSACTION")
        == ["20000|0"])
    // Of every transaction all changes are there; only the oldest can have lost a part of them.
    #expect(
      try query.lines(
        """
        SELECT ZTRANSACTIONID, count(*) FROM ACHANGE GROUP BY 1
        HAVING count(*) <> iif(ZTRANSACTIONID = 9000, 40000, 5)
          AND ZTRANSACTIONID <> (SELECT min(Z_PK) FROM ATRANSACTION)
        """) == [])
    #expect(
      try query.lines(
        """
        SELECT count(*) FROM ACHANGE WHERE ZTRANSACTIONID NOT IN (SELECT Z_PK FROM ATRANSACTION)
        """) == ["0"])
    #expect(try await Tool.histctl.run(options).status == 0)
    #expect(try query.lines("SELECT Z_PK FROM ATRANSACTION") == ["19998", "19999", "20000"])
    #expect(try query.lines("SELECT count(*) FROM ACHANGE") == ["15"])
  }
}
