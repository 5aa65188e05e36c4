import Foundation
import PersistentHistory
import StoreFormat

extension DefaultStore {
  /// Returns the order of reading that gives a sort order, or `nil` if the result must be sorted.
  static func recordedOrder(
    _ sortBy: [SortDescriptor<DefaultHistoryTransaction>]
  ) -> HistoryQuery.Order? {
    guard let first = sortBy.first else { return .ascending }
    // Numbers are unique, so further keys have no effect.
    switch first.keyPath {
    case \DefaultHistoryTransaction.transactionIdentifier, \DefaultHistoryTransaction.token,
      \DefaultHistoryTransaction.id:
      return first.order == .forward ? .ascending : .descending
    default: return nil
    }
  }

  /// Returns a history in an order that it was not recorded in.
  ///
  /// If neither order nor predicate looks at changes, only the transactions within the limit are
  /// read with their changes.
  func sortedHistory(
    _ descriptor: HistoryDescriptor<DefaultHistoryTransaction>, _ narrowing: HistoryNarrowing,
    in snapshot: StoreSnapshot
  ) throws -> [DefaultHistoryTransaction] {
    let predicate = narrowing.isExact ? nil : descriptor.predicate
    let needsChanges =
      predicate != nil && narrowing.mayNeedChanges
      || descriptor.sortBy.contains { !Self.looksAtTransactionOnly($0) }
    let readsChanges = descriptor.includesChanges && (needsChanges || descriptor.limit == nil)
    var query = narrowing.query
    let values = descriptor.includesChanges ? try recordedValues(snapshot) : nil
    if readsChanges { query.recordedValues = values }
    let maker = try maker(snapshot, query)
    var first = FirstTransactions(descriptor.limit ?? .max, by: descriptor.sortBy)
    while let transaction = try maker.next(includesChanges: readsChanges) {
      if try Self.meets(transaction, predicate) { first.add(transaction) }
    }
    let transactions = first.sorted
    guard descriptor.includesChanges, !readsChanges else { return transactions }
    query.recordedValues = values
    let numbers = transactions.map(\.transactionIdentifier)
    let complete = try complete(numbers, query, maker.entities, in: snapshot)
    return transactions.map { complete[$0.transactionIdentifier] ?? $0 }
  }

  /// Reads transactions with their changes, those with close numbers together.
  private func complete(
    _ numbers: [Int64], _ query: HistoryQuery, _ entities: PersistentHistory.HistorySchema,
    in snapshot: StoreSnapshot
  ) throws -> [Int64: DefaultHistoryTransaction] {
    let closeNumbers: Int64 = 32
    var ranges: [ClosedRange<Int64>] = []
    for number in numbers.sorted() {
      if let last = ranges.last,
        last.upperBound > .max - closeNumbers
          || number <= last.upperBound + closeNumbers
      {
        ranges[ranges.count - 1] = last.lowerBound...number
      } else {
        ranges.append(number...number)
      }
    }
    let wanted = Set(numbers)
    var complete: [Int64: DefaultHistoryTransaction] = [:]
    for range in ranges {
      let maker = try maker(snapshot, query.narrowed(to: range), entities)
      while let transaction = try maker.next(includingChanges: wanted.contains) {
        guard wanted.contains(transaction.transactionIdentifier) else { continue }
        complete[transaction.transactionIdentifier] = transaction
      }
    }
    return complete
  }

  private static func looksAtTransactionOnly(
    _ key: SortDescriptor<DefaultHistoryTransaction>
  ) -> Bool {
    switch key.keyPath {
    case \DefaultHistoryTransaction.timestamp, \DefaultHistoryTransaction.transactionIdentifier,
      \DefaultHistoryTransaction.id, \DefaultHistoryTransaction.token,
      \DefaultHistoryTransaction.author, \DefaultHistoryTransaction.storeIdentifier,
      \DefaultHistoryTransaction.bundleIdentifier,
      \DefaultHistoryTransaction.processIdentifier:
      true
    default: false
    }
  }
}

/// Keeps the transactions that come first in an order, and never more than twice as many as wanted.
struct FirstTransactions {
  private let order: [SortDescriptor<DefaultHistoryTransaction>.Comparison]
  private let limit: Int
  private var kept: [DefaultHistoryTransaction] = []
  /// The last transaction within the limit when others were dropped.
  private var last: DefaultHistoryTransaction?

  init(_ limit: Int, by order: [SortDescriptor<DefaultHistoryTransaction>]) {
    self.limit = max(limit, 1)
    self.order = order.map(\.comparison)
  }

  var sorted: [DefaultHistoryTransaction] { Array(kept.sorted(by: isBefore).prefix(limit)) }

  mutating func add(_ transaction: DefaultHistoryTransaction) {
    if let last, !isBefore(transaction, last) { return }
    kept.append(transaction)
    guard kept.count / 2 >= limit else { return }
    kept = sorted
    last = kept.last
  }

  /// Compares by the sort order; transactions that are equal in all keys come by number.
  private func isBefore(
    _ left: DefaultHistoryTransaction, _ right: DefaultHistoryTransaction
  ) -> Bool {
    for key in order {
      switch key(left, right) {
      case .orderedAscending: return true
      case .orderedDescending: return false
      case .orderedSame: continue
      }
    }
    return left.transactionIdentifier < right.transactionIdentifier
  }
}
