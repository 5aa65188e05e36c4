import HistoryArchive
import HistoryCoding
import PersistentHistory
import StoreEditing
import StoreFormat
import SystemPackage

/// The outcome of maintaining one store, or of a dry run.
package struct MaintenanceOutcome {
  /// The file, or `nil` if none was written, with the number of transactions, the first and the last.
  package typealias Export = (path: String?, transactions: Int64, first: Int64, last: Int64)
  /// The bookmarks are those that expire.
  package typealias Prune = (plan: PrunePlan, deleted: DeletedHistory, lost: [BookmarkEffect])

  package let section: String
  /// The store, as the settings name it.
  package let path: String
  package let isDryRun: Bool
  /// What was exported; `nil` if nothing was new.
  package fileprivate(set) var export: Export?
  /// What was sealed; `nil` if nothing was new.
  package fileprivate(set) var sealed: SealedSegments?
  /// What would be sealed, in a dry run; `nil` if nothing is new.
  package fileprivate(set) var sealing: SealingPlan?
  /// What was deleted; `nil` if nothing was.
  package fileprivate(set) var prune: Prune?
  /// What was forgotten and merged in the archive; `nil` if nothing was.
  package fileprivate(set) var forgetting: (plan: ForgetPlan, outcome: ForgetOutcome?)?
  /// Bytes freed; `nil` if none were.
  package fileprivate(set) var freedBytes: Int64?
  /// Whether pages would be freed that pruning empties, in a dry run; their number is not known before.
  package fileprivate(set) var freesPrunedPages = false
  /// How long it took.
  package fileprivate(set) var duration = Duration.zero
  /// Whether the store was skipped: a pattern has found it, and it keeps no history.
  package fileprivate(set) var isWithoutHistory = false
  /// What went wrong. Later steps were left out.
  package fileprivate(set) var failure: (any Error)?

  /// Whether anything was done, or would be.
  package var hasNews: Bool {
    export != nil || prune != nil || freedBytes != nil || sealed != nil || sealing != nil
      || forgetting != nil || freesPrunedPages
  }
}

/// Maintains one store: exports what is new, then prunes, then forgets in the archive, then frees pages.
///
/// The order matters: exported history need not be kept for the export, pruned history is sealed in the
/// archive, and deleted rows leave free pages. If a step fails, those after it are skipped.
package struct StoreMaintenance {
  /// Whether values in the log are saved to the file of recorded values before the log is emptied.
  package var keepsLogValues = true

  private let plan: MaintenancePlan
  private var settings: MaintenanceSettings
  private let found: Set<FilePath>
  private let isDryRun: Bool
  private let lockWait: Double
  private let ignoredGuards: Set<String>
  private let now: StoreTimestamp
  private let observer: OperationObserver

  /// - Parameters:
  ///   - part: The part of a plan that the store is in.
  ///   - plan: The plan.
  ///   - isDryRun: Whether nothing may be changed.
  ///   - lockWait: Seconds to wait for another run.
  ///   - ignoredGuards: The names of guards to ignore, besides those of the settings.
  ///   - now: The moment that durations are relative to.
  package init(
    _ part: MaintenancePlan.Part, of plan: MaintenancePlan, isDryRun: Bool, lockWait: Double,
    ignoredGuards: Set<String>, now: StoreTimestamp, observer: @escaping OperationObserver
  ) {
    self.plan = plan
    settings = part.settings
    found = part.found
    self.isDryRun = isDryRun
    self.lockWait = lockWait
    self.ignoredGuards = ignoredGuards
    self.now = now
    self.observer = observer
  }

  /// Runs all steps, up to the first one that fails.
  package func run(_ path: String) -> MaintenanceOutcome {
    let start = ContinuousClock.now
    var outcome = MaintenanceOutcome(section: settings.section, path: path, isDryRun: isDryRun)
    do {
      var own = self
      own.settings = try settings.expanded(for: path)
      try own.run(path, &outcome)
    } catch StoreError.withoutHistory where found.contains(FilePath(path)) {
      outcome.isWithoutHistory = true
    } catch {
      outcome.failure = error
    }
    outcome.duration = ContinuousClock.now - start
    return outcome
  }

  private func run(_ path: String, _ outcome: inout MaintenanceOutcome) throws {
    let location = try StoreLocation(path: path)
    if let failure = plan.failure(ofPlaceOf: path) { throw failure }
    let bookmarkPath =
      settings.bookmarkFile ?? BookmarkFile.path(besideStore: location.resolvedPath)
    let lock =
      isDryRun
      ? nil : try RunLock(maintaining: path, bookmarkPath: bookmarkPath, wait: lockWait)
    try withExtendedLifetime(lock) {
      if !isDryRun, settings.prune != nil || settings.compacts {
        let context = context(path)
        try context.rollingBackUnfinishedSave { try context.open().read { _ in } }
      }
      if let export = settings.export {
        outcome.export = try self.export(path, export, bookmarkPath)
      }
      if let request = settings.prune { try prune(path, request, bookmarkPath, &outcome) }
      if let request = settings.forget { try forget(path, request, bookmarkPath, &outcome) }
      if settings.compacts { try compact(path, &outcome) }
    }
  }

  private func context(_ path: String) -> StoreContext {
    StoreContext(
      path, busyTimeout: settings.busyTimeout, bookmarkPath: settings.bookmarkFile, now: now,
      observer: observer)
  }

  private func export(
    _ path: String, _ export: MaintenanceSettings.Export, _ bookmarkPath: String
  ) throws -> MaintenanceOutcome.Export? {
    let lock =
      isDryRun
      ? nil
      : try RunLock.forExport(
        of: path, for: export.bookmark, bookmarkPath: bookmarkPath, wait: lockWait)
    defer { withExtendedLifetime(lock) {} }
    return try context(path).openForReading().read(withHelpers: StoreReading.helperCount) {
      snapshot, helpers in
      _ = try snapshot.historyTables()
      try StoreReading.warnOfModel(in: snapshot, observer: observer)
      let resolver = TokenResolver(snapshot: snapshot, bookmarkPath: bookmarkPath, now: now)
      var query = try export.query(resolver)
      query.omitsRecordedValues = export.omitsValues
      // A value that cannot be read now would be lost permanently once its transaction is pruned.
      if !export.omitsValues { query.recordedValues = try RecordedValues(beside: snapshot) }
      let operation = ExportOperation(
        timeline: HistoryTimeline(snapshot), helpers: helpers, schema: try HistorySchema(snapshot),
        format: export.format, encoder: export.encoder,
        export: HistoryExport(query: query, compression: export.compression), observer: observer)
      let folder = try ExportFolder(
        operation, to: export.folder, layout: export.layout, resolver: resolver,
        bookmarkPath: bookmarkPath)
      let plan = try folder.plan(consumer: export.bookmark)
      guard !isDryRun else {
        return try plan.range.flatMap { try count($0, query, operation, snapshot) }
      }
      guard let file = try folder.write(plan).first, let first = file.summary.first,
        let last = file.summary.last
      else { return nil }
      return (file.path, Int64(file.summary.transactions), first.number, last.number)
    }
  }

  /// Returns what would be exported of a range, which begins with a transaction; `nil` for nothing.
  private func count(
    _ range: ClosedRange<Int64>, _ query: HistoryQuery, _ operation: ExportOperation,
    _ snapshot: StoreSnapshot
  ) throws -> MaintenanceOutcome.Export? {
    guard !query.isUnconditional else {
      let later = try snapshot.transactionCount(after: range.lowerBound, upTo: range.upperBound)
      return (nil, 1 + later, range.lowerBound, range.upperBound)
    }
    let reader = try TimelineReader(
      operation.timeline, query: query.narrowed(to: range), schema: operation.schema)
    var numbers: [Int64] = []
    var count: Int64 = 0
    while let element = try reader.nextElement() {
      guard case .transaction(let transaction) = element else { continue }
      count += 1
      numbers = [numbers.first ?? transaction.number, transaction.number]
    }
    return numbers.isEmpty ? nil : (nil, count, numbers[0], numbers[1])
  }

  private func prune(
    _ path: String, _ request: PruneRequest, _ bookmarkPath: String,
    _ outcome: inout MaintenanceOutcome
  ) throws {
    var request = request
    request.ignoredGuards.formUnion(ignoredGuards)
    if let export = settings.export {
      // By then the export would have moved its bookmark to the end.
      if isDryRun { request.ignoredGuards.insert("@" + export.bookmark) }
      // The export creates the file as soon as there is anything to lose.
      if try !BookmarkFile(path: bookmarkPath).exists {
        request.ignoredGuards.insert(RetentionGuard.bookmarksName)
      }
    }
    var sealing = settings.sealing
    sealing?.ignoredGuards = request.ignoredGuards
    sealing?.lockWait = lockWait
    var operation = PruneOperation(context(path), request, sealing: sealing)
    operation.keepsLogValues = keepsLogValues && !settings.omitsLogValues
    let planned = try operation.plan(isDryRun: isDryRun)
    let plan = planned.plan
    guard plan.refusals.isEmpty else {
      throw HistoryError.refusedByGuards(path: path, reasons: plan.refusals.map(\.reason))
    }
    guard !plan.isEmpty else { return }
    let lost = plan.lostBookmarks.filter {
      !(isDryRun && $0.bookmark.name == settings.export?.bookmark)
    }
    observer(.pruning(plan, lost: lost))
    guard !isDryRun else {
      outcome.prune = (plan, plan.deletion.whole, lost)
      outcome.sealing = planned.sealing.flatMap { $0.first == nil ? nil : $0 }
      return
    }
    if let sealed = try planned.seal(), !sealed.segments.isEmpty { outcome.sealed = sealed }
    let result = try planned.delete()
    if result.deleted != .nothing {
      outcome.prune = (plan, result.deleted, lost)
    }
    if let failure = result.failure(of: plan) { throw failure }
    if let bytes = try planned.byteCountLeft() {
      observer(.historyMeasured(bytes: bytes, plan))
    }
  }

  private func forget(
    _ path: String, _ request: ForgetRequest, _ bookmarkPath: String,
    _ outcome: inout MaintenanceOutcome
  ) throws {
    let store = try context(path).open()
    var request = request
    request.lockWait = lockWait
    request.ignoredGuards.formUnion(ignoredGuards)
    request.bookmarkPaths = try BookmarkFile(path: bookmarkPath).exists ? [bookmarkPath] : []
    if isDryRun {
      // By then the export would have moved its bookmark to the end.
      request.movedBookmark = settings.export?.bookmark
      if let sealing = outcome.sealing {
        let plan = try store.read {
          try ForgetOperation(request, now: now).plan(afterSealing: sealing, of: $0)
        }
        if let plan, !plan.isEmpty { outcome.forgetting = (plan, nil) }
        return
      }
    }
    let identifier = try store.read { $0.metadata.storeIdentifier }
    // Before the first sealing there is no archive, or nothing of the store in it.
    guard let identifier, Archive.isArchive(request.archivePath),
      try Archive(path: request.archivePath).catalog().store(identifier) != nil
    else { return }
    request.storeIdentifier = identifier
    let operation = ForgetOperation(request, now: now)
    for plan in try operation.plans() where !plan.isEmpty {
      guard !isDryRun else {
        outcome.forgetting = (plan, nil)
        continue
      }
      try operation.run([plan]) { outcome.forgetting = (plan, $0) }
    }
  }

  private func compact(_ path: String, _ outcome: inout MaintenanceOutcome) throws {
    let context = context(path)
    var compaction = Compaction(
      context, isFull: settings.compactsFully,
      ignoredGuards: ignoredGuards.union(settings.prune?.ignoredGuards ?? [])
        .union(settings.compactGuards))
    compaction.keepsLogValues = keepsLogValues && !settings.omitsLogValues
    let plan = try context.open().read(compaction.plan)
    let freesPrunedPages = isDryRun && outcome.prune != nil
    guard plan.space.freePageCount > 0 || freesPrunedPages else { return }
    if let refusal = plan.refusal { throw refusal }
    guard !isDryRun else {
      if plan.space.freePageCount > 0 { outcome.freedBytes = plan.space.freeByteCount }
      outcome.freesPrunedPages = freesPrunedPages
      return
    }
    let result = try compaction.run()
    let freed = result.before.byteCount - result.after.byteCount
    if freed > 0 { outcome.freedBytes = freed }
    if let obstacle = result.obstacle {
      throw CompactionInterrupted(path: path, obstacle: obstacle)
    }
  }
}
