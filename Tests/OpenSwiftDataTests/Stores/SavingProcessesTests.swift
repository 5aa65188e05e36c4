import OpenSwiftData
import TestSupport
import Testing

/// Other processes save, at once or until they are killed, and every store holds whole saves only.
@Suite struct SavingProcessesTests {
  /// What contradicts itself in a store that ModelSaver has saved to; nothing in a sound one.
  ///
  /// Every author's counter, newest entry and number of transactions are the same, an author has two
  /// entries at most, every change belongs to a transaction, and no number was given twice.
  private func problems(in path: String) throws -> [String] {
    let query = try StoreQuery(path: path)
    return try query.lines("PRAGMA integrity_check").filter { $0 != "ok" }
      + query.lines(
        """
        SELECT c.ZAUTHOR, c.ZCOUNT, e.newest, e.number, t.number
        FROM ZSAVEDCOUNTER c
        LEFT JOIN (SELECT ZAUTHOR, max(ZNUMBER) newest, count(*) number
          FROM ZSAVEDENTRY GROUP BY 1) e ON e.ZAUTHOR = c.ZAUTHOR
        LEFT JOIN (SELECT s.ZNAME, count(*) number FROM ATRANSACTION t
          JOIN ATRANSACTIONSTRING s ON s.Z_PK = t.ZAUTHORTS GROUP BY 1) t ON t.ZNAME = c.ZAUTHOR
        WHERE e.newest IS NOT c.ZCOUNT OR t.number IS NOT c.ZCOUNT
          OR e.number IS NOT min(c.ZCOUNT, 2)
        """)
      + query.lines(
        "SELECT Z_PK FROM ACHANGE WHERE ZTRANSACTIONID NOT IN (SELECT Z_PK FROM ATRANSACTION)")
      + query.lines(
        "SELECT Z_PK FROM ATRANSACTION WHERE Z_PK NOT IN (SELECT ZTRANSACTIONID FROM ACHANGE)")
      + query.lines(
        """
        SELECT Z_NAME FROM Z_PRIMARYKEY p WHERE Z_MAX IS NOT CASE Z_NAME
          WHEN 'SavedEntry' THEN (
            SELECT count(*) FROM ACHANGE WHERE ZENTITY = p.Z_ENT AND ZCHANGETYPE = 0)
          WHEN 'TRANSACTION' THEN (SELECT count(*) FROM ATRANSACTION)
          WHEN 'CHANGE' THEN (SELECT count(*) FROM ACHANGE) ELSE Z_MAX END
        """)
  }

  /// How often each process saves; HISTCTL_SAVES=10000 takes some minutes.
  private static let saveCount =
    ProcessInfo.processInfo.environment["HISTCTL_SAVES"].flatMap { Int($0) } ?? 100

  @Test func twoProcessesSaveAtOnce() async throws {
    let folder = try TemporaryFolder()
    let path = folder.file("Saved.store")
    let saver = Tool.built("ModelSaver")
    let count = Self.saveCount
    // Both may find no store, and only one of them creates it.
    async let first = saver.run([path, "first", "\(count)"])
    async let second = saver.run([path, "second", "\(count)"])
    for result in try await [first, second] {
      #expect(result.status == 0, "\(result.errors)")
      #expect(result.lines == (1...count).map(String.init))
    }
    #expect(try problems(in: path) == [])
    #expect(
      try StoreQuery(path: path).lines("SELECT count(*), max(Z_PK) FROM ATRANSACTION")
        == ["\(2 * count)|\(2 * count)"])
  }

  #if os(Linux)
  @Test("A save is killed at each of its system calls", .enabled(if: FaultInjector.isPossible))
  func everyCall() async throws {
    let folder = try TemporaryFolder()
    let injector = try await FaultInjector(folder: folder)
    let saver = Tool.built("ModelSaver")
    let original = folder.file("Saved.store")
    #expect(try await saver.run([original, "app", "3"]).status == 0)
    var outcomes: Set<Int> = []
    for call in 1... {
      let place = try TemporaryFolder()
      let path = try place.copy(store: original)
      let result = try await injector.run(
        saver, [path, "app", "1"], files: path, FaultInjector.Fault(.kill, at: call))
      #expect(try problems(in: path) == [], "call \(call)")
      let count = try #require(
        Int(try StoreQuery(path: path).lines("SELECT ZCOUNT FROM ZSAVEDCOUNTER")[0]))
      outcomes.insert(count - 3)
      // What was said to be saved is there.
      if !result.lines.isEmpty { #expect(count == 4, "call \(call)") }
      // Whoever comes next goes on.
      #expect(try await saver.run([path, "app", "1"]).lines == ["\(count + 1)"])
      #expect(try problems(in: path) == [], "call \(call)")
      if result.status == 0 { break }
      try #require(result.status == 137, "\(result.errors)")
    }
    #expect(outcomes == [0, 1])
  }
  #endif
}
