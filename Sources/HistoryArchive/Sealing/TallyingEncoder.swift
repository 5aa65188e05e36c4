import HistoryCoding
import PersistentHistory
import StoreFormat

/// Writes lines and counts their changes.
struct TallyingEncoder: HistoryEncoder {
  private var encoder = TransactionLineEncoder()
  /// The changes of the line that was begun last.
  private(set) var tally = ChangeTally()

  mutating func begin(_ transaction: HistoryTransaction) {
    tally.removeAll()
    encoder.begin(transaction)
  }

  mutating func append(_ change: HistoryChange) {
    tally.add(change.kind, of: change.entity?.number)
    encoder.append(change)
  }

  mutating func appendChanges(of reader: HistoryReader, byteLimit: Int) throws -> Bool {
    while let row = try reader.nextRow() {
      tally.add(row.kind, of: row.entityNumber)
      try encoder.append(row, of: reader)
      if encoder.byteCount >= byteLimit { return false }
    }
    return true
  }

  mutating func end() { encoder.end() }

  var byteCount: Int { encoder.byteCount }

  func withUnsafeBytes<Result>(
    _ body: (UnsafeRawBufferPointer) throws -> Result
  ) rethrows -> Result {
    try encoder.withUnsafeBytes(body)
  }

  mutating func removeAll() { encoder.removeAll() }

  /// Takes the counts so far, and begins anew.
  mutating func takeTally() -> ChangeTally {
    defer { tally.removeAll() }
    return tally
  }
}
