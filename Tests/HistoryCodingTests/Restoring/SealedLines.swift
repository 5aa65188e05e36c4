import HistoryCoding
import PersistentHistory
import StoreFormat

/// History that is kept as lines, the way an archive keeps it.
class SealedLines: ArchivedHistory {
  let path = "sealed"
  let storeIdentifier: String?
  /// Oldest first, with all changes.
  let transactions: [HistoryTransaction]

  /// Seals what a store has now.
  convenience init(store path: String) throws {
    let lines = try StoreLines(path: path)
    self.init(
      storeIdentifier: try StoreFile(path: path).read { $0.metadata.storeIdentifier ?? "" },
      transactions: try lines.decoded())
  }

  /// Other history.
  init(storeIdentifier: String, transactions: [HistoryTransaction]) {
    self.storeIdentifier = storeIdentifier
    self.transactions = transactions
  }

  /// The same without some transactions.
  func keeping(_ numbers: ClosedRange<Int64>) -> SealedLines {
    SealedLines(
      storeIdentifier: storeIdentifier ?? "",
      transactions: transactions.filter { numbers.contains($0.number) })
  }

  var ranges: [ClosedRange<Int64>] {
    guard let first = transactions.first, let last = transactions.last else { return [] }
    return [first.number...max(first.number, last.number)]
  }

  func entities() -> [HistoryEntity] { [] }

  func transactionCount(before number: Int64) -> Int64 {
    Int64(transactions.count { $0.number < number })
  }

  func position(ofTransaction number: Int64) -> TransactionPosition? {
    transactions.first { $0.number == number }?.position
  }

  func firstTransaction(after number: Int64, offset: Int64) -> TransactionPosition? {
    transactions.filter { $0.number > number }.dropFirst(Int(offset)).first?.position
  }

  func lastTransaction(before number: Int64, offset: Int64) -> TransactionPosition? {
    transactions.filter { $0.number < number }.dropLast(Int(offset)).last?.position
  }

  func firstTransaction(notBefore moment: StoreTimestamp) -> TransactionPosition? {
    transactions.first { $0.timestamp.map { $0 >= moment } ?? false }?.position
  }

  func transactions(_ query: HistoryQuery) throws -> any TransactionSource {
    let selected = transactions.filter {
      $0.number > query.after ?? .min && $0.number <= query.until ?? .max
    }
    return Reader(query.order == .descending ? selected : selected.reversed())
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
