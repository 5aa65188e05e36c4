import PersistentHistory
import StoreEditing
import StoreFormat
import Terminal

/// Shows a plan of restoring and what became of it: JSON lines, a page for a person, or a line.
struct RestoreOutput {
  private let session: Session
  private let writer: OutputWriter
  private let consent: Consent
  private let archivePath: String
  private let gap: HistoryGap?

  /// - Parameter gap: What keeps older transactions of the archive from coming back.
  init(
    session: Session, writer: OutputWriter, consent: Consent, archivePath: String,
    gap: HistoryGap? = nil
  ) {
    self.session = session
    self.writer = writer
    self.consent = consent
    self.archivePath = archivePath
    self.gap = gap
  }

  private var showsPage: Bool {
    !session.options.json
      && (consent != .given || session.environment.isOutputTerminal && !session.options.quiet)
  }

  /// Shows a plan before anything is done.
  func show(_ plan: RestorePlan) throws {
    if session.options.json {
      try writer.writeLine(plan.json(archivePath: archivePath))
    } else if showsPage {
      try RestorePlanPage(
        session: session, writer: writer, plan: plan, archivePath: archivePath, hasGap: gap != nil
      ).write()
    }
  }

  /// What a person is asked.
  func question(_ plan: RestorePlan) -> String {
    let what =
      plan.transactionCount > 0
      ? plan.transactionCount.counted("transaction")
      : plan.changeCount.counted("change")
    return "Restore \(what)? [y/N] "
  }

  /// Shows what became of a plan; what stopped it is told elsewhere.
  func showResult(_ result: InsertionResult, of plan: RestorePlan) throws {
    if session.options.json {
      try writer.writeLine(plan.json(of: result, archivePath: archivePath))
    } else if !session.options.quiet, result.problem == nil, !(showsPage && plan.isEmpty) {
      try writer.writeLine(TerminalText.terminal.escaped(line(result, plan)))
    }
  }

  private func line(_ result: InsertionResult, _ plan: RestorePlan) -> String {
    guard !plan.isEmpty else { return "\(plan.path): nothing to restore" }
    let changes = result.inserted.changeCount.counted("change")
    let tokens = TokenText(isQualified: session.options.qualified, store: plan.storeIdentifier)
    let time = TimeText(style: session.options.date, now: session.now)
    let transactions = result.inserted.transactionCount.counted("transaction")
    let first = plan.oldestAfterwards.map {
      "; tokens work from \(tokens.text($0.number)) of \(time.text($0.timestamp)) on"
    }
    return "\(plan.path): restored \(transactions), \(changes)\(first ?? "")"
  }
}
