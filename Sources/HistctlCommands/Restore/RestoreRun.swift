import HistoryArchive
import HistoryCoding
import PersistentHistory
import StoreEditing
import StoreFormat
import Terminal

/// Puts what an archive has of a store back into it.
struct RestoreRun {
  let session: Session
  let store: StoreOptions
  let archivePath: String
  /// How long to wait for another program at work on the archive, in seconds.
  let lockWait: Double
  let request: RestoreRequest
  let consent: Consent

  /// Plans, shows the plan, asks where somebody is to be asked, and does it.
  func run(_ writer: OutputWriter) throws {
    let (restorer, plan, sealed) = try consent.plan(
      store.store, busyTimeout: store.busyTimeout, session: session, makePlan)
    let gap = request.from == nil ? sealed.gap(before: plan.oldest?.number ?? .max) : nil
    let output = RestoreOutput(
      session: session, writer: writer, consent: consent, archivePath: archivePath, gap: gap)
    try output.show(plan)
    if let gap { tell(gap) }
    guard plan.refusals.isEmpty else {
      throw HistoryError.restoreRefusedByGuards(
        path: plan.path, reasons: plan.refusals.map(\.reason))
    }
    guard consent != .dryRun else { return }
    guard !plan.isEmpty else { return try output.showResult(.nothing, of: plan) }
    if consent == .asks {
      // The question stands below what it is about.
      try writer.flush()
      guard session.diagnostics.ask(output.question(plan)) else {
        session.diagnostics.note("nothing was restored")
        session.end(with: .answerIsNo)
        return
      }
    }
    // Nobody seals, and prunes what is coming back, until it is there.
    let lock = try ArchiveLock(reading: archivePath, wait: lockWait)
    let result = try withExtendedLifetime(lock) {
      try withProgress("restoring", total: Int64(plan.changeCount)) { progress in
        note(InsertedHistory(transactionCount: 0, changeCount: 0), of: plan)
        let result = try restorer.restore(plan, of: sealed) {
          progress?.update(Int64($0.changeCount))
          note($0, of: plan)
        }
        session.console.workDone.clear()
        return result
      }
    }
    try output.showResult(result, of: plan)
    if let problem = result.problem {
      throw Failure(problem).partly(result.inserted, of: plan)
    }
  }

  private func note(_ done: InsertedHistory, of plan: RestorePlan) {
    session.console.workDone.note(
      done.transactionCount + done.changeCount == 0
        ? "nothing was restored into \(plan.path)"
        : "\(done.transactionCount.grouped) of \(plan.transactionCount.grouped) transactions and "
          + "\(done.changeCount.grouped) of \(plan.changeCount.grouped) changes were restored into "
          + "\(plan.path), without a gap; the command goes on when run again",
      [
        ("path", .string(plan.path)),
        ("restoredTransactions", .integer(Int64(done.transactionCount))),
        ("restoredChanges", .integer(Int64(done.changeCount))),
      ], isBegun: done.transactionCount + done.changeCount > 0, in: session)
  }

  /// Tells of what is sealed and does not join what can come back.
  private func tell(_ gap: HistoryGap) {
    session.diagnostics.report(
      Failure(
        status: .historyGap, kind: "historyGap",
        message: "\(archivePath) has transactions up to \(gap.after) that cannot come back: "
          + gap.message,
        hint: "histctl log \(ShellWord.quoted(archivePath)) shows them",
        details: [
          ("store", .string(store.store)), ("archive", .string(archivePath)),
          ("after", .integer(gap.after)),
        ] + (gap.oldest.map { [("oldest", .integer($0))] } ?? [])))
    session.end(with: .historyGap)
  }

  private func makePlan() throws -> (HistoryRestorer, RestorePlan, RestorableArchive) {
    let restorer = try HistoryRestorer(
      path: store.store, busyTimeout: store.busyTimeout, bookmarkPath: store.bookmarkFile,
      now: session.now)
    let sealed = try sealedHistory(of: restorer.storeIdentifier())
    let plan = try withProgress("reading the archive", total: nil) { progress in
      try restorer.plan(request, of: sealed) { progress?.update(Int64($0)) }
    }
    return (restorer, plan, sealed)
  }

  /// What the archive has of the store.
  private func sealedHistory(of identifier: String) throws -> RestorableArchive {
    let archive = try Archive(path: archivePath)
    do throws(ArchiveError) {
      return try RestorableArchive(archive, store: identifier)
    } catch .unknownStore(_, _, let known) {
      throw RestoreObstacle.otherStore(
        path: store.store, identifier: identifier, sealed: known.joined(separator: ", "))
    }
  }

  private func withProgress<Result>(
    _ label: String, total: Int64?, _ body: (Progress?) throws -> Result
  ) rethrows -> Result {
    let progress = session.diagnostics.wordWriter.map {
      Progress(
        label: label, unit: "changes", total: total, environment: session.environment,
        diagnostics: $0)
    }
    defer { progress?.finish() }
    return try body(progress)
  }
}

extension Failure {
  /// The failure of work of which a part is done already.
  fileprivate func partly(_ inserted: InsertedHistory, of plan: RestorePlan) -> Failure {
    guard inserted.changeCount > 0 || inserted.transactionCount > 0 else { return self }
    return Failure(
      status: .partlyDone, kind: kind,
      message: "\(message); \(inserted.transactionCount.grouped) of "
        + "\(plan.transactionCount.grouped) transactions and \(inserted.changeCount.grouped) of "
        + "\(plan.changeCount.grouped) changes are restored",
      hint: "the history is without a gap; run the command again to go on", details: details)
  }
}
