import HistoryArchive
import PersistentHistory
import StoreEditing
import StoreFormat

/// Restores the history that an archive has of a store.
package struct RestoreOperation {
  /// What would be restored, and from where.
  package struct Plan {
    package let rows: RestorePlan
    /// The gap that keeps older sealed transactions from being restored, if everything was asked for.
    package let gap: HistoryGap?
    fileprivate let sealed: RestorableArchive
  }

  /// Whether values in the log are first saved to the file of recorded values.
  package var keepsLogValues = true

  private let path: String
  private let archivePath: String
  private let request: RestoreRequest
  private let busyTimeout: Double
  private let lockWait: Double
  private let bookmarkPath: String?
  private let now: StoreTimestamp
  private let observer: OperationObserver

  /// - Parameters:
  ///   - path: The store.
  ///   - archivePath: The archive.
  ///   - request: What to restore.
  ///   - busyTimeout: Seconds to wait for a locked store.
  ///   - lockWait: Seconds to wait for another program that uses the archive.
  ///   - bookmarkPath: The file that keeps the bookmarks; `nil` for the one beside the store.
  ///   - now: The moment that durations are relative to.
  package init(
    _ path: String, from archivePath: String, _ request: RestoreRequest, busyTimeout: Double,
    lockWait: Double, bookmarkPath: String?, now: StoreTimestamp,
    observer: @escaping OperationObserver
  ) {
    self.path = path
    self.archivePath = archivePath
    self.request = request
    self.busyTimeout = busyTimeout
    self.lockWait = lockWait
    self.bookmarkPath = bookmarkPath
    self.now = now
    self.observer = observer
  }

  /// Works out what would be restored. Everything is read and checked, and nothing is written.
  ///
  /// - Parameter isDryRun: Whether the store must not change at all; otherwise a save that was not
  ///   finished is rolled back.
  package func plan(isDryRun: Bool) throws -> Plan {
    guard !isDryRun else { return try plan() }
    return try StoreReading.rollingBackUnfinishedSave(
      at: path, busyTimeout: busyTimeout, observer: observer, plan)
  }

  private func plan() throws -> Plan {
    let restorer = try restorer()
    let sealed = try sealedHistory(of: restorer.storeIdentifier())
    let rows = try restorer.plan(request, of: sealed) { observer(.readingArchive(changes: $0)) }
    observer(.finished)
    if let segment = sealed.unlisted.first { observer(.warning(.unlisted(segment))) }
    return Plan(
      rows: rows,
      gap: request.from == nil ? sealed.gap(before: rows.oldest?.number ?? .max) : nil,
      sealed: sealed)
  }

  /// Carries out a plan.
  ///
  /// - Throws: Errors that prevent it from beginning. Later errors are in the result.
  package func restore(_ plan: Plan) throws -> InsertionResult {
    // Prevents other programs from sealing and pruning the restored history meanwhile.
    let lock = try ArchiveLock(reading: archivePath, wait: lockWait)
    return try withExtendedLifetime(lock) {
      if keepsLogValues { try StoreFile(path: path, busyTimeout: busyTimeout).keepLogValues() }
      observer(.restoring(InsertedHistory(transactionCount: 0, changeCount: 0), plan.rows))
      let result = try restorer().restore(plan.rows, of: plan.sealed) {
        observer(.restoring($0, plan.rows))
      }
      observer(.finished)
      return result
    }
  }

  private func restorer() throws -> HistoryRestorer {
    try HistoryRestorer(
      path: path, busyTimeout: busyTimeout, bookmarkPath: bookmarkPath, now: now)
  }

  private func sealedHistory(of identifier: String) throws -> RestorableArchive {
    let archive = try Archive(path: archivePath)
    do throws(ArchiveError) {
      return try RestorableArchive(
        archive, store: identifier,
        allowsDamagedRows: request.ignoredGuards.contains(RetentionGuard.damageName))
    } catch .unknownStore(_, _, let known) {
      throw RestoreObstacle.otherStore(
        path: path, identifier: identifier, sealed: known.joined(separator: ", "))
    }
  }
}
