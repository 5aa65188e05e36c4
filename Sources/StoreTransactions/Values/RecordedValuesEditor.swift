import DurableFiles
import GRDB
import Libc
import StoreFormat
import Synchronization

/// The file beside a store that keeps old and new values of updates, opened for writing.
///
/// A store and this file cannot be written atomically. A save first writes the values, while it holds the
/// store's write lock, and then commits: a crash between the two leaves values of a transaction that
/// does not exist. All functions throw ``StoreWriteError/unrecordedValues(path:reason:)``.
package final class RecordedValuesEditor: Sendable {
  private let path: String
  private let busyTimeout: Double
  private let storeIdentifier: String
  private let store: StoreLocation
  private let durability: WritingConnection.Durability
  private let opened: Mutex<Opened?>

  private struct Opened: Sendable {
    let queue: DatabaseQueue
    let status: FileStatus?

    /// Returns whether the path still leads to this file; `false` if that is unknown.
    func isCurrent(_ path: String) -> Bool {
      guard let now = try? FileStatus(path: path), let status else { return false }
      return now.identity == status.identity
    }
  }

  /// Opens the file of a store, and creates it if it is missing.
  ///
  /// A new file gets the permissions and, if possible, the owner of the store. A write that makes the log
  /// long moves it into the file; with `durability` of `whenClosed`, only ``moveLog()`` and closing do.
  package init(
    path: String, storeIdentifier: String, beside store: StoreLocation, busyTimeout: Double = 5,
    durability: WritingConnection.Durability = .everySave
  ) throws {
    self.path = path
    self.storeIdentifier = storeIdentifier
    self.busyTimeout = busyTimeout
    self.durability = durability
    self.store = store
    opened = Mutex(nil)
    try using { _ in }
  }

  // MARK: - Writing

  /// Writes rows. Existing rows of the same transaction, change and name are replaced.
  ///
  /// Rows from the transaction `next` on, which is about to be saved, belong to saves that were never
  /// completed, and are removed. With `nil`, none is about to be saved.
  package func write(_ rows: [RecordedValueRow], removingFrom next: Int64? = nil) throws {
    try using { database in
      try database.inTransaction(.immediate) {
        let statement = StatementRunner(database)
        if let next {
          try statement.run(
            "DELETE FROM recorded_value WHERE transaction_number >= ?1", [.integer(next)])
        }
        try insert(rows, statement, replacesRows: true)
        return .commit
      }
    }
  }

  /// Writes rows and the ranges of transactions that are now kept as a whole.
  ///
  /// Existing rows of the same transaction stay, because no more values can be read from the log later. A range
  /// continues the one that ends before it. Ranges from the transaction `other` on are those of another copy of
  /// the store, and are removed first.
  package func write(
    _ rows: [RecordedValueRow], ranges: [RecordedRange], replacingFrom other: Int64? = nil
  ) throws {
    try using { database in
      try database.inTransaction(.immediate) {
        let statement = StatementRunner(database)
        try insert(rows, statement, replacesRows: false)
        if let first = other ?? ranges.first?.first {
          try statement.run(
            "DELETE FROM recorded_range WHERE first_transaction >= ?1", [.integer(first)])
          try statement.run(
            """
            UPDATE recorded_range SET last_transaction = ?1 - 1, last_timestamp = NULL
            WHERE last_transaction >= ?1
            """, [.integer(first)])
        }
        for range in ranges {
          let end: [StoredValue] = [
            .integer(range.first), .integer(range.last.number), range.last.storedTime,
          ]
          let count = try statement.run(
            """
            UPDATE recorded_range SET last_transaction = ?2, last_timestamp = ?3
            WHERE last_transaction = ?1 - 1
            """, end)
          if count == 0 { try statement.run("INSERT INTO recorded_range VALUES (?1, ?2, ?3)", end) }
        }
        return .commit
      }
    }
  }

  private func insert(
    _ rows: [RecordedValueRow], _ statement: StatementRunner, replacesRows: Bool
  ) throws {
    let columns = RecordedValuesLayout.columns
    let changes = columns.map { "\($0) = excluded.\($0)" }.joined(separator: ", ")
    // A row with another time is that of another copy of the store.
    let condition = replacesRows ? "" : " WHERE recorded_value.timestamp IS NOT excluded.timestamp"
    let insertion = try statement.cursor(
      "INSERT INTO recorded_value (\(columns.joined(separator: ", "))) VALUES ("
        + Array(repeating: "?", count: columns.count).joined(separator: ", ")
        + ") ON CONFLICT (transaction_number, change_number, name) DO UPDATE SET \(changes)"
        + condition)
    for row in rows { try insertion.run(row.columns) }
  }

  /// Moves the log into the file, as far as readers allow it.
  package func moveLog() throws {
    try using { try $0.execute(sql: "PRAGMA wal_checkpoint(PASSIVE)") }
  }

  /// Closes the file; nothing can be written afterwards.
  ///
  /// If nobody else has it open, its log is moved into it and removed.
  package func close() throws {
    try opened.withLock { opened in
      try translatingErrors { try opened?.queue.close() }
    }
  }

  /// Uses the connection. If the file was moved away while the store is open, a new one is created.
  private func using(_ body: (Database) throws -> Void) throws {
    try opened.withLock { opened in
      try translatingErrors {
        let current: Opened
        if let opened, opened.isCurrent(path) { current = opened } else { current = try open() }
        opened = current
        try current.queue.writeWithoutTransaction(body)
      }
    }
  }

  // MARK: - Opening

  private func open() throws -> Opened {
    if FileMove.entry(at: path) == .none {
      try make()
    } else {
      // A program that was killed after creating it has left the folder of its draft.
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
      if durability == .whenClosed { try database.execute(sql: "PRAGMA wal_autocheckpoint = 0") }
    }
    return Opened(queue: queue, status: try FileStatus(path: path))
  }

  /// Creates a file without rows, in one step.
  private func make() throws {
    try StoreDraft.makeIfMissing(at: path) { temporary in
      let queue = try WritingConnection.open(path: temporary, busyTimeout: 5, creates: true)
      // The values must not be more widely readable than the store.
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

  private func translatingErrors(_ body: () throws -> Void) throws {
    do {
      try body()
    } catch {
      let reason: String
      switch error {
      case StoreWriteError.unrecordedValues: throw error
      case let error as StoreWriteError: reason = error.message
      case StoreError.unusableValues(_, let text): reason = text
      case let error as StoreError: reason = error.message
      case let error as DatabaseError: reason = error.message ?? "\(error.resultCode)"
      default: reason = "\(error)"
      }
      throw StoreWriteError.unrecordedValues(path: path, reason: reason)
    }
  }
}
