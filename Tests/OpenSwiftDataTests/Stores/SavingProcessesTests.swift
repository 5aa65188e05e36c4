import OpenSwiftData
import TestSupport
import Testing

/// Other processes save, at once or until they are killed, and every store holds whole saves only.
@Suite(.bounded) struct SavingProcessesTests {
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

  @Test func `two processes save concurrently`() async throws {
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
  @Test(.enabled(if: FaultInjector.isPossible))
  func `a save killed at any system call is whole or absent`() async throws {
    let folder = try TemporaryFolder()
    let injector = try await FaultInjector(folder: folder)
    let saver = Tool.built("ModelSaver")
    let original = folder.file("Saved.store")
    #expect(try await saver.run([original, "app", "3"]).status == 0)
    let aside = try TemporaryFolder()
    let undisturbed = try aside.copy(store: original)
    let calls = try await injector.calls(
      of: saver, [undisturbed, "app", "1"], files: undisturbed
    ).calls
    var outcomes: Set<Int> = []
    for call in FaultInjector.turns(of: calls) {
      let place = try TemporaryFolder()
      let path = try place.copy(store: original)
      let fault = FaultInjector.Fault(.kill, at: call)
      let result = try await injector.run(saver, [path, "app", "1"], files: path, fault)
      #expect(try problems(in: path) == [], "\(fault)")
      let count = try #require(
        Int(try StoreQuery(path: path).lines("SELECT ZCOUNT FROM ZSAVEDCOUNTER")[0]))
      outcomes.insert(count - 3)
      // What was said to be saved is there.
      if !result.lines.isEmpty { #expect(count == 4, "\(fault)") }
      // Whoever comes next goes on.
      #expect(try await saver.run([path, "app", "1"]).lines == ["\(count + 1)"])
      #expect(try problems(in: path) == [], "\(fault)")
      try #require([0, 137].contains(result.status), "\(result.errors)")
    }
    #expect(outcomes == [0, 1])
  }

  /// What contradicts itself between a store and the values recorded beside it, where every update is
  /// one of a counter: each has its values, and what is of no transaction can only be newer than all.
  private func problemsOfValues(in path: String, canHaveRest: Bool) throws -> [String] {
    let query = try StoreQuery(path: path)
    let problems = try StoreQuery(path: path + "-values.db").lines("PRAGMA integrity_check")
      .filter { $0 != "ok" }
    try query.run("ATTACH '\(path)-values.db' AS recorded")
    return try problems
      + query.lines(
        """
        SELECT c.Z_PK, v.old, v.new FROM ACHANGE c
        JOIN ATRANSACTION t ON t.Z_PK = c.ZTRANSACTIONID
        LEFT JOIN recorded.recorded_value v ON v.change_number = c.Z_PK AND v.name = 'count'
          AND v.transaction_number = t.Z_PK AND v.timestamp = t.ZTIMESTAMP
        WHERE c.ZCHANGETYPE = 1
          AND (v.new IS NOT c.ZTRANSACTIONID OR v.old IS NOT c.ZTRANSACTIONID - 1)
        """)
      + query.lines(
        """
        SELECT v.transaction_number, v.change_number FROM recorded.recorded_value v
        LEFT JOIN ATRANSACTION t ON t.Z_PK = v.transaction_number AND v.timestamp = t.ZTIMESTAMP
        WHERE t.Z_PK IS NULL AND (NOT \(canHaveRest)
          OR v.transaction_number <= (SELECT max(Z_PK) FROM ATRANSACTION))
        """)
  }

  @Test(.enabled(if: FaultInjector.isPossible), arguments: [FaultInjector.Kind.kill, .torn])
  func `a save with recorded values killed at any system call is whole or absent`(
    _ kind: FaultInjector.Kind
  ) async throws {
    let folder = try TemporaryFolder()
    let injector = try await FaultInjector(folder: folder)
    let saver = Tool.built("ModelSaver")
    let original = folder.file("Saved.store")
    #expect(try await saver.run([original, "app", "3", "--values"]).status == 0)
    func copy(to folder: TemporaryFolder) throws -> String {
      let path = try folder.copy(store: original)
      try FileManager.default.copyItem(
        atPath: original + "-values.db", toPath: path + "-values.db")
      return path
    }
    let aside = try TemporaryFolder()
    let undisturbed = try copy(to: aside)
    let calls = try await injector.calls(
      of: saver, [undisturbed, "app", "1", "--values"], files: undisturbed
    ).calls
    var outcomes: Set<Int> = []
    var hadRest = false
    for call in FaultInjector.turns(of: calls, where: { kind != .torn || $0.isWrite }) {
      let place = try TemporaryFolder()
      let path = try copy(to: place)
      let fault = FaultInjector.Fault(kind, at: call)
      let result = try await injector.run(
        saver, [path, "app", "1", "--values"], files: path, fault)
      #expect(try problems(in: path) == [], "\(fault)")
      #expect(try problemsOfValues(in: path, canHaveRest: true) == [], "\(fault)")
      if try problemsOfValues(in: path, canHaveRest: false) != [] { hadRest = true }
      let count = try #require(
        Int(try StoreQuery(path: path).lines("SELECT ZCOUNT FROM ZSAVEDCOUNTER")[0]))
      outcomes.insert(count - 3)
      if !result.lines.isEmpty { #expect(count == 4, "\(fault)") }
      // Whoever comes next removes what is left of the save that was never complete.
      #expect(try await saver.run([path, "app", "1", "--values"]).lines == ["\(count + 1)"])
      #expect(try problems(in: path) == [], "\(fault)")
      #expect(try problemsOfValues(in: path, canHaveRest: false) == [], "\(fault)")
      try #require([0, 137].contains(result.status), "\(result.errors)")
    }
    #expect(outcomes == [0, 1])
    #expect(hadRest || !Campaign.isEverything)
  }

  @Test(.enabled(if: FaultInjector.isPossible))
  func `the first save with recorded values killed at any system call is whole or absent`()
    async throws
  {
    let folder = try TemporaryFolder()
    let injector = try await FaultInjector(folder: folder)
    let saver = Tool.built("ModelSaver")
    let original = folder.file("Saved.store")
    #expect(try await saver.run([original, "app", "3"]).status == 0)
    let aside = try TemporaryFolder()
    let undisturbed = try aside.copy(store: original)
    let calls = try await injector.calls(
      of: saver, [undisturbed, "app", "1", "--values"], files: undisturbed
    ).calls
    for call in FaultInjector.turns(of: calls) {
      let place = try TemporaryFolder()
      let path = try place.copy(store: original)
      let fault = FaultInjector.Fault(.kill, at: call)
      let result = try await injector.run(
        saver, [path, "app", "1", "--values"], files: path, fault)
      #expect(try problems(in: path) == [], "\(fault)")
      let count = try #require(
        Int(try StoreQuery(path: path).lines("SELECT ZCOUNT FROM ZSAVEDCOUNTER")[0]))
      #expect(try await saver.run([path, "app", "1", "--values"]).lines == ["\(count + 1)"])
      #expect(
        try StoreQuery(path: path + "-values.db").lines(
          "SELECT old, new FROM recorded_value WHERE transaction_number = \(count + 1)")
          == ["\(count)|\(count + 1)"], "\(fault)")
      try #require([0, 137].contains(result.status), "\(result.errors)")
    }
  }

  @Test func `two processes record values concurrently`() async throws {
    let folder = try TemporaryFolder()
    let path = folder.file("Saved.store")
    let saver = Tool.built("ModelSaver")
    async let first = saver.run([path, "first", "50", "--values"])
    async let second = saver.run([path, "second", "50", "--values"])
    for result in try await [first, second] { #expect(result.status == 0, "\(result.errors)") }
    #expect(try problems(in: path) == [])
    let query = try StoreQuery(path: path)
    try query.run("ATTACH '\(path)-values.db' AS recorded")
    #expect(
      try query.lines(
        """
        SELECT count(*), sum(v.new = v.old + 1) FROM recorded.recorded_value v
        JOIN ATRANSACTION t ON t.Z_PK = v.transaction_number AND v.timestamp = t.ZTIMESTAMP
        """) == ["98|98"])
  }
  #endif
}
