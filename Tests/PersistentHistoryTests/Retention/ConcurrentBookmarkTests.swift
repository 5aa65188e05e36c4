import PersistentHistory
import StoreFormat
import StoreTransactions
import TestSupport
import Testing

/// Bookmarks that are set while history is being deleted.
@Suite(.bounded) struct ConcurrentBookmarkTests {
  private static let transactions = 20_000

  private let folder: TemporaryFolder
  private let path: String

  init() throws {
    folder = try TemporaryFolder()
    path = try LongHistory.write(
      to: folder.file("a.store"), transactions: Self.transactions, changesEach: 5)
  }

  private func set(_ name: String, _ number: Int64, in file: String? = nil) throws {
    try BookmarkFile.set(
      Bookmark(
        name: name,
        token: HistoryToken(storeIdentifier: StoreWriter.identifier, transaction: number),
        timestamp: nil),
      in: file ?? BookmarkFile.path(besideStore: path))
  }

  private func oldest() throws -> Int64 {
    try StoreFile(path: path).read { try $0.oldestTransaction()?.number ?? 0 }
  }

  @Test(arguments: [nil, "elsewhere.json"])
  func `a bookmark set before the cut stops the prune`(_ name: String?) throws {
    let file = name.map { folder.file($0) }
    if let file { try set("read", 20_000, in: file) }
    let pruner = try HistoryPruner(path: path, bookmarkPath: file)
    let plan = try pruner.plan(PruneRequest(.transactions([.keepLast(10)])))
    var isSet = false
    let result = try pruner.prune(plan) { _ in
      guard !isSet else { return }
      isSet = true
      do {
        try set("late", 15_000, in: file)
      } catch {
        Issue.record(error)
      }
    }
    guard case StoreWriteError.historyChanged(_, let detail)? = result.problem else {
      Issue.record("\(String(describing: result.problem))")
      return
    }
    #expect(detail == "@late is before the cut now")
    let oldest = try oldest()
    #expect(oldest > 1 && oldest <= 15_000)
    #expect(result.deleted.transactionCount == Int(oldest) - 1)
    // A new plan goes on from there, as far as the bookmark lets it.
    let next = try pruner.plan(PruneRequest(.transactions([.keepLast(10)])))
    #expect(next.firstKept?.number == 15_000)
    #expect(try pruner.prune(next).problem == nil)
  }

  @Test func `bookmarks set after the cut do not stop the prune`() throws {
    let pruner = try HistoryPruner(path: path)
    let plan = try pruner.plan(PruneRequest(.transactions([.keepLast(10)])))
    var number: Int64 = 19_991
    let result = try pruner.prune(plan) { _ in
      do {
        try set("late", number)
        number = min(number + 1, 20_000)
      } catch {
        Issue.record(error)
      }
    }
    #expect(result.problem == nil)
    #expect(try oldest() == 19_991)
  }
}
