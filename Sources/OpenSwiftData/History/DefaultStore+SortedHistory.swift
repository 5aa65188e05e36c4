import Foundation
import PersistentHistory
import StoreEditing
import StoreFormat

/// A history in an order that it was not recorded in.
extension DefaultStore {
  /// Transactions whose numbers are no further apart are read together.
  private static let nearNumbers: Int64 = 32

  /// The transactions that a descriptor asks for, sorted as it says.
  ///
  /// Of a limited number no more than twice as many are ever kept, and only those that are given are read
  /// with their changes where neither the order nor the predicate may look at changes.
  func sortedHistory(
    _ descriptor: HistoryDescriptor<DefaultHistoryTransaction>, _ narrowing: HistoryNarrowing,
    in snapshot: StoreSnapshot
  ) throws -> [DefaultHistoryTransaction] {
    let predicate = narrowing.isExact ? nil : descriptor.predicate
    let needsChanges =
      predicate != nil && narrowing.mayNeedChanges
      || descriptor.sortBy.contains { !Self.looksAtTransactionOnly($0) }
    let isLimited = descriptor.limit != nil
    let readsChanges = descriptor.includesChanges && (needsChanges || !isLimited)
    var query = narrowing.query
    let values = descriptor.includesChanges ? try recordedValues(snapshot) : nil
    if readsChanges { query.recordedValues = values }
    let reader = try HistoryReader(snapshot: snapshot, query: query)
    let maker = TransactionMaker(reader: reader, schema: schema, storeIdentifier: identifier)
    var first = FirstTransactions(descriptor.limit ?? .max, by: descriptor.sortBy)
    while let transaction = try maker.next(includesChanges: readsChanges) {
      if try Self.meets(transaction, predicate) { first.add(transaction) }
    }
    let transactions = first.sorted
    guard descriptor.includesChanges, !readsChanges else { return transactions }
    query.recordedValues = values
    let numbers = transactions.map(\.transactionIdentifier)
    let complete = try self.transactions(numbers, query, reader.schema, in: snapshot)
    return transactions.map { complete[$0.transactionIdentifier] ?? $0 }
  }

  /// Some transactions with their changes, by number.
  private func transactions(
    _ numbers: [Int64], _ query: HistoryQuery, _ historySchema: PersistentHistory.HistorySchema,
    in snapshot: StoreSnapshot
  ) throws -> [Int64: DefaultHistoryTransaction] {
    var complete: [Int64: DefaultHistoryTransaction] = [:]
    complete.reserveCapacity(numbers.count)
    let wanted = Set(numbers)
    for range in Self.ranges(of: numbers) {
      var query = query
      query.after = range.lowerBound == .min ? nil : range.lowerBound - 1
      query.until = range.upperBound
      let maker = TransactionMaker(
        reader: try HistoryReader(snapshot: snapshot, query: query, schema: historySchema),
        schema: schema, storeIdentifier: identifier)
      while let transaction = try maker.next(includingChanges: wanted.contains) {
        guard wanted.contains(transaction.transactionIdentifier) else { continue }
        complete[transaction.transactionIdentifier] = transaction
      }
    }
    return complete
  }

  /// The ranges in which some numbers are, those that are near each other in one.
  private static func ranges(of numbers: [Int64]) -> [ClosedRange<Int64>] {
    var ranges: [ClosedRange<Int64>] = []
    for number in numbers.sorted() {
      if let last = ranges.last,
        number.subtractingReportingOverflow(last.upperBound).overflow == false,
        number - last.upperBound <= nearNumbers
      {
        ranges[ranges.count - 1] = last.lowerBound...number
      } else {
        ranges.append(number...number)
      }
    }
    return ranges
  }

  /// Whether a key is a property of transactions that is known without their changes.
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
