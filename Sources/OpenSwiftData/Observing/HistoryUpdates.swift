import Foundation

extension ModelContainer {
  /// All transactions behind a token, and then every one that is saved, as it is saved, by whomever.
  ///
  /// ```swift
  /// for try await transaction in container.historyUpdates(after: token) {
  ///   print(transaction.author ?? "somebody", transaction.changes.count)
  /// }
  /// ```
  ///
  /// None is left out and none comes twice. Whoever keeps the token of the last transaction that was
  /// dealt with goes on behind it after a restart; it does not matter whether that transaction itself
  /// is still there. The sequence ends when its task is cancelled.
  ///
  /// - Parameter token: Where to begin; nil for the beginning of all that is kept. Of a store that the
  ///   token does not name, all that is kept comes.
  /// - Returns: A sequence that throws ``SwiftDataError/historyTokenExpired`` where transactions were
  ///   deleted before they were read, and ``SwiftDataError/storeFailure``.
  public func historyUpdates(after token: DefaultHistoryToken? = nil) -> HistoryUpdates {
    HistoryUpdates(container: self, start: token)
  }
}

/// The transactions of a container's stores, those that are there and those that are yet to come.
///
/// Of several stores, each store's come in order.
public struct HistoryUpdates: AsyncSequence, Sendable {
  /// What one save recorded.
  public typealias Element = DefaultHistoryTransaction

  fileprivate let container: ModelContainer
  /// Where to begin.
  fileprivate let start: DefaultHistoryToken?

  /// Begins to read.
  public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(self) }

  /// Goes from transaction to transaction.
  public struct AsyncIterator: AsyncIteratorProtocol {
    /// How many transactions are read at once.
    private static let batchSize = 100

    private let container: ModelContainer
    /// The last transactions that were read, by store.
    private var positions: [String: Int64] = [:]
    private var batch: ArraySlice<DefaultHistoryTransaction> = []
    private var wakeups: AsyncStream<Void>.Iterator?
    private var subscription: SaveSubscription?

    fileprivate init(_ updates: HistoryUpdates) {
      container = updates.container
      for store in container.stores {
        positions[store.identifier] = updates.start?.number(of: store.identifier)
      }
    }

    /// The next transaction, once there is one; nil when the task was cancelled.
    ///
    /// - Throws: ``SwiftDataError/historyTokenExpired`` where transactions were deleted before they
    ///   were read, and ``SwiftDataError/storeFailure``.
    public mutating func next() async throws -> DefaultHistoryTransaction? {
      // Whoever is told of saves first and reads then misses none.
      try subscribe()
      while batch.isEmpty {
        guard !Task.isCancelled else { return nil }
        try readBatch()
        if batch.isEmpty, await wakeups?.next() == nil { return nil }
      }
      return batch.popFirst()
    }

    private mutating func subscribe() throws {
      guard subscription == nil else { return }
      let (stream, continuation) = AsyncStream.makeStream(
        of: Void.self, bufferingPolicy: .bufferingNewest(1))
      subscription = try container.saves.subscribe { _ in continuation.yield() }.subscription
      wakeups = stream.makeAsyncIterator()
    }

    private mutating func readBatch() throws {
      for case let store as DefaultStore in container.stores {
        batch += try store.nextTransactions(
          after: &positions[store.identifier], limit: Self.batchSize)
      }
    }
  }
}
