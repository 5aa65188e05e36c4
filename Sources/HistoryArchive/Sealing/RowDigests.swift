import PersistentHistory
import StoreEditing
import StoreFormat

extension Archive {
  /// Returns the digests of the rows that a deletion removes, as they are sealed here.
  ///
  /// ``/PersistentHistory/HistoryPruner`` compares them with the rows that it deletes. Every sealed
  /// transaction of the deletion is unpacked and decoded.
  ///
  /// - Parameters:
  ///   - deletion: What is deleted; its steps are complete transactions.
  ///   - store: The identifier of the store.
  /// - Returns: For each step, a digest of each of its parts; none if there are only changes without a
  ///   transaction.
  package func rowDigests(
    of deletion: HistoryDeletion, ofStore store: String
  ) throws -> [[RowDigest]] {
    let reader = try ArchiveReader(path: path, storeIdentifier: store)
    guard let first = deletion.steps.first(where: { !deletion.precedesTransactions($0) }),
      case .transactions(let last, _, let changeCount) = first
    else { return [] }
    // A prune that was interrupted within a transaction has left only its last changes.
    var goneCount = try Self.changeCount(reader, through: last, of: deletion) - changeCount
    let transactions = try reader.transactions(
      HistoryQuery(after: deletion.firstNumber.map { $0 - 1 }))
    var next = try transactions.nextTransaction()
    return try deletion.steps.map { step in
      guard case .transactions(let last, _, _) = step else { return [] }
      let partCount = HistoryDeletion.partCount(of: step)
      var parts: [RowDigest] = []
      var digest = RowDigest()
      var changeCount = 0
      while let transaction = next, transaction.number <= last {
        while let change = try transactions.nextChange() {
          if goneCount > 0 {
            goneCount -= 1
            continue
          }
          if partCount > 1, changeCount == HistoryDeletion.stepSize {
            parts.append(digest)
            (digest, changeCount) = (RowDigest(), 0)
          }
          digest.add(
            change: change.number, transaction: transaction.number, kind: change.kind,
            primaryKey: change.primaryKey)
          changeCount += 1
        }
        goneCount = 0
        digest.add(transaction.position)
        next = try transactions.nextTransaction()
      }
      return parts + [digest]
    }
  }

  private static func changeCount(
    _ reader: ArchiveReader, through last: Int64, of deletion: HistoryDeletion
  ) throws -> Int {
    let transactions = try reader.transactions(
      HistoryQuery(after: deletion.firstNumber.map { $0 - 1 }, until: last))
    var count = 0
    while try transactions.nextTransaction() != nil {
      while try transactions.nextChange() != nil { count += 1 }
    }
    return count
  }
}
