import GRDB
import GRDBSQLite

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
public final class HistoryInserter: Sendable {
  /// Where the store's files are.
  public let location: StoreLocation
  /// How long to wait for a store that is locked, in seconds.
  public let busyTimeout: Double

  private let queue: DatabaseQueue

  /// Opens a store.
  ///
  /// - Parameters:
  ///   - location: Where the store's files are.
  ///   - busyTimeout: How long to wait for a store that is locked, in seconds.
  /// - Throws: ``StoreWriteError``.
  public init(location: StoreLocation, busyTimeout: Double = 5) throws {
    self.location = location
    self.busyTimeout = busyTimeout
    do {
      queue = try StoreConnection.openForBatches(location, busyTimeout: busyTimeout)
    } catch {
      throw StoreWriteError.translating(
        error, path: location.path, location: location, busyTimeout: busyTimeout)
    }
  }

  /// Inserts transactions, as many of them as can be.
  ///
  /// The write lock is held for about a thirtieth of a second at a time, as by ``HistoryEraser``.
  ///
  /// - Parameters:
  ///   - insertion: What the store must look like.
  ///   - next: Gives one piece after the other, nil behind the last: transactions from the newest to
  ///     the oldest, the pieces of each in the order of its changes. The first may be the oldest one
  ///     that is there, of which then only those changes are inserted that are missing. It is asked
  ///     while the store is not locked.
  ///   - progress: Is told after every batch what has been inserted so far.
  /// - Returns: What was inserted, and what stopped it if anything did.
  public func insert(
    _ insertion: HistoryInsertion, next: @escaping () throws -> HistoryInsertion.Piece?,
    progress: (InsertedHistory) -> Void = { _ in }
  ) -> InsertionResult {
    var result = InsertionResult()
    do {
      try queue.writeWithoutTransaction { database in
        // SQLite would not tell that another program was in the way, and that counts.
        sqlite3_busy_timeout(database.sqliteConnection, 0)
        let work = InsertionWork(
          statement: StatementRunner(database), insertion: insertion, next: next,
          path: location.path)
        let runner = try BatchRunner(
          work, database: database, path: location.path, busyTimeout: busyTimeout)
        defer {
          result.inserted = runner.work.inserted
          result.longestLock = runner.longestLock
          result.batchCount = runner.batchCount
        }
        try runner.run { progress($0.inserted) }
      }
    } catch {
      result.problem = StoreWriteError.translating(
        error, path: location.path, location: location, busyTimeout: busyTimeout)
    }
    return result
  }
}
