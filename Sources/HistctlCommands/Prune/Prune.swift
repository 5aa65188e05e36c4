import ArgumentParser
import HistoryArchive
import HistoryOperations
import PersistentHistory
import StoreEditing
import StoreFormat
import Terminal

/// `histctl prune`: deletes the beginning of a history.
struct Prune: HistctlCommand {
  static let configuration = CommandConfiguration(
    commandName: "prune",
    abstract: "Delete the beginning of a history.",
    discussion: """
      Deletes everything before one transaction and keeps it and all after it, as an app does that \
      deletes history. With several rules, a transaction is deleted only if every rule allows it. \
      The newest transaction always stays. Bookmarks keep what their consumers have not read. With \
      --archive, nothing is deleted that is not sealed there, read back and verified. prune shows \
      what would be deleted and, on a terminal, asks; in scripts, pass --yes or --dry-run. Apps may \
      use the store meanwhile.

      Examples:
        histctl prune default.store --keep-last 1000 --dry-run
        histctl prune default.store --keep-within 30d --max-behind 90d --yes
        histctl prune default.store --max-size 50M --if-larger 60M --yes --quiet
        histctl prune default.store --before 2w --check-token @widget --dry-run
        histctl prune default.store --keep-within 90d --archive history-archive --yes
      """)

  @OptionGroup var stores: SeveralStoresOptions
  @OptionGroup(title: "What to keep") var retention: RetentionOptions

  @Option(help: "Delete only if the history is larger than this.")
  var ifLarger: ByteSize?

  @Option(
    help: "Let bookmarks expire that are further behind: 30d, or a number of transactions.")
  var maxBehind: BookmarkAllowance?

  @Option(
    help: ArgumentHelp(
      "Ignore this guard: mirroring, archive, bookmarks, damage, or one bookmark as @name.",
      valueName: "name"),
    transform: GuardArgument.name(parsing:))
  var ignoreGuard: [String] = []

  @Option(value: .folder, help: "Seal history in this archive before deleting it.")
  var archive: String?

  @OptionGroup(title: "The archive") var sealing: SealingOptions

  @OptionGroup var keeping: ValueKeepingOptions

  @Option(value: .token, help: "Show what becomes of this token.")
  var checkToken: [String] = []

  @Flag(name: [.customShort("n"), .long], help: "Show what would be deleted, and delete nothing.")
  var dryRun = false

  @Flag(name: .shortAndLong, help: "Delete without asking.")
  var yes = false

  @OptionGroup(title: "Output") var output: OutputOptions

  func validate() throws {
    try NewPlace.folder.check(archive, of: "--archive")
    if archive != nil, retention.entity != nil {
      throw ValidationError(
        "--entity deletes from transactions that stay, so it cannot be combined with --archive; "
          + "seal them with histctl archive first")
    }
    if archive == nil, sealing.isGiven {
      throw ValidationError(
        "--segment-size, --allow-gap and --lock-wait are about an archive; name it with --archive")
    }
  }

  var outlivesReader: Bool { true }

  func run(_ session: Session) throws {
    // Reject malformed tokens before anything is deleted.
    for token in [retention.keep.before].compactMap({ $0 }) + checkToken {
      _ = try TokenExpression(token, now: session.now)
    }
    let paths = try stores.paths(session)
    let consent = Consent(.delete, dryRun: dryRun, yes: yes, session: session)
    let isolation = StoreIsolation(session: session, amongSeveral: paths.count > 1)
    try session.write(usesPager: false) { _ in
      try session.observing { observer in
        try run(paths, PruneOutput(session, consent, of: paths.count), isolation, observer)
      }
    }
    throw EndWithStatus(status: isolation.status)
  }

  /// What is asked for.
  var request: PruneRequest {
    var request = PruneRequest(retention.target)
    request.ifLargerThan = ifLarger?.bytes
    request.allowance = maxBehind
    request.ignoredGuards = Set(ignoreGuard)
    request.tokens = checkToken
    return request
  }

  func sealingRequest(now: StoreTimestamp) -> SealingRequest? {
    archive.map { sealing.request($0, ignoredGuards: Set(ignoreGuard), now: now) }
  }

  private func operation(
    _ path: String, _ session: Session, _ observer: @escaping OperationObserver
  ) -> PruneOperation {
    var operation = PruneOperation(
      stores.context(path, session, observer), request,
      sealing: sealingRequest(now: session.now))
    operation.keepsLogValues = !keeping.omitsValues
    return operation
  }

  /// Prunes one store after the other; a failure of one does not affect the others.
  private func run(
    _ paths: [String], _ output: PruneOutput, _ isolation: StoreIsolation,
    _ observer: @escaping OperationObserver
  ) throws {
    let session = output.session
    var waiting: [PlannedPrune] = []
    var isAllRefused = true
    for path in paths {
      try isolation.run(path) {
        let planned = try operation(path, session, observer)
          .plan(isDryRun: output.consent.onlyPlans)
        let plan = planned.plan
        if !output.consent.isImpossible { try output.show(plan) }
        guard plan.refusals.isEmpty else {
          throw HistoryError.refusedByGuards(path: path, reasons: plan.refusals.map(\.reason))
        }
        isAllRefused = false
        if output.consent.isImpossible { return }
        PruneReport(session, plan).warn(lost: plan.lostBookmarks)
        if output.consent.isDryRun {
          if let sealing = planned.sealing { try output.show(sealing, of: plan) }
          if plan.tokens.contains(where: { !$0.works }) { isolation.end(with: .answerIsNo) }
        } else if plan.isEmpty {
          try output.show(Erasure.nothing, of: plan)
        } else if output.consent.asks {
          planned.closeStore()
          waiting.append(planned)
        } else {
          try delete(planned, output, isolation)
        }
      }
    }
    isolation.noteSkipped()
    if !isAllRefused { try output.consent.check() }
    guard !waiting.isEmpty else { return }
    guard
      try output.consent.permits(PruneReport.question(waiting.map(\.plan)))
    else { return isolation.end(with: .answerIsNo) }
    for planned in waiting {
      try isolation.run(planned.plan.path) { try delete(planned, output, isolation) }
    }
  }

  private func delete(
    _ planned: PlannedPrune, _ output: PruneOutput, _ isolation: StoreIsolation
  ) throws {
    let plan = planned.plan
    if let sealed = try planned.seal() {
      try ArchiveReport(session: output.session, path: plan.path)
        .write(sealed, saysNothingNew: false)
    }
    let result = try planned.delete()
    try output.show(result, of: plan)
    if let failure = result.failure(of: plan) { throw failure }
    if plan.leavesRecordedValues { isolation.end(with: .partlyDone) }
    if let bytes = try planned.byteCountLeft() {
      PruneReport(output.session, plan).warn(remainingBytes: bytes)
    }
  }
}

/// Where plans and results are shown: as JSON lines, a page for one store, or a line for each.
private struct PruneOutput: FieldPage {
  let session: Session
  let consent: Consent
  private let showsPage: Bool

  init(_ session: Session, _ consent: Consent, of storeCount: Int) {
    self.session = session
    self.consent = consent
    showsPage = storeCount == 1 && consent.showsPage
  }

  /// Shows a plan before anything is done.
  func show(_ plan: PrunePlan) throws {
    let report = PruneReport(session, plan)
    if isJSON {
      try writer.writeLine(report.json)
    } else if showsPage {
      try PrunePlanPage(session: session, plan: plan).write()
    } else if consent.isDryRun || consent.asks {
      try line(report.text)
    }
  }

  /// Shows what would be sealed before the deletion.
  func show(_ sealing: SealingPlan, of plan: PrunePlan) throws {
    guard sealing.first != nil else { return }
    try ArchiveReport(session: session, path: plan.path).write(sealing)
  }

  /// Shows what was deleted. What stopped the deletion is reported as an error.
  func show(_ result: Erasure, of plan: PrunePlan) throws {
    guard isJSON || result.problem == nil && !(showsPage && plan.deletion.isEmpty) else { return }
    let report = PruneReport(session, plan)
    try write(report.json(of: result), orLine: report.text(of: result))
  }
}
