import ArgumentParser
import HistoryOperations
import PersistentHistory
import StoreFormat
import Terminal

/// `histctl restore`: puts sealed history back.
struct Restore: HistctlCommand {
  static let configuration = CommandConfiguration(
    commandName: "restore",
    abstract: "Put sealed history back into its store.",
    discussion: """
      Puts transactions of an archive before those that the store has, without a gap, so that expired \
      tokens work again. Rows are restored as they were; if the app's model has changed since, they \
      are converted to it by name. Every segment is verified and every row checked before the first \
      is written. restore shows what would be restored and, on a terminal, asks; in scripts, pass \
      --yes or --dry-run. Apps may use the store meanwhile.

      Examples:
        histctl restore default.store history-archive --dry-run
        histctl restore default.store history-archive --from @widget
        histctl restore default.store history-archive --from 30d --yes
      """)

  @OptionGroup var store: StoreOptions

  @Argument(value: .folder, help: "The folder of the archive.")
  var archive: String

  @Option(value: .token, help: "Restore only as far back as this token, which then works again.")
  var from: String?

  @Option(value: "name", help: "Ignore this guard: mirroring or damage.")
  var ignoreGuard: [String] = []

  @Flag(
    name: [.customShort("n"), .long], help: "Show what would be restored, and restore nothing.")
  var dryRun = false

  @Flag(name: .shortAndLong, help: "Restore without asking.")
  var yes = false

  @Option(help: "Time to wait for another program that uses the archive, such as 10min.")
  var lockWait: HistoryDuration?

  @Flag(
    name: .customLong("no-values"),
    help: "Do not restore old and new values, and keep none from the log.")
  var omitsValues = false

  @OptionGroup(title: "Output") var output: OutputOptions

  func validate() throws {
    for name in ignoreGuard {
      _ = try GuardArgument.name(
        parsing: name, among: [RetentionGuard.mirroringName, RetentionGuard.damageName],
        of: "restore")
    }
  }

  var outlivesReader: Bool { true }

  func run(_ session: Session) throws {
    if let from { _ = try TokenExpression(from, now: session.now) }
    let consent = try Consent(
      .restore, of: [store.store], dryRun: dryRun, yes: yes, session: session)
    var request = RestoreRequest(from: from, ignoredGuards: Set(ignoreGuard))
    request.restoresValues = !omitsValues
    try session.write(usesPager: false) { writer in
      try session.observing { observer in
        var operation = RestoreOperation(
          store.context(store.store, session, observer), from: archive, request,
          lockWait: lockWait?.seconds(before: session.now) ?? 0)
        operation.keepsLogValues = request.restoresValues
        try run(operation, session, consent)
      }
    }
  }

  private func run(
    _ operation: RestoreOperation, _ session: Session, _ consent: Consent
  ) throws {
    let plan = try operation.plan(isDryRun: consent.isDryRun)
    let report = RestoreReport(
      session: session, plan: plan.rows, archivePath: archive,
      hasGap: plan.gap != nil)
    if output.json {
      try session.writer.writeLine(report.json)
    } else if consent.showsPage {
      try report.writePage()
    }
    if let gap = plan.gap { report.tell(gap, store: store.store) }
    guard plan.rows.refusals.isEmpty else {
      throw HistoryError.restoreRefusedByGuards(
        path: plan.rows.path, reasons: plan.rows.refusals.map(\.reason))
    }
    if plan.rows.isEmpty {
      if !consent.isDryRun, !consent.showsPage { try report.write(.nothing) }
      return
    }
    guard try consent.permits(report.question) else { return }
    let result = try operation.restore(plan)
    try report.write(result)
    if let failure = result.failure(of: plan.rows) { throw failure }
  }
}
