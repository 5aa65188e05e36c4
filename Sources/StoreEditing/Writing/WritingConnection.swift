import CSQLiteSupport
import GRDB
import GRDBSQLite
import StoreFormat

/// Settings of every connection that writes to a store.
///
/// The journal mode and all else that the file itself remembers stay as they are. The schema is not
/// trusted, but its triggers run, for an app's own triggers keep its own tables up.
enum WritingConnection {
  /// Opens a queue for writing.
  ///
  /// - Parameters:
  ///   - isExclusive: Whether nobody else may have the store open. A store with a write-ahead log that
  ///     is open anywhere else, be it only to read, is busy then.
  ///   - creates: Whether the file is made where there is none.
  ///   - isForOneTransaction: Whether one transaction stays open between uses of the queue, and the log
  ///     stays where it is when the queue is closed.
  static func open(
    path: String, busyTimeout: Double, creates: Bool = false, isExclusive: Bool = false,
    isForOneTransaction: Bool = false
  ) throws -> DatabaseQueue {
    var configuration = Configuration()
    configuration.allowsUnsafeTransactions = isForOneTransaction
    // The frameworks declare no foreign keys; an app's own tables are its own business.
    configuration.foreignKeysEnabled = false
    configuration.busyMode = StoreConnection.busyMode(timeout: busyTimeout)
    configuration.prepareDatabase { database in
      let result = csqlite_harden_for_writing(database.sqliteConnection)
      guard result == SQLITE_OK else {
        throw DatabaseError(resultCode: ResultCode(rawValue: result))
      }
      if isForOneTransaction {
        let kept = csqlite_keep_log_on_close(database.sqliteConnection)
        guard kept == SQLITE_OK else {
          throw DatabaseError(resultCode: ResultCode(rawValue: kept))
        }
      }
      sqlite3_limit(
        database.sqliteConnection, SQLITE_LIMIT_LENGTH, StoreConnection.longestValue)
      // In a migration objects are fetched by the connection that writes.
      try TextFunctions.add(to: database)
      try database.execute(sql: "PRAGMA mmap_size = 0; PRAGMA cell_size_check = ON")
      // Before the log is first looked at: from then on it is shared.
      if isExclusive { try database.execute(sql: "PRAGMA locking_mode = EXCLUSIVE") }
    }
    return try DatabaseQueue(
      path: creates ? path : StoreConnection.present(path), configuration: configuration)
  }
}

extension StoreEditor.Durability {
  /// Lets a connection wait for the disk where it has to. It is said in any case: what SQLite does by
  /// itself depends on how it was built.
  func set(_ database: Database) throws {
    try database.execute(sql: "PRAGMA synchronous = \(self == .everySave ? "FULL" : "NORMAL")")
  }
}

extension StoreWriteError {
  /// Says in terms of a save what SQLite reported.
  ///
  /// - Parameter location: Where the store is; nil for one that is only being created.
  static func translating(
    _ error: any Error, path: String, location: StoreLocation?, busyTimeout: Double
  ) -> any Error {
    switch error {
    case let error as StoreError:
      return StoreWriteError.store(error)
    case let error as DatabaseError:
      let detail = error.message ?? "\(error.resultCode)"
      if error.resultCode == .SQLITE_CONSTRAINT { return StoreWriteError.notUnique(detail: detail) }
      if detail.hasPrefix("no such function") || detail.hasPrefix("unsafe use of") {
        return StoreWriteError.frameworkTrigger(table: "behind the save", detail: detail)
      }
      if error.isRefusedWrite { return StoreWriteError.unwritable(path: path, reason: detail) }
      guard let location else {
        return StoreWriteError.store(.unreadable(path: path, reason: detail))
      }
      let translated = StoreError.translating(error, location: location, busyTimeout: busyTimeout)
      return (translated as? StoreError).map(StoreWriteError.store) ?? translated
    default:
      return error
    }
  }
}

extension DatabaseError {
  /// Whether the file system, and not the store, is the reason.
  fileprivate var isRefusedWrite: Bool {
    switch resultCode {
    case .SQLITE_FULL, .SQLITE_READONLY, .SQLITE_PERM, .SQLITE_CANTOPEN: true
    case .SQLITE_IOERR:
      extendedResultCode != .SQLITE_IOERR_SHORT_READ && extendedResultCode != .SQLITE_IOERR_READ
    default: false
    }
  }
}
