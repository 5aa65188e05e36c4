import ArgumentParser
import HistoryArchive
import HistoryCoding
import HistoryOperations
import PersistentHistory
import Terminal

/// `histctl forget`: deletes the beginning of archived histories and merges small segments.
struct Forget: HistctlCommand {
  static let configuration = CommandConfiguration(
    commandName: "forget",
    abstract: "Delete the beginning of a history in an archive.",
    discussion: """
      Deletes sealed transactions before one and keeps it and all after it, for each store of the \
      archive. With several rules, a transaction is deleted only if every rule allows it. The \
      newest transaction always stays, so that sealing continues after it. Bookmarks keep what their \
      consumers have not read. --merge makes larger segments of small ones, with the same lines. The \
      catalog records both in its chain, so that a head kept elsewhere still proves the rest. forget \
      shows what would be deleted and, on a terminal, asks; in scripts, pass --yes or --dry-run. \
      Stores are not changed.

      Examples:
        histctl forget history-archive --keep-within 2y --dry-run
        histctl forget history-archive --keep-within 2y --merge --yes --quiet
        histctl forget history-archive --merge
      """)

  @Argument(value: .folder, help: "The folder of the archive.")
  var archive: String

  @Option(value: "identifier", help: "The only store to work on, in an archive of several.")
  var storeIdentifier: String?

  @OptionGroup(title: "What to keep") var keep: KeepOptions

  @Option(
    name: .customLong("bookmark-file"), value: .file,
    help: "Ask the bookmarks of this file too, not only DIR-bookmarks.json.")
  var bookmarkFiles: [String] = []

  @Option(value: "name", help: "Ignore this guard: bookmarks, or one bookmark as @name.")
  var ignoreGuard: [String] = []

  @Flag(help: "Merge small segments, up to the size of a segment.")
  var merge = false

  @OptionGroup(title: "The archive") var writing: ArchiveWritingOptions

  @Flag(name: [.customShort("n"), .long], help: "Show what would be deleted, and change nothing.")
  var dryRun = false

  @Flag(name: .shortAndLong, help: "Delete without asking.")
  var yes = false

  @OptionGroup(title: "Output") var output: OutputOptions

  func validate() throws {
    guard merge || !keep.rules.isEmpty else {
      throw ValidationError(
        "no retention rule given: use --before, --keep-within or --keep-last, or only --merge")
    }
    for name in ignoreGuard where !name.hasPrefix("@") {
      _ = try GuardArgument.name(
        parsing: name, among: [RetentionGuard.bookmarksName, "@NAME"], of: "forget")
    }
    if !merge, writing.segmentSize != nil {
      throw ValidationError("--segment-size is the size of merged segments; add --merge")
    }
  }

  var outlivesReader: Bool { true }

  func run(_ session: Session) throws {
    // Merging loses nothing.
    let consent = Consent(
      .delete, dryRun: dryRun, yes: yes || keep.rules.isEmpty, session: session)
    var request = request
    request.lockWait = writing.lockWait?.seconds(before: session.now) ?? 0
    let operation = ForgetOperation(request, now: session.now)
    try session.write(usesPager: false) { writer in
      let plans = try operation.plans()
      try consent.check()
      let report = ForgetReport(session: session, namesStores: plans.count > 1)
      for plan in plans { report.warn(of: plan) }
      let isNothing = !consent.isDryRun && plans.allSatisfy { $0.forgotten == nil }
      if !isNothing, consent.isDryRun || consent.asks { try plans.forEach(report.write) }
      guard try isNothing || consent.permits(ForgetReport.question(plans)) else { return }
      try operation.run(plans, report: report.write)
    }
  }

  /// What is asked for.
  var request: ForgetRequest {
    var request = ForgetRequest(archivePath: archive)
    request.rules = keep.rules
    request.merges = merge
    if let size = writing.segmentSize { request.segmentSize = size.bytes }
    request.storeIdentifier = storeIdentifier
    request.bookmarkPaths = bookmarkFiles
    request.ignoredGuards = Set(ignoreGuard)
    return request
  }
}

/// Writes what was or would be forgotten and merged in an archive: a line or a JSON line for each
/// store.
struct ForgetReport: FieldPage {
  let session: Session
  /// Whether the archive has several stores, so that lines name them.
  let namesStores: Bool

  /// Writes the plan for a store.
  func write(_ plan: ForgetPlan) throws {
    if isJSON {
      return try writer.writeLine(
        json(plan, plan.forgotten, plan.merging, JSONValue.list(of: ["dryRun": true])))
    }
    try line(text(plan, plan.forgotten, plan.merging, Self.wouldDo))
  }

  /// Writes the outcome for a store.
  func write(_ outcome: ForgetOutcome) throws {
    let plan = outcome.plan
    if isJSON {
      return try writer.writeLine(
        json(
          plan, outcome.forgotten, outcome.merged,
          JSONValue.list(of: [
            "dryRun": false, "freedBytes": outcome.freedBytes, "head": outcome.head.description,
          ])))
    }
    let isNews = outcome.forgotten != nil || outcome.merged?.groups.isEmpty == false
    guard !session.options.quiet, isNews || session.environment.isOutputTerminal else { return }
    let freed = outcome.freedBytes > 0 ? "; freed \(ByteCount(outcome.freedBytes))" : ""
    try line(text(plan, outcome.forgotten, outcome.merged, Self.hasDone) + freed)
    if isNews { try writer.writeLine("head \(outcome.head)") }
  }

  /// Warns of bookmarks that no longer work in the archive.
  func warn(of plan: ForgetPlan) {
    // A plan in JSON names the bookmarks.
    for effect in plan.decision.bookmarks where effect.outcome == .lost && !isJSON {
      session.diagnostics.warn(
        "\(plan.archivePath): the bookmark @\(effect.bookmark.name) expires with this: its guard is "
          + "ignored", kind: "lostBookmark")
    }
  }

  /// The question before plans are carried out.
  static func question(_ plans: [ForgetPlan]) -> String {
    let count = plans.reduce(0) { $0 + $1.transactionCount }
    let place = plans.count > 1 ? " of \(plans.count) stores" : ""
    return "Forget \(count.counted("transaction"))\(place)?"
  }

  /// The verbs of a plan and of what was done.
  typealias Verbs = (forget: String, merge: String)
  static let wouldDo: Verbs = ("would forget", "would merge")
  static let hasDone: Verbs = ("forgot", "merged")

  private func text(
    _ plan: ForgetPlan, _ forgotten: ClosedRange<Int64>?, _ merging: MergePlan?, _ verbs: Verbs
  ) -> String {
    let store = namesStores ? ", \(plan.store)" : ""
    return "\(plan.archivePath)\(store): \(Self.text(plan, forgotten, merging, verbs))"
  }

  /// Returns what is forgotten and merged, in words.
  static func text(
    _ plan: ForgetPlan, _ forgotten: ClosedRange<Int64>?, _ merging: MergePlan?, _ verbs: Verbs
  ) -> String {
    var parts: [String] = []
    let deciders = plan.decision.deciders.joined(separator: ", ")
    let reason = deciders.isEmpty ? "" : " (\(deciders))"
    if let forgotten {
      let range = forgotten.lowerBound.text(to: forgotten.upperBound)
      // A bookmark that was set meanwhile may have held some.
      parts.append(
        forgotten == plan.forgotten
          ? "\(verbs.forget) \(plan.transactionCount.counted("transaction")), \(range)\(reason)"
          : "\(verbs.forget) transactions \(range)")
    }
    if let merging, !merging.groups.isEmpty {
      parts.append(
        "\(verbs.merge) \(merging.segmentCount.counted("segment")) into \(merging.groups.count)")
    }
    if plan.mayMerge { parts.append("may merge small segments") }
    guard parts.isEmpty else { return parts.joined(separator: "; ") }
    return plan.decision.cut == nil ? "nothing to merge" : "nothing to forget\(reason)"
  }

  /// Lists what is forgotten and merged.
  static func members(
    _ plan: ForgetPlan, _ forgotten: ClosedRange<Int64>?, _ merging: MergePlan?
  ) -> [(String, JSONValue)] {
    let isPlanned = forgotten != nil && forgotten == plan.forgotten
    return JSONValue.list(of: [
      "first": forgotten?.lowerBound, "last": forgotten?.upperBound,
      "transactions": isPlanned ? plan.transactionCount : nil,
      "cutTimestamp": isPlanned ? plan.firstKept?.timestamp?.iso8601() : nil,
      "mergedSegments": merging?.segmentCount, "mergedInto": merging?.groups.count,
      "mayMerge": plan.mayMerge ? true : nil,
    ])
  }

  private func json(
    _ plan: ForgetPlan, _ forgotten: ClosedRange<Int64>?, _ merging: MergePlan?,
    _ others: [(String, JSONValue)]
  ) -> JSONValue {
    let decision = plan.decision
    return .record(
      "forget", ["path": plan.archivePath, "store": plan.store],
      and: Self.members(plan, forgotten, merging)
        + JSONValue.list(of: [
          "decidedBy": decision.deciders, "rules": decision.rules.map(\.json),
          "guards": decision.guards.map(\.json),
          "bookmarks": decision.bookmarks.map(\.json),
        ]) + others)
  }
}
