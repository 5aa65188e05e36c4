import PersistentHistory
import StoreFormat

/// Prunes one store after the other; what goes wrong with one does not keep the others waiting.
final class PruneRun {
  /// The worst of what became of the stores.
  private(set) var status = ExitStatus.success

  private let session: Session
  private let request: PruneRequest
  private let stores: SeveralStoresOptions
  private let consent: PruneConsent

  init(
    session: Session, request: PruneRequest, stores: SeveralStoresOptions, consent: PruneConsent
  ) {
    self.session = session
    self.request = request
    self.stores = stores
    self.consent = consent
  }

  /// Does it all.
  func run(_ writer: OutputWriter) throws {
    let output = PruneOutput(
      session: session, writer: writer, showsDetail: stores.stores.count == 1, consent: consent)
    guard consent == .asks else {
      for path in stores.stores {
        try isolated(path) { try plan(path, output) { try prune($0, $1, output) } }
      }
      return
    }
    var planned: [(HistoryPruner, PrunePlan)] = []
    for path in stores.stores {
      try isolated(path) { try plan(path, output) { planned.append(($0, $1)) } }
    }
    // The question stands below what it is about.
    try writer.flush()
    guard !planned.isEmpty else { return }
    guard session.diagnostics.ask(output.question(planned.map(\.1))) else {
      session.diagnostics.note("nothing was deleted")
      end(with: .answerIsNo)
      return
    }
    for (pruner, plan) in planned {
      try isolated(plan.path) { try prune(pruner, plan, output) }
    }
  }

  /// Plans, shows the plan and goes on where there is something to delete.
  private func plan(
    _ path: String, _ output: PruneOutput, _ goOn: (HistoryPruner, PrunePlan) throws -> Void
  ) throws {
    let pruner = try HistoryPruner(
      path: path, busyTimeout: stores.busyTimeout, bookmarkPath: stores.bookmarkFile,
      now: session.now)
    let plan = try pruner.plan(request)
    try output.show(plan)
    guard plan.refusals.isEmpty else {
      throw HistoryError.refusedByGuards(path: path, reasons: plan.refusals.map(\.reason))
    }
    output.warn(of: plan)
    if consent == .dryRun {
      if plan.tokens.contains(where: { !$0.works }) { end(with: .answerIsNo) }
    } else if plan.deletion.isEmpty {
      try output.showResult(Erasure.nothing, of: plan)
    } else {
      try goOn(pruner, plan)
    }
  }

  private func prune(_ pruner: HistoryPruner, _ plan: PrunePlan, _ output: PruneOutput) throws {
    let progress = session.diagnostics.wordWriter.map {
      Progress(
        label: "pruning", unit: "changes", total: Int64(plan.deletion.changeCount),
        environment: session.environment, diagnostics: $0)
    }
    let result: Erasure
    do {
      defer { progress?.finish() }
      result = try pruner.prune(plan) { progress?.update(Int64($0.changeCount)) }
    }
    try output.showResult(result, of: plan)
    if let problem = result.problem {
      throw Failure(problem).partly(result.deleted, of: plan.deletion)
    }
  }

  /// Tells of what goes wrong with one store; output that cannot be written ends everything.
  private func isolated(_ path: String, _ body: () throws -> Void) throws {
    do {
      try body()
    } catch let error as OutputError {
      throw error
    } catch {
      let failure = Failure(error).naming(path, amongSeveral: stores.stores.count > 1)
      session.diagnostics.report(failure)
      end(with: failure.status)
    }
  }

  private func end(with status: ExitStatus) {
    if status.severity > self.status.severity { self.status = status }
  }
}

extension Failure {
  /// The failure with the store that it is about, where the message does not say so itself.
  fileprivate func naming(_ path: String, amongSeveral: Bool) -> Failure {
    var failure = self
    if amongSeveral, message.ranges(of: path).isEmpty {
      failure = Failure(
        status: status, kind: kind, message: "\(path): \(message)", hint: hint, details: details)
    }
    if !details.contains(where: { $0.0 == "store" }) {
      failure.details.insert(("store", .string(path)), at: 0)
    }
    return failure
  }

  /// The failure of work of which a part is done already.
  fileprivate func partly(_ deleted: DeletedHistory, of deletion: HistoryDeletion) -> Failure {
    guard deleted.changeCount > 0 || deleted.transactionCount > 0 else { return self }
    return Failure(
      status: .partlyDone, kind: kind,
      message: "\(message); \(deleted.transactionCount.grouped) of "
        + "\(deletion.transactionCount.grouped) transactions and \(deleted.changeCount.grouped) of "
        + "\(deletion.changeCount.grouped) changes are deleted",
      hint: hint ?? "what is left is a whole history; run the command again", details: details)
  }
}
