import PersistentHistory
import StoreEditing
import StoreFormat
import TestSupport
import Testing

/// A store that begins to be mirrored to CloudKit while its history is being deleted.
@Suite(.bounded) struct PruneBesideMirrorTests {
  private let folder: TemporaryFolder
  private let path: String

  init() throws {
    folder = try TemporaryFolder()
    path = try LongHistory.write(
      to: folder.file("a.store"), transactions: 20_000, changesEach: 5)
  }

  /// Prunes, and runs SQL after the first batch as another program.
  private func prune(_ request: PruneRequest, sql: String) throws -> Erasure {
    let other = try StoreQuery(path: path)
    let pruner = try HistoryPruner(path: path)
    let plan = try pruner.plan(request)
    var hasSaved = false
    return try pruner.prune(plan) { _ in
      guard !hasSaved else { return }
      hasSaved = true
      do { try other.run(sql) } catch { Issue.record(error) }
    }
  }

  private static let request = PruneRequest(.transactions([.keepLast(10)]))
  private static let mirror =
    "CREATE TABLE ANSCKMETADATAENTRY (Z_PK INTEGER PRIMARY KEY, ZKEY VARCHAR, ZTRANSFORMEDVALUE BLOB)"

  @Test func `a mirror whose position is unknown stops it`() throws {
    let result = try prune(Self.request, sql: Self.mirror)
    guard case HistoryError.refusedByGuards? = result.problem else {
      Issue.record("\(String(describing: result.problem))")
      return
    }
    let left = try StoreQuery(path: path).lines("SELECT count(*) FROM ATRANSACTION")
    #expect(left == ["\(20_000 - result.deleted.transactionCount)"])
    #expect(result.deleted.transactionCount < 19_990)
  }

  @Test func `an ignored one does not`() throws {
    var request = Self.request
    request.ignoredGuards = [RetentionGuard.mirroringName]
    #expect(try prune(request, sql: Self.mirror).problem == nil)
  }

  @Test func `another save does not`() throws {
    let result = try prune(Self.request, sql: "UPDATE Z_METADATA SET Z_VERSION = Z_VERSION")
    #expect(result.problem == nil && result.deleted.transactionCount == 19_990)
  }
}
