import HistoryCoding
import PersistentHistory
import StoreEditing
import StoreFormat
import Terminal

/// Maintains one store: exports what is new, then prunes, then gives free pages back.
///
/// The order matters: what was exported need not be kept for the export, and what was deleted leaves
/// free pages. What goes wrong in one step leaves out those after it.
struct StoreMaintenance {
  let session: Session
  let writer: OutputWriter
  let settings: MaintenanceSettings
  let isDryRun: Bool
  /// How long to wait for another run, in seconds.
  let lockWait: Double
  let places: ExportPlaces
  /// The names of guards that no step asks, beside those that the config file names.
  var ignoredGuards: Set<String> = []

  /// Does all steps, or as many as it can.
  func run(_ path: String) throws -> MaintenanceOutcome {
    var outcome = MaintenanceOutcome(section: settings.section, path: path, isDryRun: isDryRun)
    do {
      let location = try StoreLocation(path: path)
      if let failure = places.failure(path) { throw failure }
      let bookmarkPath =
        settings.bookmarkFile ?? BookmarkFile.path(besideStore: location.resolvedPath)
      let lock =
        isDryRun
        ? nil : try RunLock(maintaining: path, bookmarkPath: bookmarkPath, wait: lockWait)
      try withExtendedLifetime(lock) {
        try rollBackUnfinishedSave(path)
        if let export = settings.export {
          outcome.export = try self.export(path, export, bookmarkPath)
        }
        if let request = settings.prune {
          try prune(path, request, bookmarkPath, &outcome)
        }
        if settings.compacts { try compact(path, &outcome) }
      }
    } catch let error as OutputError {
      throw error
    } catch {
      outcome.failure = Failure(error).naming(path, amongSeveral: true)
    }
    return outcome
  }

  /// Undoes a save that was broken off, one of the last run for instance, where the steps write.
  private func rollBackUnfinishedSave(_ path: String) throws {
    guard !isDryRun, settings.prune != nil || settings.compacts else { return }
    do {
      try StoreFile(path: path, busyTimeout: settings.busyTimeout).read { _ in }
    } catch StoreError.unfinishedSave {
      try StoreFile.rollBackUnfinishedSave(at: path, busyTimeout: settings.busyTimeout)
      session.diagnostics.note("\(path): a save that was broken off has been undone")
    }
  }

  // MARK: - Export

  private func export(
    _ path: String, _ export: MaintenanceSettings.Export, _ bookmarkPath: String
  ) throws -> MaintenanceOutcome.Export? {
    let lock =
      isDryRun
      ? nil
      : try RunLock(
        exportingFor: export.bookmark, store: path, bookmarkPath: bookmarkPath, wait: lockWait)
    defer { withExtendedLifetime(lock) {} }
    let file = try session.open(path, busyTimeout: settings.busyTimeout)
    return try file.read(withHelpers: Session.helperCount) { snapshot, helpers in
      _ = try snapshot.historyTables()
      var query = HistoryQuery()
      // What cannot be read now would be missing for ever, because pruning removes it.
      query.recordedValues = try ValuesOptions.usual.values(snapshot)
      let run = ExportRun(
        session: session, timeline: HistoryTimeline(snapshot), helpers: helpers,
        schema: try session.schema(of: snapshot),
        encoder: try export.format.encoder(fields: nil),
        export: HistoryExport(query: query, compression: export.compression))
      let folder = ExportFolder(
        run: run, folder: export.folder, format: export.format,
        resolver: TokenResolver(
          snapshot: snapshot, bookmarkPath: bookmarkPath, now: session.now),
        bookmarkPath: bookmarkPath, announcesNewBookmarks: false)
      guard !isDryRun else {
        return try folder.pending(consumer: export.bookmark).map { range in
          // The range begins with a transaction.
          MaintenanceOutcome.Export(
            path: nil,
            transactions: 1
              + (try snapshot.transactionCount(after: range.lowerBound, upTo: range.upperBound)),
            first: range.lowerBound, last: range.upperBound)
        }
      }
      let report = try folder.write(consumer: export.bookmark)
      guard let first = report.summary.first, let last = report.summary.last else { return nil }
      return MaintenanceOutcome.Export(
        path: report.path, transactions: Int64(report.summary.transactions), first: first.number,
        last: last.number)
    }
  }

  // MARK: - Prune

  private func prune(
    _ path: String, _ request: PruneRequest, _ bookmarkPath: String,
    _ outcome: inout MaintenanceOutcome
  ) throws {
    var request = request
    request.ignoredGuards.formUnion(ignoredGuards)
    // By then the export would have moved its bookmark behind everything.
    if isDryRun, let export = settings.export {
      request.ignoredGuards.insert("@" + export.bookmark)
    }
    // The export makes the file, as soon as there is anything to lose.
    if settings.export != nil, try !BookmarkFile(path: bookmarkPath).isThere {
      request.ignoredGuards.insert(RetentionGuard.bookmarksName)
    }
    let pruner = try HistoryPruner(
      path: path, busyTimeout: settings.busyTimeout, bookmarkPath: bookmarkPath, now: session.now)
    let archiving = settings.archive.map {
      PruneArchiving(
        run: ArchiveRun(
          session: session, archivePath: $0, busyTimeout: settings.busyTimeout, lockWait: lockWait,
          ignoredGuards: request.ignoredGuards))
    }
    var plan = try pruner.plan(request)
    if let archiving { plan = try pruner.plan(archiving.request(for: plan)) }
    guard plan.refusals.isEmpty else {
      throw HistoryError.refusedByGuards(path: path, reasons: plan.refusals.map(\.reason))
    }
    guard !plan.isEmpty else { return }
    let lost = plan.lostBookmarks.filter {
      !(isDryRun && $0.bookmark.name == settings.export?.bookmark)
    }
    let output = PruneOutput(session: session, writer: writer, showsDetail: false, consent: .given)
    output.warn(of: lost, in: plan)
    if let bytes = plan.remainingByteCount { output.warn(ofSize: bytes, leftBy: plan) }
    guard !isDryRun else {
      let deleted = DeletedHistory(
        transactionCount: plan.deletion.transactionCount, changeCount: plan.deletion.changeCount)
      outcome.prune = .init(plan: plan, deleted: deleted, lost: lost)
      return
    }
    outcome.sealed = try archiving?.seal(for: plan)
    let sealedRows = try archiving?.sealedRows(for: plan)
    session.note(.nothing, of: plan)
    let result = try pruner.prune(plan, requiring: sealedRows) { session.note($0, of: plan) }
    session.console.workDone.clear()
    if result.deleted.transactionCount > 0 || result.deleted.changeCount > 0 {
      outcome.prune = .init(plan: plan, deleted: result.deleted, lost: lost)
    }
    if result.problem == nil { try output.checkSize(leftBy: plan, settings.busyTimeout) }
    if let problem = result.problem {
      throw Failure(problem).partly(result.deleted, of: plan.deletion)
    }
  }

  // MARK: - Compact

  private func compact(_ path: String, _ outcome: inout MaintenanceOutcome) throws {
    let file = try StoreFile(path: path, busyTimeout: settings.busyTimeout)
    let ignored = ignoredGuards.union(settings.prune?.ignoredGuards ?? [])
    let space = try file.read { snapshot in
      try EvidentDamage.check(snapshot, ignoredGuards: ignored)
      return try snapshot.space()
    }
    guard space.freePageCount > 0 else { return }
    guard space.autoVacuum != .none else { throw StoreWriteError.notIncremental(path: path) }
    guard !isDryRun else {
      outcome.givenBack = space.freeByteCount
      return
    }
    session.noteGivenBack(pages: 0, of: path)
    let result = try StoreCompactor(
      path: path, busyTimeout: settings.busyTimeout,
      ignoresDamage: ignored.contains(RetentionGuard.damageName)
    ).giveBackFreePages { session.noteGivenBack(pages: $0, of: path) }
    session.console.workDone.clear()
    let givenBack = result.before.byteCount - result.after.byteCount
    if givenBack > 0 { outcome.givenBack = givenBack }
    if let obstacle = result.obstacle { throw Failure(obstacle, path: path) }
  }
}
