import HistoryArchive
import HistoryCoding
import HistoryOperations
import PersistentHistory
import Terminal

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
