import DurableFiles
import GRDB
import StoreFormat
import SystemPackage

#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#else
import Glibc
#endif

/// What giving back free pages has come to.
package struct CompactionResult: Hashable, Sendable {
  /// Why it ended before all free pages were given back.
  package enum Obstacle: Hashable, Sendable {
    /// Another program held the store for too long.
    case busy
    /// A reader kept the log from being moved into the store for too long.
    case pinnedLog
  }

  /// The pages before.
  package let before: StoreSpace
  /// The pages behind it.
  package let after: StoreSpace
  /// The size of the main file before, in bytes.
  package let fileByteCountBefore: Int64
  /// Its size behind it; a reader can keep the file from getting shorter until it is done.
  package let fileByteCountAfter: Int64
  /// What stood in the way; nil where all was done.
  package let obstacle: Obstacle?
}

/// Gives the pages of a store that hold nothing back to the file system.
///
/// Deleting rows never makes a file smaller: their pages are kept for what comes. The tables, the
/// rows, the journal mode and the way in which the store gives back pages stay as they are.
package final class StoreCompactor: Sendable {
  /// How long to wait before looking again at what somebody else holds, in seconds.
  private static let patience = 0.02
  /// The longest that the lock may be held at a time, in seconds, where nobody else writes and where
  /// somebody does.
  private static let hold = (alone: 0.05, shared: 0.02)

  /// Where the store's files are.
  package let location: StoreLocation
  /// How long to wait for a store that is locked, in seconds.
  package let busyTimeout: Double

  private let ignoresDamage: Bool

  /// Chooses a store.
  ///
  /// - Parameters:
  ///   - path: The store.
  ///   - busyTimeout: How long to wait for a store that is locked, in seconds.
  ///   - ignoresDamage: Whether to write although that destroys saves after a damaged part of the log.
  /// - Throws: ``StoreWriteError/store(_:)``.
  package init(
    path: String, busyTimeout: Double = 5, ignoresDamage: Bool = false
  ) throws(StoreWriteError) {
    self.busyTimeout = busyTimeout
    self.ignoresDamage = ignoresDamage
    do throws(StoreError) {
      location = try StoreLocation(path: path)
    } catch {
      throw .store(error)
    }
  }

  // MARK: - Beside a running app

  /// Gives back all free pages, a few at a time, beside whoever has the store open.
  ///
  /// Each hold of the write lock is meant to take at most 50 ms, and whoever saves meanwhile comes
  /// first. Whatever ends it, the store is whole, and the next time goes on.
  ///
  /// - Parameter progress: Told how many pages have been given back.
  /// - Throws: ``StoreWriteError/notIncremental(path:)`` where the store was not made for it, and
  ///   ``StoreWriteError``; where nothing was given back yet and the store is held by somebody,
  ///   ``StoreError/busy(path:seconds:)`` in it.
  package func giveBackFreePages(
    progress: (Int64) -> Void = { _ in }
  ) throws -> CompactionResult {
    try using(WritingConnection.open(path: location.resolvedPath, busyTimeout: busyTimeout)) {
      database in
      let fileBefore = try fileByteCount()
      let before = try inspect(database)
      guard before.freePageCount == 0 || before.autoVacuum != .none else {
        throw StoreWriteError.notIncremental(path: location.path)
      }
      let log = try LogKeeper(database, path: location.path, patience: busyTimeout)
      var obstacle: CompactionResult.Obstacle?
      var run = PageRun()
      let usesLog = try String.fetchOne(database, sql: "PRAGMA journal_mode") == "wal"
      var courtesy = LockCourtesy(location, keepsReadersOut: !usesLog)
      var space = before
      var hasGivenBack = false
      while obstacle == nil {
        // Where there is no log, somebody who writes keeps everybody from looking as well.
        do {
          space = try StoreSpace(database: database)
          progress(max(0, before.freePageCount - space.freePageCount))
          BatchHold.end()
          guard space.freePageCount > 0, before.autoVacuum == .incremental else { break }
          courtesy.yield(version: try dataVersion(database))
          BatchHold.begin()
          try run.giveBack(
            database, most: space.freePageCount,
            within: courtesy.isShared ? Self.hold.shared : Self.hold.alone)
          hasGivenBack = true
          try log.keepShort()
        } catch StoreWriteError.pinnedLog {
          obstacle = .pinnedLog
        } catch let error as DatabaseError where error.resultCode == .SQLITE_BUSY {
          guard hasGivenBack else { throw error }
          obstacle = .busy
        }
      }
      BatchHold.end()
      log.settle()
      return CompactionResult(
        // What was seen last, where nobody can look now.
        before: before, after: (try? StoreSpace(database: database)) ?? space,
        fileByteCountBefore: fileBefore, fileByteCountAfter: try fileByteCount(),
        obstacle: obstacle)
    }
  }

  // MARK: - With the store to itself

  /// Rebuilds the store without free pages, its tables in one piece each.
  ///
  /// Nobody else may have the store open, and for a while it takes twice its size beside itself.
  /// SQLite does it in one transaction: whatever ends it, the store is as it was or done.
  ///
  /// - Throws: ``StoreWriteError/renumbersRows(path:tables:)``,
  ///   ``StoreWriteError/withoutSpace(path:needed:free:)``, and ``StoreWriteError``; where somebody
  ///   else has the store open, ``StoreError/busy(path:seconds:)`` in it.
  package func rebuild() throws -> CompactionResult {
    // SQLite tells of a folder in which it can make no journal as of a broken disk.
    try using(openAlone(), writes: [location.resolvedPath, location.folder]) { database in
      let fileBefore = try fileByteCount()
      let before = try inspect(database)
      let tables = try RowNumbering.tablesToRenumber(database)
      guard tables.isEmpty else {
        throw StoreWriteError.renumbersRows(path: location.path, tables: tables)
      }
      try checkSpace(for: before)
      try database.execute(sql: "VACUUM")
      try database.execute(sql: "PRAGMA wal_checkpoint(TRUNCATE)")
      return CompactionResult(
        before: before, after: try StoreSpace(database: database),
        fileByteCountBefore: fileBefore, fileByteCountAfter: try fileByteCount(), obstacle: nil)
    }
  }

  /// Opens the store so that nobody else has it open, waiting for those who close it in time.
  private func openAlone() throws -> DatabaseQueue {
    let start = ContinuousClock.now
    while true {
      do {
        let queue = try WritingConnection.open(
          path: location.resolvedPath, busyTimeout: busyTimeout, isExclusive: true)
        // A store with a rollback journal is locked by the first transaction only.
        try queue.writeWithoutTransaction { database in
          try database.execute(sql: "BEGIN EXCLUSIVE; ROLLBACK")
        }
        return queue
      } catch let error as DatabaseError where error.resultCode == .SQLITE_BUSY {
        guard start.secondsAgo < busyTimeout else { throw error }
        Pause.take(seconds: Self.patience)
      }
    }
  }

  private func checkSpace(for space: StoreSpace) throws {
    let free = try FreeSpace.byteCount(inFolder: location.folder)
    // The new store is built in a temporary file, and goes into the log or, where there is none, the
    // old pages go into the journal.
    let live = space.byteCount - space.freeByteCount
    let needed =
      try FreeSpace.isTemporaryFolder(onFileSystemOf: location.folder)
      ? live + max(live, space.byteCount) : max(live, space.byteCount)
    guard free >= needed else {
      throw StoreWriteError.withoutSpace(path: location.path, needed: needed, free: free)
    }
  }

  // MARK: - Parts

  /// Runs a body on a connection and closes it, and says in terms of stores what went wrong.
  private func using(
    _ open: @autoclosure () throws -> DatabaseQueue, writes paths: [String] = [],
    _ body: (Database) throws -> CompactionResult
  ) throws -> CompactionResult {
    do {
      if !ignoresDamage { try location.checkLog(allowsTornEnd: true) }
      for path in paths where access(path, W_OK) != 0 {
        throw StoreWriteError.unwritable(
          path: location.path, reason: Errno(rawValue: errno).description)
      }
      let queue = try open()
      defer { try? queue.close() }
      return try queue.writeWithoutTransaction(body)
    } catch {
      throw StoreWriteError.translating(
        error, path: location.path, location: location, busyTimeout: busyTimeout)
    }
  }

  /// The pages of a file that is a store.
  private func inspect(_ database: Database) throws -> StoreSpace {
    _ = try StoreLayout(database: database, path: location.path)
    return try StoreSpace(database: database)
  }

  private func fileByteCount() throws(StoreError) -> Int64 {
    try location.size(of: location.resolvedPath) ?? 0
  }

  private func dataVersion(_ database: Database) throws -> Int64 {
    try Int64.fetchOne(database, sql: "PRAGMA data_version") ?? 0
  }
}

/// Gives back pages in runs that adapt to what a hold of the lock may take.
private struct PageRun {
  private var pageCount: Int64 = 16
  /// Each page may bring others into the log with it, which has a few megabytes of room.
  private static let most: Int64 = 256

  /// Gives back one run of pages, in a transaction of its own.
  mutating func giveBack(
    _ database: Database, most left: Int64, within longest: Double
  ) throws {
    let runner = StatementRunner(database)
    var begin = ContinuousClock.now
    try database.inTransaction(.immediate) {
      begin = .now
      try runner.run("PRAGMA incremental_vacuum(\(min(pageCount, left)))")
      return .commit
    }
    let seconds = begin.secondsAgo
    // Half of what may be, for pages differ.
    let fitting = Double(pageCount) * longest / 2 / max(seconds, 0.000_1)
    pageCount = min(max(1, Int64(min(fitting, Double(pageCount * 2)))), Self.most)
  }
}
