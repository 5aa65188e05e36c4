import StoreFormat

/// Counts of transactions, and of their changes by kind.
package struct Activity: Hashable, Sendable {
  package internal(set) var transactions: Int64 = 0
  package internal(set) var inserts: Int64 = 0
  package internal(set) var updates: Int64 = 0
  package internal(set) var deletes: Int64 = 0
  /// The number of changes of a kind that no framework writes.
  package internal(set) var others: Int64 = 0
  /// The estimated bytes of their rows, without indexes and free space;
  /// ``HistoryStatistics/byteCount(of:)`` is their share of the file.
  var recordByteCount: Int64 = 0

  /// Creates no activity.
  package init() {}

  package var changes: Int64 { inserts + updates + deletes + others }

  package var isEmpty: Bool { transactions == 0 && changes == 0 }

  /// Counts a change.
  mutating func add(_ kind: ChangeKind?, byteCount: Int64) {
    switch kind {
    case .insert: inserts += 1
    case .update: updates += 1
    case .delete: deletes += 1
    case nil: others += 1
    }
    recordByteCount &+= byteCount
  }

  /// Adds the counts of another one.
  package static func += (left: inout Activity, right: Activity) {
    left.transactions += right.transactions
    left.inserts += right.inserts
    left.updates += right.updates
    left.deletes += right.deletes
    left.others += right.others
    left.recordByteCount &+= right.recordByteCount
  }
}
