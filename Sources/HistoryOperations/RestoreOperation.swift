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
    fileprivate let sealed: ArchiveReader
  }

  /// Whether values in the log are first saved to the file of recorded values.
  package var keepsLogValues = true

  private let context: StoreContext
  private let archivePath: String
  private let request: RestoreRequest
  private let lockWait: Double

  /// - Parameters:
  ///   - archivePath: The archive.
  ///   - request: What to restore.
  ///   - lockWait: Seconds to wait for another program that uses the archive.
  package init(
    _ context: StoreContext, from archivePath: String, _ request: RestoreRequest, lockWait: Double
  ) {
    self.context = context
    self.archivePath = archivePath
    self.request = request
    self.lockWait = lockWait
  }

  /// Works out what would be restored. Everything is read and checked, and nothing is written.
  ///
  /// - Parameter isDryRun: Whether the store must not change at all; otherwise a save that was not
  ///   finished is rolled back.
  package func plan(isDryRun: Bool) throws -> Plan {
    try isDryRun ? plan() : context.rollingBackUnfinishedSave(plan)
  }

  private func plan() throws -> Plan {
    let observer = context.observer
    let restorer = try restorer()
    let sealed = try sealedHistory(of: restorer.storeIdentifier())
    let rows = try restorer.plan(request, of: sealed) { observer(.readingArchive(changes: $0)) }
    observer(.finished)
    if let segment = sealed.unlisted.first { observer(.unlisted(segment)) }
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
    let observer = context.observer
    let lock = try ArchiveLock(reading: archivePath, wait: lockWait)
    return try withExtendedLifetime(lock) {
      if keepsLogValues { try context.open().keepLogValues() }
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
      path: context.path, busyTimeout: context.busyTimeout, bookmarkPath: context.bookmarkPath,
      now: context.now)
  }

  private func sealedHistory(of identifier: String) throws -> ArchiveReader {
    do throws(ArchiveError) {
      return try ArchiveReader(
        path: archivePath, storeIdentifier: identifier,
        check: request.ignoredGuards.contains(RetentionGuard.damageName)
          ? .damagedRowsAllowed : .soundRows)
    } catch .unknownStore(_, _, let known) {
      throw RestoreObstacle.otherStore(
        path: context.path, identifier: identifier, sealed: known.joined(separator: ", "))
    }
  }
}
