import StoreFormat
import TestSupport
import Testing

/// Restoring while others use the store: nothing of theirs is lost, and what comes back is whole.
@Suite(.bounded, .needsOptimization) struct ConcurrentRestoreTests {
  private static let transactions = 6000

  /// A store that is appended to by an app, its history sealed and pruned.
  private static func store(
    _ folder: TemporaryFolder
  ) async throws -> (path: String, archive: String) {
    let path = folder.file("Trips.store")
    try LongHistory.writeForApps(to: path, transactions: transactions, changesEach: 3)
    let archive = folder.file("archive")
    for command in [
      ["archive", path, archive, "--quiet"],
      ["prune", path, "--keep-last", "10", "--yes", "--quiet"],
    ] {
      let result = try await Tool.histctl.run(command)
      #expect(result.status == 0, "\(result.errors)")
    }
    return (path, archive)
  }

  @Test func `a restore does not disturb two writers and a reader`() async throws {
    let folder = try TemporaryFolder()
    let (path, archive) = try await Self.store(folder)
    async let ones = Tool.built("StoreAppender").run([path, "app", "60"])
    async let others = Tool.built("StoreAppender").run([path, "widget", "60"])
    async let restoring = Tool.histctl.run(
      ["restore", path, archive, "--yes", "--busy-timeout", "120"])
    let reader = try StoreQuery(path: path)
    let question = """
      SELECT min(Z_PK), max(Z_PK), count(*),
        (SELECT count(*) FROM ACHANGE WHERE ZTRANSACTIONID < \(Self.transactions)
          AND ZTRANSACTIONID >= (SELECT min(Z_PK) FROM ATRANSACTION))
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
      #expect(numbers[3] == (Self.transactions - numbers[0]) * 3, "\(seen)")
    }
    let saved = [try await ones, try await others]
    let restored = try await restoring
    #expect(saved.allSatisfy { $0.status == 0 }, "\(saved.map(\.errors))")
    #expect(restored.status == 0, "\(restored.errors)")

    let query = try StoreQuery(path: path)
    #expect(
      try query.lines("SELECT min(Z_PK), max(Z_PK), count(*) FROM ATRANSACTION")
        == ["1|\(Self.transactions + 120)|\(Self.transactions + 120)"])
    let numbers = saved.flatMap { $0.lines.compactMap { Int($0) } }.sorted()
    #expect(numbers == Array(Self.transactions + 1...Self.transactions + 120))
    #expect(
      try query.lines(
        """
        SELECT count(*) FROM ACHANGE WHERE ZTRANSACTIONID NOT IN (SELECT Z_PK FROM ATRANSACTION)
        """) == ["0"])
    #expect(
      try query.lines(
        """
        SELECT ZTRANSACTIONID FROM ACHANGE WHERE ZTRANSACTIONID BETWEEN 2 AND \(Self.transactions)
        GROUP BY 1 HAVING count(*) <> 3
        """) == [])
    #expect(try query.lines("SELECT count(*) FROM ZTRIP") == ["120"])
    #expect(try query.lines("PRAGMA integrity_check") == ["ok"])
  }

  /// The one goes on, the other finds out; what comes back comes back once.
  @Test func `two concurrent restores insert each transaction once`() async throws {
    let folder = try TemporaryFolder()
    let (path, archive) = try await Self.store(folder)
    let command = ["restore", path, archive, "--yes", "--busy-timeout", "60"]
    async let first = Tool.histctl.run(command)
    async let second = Tool.histctl.run(command)
    let statuses = [try await first.status, try await second.status]
    #expect(statuses.allSatisfy { [0, 3, 7].contains($0) }, "\(statuses)")
    #expect(try await Tool.histctl.run(command).status == 0)
    let query = try StoreQuery(path: path)
    let count = Self.transactions
    #expect(
      try query.lines("SELECT min(Z_PK), max(Z_PK), count(*) FROM ATRANSACTION")
        == ["1|\(count)|\(count)"])
    #expect(try query.lines("SELECT count(*) FROM ACHANGE") == ["\(count * 3)"])
    #expect(try query.lines("PRAGMA integrity_check") == ["ok"])
  }

  /// Whenever it is ended, the history has no gap, and the next run does the rest.
  @Test(.enabled(if: Tool("timeout") != nil), arguments: ["TERM", "KILL"], [0.3, 0.9, 1.5])
  func `a restore ended by a signal leaves no gap`(_ signal: String, _ seconds: Double) async throws
  {
    let folder = try TemporaryFolder()
    let path = try LongHistory.write(
      to: folder.file("a.store"), transactions: 1500, changesEach: 3, sizes: [900: 6000])
    let before = try StoreQuery(path: path).contents()
    let archive = folder.file("archive")
    _ = try await Tool.histctl.run(["archive", path, archive, "--quiet"])
    _ = try await Tool.histctl.run(["prune", path, "--keep-last", "3", "--yes", "--quiet"])
    let timeout = try #require(Tool("timeout"))
    let options = ["restore", path, archive, "--yes", "--quiet"]
    let ended = try await timeout.run(
      ["--preserve-status", "-s", signal, "\(seconds)", Tool.histctl.path] + options)
    #expect([0, 137, 143].contains(ended.status), "\(ended.errors)")
    let query = try StoreQuery(path: path)
    #expect(try query.lines("PRAGMA integrity_check") == ["ok"])
    #expect(
      try query.lines("SELECT max(Z_PK), max(Z_PK) - min(Z_PK) + 1 - count(*) FROM ATRANSACTION")
        == ["1500|0"])
    // Of every transaction that is there all changes are.
    #expect(
      try query.lines(
        """
        SELECT Z_PK FROM ATRANSACTION AS t WHERE iif(Z_PK = 900, 6000, 3)
          <> (SELECT count(*) FROM ACHANGE AS c WHERE c.ZTRANSACTIONID = t.Z_PK)
        """) == [])
    let again = try await Tool.histctl.run(options)
    #expect(again.status == 0, "\(again.errors)")
    #expect(try query.contents() == before)
  }
}
