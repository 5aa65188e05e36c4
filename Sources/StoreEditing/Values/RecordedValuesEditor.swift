import DurableFiles
import GRDB
import StoreFormat
import Synchronization

#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#else
import Glibc
#endif

/// The file beside a store that keeps old and new values of updates, opened for writing.
///
/// A store and this file cannot be written at one instant. Whoever saves writes the values first, while
/// it holds the store's write lock, and completes the save then: a crash between the two leaves rows of
/// a transaction that there is not.
package final class RecordedValuesEditor: Sendable {
  /// The file.
  package let path: String
  /// How long to wait for a file that is locked, in seconds.
  package let busyTimeout: Double

  private let storeIdentifier: String
  private let store: StoreLocation
  private let durability: StoreEditor.Durability
  private let movesLog: Bool
  private let opened: Mutex<Opened>

  /// A connection, and the file that it leads to.
  private struct Opened: Sendable {
    let queue: DatabaseQueue
    let status: FileStatus?

    /// Whether the path still leads to this file.
    func isCurrent(_ path: String) -> Bool {
      guard let now = try? FileStatus(path: path), let status else { return false }
      return now.device == status.device && now.inode == status.inode
    }
  }

  /// Opens the file of a store, and makes it where it is missing.
  ///
  /// - Parameters:
  ///   - path: The file.
  ///   - storeIdentifier: The identifier of the store.
  ///   - store: Where the store is: a new file is no more widely readable, and whoever makes it as an
  ///     administrator gives it the same owner.
  ///   - busyTimeout: How long to wait for a file that is locked, in seconds.
  ///   - durability: Whether to wait for the disk at every write.
  ///   - movesLog: Whether a write behind which the log is long moves it into the file; otherwise
  ///     ``moveLog()`` does, and whoever closes the file last.
  /// - Throws: ``StoreWriteError/unrecordedValues(path:reason:)``.
  package init(
    path: String, storeIdentifier: String, beside store: StoreLocation, busyTimeout: Double = 5,
    durability: StoreEditor.Durability = .everySave, movesLog: Bool = true
  ) throws {
    self.path = path
    self.storeIdentifier = storeIdentifier
    self.busyTimeout = busyTimeout
    self.durability = durability
    self.movesLog = movesLog
    self.store = store
    opened = Mutex(
      try Self.open(
        path, storeIdentifier, store, busyTimeout: busyTimeout, durability, movesLog))
  }

  // MARK: - Writing

  /// Writes rows.
  ///
  /// Rows that are there already, of the same transaction, change and name, are replaced.
  ///
  /// - Parameters:
  ///   - rows: The rows.
  ///   - next: The number of the transaction that is about to be saved: rows of that number or of a
  ///     higher one can only be of saves that were never completed, and are removed. Nil where no
  ///     transaction is about to be saved.
  /// - Throws: ``StoreWriteError/unrecordedValues(path:reason:)``; nothing is written then.
  package func write(_ rows: [RecordedValueRow], removingFrom next: Int64? = nil) throws {
    try writing { statement in
      if let next {
        try statement.run(
          "DELETE FROM recorded_value WHERE transaction_number >= ?1", [.integer(next)])
      }
      let columns = RecordedValuesLayout.columns
      let insertion = try statement.cursor(
        "INSERT OR REPLACE INTO recorded_value (\(columns.joined(separator: ", "))) VALUES ("
          + Array(repeating: "?", count: columns.count).joined(separator: ", ") + ")")
      for row in rows { try insertion.run(row.columns) }
    }
  }

  private func writing(_ body: (StatementRunner) throws -> Void) throws {
    try opened.withLock { opened in
      do {
        // A file that was moved away while the store is open begins anew.
        if !opened.isCurrent(path) {
          opened = try Self.open(
            path, storeIdentifier, store, busyTimeout: busyTimeout, durability, movesLog)
        }
        try opened.queue.writeWithoutTransaction { database in
          try database.inTransaction(.immediate) {
            try body(StatementRunner(database))
            return .commit
          }
        }
      } catch {
        throw Self.translating(error, path)
      }
    }
  }

  /// Moves the log into the file, as far as nobody reads in it.
  ///
  /// - Throws: ``StoreWriteError/unrecordedValues(path:reason:)``.
  package func moveLog() throws {
    try opened.withLock { opened in
      do {
        try opened.queue.writeWithoutTransaction {
          try $0.execute(sql: "PRAGMA wal_checkpoint(PASSIVE)")
        }
      } catch {
        throw Self.translating(error, path)
      }
    }
  }

  /// Closes the file, after which nothing can be written.
  ///
  /// Where nobody else has it open, its log is moved into it and is gone.
  ///
  /// - Throws: ``StoreWriteError/unrecordedValues(path:reason:)``.
  package func close() throws {
    try opened.withLock { opened in
      do {
        try opened.queue.close()
      } catch {
        throw Self.translating(error, path)
      }
    }
  }

  // MARK: - Opening

  private static func open(
    _ path: String, _ storeIdentifier: String, _ store: StoreLocation, busyTimeout: Double,
    _ durability: StoreEditor.Durability, _ movesLog: Bool
  ) throws -> Opened {
    do {
      if FileMove.entry(at: path) == .none {
        try make(path, storeIdentifier, store)
      } else {
        // Who was killed behind making it has left the folder in which it was made.
        DraftFolder.removeAbandoned(forStoreAt: path)
      }
      let queue = try WritingConnection.open(path: path, busyTimeout: busyTimeout)
      try queue.writeWithoutTransaction { database in
        let found = try RecordedValuesLayout.check(StatementRunner(database), path: path)
        guard found == storeIdentifier else {
          throw StoreError.unusableValues(
            path: path, reason: "its values are of the store \(found), not of \(storeIdentifier)")
        }
        try durability.set(database)
        if !movesLog { try database.execute(sql: "PRAGMA wal_autocheckpoint = 0") }
      }
      return Opened(queue: queue, status: try FileStatus(path: path))
    } catch {
      throw translating(error, path)
    }
  }

  /// Makes a file without rows, complete in one step.
  private static func make(
    _ path: String, _ storeIdentifier: String, _ store: StoreLocation
  ) throws {
    try StoreDraft.makeIfMissing(at: path) { temporary in
      let queue = try WritingConnection.open(path: temporary, busyTimeout: 5, creates: true)
      // Who may read the store may read its values, and nobody else.
      chmod(temporary, mode_t(store.filePermissions().rawValue))
      store.giveOwner(to: temporary)
      try queue.writeWithoutTransaction { database in
        try database.execute(
          sql: "PRAGMA page_size = 4096; PRAGMA auto_vacuum = 2; PRAGMA journal_mode = WAL")
        try database.inTransaction(.immediate) {
          for text in RecordedValuesLayout.statements { try database.execute(sql: text) }
          try StatementRunner(database).run(
            "INSERT INTO store (identifier) VALUES (?)", [.text(storeIdentifier)])
          try database.execute(
            sql: """
              PRAGMA application_id = \(RecordedValuesLayout.applicationID);
              PRAGMA user_version = \(RecordedValuesLayout.version)
              """)
          return .commit
        }
      }
      try queue.close()
    }
  }

  private static func translating(_ error: any Error, _ path: String) -> any Error {
    let reason: String
    switch error {
    case StoreWriteError.unrecordedValues: return error
    case let error as StoreWriteError: reason = error.message
    case StoreError.unusableValues(_, let text): reason = text
    case let error as StoreError: reason = error.message
    case let error as DatabaseError: reason = error.message ?? "\(error.resultCode)"
    default: reason = "\(error)"
    }
    return StoreWriteError.unrecordedValues(path: path, reason: reason)
  }
}
