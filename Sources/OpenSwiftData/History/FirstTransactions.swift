import Foundation

/// The transactions that come first in an order among any number of them, of which no more than twice as
/// many are kept as are wanted.
struct FirstTransactions {
  private let order: [SortDescriptor<DefaultHistoryTransaction>]
  private let limit: Int
  private var kept: [DefaultHistoryTransaction] = []
  /// The last of the first ones when those behind them were dropped; nil before that.
  private var last: DefaultHistoryTransaction?

  /// - Parameters:
  ///   - limit: How many are wanted, one at least.
  ///   - order: The keys to sort by, the first key first; transactions that are equal in all come by
  ///     their numbers.
  init(_ limit: Int, by order: [SortDescriptor<DefaultHistoryTransaction>]) {
    self.limit = max(limit, 1)
    self.order = order
  }

  /// The transactions in their order.
  var sorted: [DefaultHistoryTransaction] { Array(kept.sorted(by: isBefore).prefix(limit)) }

  /// Adds a transaction where it can be one of the first.
  mutating func add(_ transaction: DefaultHistoryTransaction) {
    if let last, !isBefore(transaction, last) { return }
    kept.append(transaction)
    guard kept.count / 2 >= limit else { return }
    kept = sorted
    last = kept.last
  }

  private func isBefore(
    _ left: DefaultHistoryTransaction, _ right: DefaultHistoryTransaction
  ) -> Bool {
    for key in order {
      switch key.compare(left, right) {
      case .orderedAscending: return true
      case .orderedDescending: return false
      case .orderedSame: continue
      }
    }
    return left.transactionIdentifier < right.transactionIdentifier
  }
}
