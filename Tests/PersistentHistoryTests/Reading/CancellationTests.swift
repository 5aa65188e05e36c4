import PersistentHistory
import StoreFormat
import TestSupport
import Testing

/// Reading that is cancelled ends at its next step.
@Suite(.bounded) struct CancellationTests {
  private let folder: TemporaryFolder
  private let path: String

  init() throws {
    folder = try TemporaryFolder()
    path = try LongHistory.write(to: folder.file("a.store"), transactions: 2000, changesEach: 20)
  }

  /// Reads a snapshot of a store that was opened with a cancellation.
  private func read(_ body: (StoreSnapshot, Cancellation) throws -> Void) throws {
    let cancellation = Cancellation()
    try Cancellation.$current.withValue(cancellation) { try StoreFile(path: path) }
      .read { try body($0, cancellation) }
  }

  private var cancelled: StoreError { .cancelled(path: path) }

  @Test func `a history ends at the next transaction`() throws {
    #expect(throws: cancelled) {
      try read { snapshot, cancellation in
        let history = try snapshot.history()
        #expect(try history.next() != nil)
        cancellation.cancel()
        _ = try history.next()
      }
    }
  }

  @Test func `SQLite ends in the middle of a statement`() throws {
    #expect(throws: cancelled) {
      try read { snapshot, cancellation in
        // A short statement still runs.
        cancellation.cancel()
        _ = try snapshot.oldestTransaction()
        _ = try StatementCursor(
          snapshot.database, sql: "SELECT count(*) FROM ACHANGE a, ACHANGE b WHERE a.Z_PK > b.Z_PK"
        ).step()
      }
    }
  }

  @Test func `rows that are read from pages end at the next page`() throws {
    var count = 0
    #expect(throws: cancelled) {
      try read { snapshot, cancellation in
        let changes = try snapshot.everyChange()
        while try changes.next() {
          count += 1
          if count == 10 { cancellation.cancel() }
        }
      }
    }
    #expect((10..<5000).contains(count))
  }

  @Test func `what was opened without one goes on`() throws {
    let file = try StoreFile(path: path)
    let cancellation = Cancellation()
    cancellation.cancel()
    try Cancellation.$current.withValue(cancellation) {
      let count = try file.read { try $0.transactionCount() }
      #expect(count == 2000)
    }
  }

  @Test func `another condition can ask for it`() throws {
    #expect(Cancellation { true }.isCancelled)
    #expect(!Cancellation { false }.isCancelled)
  }
}
