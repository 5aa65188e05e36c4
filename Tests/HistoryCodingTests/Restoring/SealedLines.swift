import HistoryCoding
import PersistentHistory
import StoreFormat

/// History that is kept as lines, the way an archive keeps it.
struct SealedLines: RestorableHistory {
  let storeIdentifier: String
  /// Oldest first, with all changes.
  var transactions: [HistoryTransaction]

  /// Seals what a store has now.
  init(store path: String) throws {
    let lines = try StoreLines(path: path)
    transactions = try lines.decoded()
    storeIdentifier = try StoreFile(path: path).read { $0.metadata.storeIdentifier ?? "" }
  }

  /// Other history.
  init(storeIdentifier: String, transactions: [HistoryTransaction]) {
    self.storeIdentifier = storeIdentifier
    self.transactions = transactions
  }

  /// The same without some transactions.
  func keeping(_ numbers: ClosedRange<Int64>) -> SealedLines {
    SealedLines(
      storeIdentifier: storeIdentifier,
      transactions: transactions.filter { numbers.contains($0.number) })
  }

  func transactions(through number: Int64) throws -> any TransactionSource {
    Reader(transactions.filter { $0.number <= number })
  }

  private final class Reader: TransactionSource {
    private var transactions: [HistoryTransaction]
    private var changes: ArraySlice<HistoryChange> = []

    init(_ transactions: [HistoryTransaction]) { self.transactions = transactions }

    func nextTransaction() -> HistoryTransaction? {
      guard var transaction = transactions.popLast() else { return nil }
      changes = transaction.changes[...]
      transaction.changes = []
      return transaction
    }

    func nextChange() -> HistoryChange? { changes.popFirst() }
  }
}
