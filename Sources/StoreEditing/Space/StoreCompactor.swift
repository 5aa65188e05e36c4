import DurableFiles
import GRDB
import Libc
import StoreFormat
import StoreTransactions
import SystemPackage

/// The result of freeing the unused pages of a store.
package struct CompactionResult: Hashable, Sendable {
  package enum Obstacle: Hashable, Sendable {
    /// Another program held the store for too long.
    case busy
    /// A reader kept the log from being moved into the store for too long.
    case pinnedLog
  }

  package let before: StoreSpace
  package let after: StoreSpace
  package let fileByteCountBefore: Int64
  /// The size of the main file afterwards, in bytes; a reader can delay its truncation.
  package let fileByteCountAfter: Int64
  /// The reason why free pages are left; `nil` if there are none.
  package let obstacle: Obstacle?
}

extension CompactionResult {
  /// The result for a store without unused pages.
  package init(unchanged space: StoreSpace, fileByteCount: Int64) {
    self.init(
      before: space, after: space, fileByteCountBefore: fileByteCount,
      fileByteCountAfter: fileByteCount, obstacle: nil)
  }
}

/// Returns the unused pages of a store to the file system.
///
/// Deleting rows never makes a file smaller: SQLite keeps their pages for later use. The tables, the
/// rows, the journal mode and the vacuum setting of the store stay as they are.
package final class StoreCompactor: Sendable {
  /// How long to wait before a locked store is tried again, in seconds.
  private static let pollInterval = 0.02

  private let location: StoreLocation
  private let busyTimeout: Double
  private let ignoresDamage: Bool

  /// - Throws: ``StoreWriteError/store(_:)``.
  package init(
    path: String, busyTimeout: Double = 5, ignoresDamage: Bool = false
  ) throws(StoreWriteError) {
    self.busyTimeout = busyTimeout
    self.ignoresDamage = ignoresDamage
    location = try .forWriting(path)
  }

  // MARK: - Beside a running app

  /// Frees all unused pages, a few at a time, while other programs may have the store open.
  ///
  /// Each hold of the write lock takes at most 50 ms, and programs that save come first. Whatever ends
  /// it, the store is whole, and the next run continues.
  ///
  /// - Parameter progress: Called with the number of freed pages.
  /// - Throws: ``StoreWriteError``; ``StoreWriteError/notIncremental(path:)`` if the store does not
  ///   support it. If the store is locked before any page is freed, ``StoreError/busy(path:seconds:)``
  ///   in it.
  package func giveBackFreePages(
    progress: (Int64) -> Void = { _ in }
  ) throws -> CompactionResult {
    let connection = try BatchConnection(
      location: location, busyTimeout: busyTimeout, ignoresDamage: ignoresDamage)
    let fileBefore = try fileByteCount()
    let (before, usesLog) = try connection.read { database in
      (
        try inspect(database),
        try String.fetchOne(database, sql: "PRAGMA journal_mode") == "wal"
      )
    }
    guard before.freePageCount == 0 || before.autoVacuum != .none else {
      throw StoreWriteError.notIncremental(path: location.path)
    }
    progress(0)
    // Without a log, every batch keeps readers out too.
    let outcome = connection.run(restingAfterEachBatch: !usesLog) {
      VacuumWork(database: $0, path: location.path, space: before)
    } progress: {
      progress(max(0, before.freePageCount - $0.space.freePageCount))
    }
    var obstacle: CompactionResult.Obstacle?
    switch outcome.problem {
    case nil: break
    case StoreWriteError.pinnedLog?: obstacle = .pinnedLog
    case StoreWriteError.store(.busy)? where outcome.batchCount > 0: obstacle = .busy
    case let problem?: throw problem
    }
    // If the store cannot be read now, the result is that of the last batch.
    let after = try? connection.read { try StoreSpace(database: $0) }
    return CompactionResult(
      before: before, after: after ?? outcome.work?.space ?? before,
      fileByteCountBefore: fileBefore, fileByteCountAfter: try fileByteCount(),
      obstacle: obstacle)
  }

  // MARK: - With the store to itself

  /// Rebuilds the store without unused pages and with contiguous tables.
  ///
  /// Nobody else may have the store open, and it temporarily needs up to twice its size in addition.
  /// SQLite does it in one transaction: whatever ends it, the store is either unchanged or rebuilt.
  ///
  /// - Throws: ``StoreWriteError``, such as ``StoreWriteError/renumbersRows(path:tables:)`` and
  ///   ``StoreWriteError/withoutSpace(path:needed:free:)``; if somebody else has the store open,
  ///   ``StoreError/busy(path:seconds:)`` in it.
  package func rebuild() throws -> CompactionResult {
    try location.translatingErrors(busyTimeout) {
      if !ignoresDamage { try location.checkLog(allowsTornEnd: true) }
      try location.checkIsWritable()
      let queue = try openAlone()
      // All is committed or rolled back by then.
      defer { try? queue.close() }
      return try queue.writeWithoutTransaction { database in
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
  }

  /// Opens the store exclusively, waiting until others have closed it.
  private func openAlone() throws -> DatabaseQueue {
    try retryingWhileBusy(for: busyTimeout, every: Self.pollInterval) {
      let queue = try WritingConnection.open(
        path: location.resolvedPath, busyTimeout: busyTimeout, isExclusive: true)
      // Only the first transaction locks a store with a rollback journal.
      try queue.writeWithoutTransaction { database in
        try database.execute(sql: "BEGIN EXCLUSIVE; ROLLBACK")
      }
      return queue
    }
  }

  private func checkSpace(for space: StoreSpace) throws {
    let free = try FreeSpace.byteCount(inFolder: location.folder)
    // The new store is built in a temporary file and then written to the log; without a log, the old
    // pages are written to the journal.
    let live = space.byteCount - space.freeByteCount
    let needed =
      try FreeSpace.isTemporaryFolder(onFileSystemOf: location.folder)
      ? live + max(live, space.byteCount) : max(live, space.byteCount)
    guard free >= needed else {
      throw StoreWriteError.withoutSpace(path: location.path, needed: needed, free: free)
    }
  }

  // MARK: - Parts

  /// Returns the pages of a file, after checking that it is a store.
  private func inspect(_ database: Database) throws -> StoreSpace {
    _ = try StoreLayout(database: database, path: location.path)
    return try StoreSpace(database: database)
  }

  private func fileByteCount() throws(StoreError) -> Int64 {
    try location.size(of: location.resolvedPath) ?? 0
  }
}

private struct VacuumWork: BatchedWork {
  /// The number of pages to free in one step: few, because each may have to be read from a slow disk.
  private static let pageCount = 4

  let database: Database
  let path: String
  var space: StoreSpace

  var hasStep: Bool { space.freePageCount > 0 && space.autoVacuum == .incremental }

  mutating func checkStore() throws { space = try StoreSpace(database: database) }

  mutating func takeStep() throws {
    guard hasStep else { return }
    try StatementRunner(database).run("PRAGMA incremental_vacuum(\(Self.pageCount))")
    let left = try StoreSpace(database: database)
    // Whatever the file says of its free pages, the work must end.
    guard left.freePageCount < space.freePageCount else {
      throw StoreError.damaged(
        path: path, place: "SQLite's list of free pages",
        detail: "it has \(space.freePageCount) pages that cannot be freed")
    }
    space = left
  }
}
