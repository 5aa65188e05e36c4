import StoreEditing
import StoreFormat
import StoreTransactions

/// Prunes the history of a store: works out a plan, and carries it out.
///
/// ```swift
/// let pruner = try HistoryPruner(path: "default.store")
/// let plan = try pruner.plan(PruneRequest(.transactions([.keepLast(1000)])))
/// guard plan.refusals.isEmpty else { … }
/// let result = try pruner.prune(plan)
/// ```
///
/// Between the two, other programs may save, which adds transactions after the cut. Any other change before the
/// cut ends the work, even a bookmark that is set there: the guards are checked again before every batch, and no
/// bookmark can be set until the batch is done.
public struct HistoryPruner: Sendable {
  private let store: StoreFile
  private let bookmarkPath: String?
  private let now: StoreTimestamp

  /// Opens a store.
  ///
  /// - Parameters:
  ///   - path: The store.
  ///   - busyTimeout: Seconds to wait for a locked store.
  ///   - bookmarkPath: The file that keeps the bookmarks, which must exist; `nil` for the one beside the
  ///     store, which need not.
  ///   - now: The moment that durations are relative to.
  /// - Throws: ``/StoreFormat/StoreError``.
  public init(
    path: String, busyTimeout: Double = 5, bookmarkPath: String? = nil,
    now: StoreTimestamp = .now()
  ) throws {
    self.init(
      try StoreFile(path: path, busyTimeout: busyTimeout), bookmarkPath: bookmarkPath, now: now)
  }

  /// Prunes an open store, with the bookmarks beside it.
  public init(_ store: StoreFile) { self.init(store, bookmarkPath: nil, now: .now()) }

  /// Prunes an open store, with bookmarks of another file.
  package init(_ store: StoreFile, bookmarkPath: String?, now: StoreTimestamp) {
    self.store = store
    self.bookmarkPath = bookmarkPath
    self.now = now
  }

  /// Works out what a request would delete. Nothing is changed.
  ///
  /// - Throws: ``HistoryError``, among others ``HistoryError/damaged(path:details:)`` unless the request
  ///   ignores that guard, and ``/StoreFormat/StoreError``.
  public func plan(_ request: PruneRequest) throws -> PrunePlan {
    try store.read { snapshot in
      try EvidentDamage.check(snapshot, ignoredGuards: request.ignoredGuards)
      return try PrunePlanner(
        snapshot: snapshot, request: request, bookmarkPath: bookmarkPath, now: now
      ).plan()
    }
  }

  /// Deletes what a plan says.
  ///
  /// - Parameters:
  ///   - plan: A plan of the same store that no guard refuses.
  ///   - progress: Called after every batch with what was deleted so far.
  /// - Returns: What was deleted, and what stopped the deletion if anything did. The remaining history has no gap,
  ///   and a new plan continues from there.
  /// - Throws: ``HistoryError/refusedByGuards(path:reasons:)``, and if the store cannot be opened or the guards
  ///   cannot be checked again ``/StoreTransactions/StoreWriteError``, ``HistoryError`` or ``/StoreFormat/StoreError``.
  ///   Nothing has been deleted then.
  public func prune(
    _ plan: PrunePlan, progress: (DeletedHistory) -> Void = { _ in }
  ) throws -> Erasure {
    try prune(plan, requiring: nil, progress: progress)
  }

  /// Deletes what a plan says, after comparing each row with an archive.
  ///
  /// - Parameters:
  ///   - plan: A plan of the same store that no guard refuses.
  ///   - sealedRows: The digests of the sealed rows, one list for each step of the plan's deletion; `nil`
  ///     to compare nothing. If a row differs, the deletion stops before it, with
  ///     ``/StoreFormat/StoreError/damaged(path:place:detail:)`` as the problem.
  ///   - progress: Called after every batch with what was deleted so far.
  package func prune(
    _ plan: PrunePlan, requiring sealedRows: [[RowDigest]]?,
    progress: (DeletedHistory) -> Void = { _ in }
  ) throws -> Erasure {
    var result = Erasure.nothing
    if !plan.deletion.isEmpty {
      let bookmarks = BookmarkHold(path: bookmarkFile)
      try check(plan) { try presentGuards(plan.request, $0) }
      let eraser = try HistoryEraser(
        location: store.location, busyTimeout: store.busyTimeout,
        ignoresDamage: plan.request.ignoredGuards.contains(RetentionGuard.damageName))
      let deletion = sealedRows.map(plan.deletion.requiring) ?? plan.deletion
      result = eraser.erase(deletion) { isSavedByOthers in
        try bookmarks.take { try check(plan) { try presentGuards(plan.request, $0) } }
        // The mirror may be new, or may have started over.
        if isSavedByOthers {
          try check(plan) { try plan.request.guards(of: [], in: $0, oldest: nil) }
        }
      } progress: {
        bookmarks.release()
        progress($0)
      }
    }
    // Values are needed for as long as their transactions exist.
    if result.problem == nil { eraseValues(plan, &result) }
    return result
  }

  private func eraseValues(_ plan: PrunePlan, _ result: inout Erasure) {
    guard let values = plan.recordedValues, values.valueCount > 0 else { return }
    do {
      let file = try RecordedValuesFile(
        path: values.path, storeIdentifier: plan.storeIdentifier, busyTimeout: store.busyTimeout)
      (result.recordedValueCount, result.problem) = file.erase(
        before: values.firstKept, of: store.location)
    } catch {
      result.problem = error
    }
  }

  /// Checks guards of the store as it is now: a consumer may have set its bookmark since the plan was made.
  private func check(
    _ plan: PrunePlan, _ present: (StoreSnapshot) throws -> [RetentionGuard]
  ) throws {
    let guards = try store.read(present)
    let refusals = guards.filter { $0.verdict == .refuses }
    guard refusals.isEmpty else {
      throw HistoryError.refusedByGuards(path: plan.path, reasons: refusals.map(\.reason))
    }
    guard let cut = plan.cut else { return }
    if let held = guards.first(where: { $0.cut.map { $0 < cut } ?? false }) {
      throw StoreWriteError.historyChanged(
        path: plan.path, detail: "\(held.name) is before the cut now")
    }
  }

  private func presentGuards(
    _ request: PruneRequest, _ snapshot: StoreSnapshot
  ) throws -> [RetentionGuard] {
    try request.presentGuards(in: snapshot, bookmarkPath: bookmarkPath, now: now)
  }

  private var bookmarkFile: String {
    bookmarkPath ?? BookmarkFile.path(besideStore: store.location.resolvedPath)
  }
}
