import HistoryCoding
import PersistentHistory
import StoreEditing
import StoreFormat
import Terminal

/// Prunes one store after the other; what goes wrong with one does not keep the others waiting.
final class PruneRun {
  private let session: Session
  private let request: PruneRequest
  private let stores: SeveralStoresOptions
  private let consent: Consent
  /// Where to seal what is deleted; nil for nowhere.
  private let archiving: PruneArchiving?
  private let isolation: StoreIsolation

  init(
    session: Session, request: PruneRequest, stores: SeveralStoresOptions, consent: Consent,
    archiving: PruneArchiving?
  ) {
    self.session = session
    self.request = request
    self.stores = stores
    self.consent = consent
    self.archiving = archiving
    isolation = StoreIsolation(session: session, amongSeveral: stores.stores.count > 1)
  }

  /// The worst of what became of the stores.
  var status: ExitStatus { isolation.status }

  /// Does it all.
  func run(_ writer: OutputWriter) throws {
    let output = PruneOutput(
      session: session, writer: writer, showsDetail: stores.stores.count == 1, consent: consent)
    guard consent == .asks else {
      for path in stores.stores {
        try isolation.run(path) { try plan(path, output) { try prune($0, $1, output) } }
      }
      return
    }
    var planned: [(HistoryPruner, PrunePlan)] = []
    for path in stores.stores {
      try isolation.run(path) { try plan(path, output) { planned.append(($0, $1)) } }
    }
    // The question stands below what it is about.
    try writer.flush()
    guard !planned.isEmpty else { return }
    guard session.diagnostics.ask(output.question(planned.map(\.1))) else {
      session.diagnostics.note("nothing was deleted")
      isolation.end(with: .answerIsNo)
      return
    }
    for (pruner, plan) in planned {
      try isolation.run(plan.path) { try prune(pruner, plan, output) }
    }
  }

  /// Plans, shows the plan and goes on where there is something to delete.
  private func plan(
    _ path: String, _ output: PruneOutput, _ goOn: (HistoryPruner, PrunePlan) throws -> Void
  ) throws {
    let (pruner, plan) = try consent.plan(
      path, busyTimeout: stores.busyTimeout, session: session
    ) { try planOnce(path) }
    try output.show(plan)
    guard plan.refusals.isEmpty else {
      throw HistoryError.refusedByGuards(path: path, reasons: plan.refusals.map(\.reason))
    }
    output.warn(of: plan)
    if consent == .dryRun {
      if plan.tokens.contains(where: { !$0.works }) { isolation.end(with: .answerIsNo) }
    } else if plan.isEmpty {
      try output.showResult(Erasure.nothing, of: plan)
    } else {
      try goOn(pruner, plan)
    }
  }

  private func planOnce(_ path: String) throws -> (HistoryPruner, PrunePlan) {
    let pruner = try HistoryPruner(
      path: path, busyTimeout: stores.busyTimeout, bookmarkPath: stores.bookmarkFile,
      now: session.now)
    let plan = try pruner.plan(request)
    guard let archiving else { return (pruner, plan) }
    return (pruner, try pruner.plan(archiving.request(for: plan)))
  }

  private func prune(_ pruner: HistoryPruner, _ plan: PrunePlan, _ output: PruneOutput) throws {
    if let sealed = try archiving?.seal(for: plan) { try output.show(sealed, path: plan.path) }
    let sealedRows = try archiving?.sealedRows(for: plan)
    let progress = session.diagnostics.wordWriter.map {
      Progress(
        label: "pruning", unit: "changes", total: Int64(plan.deletion.changeCount),
        environment: session.environment, diagnostics: $0)
    }
    let result: Erasure
    do {
      defer { progress?.finish() }
      session.note(.nothing, of: plan)
      result = try pruner.prune(plan, requiring: sealedRows) {
        progress?.update(Int64($0.changeCount))
        session.note($0, of: plan)
      }
      session.console.workDone.clear()
    }
    try output.showResult(result, of: plan)
    if result.problem == nil { try output.checkSize(leftBy: plan, stores.busyTimeout) }
    if let problem = result.problem {
      throw Failure(problem).partly(result.deleted, of: plan.deletion)
    }
  }
}

extension DeletedHistory {
  /// That of a deletion that has not begun.
  static let nothing = DeletedHistory(transactionCount: 0, changeCount: 0)
}

extension Session {
  /// Notes how far the deletion of a plan is.
  func note(_ deleted: DeletedHistory, of plan: PrunePlan) {
    let (done, all) = (deleted, plan.deletion)
    console.workDone.note(
      done.transactionCount + done.changeCount == 0
        ? "nothing was deleted from \(plan.path)"
        : "\(done.transactionCount.grouped) of \(all.transactionCount.grouped) transactions and "
          + "\(done.changeCount.grouped) of \(all.changeCount.grouped) changes were deleted from "
          + "\(plan.path); what is left is a whole history, and the command goes on when run again",
      [
        ("path", .string(plan.path)),
        ("deletedTransactions", .integer(Int64(done.transactionCount))),
        ("deletedChanges", .integer(Int64(done.changeCount))),
      ], isBegun: done.transactionCount + done.changeCount > 0, in: self)
  }
}

extension Failure {
  /// The failure of work of which a part is done already.
  func partly(_ deleted: DeletedHistory, of deletion: HistoryDeletion) -> Failure {
    guard deleted.changeCount > 0 || deleted.transactionCount > 0 else { return self }
    return Failure(
      status: .partlyDone, kind: kind,
      message: "\(message); \(deleted.transactionCount.grouped) of "
        + "\(deletion.transactionCount.grouped) transactions and \(deleted.changeCount.grouped) of "
        + "\(deletion.changeCount.grouped) changes are deleted",
      hint: hint ?? "what is left is a whole history; run the command again", details: details)
  }
}
