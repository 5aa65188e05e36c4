import StoreFormat

/// A store opened for putting older history before its own, and nothing else.
///
/// Rows get the numbers and values that they are given, so that rows which were deleted come back as
/// they were. It inserts into `ACHANGE` and `ATRANSACTION` only, and into `ATRANSACTIONSTRING` where
/// the store has lost a text; no trigger runs, and the highest numbers that were handed out stay.
///
/// The work is done in batches, from the newest transaction to the oldest, so that the history is
/// without a gap whatever ends it. A transaction is there from the moment on at which its row is: with
/// all of its changes, which come before it where there are many. Changes that are left without their
/// transaction are seen by nobody who reads transactions; the next insertion goes on with them, and a
/// deletion takes them along.
package final class HistoryInserter: Sendable {
  /// Where the store's files are.
  package var location: StoreLocation { connection.location }
  /// How long to wait for a store that is locked, in seconds.
  package var busyTimeout: Double { connection.busyTimeout }

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

  /// Inserts transactions, as many of them as can be.
  ///
  /// The write lock is held for about a thirtieth of a second at a time, as by ``HistoryEraser``.
  ///
  /// - Parameters:
  ///   - insertion: What the store must look like.
  ///   - next: Gives one piece after the other, `nil` after the last: transactions from the newest to
  ///     the oldest, the pieces of each in the order of its changes. The first may be the oldest one
  ///     that is there, of which then only those changes are inserted that are missing. It is asked
  ///     while the store is not locked.
  ///   - recording: Writes the values of a piece beside the store. It is called while the store is
  ///     locked, before the piece is inserted: values are erased under the same lock, so that nobody
  ///     takes these for values of a transaction that is gone.
  ///   - progress: Is told after every batch what has been inserted so far.
  /// - Returns: What was inserted, and what stopped it if anything did.
  package func insert(
    _ insertion: HistoryInsertion, next: @escaping () throws -> HistoryInsertion.Piece?,
    recording: @escaping ([RecordedValueRow]) throws -> Void = { _ in },
    progress: (InsertedHistory) -> Void = { _ in }
  ) -> InsertionResult {
    var result = InsertionResult()
    result.problem = connection.run {
      InsertionWork(
        statement: $0, insertion: insertion, next: next, recording: recording, path: location.path)
    } progress: {
      progress($0.inserted)
    } finish: { runner in
      result.inserted = runner.work.inserted
      result.longestLock = runner.longestLock
      result.batchCount = runner.batchCount
    }
    return result
  }
}
