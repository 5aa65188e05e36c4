import StoreEditing
import StoreFormat

/// Restores sealed history to a store, so that expired tokens work again.
///
/// ```swift
/// let restorer = try HistoryRestorer(path: "default.store")
/// let plan = try restorer.plan(RestoreRequest(), of: sealed)
/// guard plan.refusals.isEmpty else { … }
/// let result = try restorer.restore(plan, of: sealed)
/// ```
///
/// Rows come back with their numbers, times, masks and tombstones, and in their storage classes: a prune
/// followed by a restore leaves the history tables as they were. If the model has changed since, rows are
/// translated by the names of entities and properties.
package struct HistoryRestorer: Sendable {
  let store: StoreFile
  let bookmarkPath: String
  let now: StoreTimestamp

  /// Opens a store.
  ///
  /// - Parameters:
  ///   - busyTimeout: Seconds to wait for a locked store.
  ///   - bookmarkPath: The bookmark file; `nil` for the one beside the store.
  ///   - now: The moment that durations count from.
  package init(
    path: String, busyTimeout: Double = 5, bookmarkPath: String? = nil,
    now: StoreTimestamp = .now()
  ) throws {
    store = try StoreFile(path: path, busyTimeout: busyTimeout)
    self.bookmarkPath =
      bookmarkPath ?? BookmarkFile.path(besideStore: store.location.resolvedPath)
    self.now = now
  }

  /// Returns the identifier of the store, by which its history is sealed.
  package func storeIdentifier() throws -> String {
    try store.read { snapshot in
      _ = try snapshot.historyTables()
      guard let identifier = snapshot.metadata.storeIdentifier else {
        throw HistoryError.unnamedStore(path: store.location.path)
      }
      return identifier
    }
  }

  /// Carries out a plan that no guard refuses.
  ///
  /// - Parameters:
  ///   - sealed: The history that the plan was made of.
  ///   - progress: Receives what has been put back so far, after every batch.
  /// - Returns: What was put back, and what stopped it if anything did. The store then has a history
  ///   without a gap, and a new plan continues from there.
  /// - Throws: ``HistoryError/restoreRefusedByGuards(path:reasons:)``, and other errors before anything
  ///   was put back.
  package func restore(
    _ plan: RestorePlan, of sealed: any ArchivedHistory,
    progress: (InsertedHistory) -> Void = { _ in }
  ) throws -> InsertionResult {
    guard !plan.isEmpty else { return .nothing }
    // Check the guards again, since time may have passed since the plan was made.
    let guards = try store.read { try presentGuards(plan.request, $0) }
    let refusals = guards.filter { $0.verdict == .refuses }
    guard refusals.isEmpty else {
      throw HistoryError.restoreRefusedByGuards(path: plan.path, reasons: refusals.map(\.reason))
    }
    let values =
      plan.request.restoresValues
      ? try RestoredValues(
        beside: store.location, storeIdentifier: sealed.storeIdentifier ?? "",
        busyTimeout: store.busyTimeout) : nil
    let pieces = try RestorePieces(plan, of: sealed) { try values?.prepare() }
    let inserter = try HistoryInserter(
      location: store.location, busyTimeout: store.busyTimeout,
      ignoresDamage: plan.request.ignoredGuards.contains(RetentionGuard.damageName))
    return inserter.insert(
      plan.insertion, next: pieces.next, recording: { try values?.write($0) }, progress: progress)
  }
}
