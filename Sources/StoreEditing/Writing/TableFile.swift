import GRDB
import StoreFormat
import StoreTransactions

/// A database that is not a store, which is filled once.
package final class TableFile: Sendable {
  private let queue: DatabaseQueue
  /// The path in errors.
  private let path: String

  /// Opens an empty file and begins the transaction that fills it.
  ///
  /// There is no journal, and nothing is synced, because a file that is not finished is thrown away. There
  /// are no locks either: the caller has the file to itself.
  ///
  /// - Parameters:
  ///   - draft: The file.
  ///   - path: The path that the file will have.
  /// - Throws: ``StoreWriteError/unwritable(path:reason:)``.
  package init(filling draft: String, for path: String) throws {
    self.path = path
    var configuration = Configuration()
    configuration.allowsUnsafeTransactions = true
    configuration.foreignKeysEnabled = false
    configuration.prepareDatabase { database in
      try StoreConnection.keepLocks(of: database)
      try database.execute(
        sql: """
          PRAGMA locking_mode = EXCLUSIVE; PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF;
          PRAGMA cache_size = -8000
          """)
    }
    do {
      let name = StoreConnection.present(draft)
      queue = try DatabaseQueue(
        path: name == draft ? name : name + "&nolock=1", configuration: configuration)
    } catch {
      throw StoreWriteError.translating(error, path: path, location: nil, busyTimeout: 0)
    }
    try execute("BEGIN")
  }

  /// Runs a body with the connection; one call at a time, on any thread.
  ///
  /// - Throws: ``StoreWriteError``, and what the body throws.
  package func use<Result>(_ body: (StatementRunner) throws -> Result) throws -> Result {
    do {
      return try queue.inDatabase { try body(StatementRunner($0)) }
    } catch {
      throw StoreWriteError.translating(error, path: path, location: nil, busyTimeout: 0)
    }
  }

  /// Runs statements without parameters.
  package func execute(_ script: String) throws {
    do {
      try queue.inDatabase { try $0.execute(sql: script) }
    } catch {
      throw StoreWriteError.translating(error, path: path, location: nil, busyTimeout: 0)
    }
  }

  /// Ends the transaction and closes the file; the caller syncs it.
  package func finish() throws {
    try execute("COMMIT")
    try close()
  }

  /// Closes the file.
  package func close() throws { try queue.close() }
}
