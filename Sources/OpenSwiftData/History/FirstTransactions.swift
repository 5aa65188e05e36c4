import Foundation

/// The transactions that come first in an order among any number of them, of which no more are kept than
/// are wanted.
struct FirstTransactions {
  private let order: [SortDescriptor<DefaultHistoryTransaction>]
  private let limit: Int
  /// A heap: none stands before the one at half its place, so that the last of all stands first.
  private var kept: [DefaultHistoryTransaction] = []

  /// - Parameters:
  ///   - limit: How many are wanted, one at least.
  ///   - order: The keys to sort by, the first key first; transactions that are equal in all come by
  ///     their numbers.
  init(_ limit: Int, by order: [SortDescriptor<DefaultHistoryTransaction>]) {
    self.limit = limit
    self.order = order
  }

  /// The transactions in their order.
  var sorted: [DefaultHistoryTransaction] { kept.sorted(by: isBefore) }

  /// Adds a transaction where it is one of the first so far.
  mutating func add(_ transaction: DefaultHistoryTransaction) {
    if kept.count < limit {
      kept.append(transaction)
      rise(from: kept.count - 1)
    } else if isBefore(transaction, kept[0]) {
      kept[0] = transaction
      sink()
    }
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

  private mutating func rise(from place: Int) {
    var place = place
    while place > 0, isBefore(kept[(place - 1) / 2], kept[place]) {
      kept.swapAt(place, (place - 1) / 2)
      place = (place - 1) / 2
    }
  }

  private mutating func sink() {
    var place = 0
    while true {
      var last = place
      for child in [2 * place + 1, 2 * place + 2] where child < kept.count {
        if isBefore(kept[last], kept[child]) { last = child }
      }
      guard last != place else { return }
      kept.swapAt(place, last)
      place = last
    }
  }
}
