import CSQLiteSupport
import GRDB
import GRDBSQLite
import StoreFormat
import StoreTransactions

/// Carries out deletions in a copy of a store in memory, to find out what size they leave.
///
/// How many pages a deletion frees depends on where rows lie and on how SQLite merges pages that have
/// become partly empty. Only a trial gives the exact number.
package final class ErasureTrial {
  /// The maximum size of a store that is copied into memory, in bytes.
  static let largestStore: Int64 = 24 << 20

  private let queue: DatabaseQueue
  private let location: StoreLocation

  /// Copies a store; returns `nil` if it is larger than ``largestStore``.
  package init?(_ snapshot: StoreSnapshot) throws {
    guard try snapshot.storeByteCount() <= Self.largestStore else { return nil }
    location = snapshot.location
    var configuration = Configuration()
    configuration.foreignKeysEnabled = false
    configuration.prepareDatabase { database in
      try WritingConnection.check(csqlite_harden(database.sqliteConnection))
      try TextFunctions.add(to: database)
    }
    queue = try DatabaseQueue(configuration: configuration)
    try queue.writeWithoutTransaction { try snapshot.database.backup(to: $0) }
  }

  /// Returns the bytes of the pages that the history would occupy after a deletion, as
  /// ``StoreSnapshot/historyByteCount()`` counts them. The copy stays unchanged.
  package func historyByteCount(after deletion: HistoryDeletion) throws -> Int64? {
    try queue.writeWithoutTransaction { database in
      try database.beginTransaction()
      // An error of the trial itself is the one to report; the copy is discarded with it.
      defer { try? database.rollback() }
      var work = ErasureWork(
        statement: StatementRunner(database), deletion: deletion, path: location.path)
      while work.hasStep { try work.takeStep() }
      return try StoreSnapshot(database: database, location: location).historyByteCount()
    }
  }
}
