import OpenSwiftData
import TestSupport
import Testing

/// Other processes migrate a store, at once or until they are killed, and it is of the one version or of
/// the other.
@Suite(.bounded) struct MigratingProcessesTests {
  private let saver = Tool.built("ModelSaver")

  /// A store of the first version.
  private func store(_ folder: TemporaryFolder) async throws -> String {
    let path = folder.file("Saved.store")
    #expect(try await saver.run([path, "app", "4"]).status == 0)
    return path
  }

  /// Whether the whole of the migration is there: true, or nothing of it: false; nil for anything else.
  private func isMigrated(_ path: String) throws -> Bool? {
    let query = try StoreQuery(path: path)
    let facts = try query.lines(
      """
      SELECT (SELECT group_concat(Z_NAME) FROM (
          SELECT Z_NAME FROM Z_PRIMARYKEY WHERE Z_ENT < 16000 ORDER BY Z_ENT)),
        (SELECT group_concat(name) FROM (SELECT name FROM sqlite_master
          WHERE type = 'table' AND name LIKE 'ZSAVED%' ORDER BY name)),
        (SELECT count(*) FROM ZSAVEDENTRY), (SELECT count(*) FROM ATRANSACTION)
      """)
    guard try query.lines("PRAGMA integrity_check") == ["ok"] else { return nil }
    switch facts {
    case ["SavedCounter,SavedEntry|ZSAVEDCOUNTER,ZSAVEDENTRY|2|4"]:
      return try query.lines("SELECT ZCOUNT, ZNUMBER FROM ZSAVEDCOUNTER, ZSAVEDENTRY")
        == ["4|3", "4|4"] ? false : nil
    case ["SavedEntry|ZSAVEDENTRY|2|7"]:
      return try query.lines("SELECT ZPLACE, ZMARK FROM ZSAVEDENTRY")
        == ["3|migrated", "4|migrated"] ? true : nil
    default: return nil
    }
  }

  @Test func `concurrent processes migrate a store once`() async throws {
    let folder = try TemporaryFolder()
    let path = try await store(folder)
    #expect(try isMigrated(path) == false)
    async let first = saver.run([path])
    async let second = saver.run([path])
    async let third = saver.run([path])
    for result in try await [first, second, third] {
      #expect(result.status == 0, "\(result.errors)")
      #expect(result.lines == ["2"])
    }
    // One of them has done it, and the others have found it done.
    #expect(try isMigrated(path) == true)
    let verify = try await Tool.histctl.run(["verify", path])
    #expect(verify.status == 0, "\(verify.text)")
  }

  #if os(Linux)
  @Test(
    .enabled(if: FaultInjector.isPossible),
    arguments: [FaultInjector.Kind.kill, .full])
  func `a migration that fails at any system call leaves one of the versions`(
    _ kind: FaultInjector.Kind
  ) async throws {
    let folder = try TemporaryFolder()
    let injector = try await FaultInjector(folder: folder)
    let original = try await store(folder)
    var outcomes: Set<Bool> = []
    let aside = try TemporaryFolder()
    let undisturbed = try aside.copy(store: original)
    let calls = try await injector.calls(of: saver, [undisturbed], files: undisturbed).calls
    for call in FaultInjector.turns(of: calls) {
      let place = try TemporaryFolder()
      let path = try place.copy(store: original)
      let fault = FaultInjector.Fault(kind, at: call, lasts: kind == .full)
      let result = try await injector.run(saver, [path], files: path, fault)
      let state = try isMigrated(path)
      #expect(state != nil, "\(fault)")
      if let state { outcomes.insert(state) }
      // Whoever comes next goes on, or finds it done.
      let next = try await saver.run([path])
      #expect(next.lines == ["2"], "\(fault): \(next.errors)")
      #expect(try isMigrated(path) == true, "\(fault)")
      try #require([0, kind == .kill ? 137 : 1].contains(result.status), "\(result.errors)")
    }
    #expect(outcomes.contains(false))
    #expect(outcomes.contains(true))
  }
  #endif
}
