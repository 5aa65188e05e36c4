import Foundation
import PersistentHistory
import StoreFormat

extension ModelContainer {
  /// Returns all transactions after a token, followed by every new one as it is saved by any process
  /// (not in SwiftData).
  ///
  /// ```swift
  /// for try await transaction in container.historyUpdates(after: token) {
  ///   print(transaction.author ?? "somebody", transaction.changes.count)
  /// }
  /// ```
  ///
  /// Each transaction comes exactly once. To continue after a restart, keep the token of the last
  /// transaction that was handled; that transaction itself may be deleted. The sequence ends when
  /// its task is cancelled.
  ///
  /// - Parameter token: The position to start from, or `nil` for the oldest transaction. Of a store
  ///   that the token does not name, all transactions come.
  /// - Returns: A sequence that throws ``SwiftDataError/historyTokenExpired`` if transactions were
  ///   deleted before they were read or if the token names only other stores, and
  ///   ``SwiftDataError/storeFailure``.
  public func historyUpdates(after token: DefaultHistoryToken? = nil) -> HistoryUpdates {
    HistoryUpdates(container: self, start: token)
  }
}

/// The present and future transactions of a container's stores, those of each store in order.
public struct HistoryUpdates: AsyncSequence, Sendable {
  /// A transaction.
  public typealias Element = DefaultHistoryTransaction

  fileprivate let container: ModelContainer
  fileprivate let start: DefaultHistoryToken?

  /// Returns an iterator that starts reading.
  public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(self) }

  /// An iterator over transactions.
  public struct AsyncIterator: AsyncIteratorProtocol {
    private static let batchSize = 100

    private let updates: HistoryUpdates
    /// The number of the last transaction that was read, by store.
    private var positions: [String: Int64] = [:]
    private var batch: ArraySlice<DefaultHistoryTransaction> = []
    private var wakeups: AsyncStream<Void>.Iterator?
    private var subscription: SaveSubscription?

    fileprivate init(_ updates: HistoryUpdates) {
      self.updates = updates
      for store in updates.container.stores {
        positions[store.identifier] = updates.start?.number(of: store.identifier)
      }
    }

    /// Returns the next transaction when there is one, or `nil` when the task was cancelled.
    ///
    /// - Throws: ``SwiftDataError/historyTokenExpired`` if transactions were deleted before they
    ///   were read or if the token names only other stores; ``SwiftDataError/storeFailure``.
    public mutating func next() async throws -> DefaultHistoryTransaction? {
      // Subscribing before reading misses no save.
      try subscribe()
      while batch.isEmpty {
        guard !Task.isCancelled else { return nil }
        for store in updates.container.defaultStores {
          batch += try store.nextTransactions(
            after: &positions[store.identifier], limit: Self.batchSize)
        }
        if batch.isEmpty, await wakeups?.next() == nil { return nil }
      }
      return batch.popFirst()
    }

    private mutating func subscribe() throws {
      guard subscription == nil else { return }
      try updates.start?.checkNames(oneOf: updates.container.defaultStores.map(\.identifier))
      let (stream, continuation) = AsyncStream.makeStream(
        of: Void.self, bufferingPolicy: .bufferingNewest(1))
      let saves = updates.container.saves
      subscription = try saves.subscribe { _ in continuation.yield() }.subscription
      wakeups = stream.makeAsyncIterator()
    }
  }
}

extension DefaultStore {
  func highestTransaction() throws -> Int64 {
    try translating { try file.read { try $0.highestTransaction() } }
  }

  /// Returns the recorded saves after a transaction, whose own row may be deleted.
  func recordedSaves(after number: Int64, until last: Int64) throws -> [RecordedSave] {
    try translating {
      try file.read { snapshot in
        try checkCompleteness(after: number, snapshot)
        guard last > number else { return [] }
        return try RecordedSave.all(
          from: snapshot.reader(after: number, until: last), storeIdentifier: identifier)
      }
    }
  }

  /// Returns the next transactions after one, whose own row may be deleted, and moves the position.
  fileprivate func nextTransactions(
    after position: inout Int64?, limit: Int
  ) throws -> [DefaultHistoryTransaction] {
    let start = position
    let (transactions, last) = try translating {
      try file.read { snapshot in
        if let start { try checkCompleteness(after: start, snapshot) }
        let highest = try snapshot.highestTransaction()
        let isEmpty = try snapshot.oldestTransaction() == nil
        var query = HistoryQuery(after: start ?? (isEmpty ? highest : .min), limit: limit)
        query.recordedValues = try recordedValues(snapshot)
        let maker = try maker(snapshot, query)
        var transactions: [DefaultHistoryTransaction] = []
        while let transaction = try maker.next() { transactions.append(transaction) }
        return (transactions, transactions.last?.transactionIdentifier ?? start ?? highest)
      }
    }
    position = last
    return transactions
  }

  /// Throws an error unless the history after a transaction is complete; following needs no more.
  private func checkCompleteness(after number: Int64, _ snapshot: StoreSnapshot) throws {
    guard try snapshot.isComplete(after: number) else {
      throw SwiftDataError(
        .historyTokenExpired,
        "transactions after \(number) in \(snapshot.location.path) were deleted before they were "
          + "read; read the models again, and start without a token")
    }
  }
}

extension StoreSnapshot {
  /// Returns the highest transaction number that was ever issued, or 0 if there was none.
  func highestTransaction() throws -> Int64 {
    max(entities.highestNumber(of: .transaction), try newestTransaction()?.number ?? 0)
  }

  /// Returns whether the history after a transaction is complete, even if its own row is deleted.
  func isComplete(after number: Int64) throws -> Bool {
    let highest = try highestTransaction()
    let oldest = try oldestTransaction()?.number ?? highest.following
    return number <= highest && oldest <= number.following
  }

  /// Returns a reader of transactions whose changes name their entities and nothing else of the model.
  func reader(after number: Int64, until last: Int64) throws -> HistoryReader {
    var query = HistoryQuery(after: number, until: last)
    query.checksCompleteness = false
    return try HistoryReader(
      snapshot: self, query: query, schema: PersistentHistory.HistorySchema(namesOf: entities))
  }
}

extension Int64 {
  /// The next number; a store may contain the largest one.
  var following: Int64 { self == .max ? .max : self + 1 }
}
