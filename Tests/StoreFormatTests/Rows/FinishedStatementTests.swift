import TestSupport
import Testing

@testable import StoreFormat

@Suite(.bounded) struct FinishedStatementTests {
  /// SQLite starts a statement anew when it is stepped behind its end.
  @Test(arguments: [false, true])
  func `a finished statement is not run again`(newestFirst: Bool) throws {
    let folder = try TemporaryFolder()
    let store = try StoreFile(path: SampleStore.write(to: folder.file("default.store")))
    try store.read { snapshot in
      let selection = TransactionSelection(order: newestFirst ? .descending : .ascending)
      let transactions = try snapshot.transactions(selection)
      let changes = try snapshot.changes(selection)
      var count = 0
      while try transactions.next() {
        count += 1
        try changes.start(transaction: transactions.number)
        while try changes.next() {}
        #expect(try !changes.next())
      }
      #expect(count == SampleStore.transactionCount)
      #expect(try !transactions.next())
      #expect(try !transactions.next())
    }
  }
}
