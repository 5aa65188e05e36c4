import StoreFormat
import TestSupport
import Testing

/// A process that is killed while it appends leaves a transaction whole or not at all.
@Suite(.bounded, .needsOptimization, .enabled(if: Tool("sqlite3") != nil)) struct KilledAppendTests
{
  /// Looks at a store whose writer was killed, goes on with it, and gives how many transactions the
  /// writer left.
  private func checkAndGoOn(_ saves: AppendedSaves, _ moment: String) async throws -> Int {
    // On a copy, since sqlite3 would put right what our own code has to.
    let folder = try TemporaryFolder()
    let left = try await saves.copy(to: folder).findings()
    #expect(left.problems == [], "\(moment)")

    do throws(StoreError) {
      let count = try read(saves)
      #expect(count == left.transactionCount, "\(moment)")
    } catch .unfinishedSave {
      // A journal that is to be rolled back: reading changes nothing, so it says so instead.
    } catch {
      Issue.record("\(moment): \(error)")
    }

    let appended = try saves.appendHere()
    #expect(appended.position.number == Int64(left.transactionCount + 1), "\(moment)")
    let after = try await saves.findings()
    #expect(
      after
        == AppendedSaves.Findings(problems: [], transactionCount: left.transactionCount + 1),
      "\(moment)")
    return left.transactionCount
  }

  /// Reads every transaction with every change, and gives how many transactions there are.
  private func read(_ saves: AppendedSaves) throws(StoreError) -> Int {
    do {
      return try StoreFile(path: saves.path).read { snapshot in
        let transactions = try snapshot.transactions(TransactionSelection())
        let changes = try transactions.changes()
        var count = 0
        while try transactions.next() {
          while try changes.next() {}
          count += 1
        }
        return count
      }
    } catch let error as StoreError {
      throw error
    } catch {
      throw .unreadable(path: saves.path, reason: "\(error)")
    }
  }

  @Test
  func `a process killed at any of sixty-four moments loses no acknowledged save`() async throws {
    let folder = try TemporaryFolder()
    let saves = try await AppendedSaves.create(at: folder.file("default.store"))
    var random = SeededGenerator(seed: 20_241_117)
    var count = 1
    for kill in 1...64 {
      let process = try AppendingProcess(store: saves.path, author: "app", count: 1_000_000)
      var promised = count
      // Some are killed before their first save.
      for _ in 0..<Int.random(in: 0...20, using: &random) {
        promised = try #require(process.nextTransaction())
      }
      try await Task.sleep(for: .microseconds(Int.random(in: 0...4_000, using: &random)))
      process.kill()
      while let number = process.nextTransaction() { promised = number }

      let left = try await checkAndGoOn(saves, "kill \(kill)")
      // At most the save that was not reported any more.
      #expect((promised...promised + 1).contains(left), "kill \(kill)")
      count = left + 1
    }
  }

  #if os(Linux)
  /// What the process finds.
  enum Beginning: String, CaseIterable {
    /// A store with a write-ahead log, closed by all.
    case closed
    /// One whose last writer was killed, with a filled log.
    case filledLog
    /// A store with a rollback journal.
    case journal
  }

  @Test(
    .enabled(if: FaultInjector.isPossible),
    arguments: Beginning.allCases, [FaultInjector.Kind.kill, .torn])
  func `an append killed at any system call is whole or absent`(
    _ beginning: Beginning, _ kind: FaultInjector.Kind
  ) async throws {
    let folder = try TemporaryFolder()
    let injector = try await FaultInjector(folder: folder)
    let original = try await AppendedSaves.create(
      at: folder.file("default.store"), journalMode: beginning == .journal ? "delete" : "wal")
    var count = 1
    if beginning == .filledLog {
      let process = try AppendingProcess(store: original.path, author: "app", count: 1_000_000)
      for _ in 0..<5 { _ = try #require(process.nextTransaction()) }
      process.kill()
      let aside = try TemporaryFolder()
      count = try await original.copy(to: aside).findings().transactionCount
    }

    let aside = try TemporaryFolder()
    let undisturbed = try original.copy(to: aside)
    let calls = try await injector.calls(
      of: Tool.built("StoreAppender"), [undisturbed.path, "app", "2"], files: undisturbed.path
    ).calls

    var outcomes: Set<Int> = []
    // Only of a write there is a half.
    for call in FaultInjector.turns(of: calls, where: { kind != .torn || $0.isWrite }) {
      let place = try TemporaryFolder()
      let saves = try original.copy(to: place)
      let fault = FaultInjector.Fault(kind, at: call)
      let result = try await injector.run(
        Tool.built("StoreAppender"), [saves.path, "app", "2"], files: saves.path, fault)
      let left = try await checkAndGoOn(saves, "\(beginning.rawValue), \(fault)")
      outcomes.insert(left - count)
      #expect((result.lines.count...result.lines.count + 1).contains(left - count), "\(fault)")
      try #require([0, 137].contains(result.status), "\(result.errors)")
    }
    // Before the first save, between the two, and after both.
    #expect(outcomes.isSubset(of: [0, 1, 2]) && outcomes.isSuperset(of: [0, 2]))
    #expect(outcomes.contains(1) || !Campaign.isEverything)
    #expect(calls.count > 20)
  }
  #endif
}
