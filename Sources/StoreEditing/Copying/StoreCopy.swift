import CSQLiteSupport
import DurableFiles
import GRDB
import StoreFormat
import StoreTransactions
import SystemPackage

/// A copy of a store with its large values, from which parts of the history are deleted.
///
/// The store itself is only read. Under the copy's own name there is never a partial copy.
package struct StoreCopy: Sendable {
  let path: String

  var overwrites: Bool { draft.overwrites }

  private let draft: StoreDraft

  /// Chooses a place for a copy of a store.
  ///
  /// With `overwrites`, an existing store is replaced with its large values and recorded values.
  ///
  /// - Throws: ``StoreWriteError/alreadyThere(path:)`` if there is a file that is not to be replaced,
  ///   ``StoreWriteError/copyOntoItself(path:of:)`` if the copy, or its folder of large values, would
  ///   replace the store's own, and ``StoreWriteError/unwritable(path:reason:)`` if there is no folder for it.
  package init(
    of location: StoreLocation, at path: String, overwrites: Bool = false, busyTimeout: Double = 5
  ) throws(StoreWriteError) {
    self.path = path
    let external = ExternalData(besideStoreAt: path)
    guard !location.owns(path),
      FilePath(ExternalData(besideStoreAt: FileStatus.resolvedPlace(path)).path)
        != FilePath(ExternalData(besideStoreAt: location.resolvedPath).path)
    else { throw .copyOntoItself(path: path, of: location.path) }
    // Before anything is read, or a person is asked.
    guard MissingFolders.isFolder(FilePath(path).folder.string) else {
      throw .unwritable(path: path, reason: Errno.noSuchFileOrDirectory.description)
    }
    draft = try StoreDraft(path: path, overwrites: overwrites, busyTimeout: busyTimeout)
    let values = RecordedValuesFile.path(besideStore: path)
    for taken in [external.path, values] where !overwrites && FileMove.entry(at: taken) != .none {
      throw .alreadyThere(path: taken)
    }
  }

  /// Makes the copy.
  ///
  /// - Parameters:
  ///   - snapshot: The state of the store to copy.
  ///   - cut: Transactions before this number are deleted from the copy; `nil` for none.
  ///   - numbers: Single transactions to delete from it, each with its changes.
  ///   - tables: Tables whose indexes are built again before that.
  ///   - progress: Called regularly with the number of copied bytes; an error ends the copying.
  ///   - inspect: Called with the finished copy before it is moved to its place, the deleted history, and
  ///     the number of copied files of large values. It may write recorded values beside the copy, which
  ///     are moved with it.
  /// - Throws: ``StoreWriteError``, or the errors of `progress` and `inspect`; everything is then
  ///   unchanged.
  package func write<Result>(
    _ snapshot: StoreSnapshot, deletingBefore cut: Int64?, deleting numbers: Set<Int64>,
    rebuildingIndexesOf tables: [String] = [], progress: (Int64) throws -> Void = { _ in },
    inspect: (StoreSnapshot, DeletedHistory, _ externalFileCount: Int) throws -> Result
  ) throws -> Result {
    _ = try snapshot.historyTables()
    var deleted = DeletedHistory(transactionCount: 0, changeCount: 0)
    return try withoutActuallyEscaping(progress) { progress in
      try write(snapshot.location, progress) { path, progress in
        var copied: Int64 = 0
        try snapshot.database.copyPages(
          to: path, permissionsOf: snapshot.location, usesLog: snapshot.usesLog()
        ) { bytes in
          copied = bytes
          try progress(copied)
        }
        try rebuildIndexes(of: tables, in: path)
        deleted = try delete(before: cut, numbers, from: path) { try progress(copied) }
      } inspect: {
        try inspect($0, deleted, $1)
      }
    }
  }

  /// Makes a copy of a state that the log of the store holds.
  ///
  /// - Parameters:
  ///   - snapshot: The store.
  ///   - state: The state.
  ///   - progress: Called regularly with the number of copied bytes; an error ends the copying.
  ///   - inspect: Called with the finished copy before it is moved to its place, and the number of copied
  ///     files of large values.
  /// - Throws: ``StoreWriteError``, or the errors of `progress` and `inspect`; everything is then
  ///   unchanged.
  package func write<Result>(
    _ snapshot: StoreSnapshot, state: LogState, progress: (Int64) throws -> Void,
    inspect: (StoreSnapshot, _ externalFileCount: Int) throws -> Result
  ) throws -> Result {
    try withoutActuallyEscaping(progress) { progress in
      try write(snapshot.location, progress) { path, progress in
        let isCopied: Void? = try state.inDatabase {
          // The state is shown to SQLite as that of a database without a log.
          try $0.copyPages(
            to: path, permissionsOf: snapshot.location, usesLog: true, progress: progress)
        }
        guard isCopied != nil else {
          throw StoreWriteError.unwritable(path: path, reason: "a page cannot be read")
        }
      } inspect: {
        try inspect($0, $1)
      }
    }
  }

  /// Makes a copy and changes it before it is moved to its place.
  ///
  /// - Parameters:
  ///   - snapshot: The state of the store to copy.
  ///   - tables: Tables whose indexes are built again.
  ///   - progress: Called regularly with the number of copied bytes; an error ends the copying.
  ///   - change: Called with the path of the complete copy, which it leaves closed; it need not wait for the disk.
  ///   - inspect: Called with the finished copy and the number of copied files of large values. It may write recorded
  ///     values beside the copy.
  /// - Throws: ``StoreWriteError``, or the errors of the closures; everything is then unchanged.
  package func write<Result>(
    _ snapshot: StoreSnapshot, rebuildingIndexesOf tables: [String] = [],
    progress: (Int64) throws -> Void, change: (_ path: String) throws -> Void,
    inspect: (StoreSnapshot, _ externalFileCount: Int) throws -> Result
  ) throws -> Result {
    try withoutActuallyEscaping(progress) { progress in
      try write(snapshot.location, progress) { path, progress in
        try snapshot.database.copyPages(
          to: path, permissionsOf: snapshot.location, usesLog: snapshot.usesLog(),
          progress: progress)
        try rebuildIndexes(of: tables, in: path)
      } change: {
        try change($0)
      } inspect: {
        try inspect($0, $1)
      }
    }
  }

  /// Makes a scrubbed copy, without large values.
  ///
  /// - Parameters:
  ///   - snapshot: The state of the store to copy.
  ///   - scrubber: What to replace.
  ///   - progress: Called regularly with the number of copied rows; an error ends the copying.
  /// - Throws: ``StoreWriteError``, or the errors of `progress`; everything is then unchanged.
  package func write(
    _ snapshot: StoreSnapshot, _ scrubber: StoreScrubber, progress: (Int64) throws -> Void
  ) throws -> (summary: StoreScrubber.Summary, storeIdentifier: String?) {
    var scrubber = scrubber
    var summary = StoreScrubber.Summary()
    return try withoutActuallyEscaping(progress) { progress in
      try write(snapshot.location, progress, leavesOutLargeValues: true) { path, progress in
        summary = try scrubber.write(to: path, progress: progress)
      } inspect: { copy, _ in
        (summary, copy.metadata.storeIdentifier)
      }
    }
  }

  /// Makes the copy under a temporary name, adds the large values, and moves it to its place.
  private func write<Result>(
    _ location: StoreLocation, _ progress: @escaping (Int64) throws -> Void,
    leavesOutLargeValues: Bool = false,
    copy: (_ path: String, @escaping (Int64) throws -> Void) throws -> Void,
    change: (_ path: String) throws -> Void = { _ in },
    inspect: (StoreSnapshot, _ externalFileCount: Int) throws -> Result
  ) throws -> Result {
    do {
      return try draft.write { path in
        var copied: Int64 = 0
        try copy(path) { bytes in
          copied = bytes
          try progress(copied)
        }
        let source = ExternalData(besideStoreAt: location.resolvedPath)
        let files =
          leavesOutLargeValues
          ? 0
          : try source.copy(to: ExternalData(besideStoreAt: path).path) { bytes in
            copied += bytes
            try progress(copied)
          }
        try change(path)
        let result = try StoreFile(path: path).read { try inspect($0, files) }
        try progress(copied)
        return result
      }
    } catch {
      throw named(error, location)
    }
  }

  private func rebuildIndexes(of tables: [String], in path: String) throws {
    guard !tables.isEmpty else { return }
    let queue = try WritingConnection.open(path: path, busyTimeout: 0)
    try queue.writeWithoutTransaction { database in
      // The draft syncs the finished file.
      try database.execute(sql: "PRAGMA synchronous = OFF")
      for table in tables { try database.execute(sql: "REINDEX \(quoted(table))") }
    }
    try queue.close()
  }

  private func delete(
    before cut: Int64?, _ numbers: Set<Int64>, from path: String, progress: () throws -> Void
  ) throws -> DeletedHistory {
    let queue = try WritingConnection.open(path: path, busyTimeout: 0)
    let deleted = try queue.writeWithoutTransaction { database in
      // As in the store itself, history is deleted without them.
      try WritingConnection.check(csqlite_disable_triggers(database.sqliteConnection))
      // The draft syncs the finished file.
      try database.execute(sql: "PRAGMA synchronous = OFF")
      let statement = StatementRunner(database)
      var (transactions, changes) = (0, 0)
      func delete(_ body: () throws -> Void) throws {
        try database.inTransaction(.immediate) {
          try body()
          return .commit
        }
        try progress()
      }
      if let cut, cut > .min {
        let snapshot = try StoreSnapshot(database: database, location: StoreLocation(path: path))
        let deletion = try snapshot.deletion(
          ofTransactionsThrough: cut - 1, looseChanges: .deleted)
        var work = ErasureWork(statement: statement, deletion: deletion, path: path)
        while work.hasStep { try delete { try work.takeStep() } }
        (transactions, changes) = (work.transactions, work.changes)
      }
      for number in numbers.sorted() {
        try delete {
          // As everywhere, changes first, so that none is ever without its transaction.
          changes += try statement.run(
            """
            DELETE FROM ACHANGE NOT INDEXED WHERE ZTRANSACTIONID = ?1
              AND Z_PK IN (SELECT Z_PK FROM ACHANGE WHERE ZTRANSACTIONID = ?1)
            """, [.integer(number)])
          transactions += try statement.run(
            "DELETE FROM ATRANSACTION WHERE Z_PK = ?1", [.integer(number)])
        }
      }
      try database.execute(sql: "PRAGMA wal_checkpoint(TRUNCATE)")
      return DeletedHistory(transactionCount: transactions, changeCount: changes)
    }
    try queue.close()
    return deleted
  }

  /// Returns an error with the paths of the store and its copy instead of temporary ones.
  private func named(_ error: any Error, _ location: StoreLocation) -> any Error {
    switch error {
    case StoreWriteError.unwritable(let place, let reason) where place == temporaryValues:
      StoreWriteError.unwritable(
        path: RecordedValuesFile.path(besideStore: path), reason: reason)
    case StoreWriteError.unwritable(draft.temporaryPath, let reason):
      StoreWriteError.unwritable(path: path, reason: reason)
    case let error as DatabaseError:
      switch error.resultCode {
      // The copy has the damage of the original; a scrubbed one refuses rows that no sound table can have.
      case .SQLITE_CORRUPT, .SQLITE_NOTADB, .SQLITE_CONSTRAINT:
        StoreError.translating(error, location: location, busyTimeout: 0)
      default:
        StoreWriteError.unwritable(path: path, reason: error.message ?? "\(error.resultCode)")
      }
    case StoreError.damaged(draft.temporaryPath, let place, let detail):
      StoreError.damaged(path: location.path, place: place, detail: detail)
    case let error as StoreError where error.path == draft.temporaryPath:
      StoreWriteError.unwritable(path: path, reason: error.message)
    case let error as Errno:
      StoreWriteError.unwritable(
        path: ExternalData(besideStoreAt: path).path, reason: error.description)
    default: error
    }
  }

  private var temporaryValues: String { RecordedValuesFile.path(besideStore: draft.temporaryPath) }
}

extension StoreSnapshot {
  /// Whether saves of the store go to a write-ahead log. `false` for a closed store in a folder where nothing can be
  /// created, which SQLite reads as one without a log.
  func usesLog() throws -> Bool {
    switch try String.fetchOne(database, sql: "PRAGMA journal_mode") {
    case "wal": true
    // Of a store that is read from memory, no lock is held that opening the file would drop.
    case "memory": try location.usesLog()
    default: false
    }
  }
}

extension Database {
  private static let pagesPerStep: CInt = 4096

  /// Copies the whole database, as the present transaction sees it, including its log, into a new file.
  ///
  /// Other programs can save meanwhile, and their saves are not in the copy. The copy has the store's
  /// identifier and its pages.
  ///
  /// - Parameters:
  ///   - path: The new file.
  ///   - location: The store whose permissions it gets.
  ///   - usesLog: Whether its saves go to a write-ahead log.
  ///   - progress: Called regularly with the number of copied bytes; an error ends the copying.
  /// - Throws: ``StoreWriteError``, or the errors of `progress`; an unfinished file may be left.
  func copyPages(
    to path: String, permissionsOf location: StoreLocation, usesLog: Bool,
    progress: (Int64) throws -> Void = { _ in }
  ) throws {
    try StoreDraft.claim(path, permissions: location.filePermissions())
    do {
      let pageByteCount = try StoreSpace(database: self).pageByteCount
      let target = try DatabaseQueue(path: path, configuration: Self.copying)
      do {
        try target.writeWithoutTransaction { copy in
          try withoutActuallyEscaping(progress) { progress in
            try backup(to: copy, pagesPerStep: Self.pagesPerStep) { step in
              try progress(Int64(step.completedPageCount) * pageByteCount)
            }
          }
          // The database may be in memory, where it has no log.
          if usesLog { try copy.execute(sql: "PRAGMA journal_mode = WAL") }
        }
      } catch {
        // The error that ended the copying is the one to report.
        try? target.close()
        throw error
      }
      try target.close()
    } catch let error as DatabaseError {
      switch error.resultCode {
      case .SQLITE_FULL, .SQLITE_IOERR, .SQLITE_CANTOPEN, .SQLITE_READONLY, .SQLITE_PERM:
        // Its message may be that of a later call.
        throw StoreWriteError.unwritable(path: path, reason: "\(error.resultCode)")
      default: throw StoreError.translating(error, location: location, busyTimeout: 0)
      }
    }
  }

  private static var copying: Configuration {
    var configuration = Configuration()
    configuration.foreignKeysEnabled = false
    configuration.prepareDatabase { database in
      try StoreConnection.keepLocks(of: database)
      // An unfinished copy is discarded, and the draft syncs a finished one.
      try database.execute(sql: "PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF")
    }
    return configuration
  }
}
