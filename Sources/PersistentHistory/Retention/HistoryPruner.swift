import StoreEditing
import StoreFormat

/// Prunes the history of a store: works out a plan, and carries it out.
///
/// ```swift
/// let pruner = try HistoryPruner(path: "default.store")
/// let plan = try pruner.plan(PruneRequest(.transactions([.keepLast(1000)])))
/// guard plan.refusals.isEmpty else { … }
/// let result = try pruner.prune(plan)
/// ```
///
/// Nothing happens between the two that would change what goes: other programs may save, which adds
/// transactions behind the cut, and whatever else they do to those before it ends the work. So does a
/// bookmark that is set before the cut meanwhile: the file of bookmarks is looked at before every batch,
/// and nobody can change it until that batch is done.
public struct HistoryPruner: Sendable {
  private let store: StoreFile
  private let bookmarkPath: String?
  private let now: StoreTimestamp

  /// Opens a store.
  ///
  /// - Parameters:
  ///   - path: The store.
  ///   - busyTimeout: How long to wait for a store that is locked, in seconds.
  ///   - bookmarkPath: The file that keeps the bookmarks; nil for the one beside the store, which alone
  ///     need not be there.
  ///   - now: What durations are relative to.
  /// - Throws: ``/StoreFormat/StoreError``.
  public init(
    path: String, busyTimeout: Double = 5, bookmarkPath: String? = nil,
    now: StoreTimestamp = .now()
  ) throws {
    store = try StoreFile(path: path, busyTimeout: busyTimeout)
    self.bookmarkPath = bookmarkPath
    self.now = now
  }

  /// Prunes a store that is open already, with the bookmarks beside it.
  public init(_ store: StoreFile) {
    self.store = store
    bookmarkPath = nil
    now = .now()
  }

  /// Works out what a request would delete; nothing is changed.
  ///
  /// - Throws: ``HistoryError``, also ``HistoryError/damaged(path:details:)`` unless the request ignores
  ///   that guard, and ``/StoreFormat/StoreError``.
  public func plan(_ request: PruneRequest) throws -> PrunePlan {
    try store.read { snapshot in
      try EvidentDamage.check(snapshot, ignoredGuards: request.ignoredGuards)
      return try planner(request, snapshot).plan()
    }
  }

  /// Deletes what a plan says.
  ///
  /// - Parameters:
  ///   - plan: A plan of the same store that no guard refuses.
  ///   - progress: Is told after every batch what has been deleted so far.
  /// - Returns: What was deleted, and what stopped it if anything did. Whatever is left is a whole
  ///   history, and a new plan goes on from there.
  /// - Throws: ``HistoryError/refusedByGuards(path:reasons:)``, and where the store cannot be opened or
  ///   the guards cannot be asked again ``/StoreEditing/StoreWriteError``, ``HistoryError`` or
  ///   ``/StoreFormat/StoreError``; nothing has been deleted then.
  public func prune(
    _ plan: PrunePlan, progress: (DeletedHistory) -> Void = { _ in }
  ) throws -> Erasure {
    try prune(plan, requiring: nil, progress: progress)
  }

  /// Deletes what a plan says, where the store's rows are those that an archive has.
  ///
  /// - Parameters:
  ///   - plan: A plan of the same store that no guard refuses.
  ///   - sealedRows: The digests of the rows as the archive has them, one list for each step of the
  ///     plan's deletion; nil compares nothing. Each row is compared before it is deleted. Where one
  ///     differs the work ends, with ``/StoreFormat/StoreError/damaged(path:place:detail:)`` as the
  ///     problem.
  ///   - progress: Is told after every batch what has been deleted so far.
  package func prune(
    _ plan: PrunePlan, requiring sealedRows: [[RowDigest]]?,
    progress: (DeletedHistory) -> Void = { _ in }
  ) throws -> Erasure {
    var result = Erasure.nothing
    if !plan.deletion.isEmpty {
      let bookmarks = BookmarkHold(path: bookmarkFile)
      defer { bookmarks.release() }
      try check(plan)
      let eraser = try HistoryEraser(
        location: store.location, busyTimeout: store.busyTimeout,
        ignoresDamage: plan.request.ignoredGuards.contains(RetentionGuard.damageName))
      let deletion = sealedRows.map(plan.deletion.requiring) ?? plan.deletion
      result = eraser.erase(deletion) {
        try bookmarks.take { try check(plan) }
      } progress: {
        bookmarks.release()
        progress($0)
      }
    }
    // Until their transactions are gone, values are the values of something.
    if result.problem == nil { eraseValues(plan, &result) }
    return result
  }

  private func eraseValues(_ plan: PrunePlan, _ result: inout Erasure) {
    guard let values = plan.recordedValues, values.problem == nil, values.valueCount > 0 else {
      return
    }
    do {
      let file = try RecordedValuesFile(
        path: values.path, storeIdentifier: plan.storeIdentifier, busyTimeout: store.busyTimeout)
      let erased = RecordedValuesErasure.erase(
        before: values.firstKept, from: file, of: store.location)
      result.recordedValueCount = erased.valueCount
      result.problem = erased.problem
    } catch {
      result.problem = error
    }
  }

  /// A person may have thought about the plan for a while, and meanwhile a consumer has set its
  /// bookmark.
  private func check(_ plan: PrunePlan) throws {
    let guards = try store.read { try planner(plan.request, $0).presentGuards() }
    let refusals = guards.filter { $0.verdict == .refuses }
    guard refusals.isEmpty else {
      throw HistoryError.refusedByGuards(path: plan.path, reasons: refusals.map(\.reason))
    }
    guard let cut = plan.cut else { return }
    if let held = guards.first(where: { $0.cut.map { $0 < cut } ?? false }) {
      throw StoreWriteError.historyChanged(
        path: plan.path, detail: "\(held.name) stands before the cut by now")
    }
  }

  private var bookmarkFile: String {
    bookmarkPath ?? BookmarkFile.path(besideStore: store.location.resolvedPath)
  }

  private func planner(_ request: PruneRequest, _ snapshot: StoreSnapshot) -> PrunePlanner {
    PrunePlanner(snapshot: snapshot, request: request, bookmarkPath: bookmarkPath, now: now)
  }
}
