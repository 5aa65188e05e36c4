import HistoryArchive
import HistoryCoding
import HistoryOperations
import PersistentHistory
import Terminal

/// Writes what was or would be forgotten and merged in an archive: a line or a JSON line for each
/// store.
struct ForgetReport {
  let session: Session
  let writer: OutputWriter
  /// Whether the archive has several stores, so that lines name them.
  let namesStores: Bool

  /// Writes the plan for a store.
  func write(_ plan: ForgetPlan) throws {
    if session.options.json {
      var members = members(plan, plan.forgotten, plan.merging)
      members.add("dryRun", .boolean(true))
      return try writer.writeLine(members.json)
    }
    try writer.writeLine(
      line(plan, plan.forgotten, plan.merging, Self.wouldDo))
  }

  /// Writes the outcome for a store.
  func write(_ outcome: ForgetOutcome) throws {
    let plan = outcome.plan
    if session.options.json {
      var members = members(plan, outcome.forgotten, outcome.merged)
      members.add("dryRun", .boolean(false))
      members.add("freedBytes", .integer(outcome.freedBytes))
      members.add("head", .string(outcome.head.description))
      return try writer.writeLine(members.json)
    }
    let isNews = outcome.forgotten != nil || outcome.merged?.groups.isEmpty == false
    guard !session.options.quiet, isNews || session.environment.isOutputTerminal else { return }
    let freed = outcome.freedBytes > 0 ? "; freed \(ByteCount(outcome.freedBytes))" : ""
    try writer.writeLine(
      line(plan, outcome.forgotten, outcome.merged, Self.hasDone) + freed)
    if isNews { try writer.writeLine("head \(outcome.head)") }
  }

  /// Warns of bookmarks that no longer work in the archive.
  func warn(of plan: ForgetPlan) {
    // A plan in JSON names the bookmarks.
    for outlook in plan.decision.bookmarks where outlook.fate == .lost && !session.options.json {
      session.diagnostics.warn(
        "\(plan.archivePath): the bookmark @\(outlook.bookmark.name) expires with this: its guard is "
          + "ignored", kind: "lostBookmark")
    }
  }

  /// The question before plans are carried out.
  static func question(_ plans: [ForgetPlan]) -> String {
    let count = plans.reduce(0) { $0 + $1.transactionCount }
    let place = plans.count > 1 ? " of \(plans.count) stores" : ""
    return "Forget \(count.counted("transaction"))\(place)? [y/N] "
  }

  /// The verbs of a plan and of what was done.
  typealias Verbs = (forget: String, merge: String)
  static let wouldDo: Verbs = ("would forget", "would merge")
  static let hasDone: Verbs = ("forgot", "merged")

  private func line(
    _ plan: ForgetPlan, _ forgotten: ClosedRange<Int64>?, _ merging: MergePlan?, _ verbs: Verbs
  ) -> String {
    let store = namesStores ? ", \(plan.store)" : ""
    return TerminalText.terminal.escaped(
      "\(plan.archivePath)\(store): \(Self.text(plan, forgotten, merging, verbs))")
  }

  /// Returns what is forgotten and merged, in words.
  static func text(
    _ plan: ForgetPlan, _ forgotten: ClosedRange<Int64>?, _ merging: MergePlan?, _ verbs: Verbs
  ) -> String {
    var parts: [String] = []
    let deciders = plan.decision.deciders.joined(separator: ", ")
    let reason = deciders.isEmpty ? "" : " (\(deciders))"
    if let forgotten {
      let range =
        forgotten.lowerBound == forgotten.upperBound
        ? "\(forgotten.lowerBound)" : "\(forgotten.lowerBound) to \(forgotten.upperBound)"
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

  /// Adds what is forgotten and merged.
  static func members(
    _ members: JSONMembers, _ plan: ForgetPlan, _ forgotten: ClosedRange<Int64>?,
    _ merging: MergePlan?
  ) -> JSONMembers {
    var members = members
    if let forgotten {
      members.add("first", .integer(forgotten.lowerBound))
      members.add("last", .integer(forgotten.upperBound))
      if forgotten == plan.forgotten {
        members.add("transactions", .integer(plan.transactionCount))
        members.add("cutTimestamp", plan.firstKept?.timestamp?.iso8601().map(JSONValue.string))
      }
    }
    if let merging {
      members.add("mergedSegments", .integer(Int64(merging.segmentCount)))
      members.add("mergedInto", .integer(Int64(merging.groups.count)))
    }
    members.add("mayMerge", plan.mayMerge ? .boolean(true) : nil)
    return members
  }

  private func members(
    _ plan: ForgetPlan, _ forgotten: ClosedRange<Int64>?, _ merging: MergePlan?
  ) -> JSONMembers {
    var members = Self.members(
      JSONMembers(type: "forget", path: plan.archivePath, store: plan.store), plan, forgotten,
      merging)
    let decision = plan.decision
    members.add("decidedBy", .array(decision.deciders.map(JSONValue.string)))
    members.add("rules", .array(decision.rules.map(\.json)))
    members.add("guards", .array(decision.guards.map(\.json)))
    members.add("bookmarks", .array(decision.bookmarks.map(\.json)))
    return members
  }
}
