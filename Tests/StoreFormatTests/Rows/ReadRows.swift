import StoreFormat
import TestSupport

/// A change as a test compares it.
struct ReadChange: Hashable {
  var number: Int64
  var kind: ChangeKind?
  var entity: Int64?
  var primaryKey: Int64?
  var mask: [UInt8]?
  var tombstone: [StoredValue] = []
  var extra: [ExtraColumn] = []
}

/// A transaction as a test compares it.
struct ReadTransaction: Hashable {
  var number: Int64
  var seconds: Double?
  var author: RecordedText?
  var bundle: RecordedText?
  var process: RecordedText?
  var context: RecordedText?
  var queryGeneration: [UInt8]?
  var extra: [ExtraColumn] = []
  var changes: [ReadChange] = []

  /// An extra column of the row.
  func extra(_ column: String) -> StoredValue? { extra.first { $0.column == column }?.value }
}

/// Reads stores through the interface, to the last row.
enum ReadRows {
  /// The selected transactions with all their changes.
  static func transactions(
    of path: String, _ selection: TransactionSelection = TransactionSelection()
  ) throws -> [ReadTransaction] {
    try StoreFile(path: path).read { try transactions(of: $0, selection) }
  }

  /// The selected transactions with all their changes.
  static func transactions(
    of snapshot: StoreSnapshot, _ selection: TransactionSelection = TransactionSelection()
  ) throws -> [ReadTransaction] {
    let rows = try snapshot.transactions(selection)
    let changes = try rows.changes()
    var read: [ReadTransaction] = []
    while try rows.next() {
      var transaction = ReadTransaction(
        number: rows.number, seconds: rows.timestamp?.secondsSinceReferenceDate,
        author: rows.author, bundle: rows.bundle, process: rows.process, context: rows.context,
        queryGeneration: rows.queryGeneration, extra: rows.extra)
      while try changes.next() {
        transaction.changes.append(
          ReadChange(
            number: changes.number, kind: changes.kind, entity: changes.entityNumber,
            primaryKey: changes.primaryKey, mask: changes.mask?.bytes,
            tombstone: changes.tombstone, extra: changes.extra))
      }
      read.append(transaction)
    }
    return read
  }

  /// Asks a store for everything that it can say; gives how many transactions there are.
  @discardableResult
  static func everything(of path: String, busyTimeout: Double = 5) throws -> Int {
    try StoreFile(path: path, busyTimeout: busyTimeout).read { snapshot in
      _ = try snapshot.modelCache().model?.entitySlots()
      _ = snapshot.entities.modelEntries
      _ = try snapshot.storeByteCount()
      _ = try snapshot.freeByteCount()
      guard snapshot.layout.history != nil else { return 0 }
      _ = try snapshot.changeCounts()
      for role in StringRole.allCases { _ = try snapshot.textCounts(role) }
      _ = try snapshot.historyByteCount()
      _ = try snapshot.newestTransaction()
      _ = try snapshot.firstTransaction(notBefore: StoreTimestamp(secondsSinceReferenceDate: 0))
      let ascending = try transactions(of: snapshot)
      let descending = try transactions(of: snapshot, TransactionSelection(order: .descending))
      return max(ascending.count, descending.count)
    }
  }
}
