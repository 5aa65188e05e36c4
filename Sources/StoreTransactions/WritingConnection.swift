import CSQLiteSupport
import GRDB
import GRDBSQLite
import Libc
import StoreFormat
import SystemPackage

/// Opens connections that save to a store.
///
/// The journal mode and everything else that the file itself remembers stay as they are. The schema is
/// not trusted, but its triggers run, because an app's own triggers maintain its own tables.
package enum WritingConnection {
  /// What a loss of power may destroy.
  package enum Durability: Hashable, Sendable {
    /// Nothing that was appended.
    case everySave
    /// Whole saves since the log was last moved into the store, as closing does. Useful only for a store
    /// that nobody reads before it is finished.
    case whenClosed
  }

  /// Opens a queue for writing.
  ///
  /// - Parameters:
  ///   - creates: Whether to create the file if it is missing.
  ///   - isExclusive: Whether nobody else may have the store open. A store with a write-ahead log that
  ///     another connection has open, even for reading only, is then busy.
  ///   - isForOneTransaction: Whether one transaction stays open between uses of the queue, and closing
  ///     the queue leaves the log in place.
  package static func open(
    path: String, busyTimeout: Double, creates: Bool = false, isExclusive: Bool = false,
    isForOneTransaction: Bool = false
  ) throws -> DatabaseQueue {
    var configuration = Configuration()
    configuration.allowsUnsafeTransactions = isForOneTransaction
    // The frameworks declare no foreign keys; those of an app's own tables are not enforced here.
    configuration.foreignKeysEnabled = false
    configuration.busyMode = StoreConnection.busyMode(timeout: busyTimeout)
    configuration.prepareDatabase { database in
      try StoreConnection.keepLocks(of: database)
      try check(csqlite_harden_for_writing(database.sqliteConnection))
      if isForOneTransaction { try check(csqlite_keep_log_on_close(database.sqliteConnection)) }
      sqlite3_limit(
        database.sqliteConnection, SQLITE_LIMIT_LENGTH, StoreConnection.longestValue)
      // A migration also fetches objects through this connection.
      try TextFunctions.add(to: database)
      try database.execute(sql: "PRAGMA mmap_size = 0; PRAGMA cell_size_check = ON")
      // Before the first look at the log, which would make it shared.
      if isExclusive { try database.execute(sql: "PRAGMA locking_mode = EXCLUSIVE") }
    }
    return try DatabaseQueue(
      path: creates ? path : StoreConnection.present(path), configuration: configuration)
  }

  package static func check(_ result: CInt) throws {
    guard result == SQLITE_OK else {
      throw DatabaseError(resultCode: ResultCode(rawValue: result))
    }
  }
}

extension WritingConnection.Durability {
  /// Sets when a connection waits for the disk. The default depends on how SQLite was built.
  package func set(_ database: Database) throws {
    try database.execute(sql: "PRAGMA synchronous = \(self == .everySave ? "FULL" : "NORMAL")")
  }
}

extension StoreFile {
  /// Undoes an unfinished save, as every program does that opens the store for writing.
  ///
  /// Reading changes nothing, so it fails with ``StoreError/unfinishedSave(path:journal:)`` while a
  /// journal waits to be rolled back. A program that is about to write calls this and reads again. A
  /// store without such a journal is left alone.
  ///
  /// - Throws: ``StoreError``, ``StoreWriteError``.
  package static func rollBackUnfinishedSave(at path: String, busyTimeout: Double = 5) throws {
    let location = try StoreLocation(path: path)
    try location.translatingErrors(busyTimeout) {
      let queue = try StoreConnection.openForBatches(location, busyTimeout: busyTimeout)
      // Nothing is written through it that closing could lose.
      defer { try? queue.close() }
      // A connection that may write rolls back before it reads the first page.
      _ = try queue.inDatabase { try Int.fetchOne($0, sql: "SELECT count(*) FROM sqlite_master") }
    }
  }
}

extension StoreLocation {
  /// Finds the files of a store that is to be written.
  package static func forWriting(_ path: String) throws(StoreWriteError) -> StoreLocation {
    do throws(StoreError) {
      return try StoreLocation(path: path)
    } catch {
      throw .store(error)
    }
  }

  /// Checks that this user may write the file and its folder.
  ///
  /// SQLite reports a folder in which it cannot create a journal as an I/O error, and a file that may only be
  /// read as locked if it has a log.
  ///
  /// - Throws: ``StoreWriteError/unwritable(path:reason:)``.
  package func checkIsWritable() throws(StoreWriteError) {
    for place in [resolvedPath, folder] where access(place, W_OK) != 0 {
      throw .unwritable(path: path, reason: Errno(rawValue: errno).description)
    }
  }

  /// Runs a body and converts errors of SQLite and of reading into ``StoreWriteError``.
  package func translatingErrors<Result>(
    _ busyTimeout: Double, _ body: () throws -> Result
  ) throws -> Result {
    do {
      return try body()
    } catch {
      throw StoreWriteError.translating(
        error, path: path, location: self, busyTimeout: busyTimeout)
    }
  }
}

extension StoreWriteError {
  /// Converts an error of SQLite or of reading a store; returns other errors unchanged.
  ///
  /// - Parameter location: The store; `nil` for one that is only being created.
  package static func translating(
    _ error: any Error, path: String, location: StoreLocation?, busyTimeout: Double
  ) -> any Error {
    switch error {
    case let error as StoreError:
      return StoreWriteError.store(error)
    case let error as DatabaseError:
      let detail = error.message ?? "\(error.resultCode)"
      if error.resultCode == .SQLITE_CONSTRAINT { return StoreWriteError.notUnique(detail: detail) }
      if detail.hasPrefix("no such function") || detail.hasPrefix("unsafe use of") {
        return StoreWriteError.frameworkTrigger(table: "of the save", detail: detail)
      }
      if error.isRefusedWrite {
        // SQLite only says that it could not open or write something.
        do throws(StoreWriteError) { try location?.checkIsWritable() } catch { return error }
        return StoreWriteError.unwritable(path: path, reason: detail)
      }
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
  /// Whether the file system refused to write; the store itself is not the reason.
  fileprivate var isRefusedWrite: Bool {
    switch resultCode {
    case .SQLITE_FULL, .SQLITE_READONLY, .SQLITE_PERM, .SQLITE_CANTOPEN: true
    case .SQLITE_IOERR:
      extendedResultCode != .SQLITE_IOERR_SHORT_READ && extendedResultCode != .SQLITE_IOERR_READ
    default: false
    }
  }
}
