import HistoryArchive
import HistoryCoding
import HistoryOperations
import PersistentHistory
import StoreEditing
import StoreFormat
import Terminal

/// Shows what an operation reports: warnings, a line of progress on a terminal, and what was done if a
/// signal or an error ends it early.
final class OperationDisplay {
  private let session: Session
  private var progress: (label: String, line: Progress)?

  init(_ session: Session) { self.session = session }

  /// Shows an event.
  func show(_ event: OperationEvent) {
    switch event {
    case .warning(let kind, let message, let hint, let isDamage):
      session.diagnostics.warn(message, kind: kind, hint: hint)
      if isDamage { session.end(with: .damaged) }
    case .rolledBackSave(let store):
      session.diagnostics.note("\(store): an interrupted save was rolled back")
    case .exporting(let summary, let store, let file):
      // On a terminal the records themselves show the progress, and a line would be drawn among them.
      if file != nil || !session.environment.isOutputTerminal {
        update("exporting", "transactions", Int64(summary.transactions))
      }
      note(summary, store, file)
    case .exportedHistories(let count, let total):
      update("exporting", "stores", count, of: total)
    case .sealing(let step, let transactions, let total):
      update(step == .packing ? "sealing" : "comparing", "transactions", transactions, of: total)
    case .sealed(let sealed, let store, let archive): note(sealed, store, archive)
    case .pruning(let plan, let lost): PruneReport(session, plan).warn(lost: lost)
    case .deleting(let done, let plan):
      update("pruning", "changes", Int64(done.changeCount), of: Int64(plan.deletion.changeCount))
      note(done, plan)
    case .historyMeasured(let bytes, let plan):
      PruneReport(session, plan).warn(remainingBytes: bytes)
    case .readingArchive(let changes): update("reading the archive", "changes", Int64(changes))
    case .restoring(let done, let plan):
      update("restoring", "changes", Int64(done.changeCount), of: Int64(plan.changeCount))
      note(done, plan)
    case .scrubbing(let rows, let total, let copy):
      update("scrubbing", "rows", rows, of: total)
      note("no copy was made at \(copy)", ["copy": copy], isBegun: false)
    case .freeing(let pages, let store):
      update("freeing", "pages", pages)
      note(
        "\(pages.grouped) pages of \(store) were freed; run the command again to continue",
        ["path": store, "givenBackPages": pages], isBegun: pages > 0)
    case .rebuilding(let store):
      note("\(store) was not rebuilt, and is as it was", ["path": store], isBegun: false)
    case .finished:
      endProgress()
      session.console.workDone.clear()
    }
  }

  /// Removes the line of progress.
  func endProgress() {
    progress?.line.finish()
    progress = nil
  }

  private func update(_ label: String, _ unit: String, _ count: Int64, of total: Int64? = nil) {
    if progress?.label != label {
      endProgress()
      progress = session.progress(label, unit, total: total).map { (label, $0) }
    }
    progress?.line.update(count)
  }

  // MARK: - What was done

  private func note(
    _ message: String, _ details: JSONValue.Members, caution: String = "", isBegun: Bool
  ) {
    session.console.workDone.note(
      message, details, caution: caution, isBegun: isBegun, in: session)
  }

  /// An incomplete file does not stay, so nothing is done until it is complete.
  private func note(_ summary: ExportSummary, _ store: String, _ file: String?) {
    let count = file == nil ? summary.transactions : 0
    note(
      file.map { "nothing was exported: \($0) was not made" }
        ?? "\(count.grouped) transactions of \(store)"
        + (summary.last.map { ", up to \($0.number)," } ?? "") + " were written to standard output",
      ["path": store, "exportedTransactions": count],
      caution: "; changes may be missing in any of them", isBegun: count > 0)
  }

  private func note(_ sealed: SealedSegments?, _ store: String, _ archive: String) {
    let last = sealed?.segments.last?.entry.last
    note(
      sealed.map {
        "\($0.transactionCount.grouped) transactions of \(store), up to \(last ?? 0), were sealed "
          + "in \(archive); run the command again to continue"
      } ?? "nothing of \(store) was sealed in \(archive)",
      [
        "path": store, "archive": archive, "sealedTransactions": sealed?.transactionCount ?? 0,
        "last": last,
      ], isBegun: last != nil)
  }

  private func note(_ done: DeletedHistory, _ plan: PrunePlan) {
    let all = plan.deletion
    note(
      done == .nothing
        ? "nothing was deleted from \(plan.path)"
        : "\(done.transactionCount.grouped) of \(all.transactionCount.grouped) transactions and "
          + "\(done.changeCount.grouped) of \(all.changeCount.grouped) changes were deleted from "
          + "\(plan.path); the remaining history is complete; run the command again to continue",
      [
        "path": plan.path, "deletedTransactions": done.transactionCount,
        "deletedChanges": done.changeCount,
      ], isBegun: done != .nothing)
  }

  private func note(_ done: InsertedHistory, _ plan: RestorePlan) {
    let isBegun = done.transactionCount + done.changeCount > 0
    note(
      !isBegun
        ? "nothing was restored into \(plan.path)"
        : "\(done.transactionCount.grouped) of \(plan.transactionCount.grouped) transactions and "
          + "\(done.changeCount.grouped) of \(plan.changeCount.grouped) changes were restored into "
          + "\(plan.path), without a gap; run the command again to continue",
      [
        "path": plan.path, "restoredTransactions": done.transactionCount,
        "restoredChanges": done.changeCount,
      ], isBegun: isBegun)
  }
}
