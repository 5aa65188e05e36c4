import HistoryArchive
import PersistentHistory
import StoreEditing
import StoreFormat

/// Prunes a store. If an archive is given, seals first what is to be deleted.
///
/// ``/PersistentHistory/HistoryPruner`` has the guards of bookmarks, mirroring and damage. The archive
/// adds one: history must be sealed there, read back and verified before it is deleted, and each row is
/// compared with the sealed one.
package struct PruneOperation {
  /// Whether values in the log are first saved to the file of recorded values.
  package var keepsLogValues = true

  private let path: String
  private let request: PruneRequest
  private let busyTimeout: Double
  private let bookmarkPath: String?
  private let now: StoreTimestamp
  private let sealing: SealingOperation?
  private let observer: OperationObserver

  /// - Parameters:
  ///   - path: The store.
  ///   - request: What to delete.
  ///   - busyTimeout: Seconds to wait for a locked store.
  ///   - bookmarkPath: The file that keeps the bookmarks; `nil` for the one beside the store.
  ///   - now: The moment that durations are relative to.
  ///   - sealing: The archive for deleted history; `nil` to seal nothing.
  package init(
    _ path: String, _ request: PruneRequest, busyTimeout: Double, bookmarkPath: String?,
    now: StoreTimestamp, sealing: SealingRequest?, observer: @escaping OperationObserver
  ) {
    self.path = path
    self.request = request
    self.busyTimeout = busyTimeout
    self.bookmarkPath = bookmarkPath
    self.now = now
    self.sealing = sealing.map { SealingOperation($0, observer: observer) }
    self.observer = observer
  }

  /// Works out what would be deleted. Nothing is sealed or deleted.
  ///
  /// - Parameter isDryRun: Whether the store must not change at all; otherwise a save that was not
  ///   finished is rolled back.
  package func plan(isDryRun: Bool) throws -> PrunePlan {
    let plan =
      isDryRun
      ? try plan()
      : try StoreReading.rollingBackUnfinishedSave(
        at: path, busyTimeout: busyTimeout, observer: observer, plan)
    if plan.orphanCount > 0 {
      let isSealing = sealing != nil && !request.ignoredGuards.contains(RetentionGuard.archiveName)
      observer(
        .warning(
          OperationWarning(
            kind: "orphanChange",
            message: "\(path): changes that belong to no transaction stay: \(plan.orphanCount)",
            hint: isSealing
              ? "no archive has them, so they are not deleted with one"
              : "to delete those before the cut as well, ignore the guard against damage")))
    }
    if let problem = plan.recordedValues?.problem {
      observer(
        .warning(
          OperationWarning(
            kind: "unusableValues", message: problem,
            hint: "recorded values are not deleted; move the file away if it is not needed")))
    }
    return plan
  }

  private func plan() throws -> PrunePlan {
    let pruner = try pruner()
    var request = request
    let comparesRows = !request.ignoredGuards.contains(RetentionGuard.archiveName)
    // Whether an archive has them is asked as soon as it is known what is to be deleted.
    if sealing != nil, comparesRows { request.looseChanges = .deleted }
    // Rows are checked once, for the plan that is carried out.
    let wanted = try pruner.plan(request, checksRows: sealing == nil)
    guard let sealing, let cut = wanted.cut, !wanted.deletion.isEmpty else { return wanted }
    let plan = try sealing.plan(path) { _ in Self.reach(of: cut) }
    request.guards = [
      archiveGuard(
        sealedThrough: (plan.last ?? plan.sealed)?.number, isPlanned: plan.last != nil, wanted)
    ].compactMap(\.self)
    if comparesRows, wanted.deletion.takesLooseChanges, try !isSealed(wanted.deletion) {
      request.looseChanges = .kept
    }
    return try pruner.plan(request)
  }

  /// Whether the archive has the changes that a deletion takes before the first transaction.
  private func isSealed(_ deletion: HistoryDeletion) throws -> Bool {
    guard let sealing, Archive.isArchive(sealing.request.archivePath) else { return false }
    let archive = try Archive(path: sealing.request.archivePath)
    return try StoreFile(path: path, busyTimeout: busyTimeout).read {
      try archive.hasLooseChanges(of: deletion, in: $0)
    }
  }

  /// Returns what would be sealed before a plan is carried out; `nil` without an archive, or if nothing is to be
  /// deleted.
  package func sealingPlan(_ plan: PrunePlan) throws -> SealingPlan? {
    guard let sealing, let cut = plan.cut, !plan.deletion.isEmpty else { return nil }
    return try sealing.plan(path) { _ in Self.reach(of: cut) }
  }

  /// Seals what a plan deletes.
  ///
  /// - Returns: What was added to the archive; `nil` without an archive, or if nothing is to be deleted.
  package func seal(_ plan: PrunePlan) throws -> SealedSegments? {
    guard let sealing, let cut = plan.cut, !plan.deletion.isEmpty else { return nil }
    return try sealing.seal(path) { _ in Self.reach(of: cut) }
  }

  /// Carries out a plan, after checking that the archive has all that it deletes.
  ///
  /// - Throws: Errors that prevent the deletion from beginning, such as `HistoryError.refusedByGuards`
  ///   if the archive does not have everything. Later errors are in the result.
  package func delete(_ plan: PrunePlan) throws -> Erasure {
    let sealedRows = try sealedRows(of: plan)
    // The plan warns of a file that cannot be used.
    if keepsLogValues, !plan.deletion.isEmpty, plan.recordedValues?.problem == nil {
      try StoreFile(path: path, busyTimeout: busyTimeout)
        .keepLogValues(from: plan.cut?.firstKept)
    }
    observer(.deleting(.nothing, plan))
    let result = try pruner().prune(plan, requiring: sealedRows) { observer(.deleting($0, plan)) }
    observer(.finished)
    return result
  }

  /// Measures a history that could not be measured beforehand, if a rule limits its size.
  package func byteCount(leftBy plan: PrunePlan) throws -> Int64? {
    guard plan.byteLimit != nil, plan.remainingByteCount == nil else { return nil }
    return try StoreFile(path: path, busyTimeout: busyTimeout).read { try $0.historyByteCount() }
  }

  private func pruner() throws -> HistoryPruner {
    try HistoryPruner(
      path: path, busyTimeout: busyTimeout, bookmarkPath: bookmarkPath, now: now)
  }

  // MARK: - The guard of the archive

  /// The first transaction that stays is sealed as well: it proves later that archive and store belong
  /// together, and that nothing is missing between them.
  private static func reach(of cut: HistoryCut) -> HistoryCut {
    guard let first = cut.firstKept, first < .max else { return .end }
    return HistoryCut(before: first + 1)
  }

  /// Returns the guard of the archive; `nil` if everything is sealed.
  private func archiveGuard(
    sealedThrough last: Int64?, isPlanned: Bool, _ plan: PrunePlan
  ) -> RetentionGuard? {
    guard let oldest = plan.history.oldest?.number, let newest = plan.history.newest?.number,
      let archive = sealing?.request.archivePath
    else { return nil }
    guard let last else {
      return RetentionGuard(
        name: RetentionGuard.archiveName, verdict: .holds(from: oldest),
        reason: "nothing of the store is sealed in \(archive)")
    }
    guard last < newest else { return nil }
    return RetentionGuard(
      name: RetentionGuard.archiveName, verdict: .holds(from: max(last, oldest)),
      reason:
        "\(archive) \(isPlanned ? "will have" : "has") everything up to transaction \(last)")
  }

  /// Verifies that the archive has what a plan deletes, and returns the digests of the rows as they are
  /// sealed; `nil` without an archive, for an empty plan, and if the guard is ignored.
  private func sealedRows(of plan: PrunePlan) throws -> [[RowDigest]]? {
    guard let sealing, let cut = plan.cut, !plan.deletion.isEmpty,
      let store = plan.storeIdentifier,
      !request.ignoredGuards.contains(RetentionGuard.archiveName)
    else { return nil }
    let archive = try Archive(path: sealing.request.archivePath)
    let (reach, schema) = try StoreFile(path: path, busyTimeout: busyTimeout).read {
      (try archive.verifiedReach(of: $0)?.number, try SegmentSchema($0).digest)
    }
    let last = cut.firstKept.map { $0 - 1 } ?? plan.history.newest?.number ?? .max
    guard let reach, reach >= last else {
      let end = reach.map { "has up to transaction \($0)" }
      let forgotten = try archive.catalog().forgotten(ofStore: store).map {
        "has forgotten what was before transaction \($0)"
      }
      throw HistoryError.refusedByGuards(
        path: path,
        reasons: [
          "\(archive.path) \(end ?? forgotten ?? "has nothing of the store"), and more was to be "
            + "deleted"
        ])
    }
    return try archive.rowDigests(of: plan.deletion, ofStore: store, schema: schema)
  }
}
