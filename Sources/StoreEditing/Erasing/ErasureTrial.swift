import CSQLiteSupport
import GRDB
import GRDBSQLite
import StoreFormat

/// Carries out deletions in a copy of a store in memory, to find out what size they leave.
///
/// How many pages a deletion frees depends on how rows lie in them, and on how SQLite joins pages that
/// have become empty in part. Nothing but doing it tells exactly.
package final class ErasureTrial {
  /// The largest store that is copied into memory, in bytes.
  package static let largestStore: Int64 = 24 << 20

  private let queue: DatabaseQueue
  private let location: StoreLocation

  /// Copies a store; nil where it is larger than ``largestStore``.
  package init?(_ snapshot: StoreSnapshot) throws {
    guard try snapshot.storeByteCount() <= Self.largestStore else { return nil }
    location = snapshot.location
    var configuration = Configuration()
    configuration.foreignKeysEnabled = false
    configuration.prepareDatabase { database in
      let result = csqlite_harden(database.sqliteConnection)
      guard result == SQLITE_OK else {
        throw DatabaseError(resultCode: ResultCode(rawValue: result))
      }
      try TextFunctions.add(to: database)
    }
    queue = try DatabaseQueue(configuration: configuration)
    try queue.writeWithoutTransaction { try snapshot.database.backup(to: $0) }
  }

  /// Returns the bytes of the pages that the history occupies after a deletion, as
  /// ``StoreSnapshot/historyByteCount()`` counts them; the copy is as before.
  package func historyByteCount(after deletion: HistoryDeletion) throws -> Int64? {
    try queue.writeWithoutTransaction { database in
      try database.beginTransaction()
      defer { try? database.rollback() }
      var work = ErasureWork(
        statement: StatementRunner(database), deletion: deletion, path: location.path)
      while work.hasStep { try work.takeStep() }
      return try StoreSnapshot(database: database, location: location).historyByteCount()
    }
  }
}
