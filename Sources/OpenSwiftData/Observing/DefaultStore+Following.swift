import PersistentHistory
import StoreFormat

extension DefaultStore {
  /// The number of the newest transaction that was ever recorded; 0 where there was none.
  func highestTransaction() throws -> Int64 {
    try translating { try file.read { try $0.highestTransaction() } }
  }

  /// What the history says of each save behind a transaction.
  ///
  /// - Throws: ``SwiftDataError/historyTokenExpired`` where transactions behind it are gone,
  ///   ``SwiftDataError``.
  func recordedSaves(after number: Int64, until last: Int64) throws -> [RecordedSave] {
    try translatingHistory {
      try file.read { snapshot in
        try checkCompleteness(after: number, snapshot)
        guard last > number else { return [] }
        return try snapshot.recordedSaves(
          after: number, until: last, storeIdentifier: identifier)
      }
    }
  }

  /// The next transactions behind one, the oldest first.
  ///
  /// That one may have been deleted since it was read, as long as everything behind it is there.
  ///
  /// - Parameters:
  ///   - position: The number of the last transaction that was read, nil for none; it becomes that of
  ///     the last one that is given.
  ///   - limit: At most so many.
  /// - Throws: ``SwiftDataError/historyTokenExpired`` where transactions behind it are gone,
  ///   ``SwiftDataError``.
  func nextTransactions(
    after position: inout Int64?, limit: Int
  ) throws -> [DefaultHistoryTransaction] {
    let start = position
    let (transactions, last) = try translatingHistory {
      try file.read { snapshot in
        if let start { try checkCompleteness(after: start, snapshot) }
        let highest = try snapshot.highestTransaction()
        // Before the first one, whatever its number.
        let isEmpty = try snapshot.oldestTransaction() == nil
        let first = start ?? (isEmpty ? highest : .min)
        var query = HistoryQuery(after: first, limit: limit)
        query.recordedValues = try recordedValues(snapshot)
        let maker = TransactionMaker(
          reader: try HistoryReader(snapshot: snapshot, query: query), schema: schema,
          storeIdentifier: identifier)
        var transactions: [DefaultHistoryTransaction] = []
        while let transaction = try maker.next() { transactions.append(transaction) }
        return (transactions, transactions.last?.transactionIdentifier ?? start ?? highest)
      }
    }
    position = last
    return transactions
  }

  /// Checks that nothing is gone behind a transaction.
  private func checkCompleteness(after number: Int64, _ snapshot: StoreSnapshot) throws {
    let highest = try snapshot.highestTransaction()
    let oldest = try snapshot.oldestTransaction()?.number
    guard number <= highest, (oldest ?? highest.following) <= number.following else {
      throw SwiftDataError(
        .historyTokenExpired,
        "transactions of \(snapshot.location.path) behind \(number) are gone that were not read; "
          + "take the models as they are, and start anew")
    }
  }
}
