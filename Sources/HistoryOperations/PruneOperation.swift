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

  fileprivate let context: StoreContext
  private let request: PruneRequest
  fileprivate let sealing: SealingOperation?

  /// - Parameters:
  ///   - request: What to delete.
  ///   - sealing: The archive for deleted history; `nil` to seal nothing.
  package init(_ context: StoreContext, _ request: PruneRequest, sealing: SealingRequest?) {
    self.context = context
    self.request = request
    self.sealing = sealing.map { SealingOperation(context, $0) }
  }

  /// Opens the store, and works out what would be sealed and deleted. Nothing is sealed or deleted.
  ///
  /// - Parameter isDryRun: Whether the store must not change at all; otherwise a save that was not
  ///   finished is rolled back.
  package func plan(isDryRun: Bool) throws -> PlannedPrune {
    let planned = try isDryRun ? plan() : context.rollingBackUnfinishedSave(plan)
    if planned.plan.orphanCount > 0 {
      let isSealing = sealing != nil && comparesRows
      context.observer(
        .warning(
          kind: "orphanChange",
          "\(context.path): changes that belong to no transaction stay: \(planned.plan.orphanCount)",
          hint: isSealing
            ? "no archive has them, so they are not deleted with one"
            : "to delete those before the cut as well, ignore the guard against damage"))
    }
    if let problem = planned.plan.recordedValues?.problem {
      context.observer(
        .warning(
          kind: "unusableValues", problem,
          hint: "recorded values are not deleted; move the file away if it is not needed"))
    }
    return planned
  }

  private func plan() throws -> PlannedPrune {
    let store = try open()
    let (plan, sealing) = try store.read { snapshot -> (PrunePlan, SealingPlan?) in
      try EvidentDamage.check(snapshot, ignoredGuards: request.ignoredGuards)
      return try self.plan(snapshot)
    }
    return try PlannedPrune(self, plan, sealing, store)
  }

  fileprivate func open() throws -> StoreFile {
    try sealing?.open() ?? context.open()
  }

  /// Works out what is deleted and what is sealed before, from one snapshot.
  private func plan(_ snapshot: StoreSnapshot) throws -> (PrunePlan, SealingPlan?) {
    var request = request
    // Whether an archive has them is asked as soon as it is known what is to be deleted.
    if sealing != nil, comparesRows { request.looseChanges = .deleted }
    let planner = PrunePlanner(
      snapshot: snapshot, request: request, bookmarkPath: context.bookmarkPath, now: context.now)
    let wanted = try planner.plan()
    guard let sealing, let cut = wanted.cut, !wanted.deletion.isEmpty else { return (wanted, nil) }
    let sealed = try sealing.plan(snapshot, before: Self.reach(of: cut))
    let archiveGuard = archiveGuard(
      sealedThrough: (sealed.last ?? sealed.sealed)?.number, isPlanned: sealed.last != nil, wanted)
    if comparesRows, wanted.deletion.takesLooseChanges, try !isSealed(wanted.deletion, snapshot) {
      request.looseChanges = .kept
    }
    guard archiveGuard != nil || request.looseChanges != wanted.request.looseChanges else {
      return (wanted, sealed)
    }
    let plan = try planner.plan(
      guards: [archiveGuard].compactMap(\.self), looseChanges: request.looseChanges)
    guard let cutNow = plan.cut, !plan.deletion.isEmpty else { return (plan, nil) }
    return (
      plan, cutNow == cut ? sealed : try sealing.plan(snapshot, before: Self.reach(of: cutNow))
    )
  }

  /// Whether each deleted row is compared with the sealed one.
  fileprivate var comparesRows: Bool {
    !request.ignoredGuards.contains(RetentionGuard.archiveName)
  }

  // MARK: - The guard of the archive

  /// The first transaction that stays is sealed as well: it proves later that archive and store belong
  /// together, and that nothing is missing between them.
  private static func reach(of cut: HistoryCut) -> HistoryCut {
    guard let first = cut.firstKept, first < .max else { return .end }
    return HistoryCut(before: first + 1)
  }

  /// Whether the archive has the changes that a deletion takes before the first transaction.
  private func isSealed(_ deletion: HistoryDeletion, _ snapshot: StoreSnapshot) throws -> Bool {
    guard let sealing, Archive.isArchive(sealing.request.archivePath) else { return false }
    return try Archive(path: sealing.request.archivePath)
      .hasLooseChanges(of: deletion, in: snapshot)
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
}

/// A prune that was planned: the plan, and the store that it was made of, which stays open to carry it out.
package final class PlannedPrune {
  package let plan: PrunePlan
  /// What is sealed before the deletion; `nil` without an archive, or if nothing is to be deleted.
  package let sealing: SealingPlan?

  private let operation: PruneOperation
  private var store: StoreFile?
  private let stamp: StoreStamp

  fileprivate init(
    _ operation: PruneOperation, _ plan: PrunePlan, _ sealing: SealingPlan?, _ store: StoreFile
  ) throws {
    self.operation = operation
    self.plan = plan
    self.sealing = sealing
    self.store = store
    stamp = try store.stamp()
  }

  /// Closes the store, for example while a person is asked. It is opened again when it is needed.
  package func closeStore() { store = nil }

  /// The store as other programs have left it. It is opened again if that would not be seen otherwise.
  private func openStore() throws -> StoreFile {
    if let store, try !store.isOutdated, try store.stamp().isSameFile(as: stamp) { return store }
    let opened = try operation.open()
    store = opened
    return opened
  }

  /// Seals what is to be deleted.
  ///
  /// - Returns: What was added to the archive; `nil` if nothing is to be sealed.
  package func seal() throws -> SealedSegments? {
    guard let sealing, let operation = operation.sealing else { return nil }
    return try operation.seal(sealing, of: openStore())
  }

  /// Deletes, after checking that the archive has all that is deleted.
  ///
  /// - Throws: Errors that prevent the deletion from beginning, such as `HistoryError.refusedByGuards`
  ///   if the archive does not have everything. Later errors are in the result.
  package func delete() throws -> Erasure {
    let plan = plan
    let observer = operation.context.observer
    let store = try openStore()
    let sealedRows = try sealedRows(store)
    // The plan warns of a file that cannot be used.
    if operation.keepsLogValues, !plan.deletion.isEmpty, plan.recordedValues?.problem == nil {
      try store.keepLogValues(from: plan.cut?.firstKept)
    }
    observer(.deleting(.nothing, plan))
    let pruner = HistoryPruner(
      store, bookmarkPath: operation.context.bookmarkPath, now: operation.context.now)
    let result = try pruner.prune(plan, requiring: sealedRows) { observer(.deleting($0, plan)) }
    observer(.finished)
    return result
  }

  /// Measures a history that could not be measured beforehand, if a rule limits its size.
  package func byteCountLeft() throws -> Int64? {
    guard plan.byteLimit != nil, plan.remainingByteCount == nil else { return nil }
    return try openStore().read { try $0.historyByteCount() }
  }

  /// Verifies that the archive has what is deleted, and returns the digests of the rows as they are
  /// sealed; `nil` without an archive, for an empty plan, and if the guard is ignored.
  private func sealedRows(_ file: StoreFile) throws -> [[RowDigest]]? {
    guard let sealing = operation.sealing, let cut = plan.cut, !plan.deletion.isEmpty,
      let store = plan.storeIdentifier, operation.comparesRows
    else { return nil }
    let archive = try Archive(path: sealing.request.archivePath)
    let last = cut.firstKept.map { $0 - 1 } ?? plan.history.newest?.number ?? .max
    let (reach, schema, missing) = try file.read {
      (
        try archive.verifiedReach(of: $0)?.number, try SegmentSchema($0).digest,
        try $0.missingRanges(from: plan.deletion.firstNumber ?? last, upTo: last)
      )
    }
    guard let reach, reach >= last else {
      let end = reach.map { "has up to transaction \($0)" }
      let forgotten = try archive.catalog().forgotten(ofStore: store).map {
        "has forgotten what was before transaction \($0)"
      }
      throw HistoryError.refusedByGuards(
        path: plan.path,
        reasons: [
          "\(archive.path) \(end ?? forgotten ?? "has nothing of the store"), and more was to be "
            + "deleted"
        ])
    }
    return try archive.rowDigests(
      of: plan.deletion, ofStore: store, schema: schema, missing: missing)
  }
}
