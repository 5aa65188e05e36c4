import OpenSwiftData
import TestSupport
import Testing

/// Eight processes open a store at the same moment that does not exist yet, or that must be migrated.
@Suite(.bounded) struct FirstSaveProcessesTests {
  private static let processCount = 8
  private let saver = Tool.built("ModelSaver")

  /// The seeds of the rounds, of which a few are tried.
  private static let rounds = Campaign.count(3, 200)

  /// Lets eight processes run at once; all of them must succeed.
  private func race(
    _ arguments: (Int) -> [String]
  ) async throws -> [Tool.Result] {
    try await withThrowingTaskGroup(of: Tool.Result.self) { group in
      for number in 0..<Self.processCount {
        let words = arguments(number)
        group.addTask { [saver] in try await saver.run(words) }
      }
      return try await group.reduce(into: []) { $0.append($1) }
    }
  }

  /// What contradicts itself in a store of the saves of eight authors.
  private func problems(_ path: String, saves: Int) throws -> [String] {
    let query = try StoreQuery(path: path)
    var problems = try query.lines("PRAGMA integrity_check").filter { $0 != "ok" }
    let count = Self.processCount * saves
    for (sql, wanted) in [
      ("SELECT count(*), min(Z_PK), max(Z_PK) FROM ATRANSACTION", "\(count)|1|\(count)"),
      (
        "SELECT count(*), count(DISTINCT ZAUTHOR), sum(ZCOUNT) FROM ZSAVEDCOUNTER",
        "\(Self.processCount)|\(Self.processCount)|\(count)"
      ),
      (
        "SELECT count(*), count(DISTINCT ZAUTHOR || ' ' || ZNUMBER) FROM ZSAVEDENTRY",
        "\(count)|\(count)"
      ),
      (
        "SELECT Z_MAX FROM Z_PRIMARYKEY WHERE Z_NAME = 'SavedEntry'", "\(count)"
      ),
      (
        "SELECT count(*), max(Z_PK) FROM ACHANGE",
        try query.lines("SELECT Z_MAX, Z_MAX FROM Z_PRIMARYKEY WHERE Z_ENT = 16001")[0]
      ),
    ] {
      let found = try query.lines(sql)
      if found != [wanted] { problems.append("\(sql): \(found) instead of \(wanted)") }
    }
    return problems
  }

  @Test func `eight processes create a store and save to it`() async throws {
    for round in 0..<Self.rounds {
      let folder = try TemporaryFolder()
      let path = folder.file("Saved.store")
      let results = try await race { [path, "author\($0)", "2"] }
      for result in results {
        #expect(result.status == 0, "round \(round): \(result.errors)")
        #expect(result.lines == ["1", "2"], "round \(round)")
      }
      #expect(try problems(path, saves: 2) == [], "round \(round)")
      let rest = try FileManager.default.contentsOfDirectory(atPath: folder.path)
        .filter { !["Saved.store", "Saved.store-wal", "Saved.store-shm"].contains($0) }
      #expect(rest == [], "round \(round)")
      guard round == 0 else { continue }
      let verify = try await Tool.histctl.run(["verify", path])
      #expect(verify.status == 0, "\(verify.text)")
    }
  }

  @Test func `eight processes migrate a store once`() async throws {
    let aside = try TemporaryFolder()
    let original = aside.file("Saved.store")
    #expect(try await saver.run([original, "app", "4"]).status == 0)
    for round in 0..<Self.rounds {
      let folder = try TemporaryFolder()
      let path = try folder.copy(store: original)
      for result in try await race({ _ in [path] }) {
        #expect(result.status == 0, "round \(round): \(result.errors)")
        #expect(result.lines == ["2"], "round \(round)")
      }
      let query = try StoreQuery(path: path)
      #expect(try query.lines("PRAGMA integrity_check") == ["ok"], "round \(round)")
      #expect(
        try query.lines("SELECT ZAUTHOR, ZPLACE, ZMARK FROM ZSAVEDENTRY ORDER BY 2")
          == ["app|3|migrated", "app|4|migrated"], "round \(round)")
      // Four saves, and those of one migration.
      #expect(
        try query.lines(
          """
          SELECT count(*), max(t.Z_PK), sum(s.ZNAME LIKE 'com.apple.coredata.schemamigrator%')
          FROM ATRANSACTION t LEFT JOIN ATRANSACTIONSTRING s ON s.Z_PK = t.ZAUTHORTS
          """) == ["7|7|1"], "round \(round)")
      guard round == 0 else { continue }
      let verify = try await Tool.histctl.run(["verify", path])
      #expect(verify.status == 0, "\(verify.text)")
    }
  }
}
