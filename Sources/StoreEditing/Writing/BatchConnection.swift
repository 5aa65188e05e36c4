import GRDB
import GRDBSQLite
import StoreFormat

/// A store opened for work in batches, beside other programs.
final class BatchConnection: Sendable {
  /// Where the store's files are.
  let location: StoreLocation
  /// How long to wait for a store that is locked, in seconds.
  let busyTimeout: Double

  private let queue: DatabaseQueue

  /// Opens a store.
  ///
  /// - Parameter ignoresDamage: Whether to write although that destroys saves after a damaged part of
  ///   the log.
  /// - Throws: ``StoreWriteError``.
  init(location: StoreLocation, busyTimeout: Double, ignoresDamage: Bool = false) throws {
    self.location = location
    self.busyTimeout = busyTimeout
    do {
      if !ignoresDamage { try location.checkLog(allowsTornEnd: true) }
      queue = try StoreConnection.openForBatches(location, busyTimeout: busyTimeout)
    } catch {
      throw StoreWriteError.translating(
        error, path: location.path, location: location, busyTimeout: busyTimeout)
    }
  }

  /// Does as much of some work as can be.
  ///
  /// - Parameters:
  ///   - makeWork: Makes the work for the connection.
  ///   - progress: Is told after every batch how far the work is.
  ///   - finish: Is told in the end how far it has come, whatever ended it.
  /// - Returns: What stopped it, a ``StoreWriteError`` as a rule; nil where all is done.
  func run<Work: BatchedWork>(
    _ makeWork: (StatementRunner) -> Work, progress: (Work) -> Void,
    finish: (BatchRunner<Work>) -> Void
  ) -> (any Error)? {
    do {
      try queue.writeWithoutTransaction { database in
        // SQLite would not tell that another program was in the way, and that counts.
        sqlite3_busy_timeout(database.sqliteConnection, 0)
        let runner = try BatchRunner(
          makeWork(StatementRunner(database)), database: database, location: location,
          busyTimeout: busyTimeout)
        defer { finish(runner) }
        try runner.run(progress: progress)
      }
      return nil
    } catch {
      return StoreWriteError.translating(
        error, path: location.path, location: location, busyTimeout: busyTimeout)
    }
  }
}
