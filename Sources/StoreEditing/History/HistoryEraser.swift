import StoreFormat

/// Deletes parts of a store's history.
///
/// It needs no model, so it prunes any store that can be read. It deletes rows of
/// `ACHANGE` and `ATRANSACTION` only. No trigger runs, the highest issued numbers and the interned texts
/// stay, nothing is added to the schema, and the journal mode stays as it is.
///
/// The work is done in batches, so an app that uses the store at the same time waits a fraction of a
/// second at most. Whatever ends it, the history is whole: every change has its transaction, and
/// transactions were deleted from the oldest on.
package final class HistoryEraser: Sendable {
  /// Thrown by a check that cannot decide now and must be repeated a moment later.
  package struct NotNow: Error, Hashable, Sendable {
    package init() {}
  }

  private let connection: BatchConnection

  /// Opens a store.
  ///
  /// - Parameters:
  ///   - location: The store.
  ///   - busyTimeout: How long to wait for a locked store, in seconds.
  ///   - ignoresDamage: Whether to write even if that destroys saves after a damaged part of the log.
  /// - Throws: ``StoreWriteError``.
  package init(
    location: StoreLocation, busyTimeout: Double = 5, ignoresDamage: Bool = false
  ) throws {
    connection = try BatchConnection(
      location: location, busyTimeout: busyTimeout, ignoresDamage: ignoresDamage)
  }

  /// Carries out as much of a deletion as possible.
  ///
  /// The write lock is held for about 30 ms at a time. If another program writes too, it gets the lock
  /// in between; otherwise the next batch follows at once. The log is checkpointed between batches, and
  /// if a reader blocks that, no batch follows until the log can be used again.
  ///
  /// - Parameters:
  ///   - deletion: The deletion.
  ///   - mayGoOn: Called before every batch while the write lock is held, with whether other programs may have
  ///     saved since the last batch. An error ends the deletion, and earlier batches stay done; ``NotNow`` does
  ///     so only after the busy timeout.
  ///   - progress: Called after every batch.
  package func erase(
    _ deletion: HistoryDeletion, mayGoOn: (_ isSavedByOthers: Bool) throws -> Void = { _ in },
    progress: (DeletedHistory) -> Void = { _ in }
  ) -> Erasure {
    withoutActuallyEscaping(mayGoOn) { mayGoOn in
      let outcome = connection.run {
        ErasureWork(
          statement: StatementRunner($0), deletion: deletion, path: connection.location.path,
          mayGoOn: mayGoOn)
      } progress: {
        progress($0.deleted)
      }
      return Erasure(
        deleted: outcome.work?.deleted ?? Erasure.nothing.deleted,
        longestLock: outcome.longestLock, batchCount: outcome.batchCount,
        problem: outcome.problem)
    }
  }
}

/// The result of a deletion.
public struct Erasure: Sendable {
  package static let nothing = Erasure()

  /// The history that was deleted and committed.
  public internal(set) var deleted = DeletedHistory(transactionCount: 0, changeCount: 0)
  /// The longest time for which the write lock was held, in seconds.
  public internal(set) var longestLock = 0.0
  /// The number of batches.
  public internal(set) var batchCount = 0
  /// The number of deleted values that were recorded beside the store.
  package var recordedValueCount = 0
  /// The error that ended the deletion, usually a ``/StoreTransactions/StoreWriteError``; `nil` if all is deleted.
  public package(set) var problem: (any Error)?
}

/// The amount of history that was deleted.
public struct DeletedHistory: Hashable, Sendable {
  /// The number of transactions.
  public let transactionCount: Int
  /// The number of changes.
  public let changeCount: Int

  package init(transactionCount: Int, changeCount: Int) {
    self.transactionCount = transactionCount
    self.changeCount = changeCount
  }
}
