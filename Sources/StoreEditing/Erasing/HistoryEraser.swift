import StoreFormat

/// A store opened for deleting parts of its history, and nothing else.
///
/// Unlike ``StoreEditor`` it needs no model, so that the history of any store that can be read can be
/// pruned. It deletes rows of `ACHANGE` and `ATRANSACTION` only: no trigger runs, the highest numbers
/// that were handed out and the interned texts stay, and nothing is added to the schema. The journal
/// mode stays as it is.
///
/// The work is done in batches, so that an app that uses the store meanwhile is kept waiting for a
/// fraction of a second at most; whatever ends it, the history is whole: no change is without its
/// transaction, and transactions went from the oldest on.
package final class HistoryEraser: Sendable {
  /// Where the store's files are.
  package var location: StoreLocation { connection.location }
  /// How long to wait for a store that is locked, in seconds.
  package var busyTimeout: Double { connection.busyTimeout }

  /// What is to be asked for consent cannot say anything now, and is asked again a moment later.
  package struct NotNow: Error, Hashable, Sendable {
    /// An answer.
    package init() {}
  }

  private let connection: BatchConnection

  /// Opens a store.
  ///
  /// - Parameters:
  ///   - location: Where the store's files are.
  ///   - busyTimeout: How long to wait for a store that is locked, in seconds.
  ///   - ignoresDamage: Whether to write although that destroys saves after a damaged part of the log.
  /// - Throws: ``StoreWriteError``.
  package init(
    location: StoreLocation, busyTimeout: Double = 5, ignoresDamage: Bool = false
  ) throws {
    connection = try BatchConnection(
      location: location, busyTimeout: busyTimeout, ignoresDamage: ignoresDamage)
  }

  /// Carries out a deletion, as much of it as can be.
  ///
  /// The write lock is held for about a thirtieth of a second at a time. Where another program writes
  /// as well it is left alone in between; where nobody does the next batch follows at once. The log
  /// beside the store is moved into it while nobody waits, and where a reader keeps it from being
  /// used again no batch follows until it can be.
  ///
  /// - Parameters:
  ///   - deletion: What to delete.
  ///   - progress: Is told after every batch what has been deleted so far.
  /// - Returns: What was deleted, and what stopped it if anything did.
  package func erase(
    _ deletion: HistoryDeletion, progress: (DeletedHistory) -> Void = { _ in }
  ) -> Erasure {
    erase(deletion, mayGoOn: {}, progress: progress)
  }

  /// Carries out a deletion as long as somebody agrees.
  ///
  /// - Parameters:
  ///   - deletion: What to delete.
  ///   - mayGoOn: Is asked before every batch, while the write lock is held; what it throws stops the
  ///     deletion, of which the batches before stay done. ``NotNow`` does so only where it is thrown for
  ///     as long as one waits for a locked store.
  ///   - progress: Is told after every batch what has been deleted so far.
  /// - Returns: What was deleted, and what stopped it if anything did.
  package func erase(
    _ deletion: HistoryDeletion, mayGoOn: () throws -> Void, progress: (DeletedHistory) -> Void
  ) -> Erasure {
    var result = Erasure()
    withoutActuallyEscaping(mayGoOn) { mayGoOn in
      result.problem = connection.run {
        ErasureWork(
          statement: $0, deletion: deletion, path: location.path, mayGoOn: mayGoOn)
      } progress: {
        progress($0.deleted)
      } finish: { runner in
        result.deleted = runner.work.deleted
        result.longestLock = runner.longestLock
        result.batchCount = runner.batchCount
      }
    }
    return result
  }
}

/// What became of a deletion.
public struct Erasure: Sendable {
  /// That of a deletion of nothing.
  package static let nothing = Erasure()

  /// What was deleted, for good.
  public internal(set) var deleted = DeletedHistory(transactionCount: 0, changeCount: 0)
  /// The longest time for which the write lock was held, in seconds.
  public internal(set) var longestLock = 0.0
  /// In how many batches.
  public internal(set) var batchCount = 0
  /// How many values were deleted that had been recorded beside the store.
  package var recordedValueCount = 0
  /// What stopped it, a ``StoreWriteError`` as a rule; nil where all is deleted.
  public package(set) var problem: (any Error)?
}
