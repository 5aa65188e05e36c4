import Foundation
import PersistentHistory
import StoreFormat

extension DefaultStore: HistoryProviding {
  /// What one save becomes in the history.
  public typealias HistoryType = DefaultHistoryTransaction

  /// The transactions that a descriptor asks for, the oldest first where it names no other order.
  ///
  /// Changes of models that the schema does not have are left out, for they have no type.
  ///
  /// - Throws: ``SwiftDataError/historyTokenExpired`` where history after a token is asked for whose
  ///   transaction is gone, ``SwiftDataError``.
  public func fetchHistory(
    _ descriptor: HistoryDescriptor<DefaultHistoryTransaction>
  ) throws -> [DefaultHistoryTransaction] {
    let narrowing = HistoryNarrowing(descriptor.predicate, storeIdentifier: identifier)
    return try translatingHistory {
      try file.read { snapshot in
        try check(narrowing.positions, snapshot)
        guard !narrowing.isEmpty else { return [] }
        guard let order = Self.recordedOrder(descriptor.sortBy) else {
          return try sortedHistory(descriptor, narrowing, in: snapshot)
        }
        var query = narrowing.query
        query.order = order
        if descriptor.includesChanges { query.recordedValues = try recordedValues(snapshot) }
        let maker = TransactionMaker(
          reader: try HistoryReader(snapshot: snapshot, query: query), schema: schema,
          storeIdentifier: identifier)
        let predicate = narrowing.isExact ? nil : descriptor.predicate
        var transactions: [DefaultHistoryTransaction] = []
        while let transaction = try maker.next(includesChanges: descriptor.includesChanges) {
          guard try Self.meets(transaction, predicate) else { continue }
          transactions.append(transaction)
          if transactions.count == descriptor.limit { break }
        }
        return transactions
      }
    }
  }

  /// Deletes the oldest transactions, as far as a descriptor names all of them.
  ///
  /// A history has no holes: where the descriptor leaves out a transaction, that one stays and all
  /// after it. So does what a reader with a bookmark, or CloudKit's mirror, has not read yet. Tokens of
  /// what is deleted have expired.
  ///
  /// - Throws: ``SwiftDataError``, also where it is not known how far CloudKit's mirror has read.
  public func deleteHistory(
    _ descriptor: HistoryDescriptor<DefaultHistoryTransaction>
  ) throws {
    _ = try writable()
    let narrowing = HistoryNarrowing(descriptor.predicate, storeIdentifier: identifier)
    guard !narrowing.isEmpty else { return }
    let last = try translatingHistory {
      try file.read { try lastTransaction(descriptor, narrowing, in: $0) }
    }
    if let last, last < .max { try eraseHistory(before: last + 1) }
  }

  /// The last of the transactions, from the oldest on, that a descriptor all names; nil where it does
  /// not name the oldest.
  private func lastTransaction(
    _ descriptor: HistoryDescriptor<DefaultHistoryTransaction>, _ narrowing: HistoryNarrowing,
    in snapshot: StoreSnapshot
  ) throws -> Int64? {
    guard let oldest = try snapshot.oldestTransaction(), oldest.number > narrowing.after ?? .min
    else { return nil }
    if narrowing.isExact, narrowing.author.isEmpty, descriptor.limit == nil {
      return min(narrowing.until ?? .max, try snapshot.newestTransaction()?.number ?? oldest.number)
    }
    let maker = TransactionMaker(
      reader: try HistoryReader(
        snapshot: snapshot, query: HistoryQuery(until: narrowing.until)), schema: schema,
      storeIdentifier: identifier)
    let includesChanges = descriptor.includesChanges && narrowing.mayNeedChanges
    var (last, count): (Int64?, Int) = (nil, 0)
    while count < descriptor.limit ?? .max,
      let transaction = try maker.next(includesChanges: includesChanges),
      try Self.meets(transaction, descriptor.predicate)
    {
      last = transaction.transactionIdentifier
      count += 1
    }
    return last
  }

  /// The values that were recorded of updates; nil where they are not asked for, or there are none.
  func recordedValues(_ snapshot: StoreSnapshot) throws -> RecordedValues? {
    guard configuration.recordsValues else { return nil }
    return try RecordedValues(beside: snapshot, busyTimeout: Self.busyTimeout)
  }

  /// The order in which a history is read that sorting by some keys means; nil where it must be
  /// sorted.
  private static func recordedOrder(
    _ sortBy: [SortDescriptor<DefaultHistoryTransaction>]
  ) -> HistoryQuery.Order? {
    guard let first = sortBy.first else { return .ascending }
    // Numbers are unique, so that further keys decide nothing.
    switch first.keyPath {
    case \DefaultHistoryTransaction.transactionIdentifier, \DefaultHistoryTransaction.token,
      \DefaultHistoryTransaction.id:
      return first.order == .forward ? .ascending : .descending
    default: return nil
    }
  }

  static func meets(
    _ transaction: DefaultHistoryTransaction, _ predicate: Predicate<DefaultHistoryTransaction>?
  ) throws -> Bool {
    guard let predicate else { return true }
    do {
      return try predicate.evaluate(transaction)
    } catch {
      throw SwiftDataError(.unsupportedPredicate, "the predicate cannot be evaluated: \(error)")
    }
  }

  /// Checks that the transactions are there after which history is asked for.
  func check(_ positions: [Int64], _ snapshot: StoreSnapshot) throws {
    for number in positions where number >= 1 {
      guard try snapshot.timestamp(ofTransaction: number) == nil else { continue }
      let oldest = try snapshot.oldestTransaction()
      throw SwiftDataError(
        .historyTokenExpired,
        "transaction \(number) of \(snapshot.location.path) is gone, so that history after it is "
          + "incomplete; discard the token and start anew"
          + (oldest.map { ", the oldest transaction that is kept is \($0.number)" } ?? ""))
    }
  }

  func translatingHistory<Result>(_ body: () throws -> Result) throws -> Result {
    do {
      return try translating(body)
    } catch let error as HistoryError {
      throw SwiftDataError(.storeFailure, "\(error)")
    }
  }
}
