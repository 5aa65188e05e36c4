import PersistentHistory
import StoreFormat

/// What was exported, so far or in all.
package struct ExportSummary: Hashable, Sendable {
  /// How many transactions.
  package internal(set) var transactions = 0
  /// The first of them; nil where there was none.
  package internal(set) var first: TransactionPosition?
  /// The last of them.
  package internal(set) var last: TransactionPosition?
  /// How many changes were read from the store.
  package internal(set) var storedChanges: Int64 = 0
  /// The places where history was missing.
  package internal(set) var gaps: [HistoryGap] = []

  /// Nothing.
  package init() {}

  mutating func add(_ position: TransactionPosition) {
    transactions += 1
    if first == nil { first = position }
    last = position
  }

  /// Adds what comes behind.
  mutating func add(_ next: ExportSummary) {
    transactions += next.transactions
    storedChanges += next.storedChanges
    if first == nil { first = next.first }
    last = next.last ?? last
    gaps += next.gaps
  }
}
