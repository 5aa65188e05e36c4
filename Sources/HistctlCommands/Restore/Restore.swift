import ArgumentParser
import HistoryCoding
import HistoryOperations
import PersistentHistory
import StoreEditing
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
    let consent = Consent(.restore, dryRun: dryRun, yes: yes, session: session)
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
    let plan = try operation.plan(isDryRun: consent.onlyPlans)
    let refusal =
      plan.rows.refusals.isEmpty
      ? nil
      : HistoryError.restoreRefusedByGuards(
        path: plan.rows.path, reasons: plan.rows.refusals.map(\.reason))
    try consent.check(refusal)
    let report = RestoreReport(
      session: session, plan: plan.rows, archivePath: archive,
      hasGap: plan.gap != nil)
    if output.json {
      try session.writer.writeLine(report.json)
    } else if consent.showsPage {
      try report.writePage()
    }
    if let gap = plan.gap { report.tell(gap, store: store.store) }
    if let refusal { throw refusal }
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

/// A plan of restoring and its outcome: as a page, a line, or JSON.
struct RestoreReport: FieldPage {
  let session: Session
  let plan: RestorePlan
  let archivePath: String
  /// Whether older transactions of the archive cannot be restored.
  let hasGap: Bool

  /// The question before the plan is carried out.
  var question: String {
    let what =
      plan.transactionCount > 0
      ? plan.transactionCount.counted("transaction")
      : plan.changeCount.counted("change")
    return "Restore \(what)?"
  }

  /// Reports sealed transactions that do not join those that can be restored.
  func tell(_ gap: HistoryGap, store: String) {
    session.diagnostics.report(
      Failure(
        .historyGap,
        "\(archivePath) has transactions up to \(gap.after) that cannot come back: "
          + gap.message,
        hint: "list them with: histctl log \(ShellWord.quoted(archivePath))",
        details: [
          ("store", .string(store)), ("archive", .string(archivePath)),
          ("after", .integer(gap.after)),
        ] + (gap.oldest.map { [("oldest", .integer($0))] } ?? [])))
    session.end(with: .historyGap)
  }

  /// Writes what was restored. What stopped it is reported as an error.
  func write(_ result: InsertionResult) throws {
    guard isJSON || result.problem == nil else { return }
    try write(json(of: result), orLine: text(of: result))
  }

  private func text(of result: InsertionResult) -> String {
    guard !plan.isEmpty else { return "\(plan.path): nothing to restore" }
    let first = plan.oldestAfterwards.map {
      "; tokens work from \(tokens.text($0.number)) of \(time.text($0.timestamp)) on"
    }
    return "\(plan.path): restored \(result.inserted.transactionCount.counted("transaction")), "
      + "\(result.inserted.changeCount.counted("change"))\(first ?? "")"
  }

  // MARK: - The page

  /// Writes the plan for a person.
  func writePage() throws {
    try field("store", plan.path, style: .heading)
    try field("archive", archivePath)
    try field("history", history)
    let refusals = plan.refusals.map(\.name)
    if refusals.isEmpty {
      try field("restores", restores, style: plan.isEmpty ? .plain : .inserted)
    } else {
      try field("restores", "nothing: refused (\(refusals.joined(separator: ", ")))")
      let options = refusals.map { "--ignore-guard \($0)" }.joined(separator: " ")
      try field("otherwise", "\(restores), with \(options)")
    }
    if let completed = plan.completed {
      try field(
        "completes",
        "transaction \(tokens.text(completed.number)), of which a prune has left only a part")
    }
    if plan.first != nil, let oldest = plan.oldestAfterwards {
      try field(
        "tokens", "work from \(tokens.text(oldest.number)) on, of \(time.text(oldest.timestamp))")
    }
    if !plan.translatedEntities.isEmpty {
      try field(
        "new model", "in its order, by name: " + plan.translatedEntities.joined(separator: ", "))
    }
    if plan.textCount > 0 {
      try field(
        "lost texts",
        plan.textCount.counted("name")
          + " of authors, bundles and the like, added again")
    }
    try writeGuards()
    try writeBookmarks()
  }

  private func writeGuards() throws {
    try writeTable(
      [
        TableColumn("GUARD", priority: 2), TableColumn("", priority: 3),
        TableColumn("WHY", priority: 1, canDrop: true),
      ],
      plan.guards.map { retentionGuard in
        [
          TableCell(retentionGuard.name), TableCell("refuses", style: .error),
          TableCell(retentionGuard.reason, style: .secondary),
        ]
      })
  }

  private func writeBookmarks() throws {
    try writeTable(
      [
        TableColumn("BOOKMARK", priority: 3, minimumWidth: 8, canShrink: true),
        TableColumn("NUMBER", priority: 1, canDrop: true),
        TableColumn("AFTERWARDS", priority: 2),
      ],
      plan.returningBookmarks.map { returning in
        [
          TableCell("@" + returning.bookmark.name, style: .token),
          TableCell(tokens.text(returning.number)), TableCell("works again", style: .inserted),
        ]
      })
  }

  private var tokens: TokenText {
    session.tokens(of: plan.storeIdentifier)
  }

  private var history: String {
    guard let oldest = plan.oldest, let newest = plan.newest else { return "empty" }
    return "\(tokens.text(oldest.number, to: newest.number)), "
      + "from \(time.text(oldest.timestamp)) on"
  }

  private var restores: String {
    let changes = plan.changeCount.counted("change")
    guard let first = plan.first, let last = plan.last else {
      guard plan.isEmpty else { return changes }
      return hasGap
        ? "nothing: the store has all that can come back" : "nothing: the store has all of it"
    }
    return plan.transactionCount.counted("transaction")
      + ", \(changes), \(tokens.text(first.number, to: last.number))"
  }

  // MARK: - For programs

  /// The plan.
  var json: JSONValue {
    .record(
      "restorePlan",
      [
        "path": plan.path, "store": plan.storeIdentifier, "archive": archivePath,
        "transactions": plan.transactionCount, "changes": plan.changeCount, "first": plan.first,
        "last": plan.last, "completes": plan.completed, "oldest": plan.oldest,
        "newest": plan.newest, "oldestAfterwards": plan.oldestAfterwards,
        "texts": plan.textCount > 0 ? plan.textCount : nil,
        "translatedEntities": plan.translatedEntities,
        "refused": plan.refusals.isEmpty ? nil : true,
        "guards": plan.guards.map(\.json),
        "bookmarks": plan.returningBookmarks.map { returning in
          JSONValue.object(of: [
            "bookmark": returning.bookmark.name, "transaction": returning.number,
          ])
        },
      ])
  }

  private func json(of result: InsertionResult) -> JSONValue {
    .record(
      "restore",
      [
        "path": plan.path, "store": plan.storeIdentifier, "archive": archivePath,
        "transactions": result.inserted.transactionCount, "changes": result.inserted.changeCount,
        "complete": result.problem == nil, "batches": result.batchCount,
        "longestLock": result.longestLock,
      ])
  }
}
