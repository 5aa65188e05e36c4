import StoreEditing
import StoreFormat

/// Puts sealed history back into a store, so that tokens which had expired work again: works out a
/// plan, and carries it out.
///
/// ```swift
/// let restorer = try HistoryRestorer(path: "default.store")
/// let plan = try restorer.plan(RestoreRequest(), of: sealed)
/// guard plan.refusals.isEmpty else { … }
/// let result = try restorer.restore(plan, of: sealed)
/// ```
///
/// What comes back is what was there: numbers, times, masks and tombstones, in the storage classes that
/// they had, so that a prune followed by a restore leaves the history tables as they were. Where the
/// model has changed since, rows are put into its order by the names of entities and properties.
package struct HistoryRestorer: Sendable {
  private let store: StoreFile
  private let bookmarkPath: String?
  private let now: StoreTimestamp

  /// Opens a store.
  ///
  /// - Parameters:
  ///   - path: The store.
  ///   - busyTimeout: How long to wait for a store that is locked, in seconds.
  ///   - bookmarkPath: The file that keeps the bookmarks; nil for the one beside the store.
  ///   - now: What durations are relative to.
  /// - Throws: ``/StoreFormat/StoreError``.
  package init(
    path: String, busyTimeout: Double = 5, bookmarkPath: String? = nil,
    now: StoreTimestamp = .now()
  ) throws {
    store = try StoreFile(path: path, busyTimeout: busyTimeout)
    self.bookmarkPath = bookmarkPath
    self.now = now
  }

  /// The identifier of the store, by which its history is found elsewhere.
  ///
  /// - Throws: ``HistoryError/unnamedStore(path:)``, ``/StoreFormat/StoreError``.
  package func storeIdentifier() throws -> String {
    try store.read { snapshot in
      _ = try snapshot.historyTables()
      guard let identifier = snapshot.metadata.storeIdentifier else {
        throw HistoryError.unnamedStore(path: store.location.path)
      }
      return identifier
    }
  }

  /// Works out what would be put back; nothing is changed.
  ///
  /// All of it is read and looked at, so that nothing is found to stand in the way half way through.
  /// No snapshot of the store is held meanwhile: apps save and checkpoint as ever.
  ///
  /// - Parameters:
  ///   - request: What is wanted.
  ///   - sealed: Where it is kept.
  ///   - progress: Is told now and then how many changes have been looked at.
  /// - Throws: ``RestoreObstacle``, ``HistoryError``, ``/StoreFormat/StoreError``, and what reading
  ///   the sealed history throws.
  package func plan(
    _ request: RestoreRequest, of sealed: any RestorableHistory, progress: (Int) -> Void = { _ in }
  ) throws -> RestorePlan {
    try withoutActuallyEscaping(progress) { progress in
      try planner(request, sealed).plan(progress: progress)
    }
  }

  /// Puts back what a plan says.
  ///
  /// - Parameters:
  ///   - plan: A plan of the same store that no guard refuses.
  ///   - sealed: What the plan was made of.
  ///   - progress: Is told after every batch what has been put back so far.
  /// - Returns: What was put back, and what stopped it if anything did. Whatever is there is a history
  ///   without a gap, and a new plan goes on from there.
  /// - Throws: ``HistoryError/restoreRefusedByGuards(path:reasons:)``, and where the store cannot be
  ///   opened or the guards cannot be asked again ``/StoreEditing/StoreWriteError``, ``HistoryError`` or
  ///   ``/StoreFormat/StoreError``; nothing has been put back then.
  package func restore(
    _ plan: RestorePlan, of sealed: any RestorableHistory,
    progress: (InsertedHistory) -> Void = { _ in }
  ) throws -> InsertionResult {
    guard !plan.isEmpty else { return .nothing }
    // A person may have thought about the plan for a while.
    let planner = planner(plan.request, sealed)
    let guards = try store.read { try planner.presentGuards($0) }
    let refusals = guards.filter { $0.verdict == .refuses }
    guard refusals.isEmpty else {
      throw HistoryError.restoreRefusedByGuards(path: plan.path, reasons: refusals.map(\.reason))
    }
    let values =
      plan.request.restoresValues
      ? try RestoredValues(
        beside: store.location, storeIdentifier: sealed.storeIdentifier,
        busyTimeout: store.busyTimeout) : nil
    let pieces = try RestorePieces(plan, of: sealed) { try values?.prepare() }
    let inserter = try HistoryInserter(
      location: store.location, busyTimeout: store.busyTimeout,
      ignoresDamage: plan.request.ignoredGuards.contains(RetentionGuard.damageName))
    return inserter.insert(
      plan.insertion, next: pieces.next, recording: { try values?.write($0) }, progress: progress)
  }

  private func planner(
    _ request: RestoreRequest, _ sealed: any RestorableHistory
  ) -> RestorePlanner {
    RestorePlanner(
      store: store, request: request, sealed: sealed, bookmarkPath: bookmarkPath, now: now)
  }
}
