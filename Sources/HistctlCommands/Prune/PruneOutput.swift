import HistoryArchive
import PersistentHistory
import StoreEditing
import StoreFormat
import Terminal

/// Shows plans of pruning and what became of them: JSON lines, a page for one store, or a line each.
struct PruneOutput {
  private let session: Session
  private let writer: OutputWriter
  private let consent: Consent
  private let showsPage: Bool

  init(session: Session, writer: OutputWriter, showsDetail: Bool, consent: Consent) {
    self.session = session
    self.writer = writer
    self.consent = consent
    showsPage =
      showsDetail && !session.options.json
      && (consent != .given || session.environment.isOutputTerminal && !session.options.quiet)
  }

  private var line: PruneLine { PruneLine(options: session.options, now: session.now) }

  /// Shows a plan before anything is done.
  func show(_ plan: PrunePlan) throws {
    if session.options.json {
      try writer.writeLine(plan.json)
    } else if showsPage {
      try PrunePlanPage(session: session, writer: writer, plan: plan).write()
    } else if consent != .given {
      try write(line.text(of: plan))
    }
  }

  /// Tells what was sealed before anything is deleted.
  func show(_ sealed: SealedSegments, path: String) throws {
    try ArchiveReport(session: session, writer: writer, path: path)
      .write(sealed, saysNothingNew: false)
  }

  /// Tells of bookmarks that expire, which their consumers will notice.
  func warn(of plan: PrunePlan) {
    warn(of: plan.lostBookmarks, in: plan)
    if let bytes = plan.remainingByteCount { warn(ofSize: bytes, leftBy: plan) }
    if let problem = plan.recordedValues?.problem {
      session.diagnostics.warn(
        problem, kind: "unusableValues",
        hint: "they stay as they are; move the file away where nobody wants them")
    }
  }

  /// Says why a history stays larger than was asked for.
  func warn(ofSize bytes: Int64, leftBy plan: PrunePlan) {
    guard let limit = plan.byteLimit, bytes > limit else { return }
    let rules = Set(plan.rules.map(\.rule.name))
    let others = plan.deciders.filter { $0 != "max-size" }
    let reason =
      plan.firstKept == plan.history.newest
      ? "the newest transaction stays, and each table and index takes a page at least"
      : others.isEmpty
        ? "pages stay that are filled in part"
        : "\(others.joined(separator: ", ")) \(rules.isSuperset(of: others) ? "keeps" : "holds") more"
    session.diagnostics.warn(
      "\(plan.path): the history will not get smaller than \(ByteCount(bytes)) "
        + "(limit \(ByteCount(limit))): \(reason)", kind: "sizeNotReached")
  }

  /// Tells of some of the bookmarks that expire with a plan.
  func warn(of bookmarks: [BookmarkOutlook], in plan: PrunePlan) {
    // A plan in JSON has them.
    guard !session.options.json else { return }
    for outlook in bookmarks {
      let reason = outlook.isTooFarBehind ? "it is too far behind" : "its guard is ignored"
      session.diagnostics.warn(
        "\(plan.path): the bookmark @\(outlook.bookmark.name) expires with this: \(reason)",
        kind: "lostBookmark")
    }
  }

  /// What a person is asked.
  func question(_ plans: [PrunePlan]) -> String {
    let transactions = plans.reduce(0) { $0 + $1.deletion.transactionCount }
    let changes = plans.reduce(0) { $0 + $1.deletion.changeCount }
    let values = plans.reduce(0) { $0 + Int($1.recordedValues?.valueCount ?? 0) }
    let what =
      transactions > 0
      ? transactions.counted("transaction")
      : changes > 0 ? changes.counted("change") : values.counted("recorded value")
    let place = plans.count > 1 ? " from \(plans.count) stores" : ""
    return "Delete \(what)\(place)? [y/N] "
  }

  /// Measures a history that could not be measured beforehand, by the same rule as `check`.
  func checkSize(leftBy plan: PrunePlan, _ busyTimeout: Double) throws {
    guard plan.byteLimit != nil, plan.remainingByteCount == nil else { return }
    let file = try StoreFile(path: plan.path, busyTimeout: busyTimeout)
    if let bytes = try file.read({ try $0.historyByteCount() }) {
      warn(ofSize: bytes, leftBy: plan)
    }
  }

  /// Shows what became of a plan; what stopped it is told elsewhere.
  func showResult(_ result: Erasure, of plan: PrunePlan) throws {
    if session.options.json {
      try writer.writeLine(plan.json(of: result))
    } else if !session.options.quiet, result.problem == nil, !(showsPage && plan.deletion.isEmpty) {
      try write(line.text(of: result, plan))
    }
  }

  private func write(_ line: String) throws(OutputError) {
    try writer.writeLine(TerminalText.terminal.escaped(line))
  }
}
