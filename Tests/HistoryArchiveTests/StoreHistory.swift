import HistoryCoding
import PersistentHistory
import StoreFormat

@testable import HistoryArchive

/// What a store has: what an archive of it is compared with.
struct StoreHistory {
  let transactions: [HistoryTransaction]
  let lines: [UInt8]
  let schema: SegmentSchema
  let identifier: String

  init(path: String) throws {
    (transactions, lines, schema, identifier) = try StoreFile(path: path).read { snapshot in
      let reader = try HistoryReader(snapshot: snapshot)
      var encoder = TransactionLineEncoder()
      var transactions: [HistoryTransaction] = []
      while let transaction = try reader.next() {
        encoder.encode(.transaction(transaction))
        transactions.append(transaction)
      }
      return (
        transactions, Array(encoder.bytes), try SegmentSchema(snapshot),
        snapshot.metadata.storeIdentifier ?? ""
      )
    }
  }
}
