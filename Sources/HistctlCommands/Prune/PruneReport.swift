import HistoryCoding
import PersistentHistory
import StoreEditing
import StoreFormat
import Terminal

/// A plan of pruning and its outcome, as a line of text, as JSON, and as warnings.
struct PruneReport {
  private let session: Session
  private let plan: PrunePlan

  init(_ session: Session, _ plan: PrunePlan) {
    self.session = session
    self.plan = plan
  }

  // MARK: - For people

  /// The history that would be deleted.
  var text: String {
    guard !plan.isEmpty else { return nothing }
    let values = Int(plan.recordedValues?.valueCount ?? 0)
    let what = text(plan.deletion.whole, values)
    guard !plan.isRefused else {
      return "\(plan.path): would delete nothing: refused "
        + "(\(plan.refusingGuards.joined(separator: ", "))); with \(plan.optionsToIgnoreRefusals) "
        + "it would delete \(what)"
    }
    return "\(plan.path): would delete \(what)"
  }

  /// Returns the history that was deleted.
  func text(of result: Erasure) -> String {
    guard !plan.isEmpty else { return nothing }
    return "\(plan.path): deleted \(text(result.deleted, result.recordedValueCount))"
  }

  private var nothing: String {
    if plan.isSmallEnough, let bytes = plan.history.byteCount, let limit = plan.request.ifLargerThan
    {
      return "\(plan.path): nothing to delete: the history is \(ByteCount(bytes)) "
        + "(limit \(ByteCount(limit)))"
    }
    if plan.history.newest == nil { return "\(plan.path): nothing to delete: the history is empty" }
    let reason = plan.deciders.isEmpty ? "" : " (\(plan.deciders.joined(separator: ", ")))"
    return "\(plan.path): nothing to delete\(reason)"
  }

  private func text(_ deleted: DeletedHistory, _ valueCount: Int) -> String {
    let values = valueCount.counted("recorded value")
    guard !plan.deletion.isEmpty else { return values }
    let changes = deleted.changeCount.counted("change") + (valueCount > 0 ? ", " + values : "")
    let bytes = plan.byteCount.map { ", about \(ByteCount($0))" } ?? ""
    if let name = plan.entityName { return "\(changes) of \(name)\(bytes)" }
    let what = deleted.transactionCount.counted("transaction") + ", \(changes)\(bytes)"
    let reason = plan.deciders.joined(separator: ", ")
    guard let first = plan.firstKept else { return "\(what); nothing stays (\(reason))" }
    let tokens = session.tokens(of: plan.storeIdentifier)
    let time = session.time.text(first.timestamp)
    return "\(what), all before \(tokens.text(first.number)) of \(time) (\(reason))"
  }

  /// The question before plans are carried out.
  static func question(_ plans: [PrunePlan]) -> String {
    let transactions = plans.reduce(0) { $0 + $1.deletion.transactionCount }
    let changes = plans.reduce(0) { $0 + $1.deletion.changeCount }
    let values = plans.reduce(0) { $0 + Int($1.recordedValues?.valueCount ?? 0) }
    let what =
      transactions > 0
      ? transactions.counted("transaction")
      : changes > 0 ? changes.counted("change") : values.counted("recorded value")
    let place = plans.count > 1 ? " from \(plans.count) stores" : ""
    return "Delete \(what)\(place)?"
  }

  // MARK: - Warnings

  /// Warns of bookmarks that expire, and of a history that stays larger than its limit.
  func warn(lost: [BookmarkEffect]) {
    // A plan in JSON names the bookmarks.
    for effect in lost where !session.options.json {
      let reason = effect.isTooFarBehind ? "it is too far behind" : "its guard is ignored"
      session.diagnostics.warn(
        "\(plan.path): the bookmark @\(effect.bookmark.name) expires with this: \(reason)",
        kind: "lostBookmark")
    }
    if let bytes = plan.remainingByteCount { warn(remainingBytes: bytes) }
  }

  /// Warns if a history stays larger than its limit.
  func warn(remainingBytes bytes: Int64) {
    guard let limit = plan.byteLimit, bytes > limit else { return }
    let rules = Set(plan.rules.map(\.rule.name))
    let others = plan.deciders.filter { $0 != "max-size" }
    let reason =
      plan.firstKept == plan.history.newest
      ? "the newest transaction stays, and each table and index occupies at least a page"
      : others.isEmpty
        ? "some pages are filled only in part"
        : "\(others.joined(separator: ", ")) \(rules.isSuperset(of: others) ? "keeps" : "holds") more"
    session.diagnostics.warn(
      "\(plan.path): the history will not get smaller than \(ByteCount(bytes)) "
        + "(limit \(ByteCount(limit))): \(reason)", kind: "sizeNotReached")
  }

  // MARK: - For programs

  /// The plan.
  var json: JSONValue {
    .record(
      "prunePlan",
      [
        "path": plan.path, "store": plan.storeIdentifier, "entity": plan.entityName,
        "transactions": plan.deletion.transactionCount, "changes": plan.deletion.changeCount,
        "bytes": plan.byteCount, "values": plan.recordedValues?.valueCount,
        "cut": plan.cut?.firstKept, "cutTimestamp": plan.firstKept?.timestamp?.iso8601(),
        "deletesAll": !plan.deletion.isEmpty && plan.cut == .end ? true : nil,
        "smallEnough": plan.isSmallEnough ? true : nil, "refused": plan.isRefused ? true : nil,
        "orphanChanges": plan.orphanCount > 0 ? plan.orphanCount : nil,
        "history": plan.history.json, "decidedBy": plan.deciders,
        "rules": plan.rules.map(\.json), "guards": plan.guards.map(\.json),
        "bookmarks": plan.bookmarks.map(\.json), "tokens": plan.tokens.map(\.json),
      ])
  }

  /// Returns the outcome of the plan.
  func json(of result: Erasure) -> JSONValue {
    .record(
      "prune",
      [
        "path": plan.path, "store": plan.storeIdentifier,
        "transactions": result.deleted.transactionCount, "changes": result.deleted.changeCount,
        "values": plan.recordedValues == nil ? nil : result.recordedValueCount,
        "orphanChanges": plan.orphanCount > 0 ? plan.orphanCount : nil,
        "complete": result.problem == nil, "batches": result.batchCount,
        "longestLock": result.longestLock,
      ])
  }
}

extension PrunePlan {
  /// The entity of whose changes some are deleted; `nil` for a plan that deletes transactions.
  var entityName: String? { if case .entity(let name) = request.target { name } else { nil } }
  /// Whether guards keep everything in place, whatever the rules would delete.
  var isRefused: Bool { !refusals.isEmpty }

  /// The names of the guards that refuse.
  var refusingGuards: [String] { refusals.map(\.name) }

  /// The options that overrule them.
  var optionsToIgnoreRefusals: String {
    refusingGuards.map { "--ignore-guard \($0)" }.joined(separator: " ")
  }
}

extension PrunePlan.History {
  var json: JSONValue {
    .object(of: [
      "transactions": transactionCount, "changes": changeCount, "bytes": byteCount,
      "oldest": oldest, "newest": newest,
    ])
  }
}

extension RetentionDecision.RuleOutcome {
  var json: JSONValue {
    .object(of: ["rule": rule.name, "value": rule.value, "cut": cut.firstKept])
  }
}

extension RetentionGuard {
  var json: JSONValue {
    .object(of: [
      "guard": name, "refuses": verdict == .refuses ? true : nil, "cut": cut?.firstKept,
      "reason": reason,
    ])
  }
}

extension BookmarkEffect {
  var json: JSONValue {
    .object(of: [
      "bookmark": bookmark.name, "transaction": number, "state": state.name,
      "tooFarBehind": isTooFarBehind ? true : nil, "fate": outcome.rawValue,
    ])
  }
}

extension PrunePlan.TokenEffect {
  var json: JSONValue {
    .object(of: [
      "token": token.text, "transaction": token.number, "moment": token.moment?.timestamp.iso8601(),
      "timestamp": token.timestamp?.iso8601(), "state": token.state.name, "stateAfter": stateAfter,
    ])
  }
}
