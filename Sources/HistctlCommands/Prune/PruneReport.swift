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
    let all = plan.deletion
    let deleted = DeletedHistory(
      transactionCount: all.transactionCount, changeCount: all.changeCount)
    let what = text(deleted, values)
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
    if case .entity(let name) = plan.request.target { return "\(changes) of \(name)\(bytes)" }
    let what = deleted.transactionCount.counted("transaction") + ", \(changes)\(bytes)"
    let reason = plan.deciders.joined(separator: ", ")
    guard let first = plan.firstKept else { return "\(what); nothing stays (\(reason))" }
    let tokens = TokenText(isQualified: session.options.qualified, store: plan.storeIdentifier)
    let time = TimeText(style: session.options.date, now: session.now).text(first.timestamp)
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
    return "Delete \(what)\(place)? [y/N] "
  }

  // MARK: - Warnings

  /// Warns of bookmarks that expire, and of a history that stays larger than its limit.
  func warn(lost: [BookmarkOutlook]) {
    // A plan in JSON names the bookmarks.
    for outlook in lost where !session.options.json {
      let reason = outlook.isTooFarBehind ? "it is too far behind" : "its guard is ignored"
      session.diagnostics.warn(
        "\(plan.path): the bookmark @\(outlook.bookmark.name) expires with this: \(reason)",
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
    var members = JSONMembers(type: "prunePlan", path: plan.path, store: plan.storeIdentifier)
    if case .entity(let name) = plan.request.target { members.add("entity", .string(name)) }
    members.add("transactions", .integer(Int64(plan.deletion.transactionCount)))
    members.add("changes", .integer(Int64(plan.deletion.changeCount)))
    members.add("bytes", plan.byteCount.map(JSONValue.integer))
    members.add("values", plan.recordedValues.map { .integer($0.valueCount) })
    members.add("cut", plan.cut?.firstKept.map(JSONValue.integer))
    members.add("cutTimestamp", plan.firstKept?.timestamp?.iso8601().map(JSONValue.string))
    if !plan.deletion.isEmpty, plan.cut == .end { members.add("deletesAll", .boolean(true)) }
    if plan.isSmallEnough { members.add("smallEnough", .boolean(true)) }
    if plan.isRefused { members.add("refused", .boolean(true)) }
    addOrphans(to: &members)
    members.add("history", plan.history.json)
    members.add("decidedBy", .array(plan.deciders.map(JSONValue.string)))
    members.add("rules", .array(plan.rules.map(\.json)))
    members.add("guards", .array(plan.guards.map(\.json)))
    members.add("bookmarks", .array(plan.bookmarks.map(\.json)))
    members.add("tokens", .array(plan.tokens.map(\.json)))
    return members.json
  }

  /// Returns the outcome of the plan.
  func json(of result: Erasure) -> JSONValue {
    var members = JSONMembers(type: "prune", path: plan.path, store: plan.storeIdentifier)
    members.add("transactions", .integer(Int64(result.deleted.transactionCount)))
    members.add("changes", .integer(Int64(result.deleted.changeCount)))
    if plan.recordedValues != nil {
      members.add("values", .integer(Int64(result.recordedValueCount)))
    }
    addOrphans(to: &members)
    members.add("complete", .boolean(result.problem == nil))
    members.add("batches", .integer(Int64(result.batchCount)))
    members.add("longestLock", .real(result.longestLock))
    return members.json
  }

  private func addOrphans(to members: inout JSONMembers) {
    if plan.orphanCount > 0 { members.add("orphanChanges", .integer(Int64(plan.orphanCount))) }
  }
}

extension PrunePlan {
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
  fileprivate var json: JSONValue {
    var members = JSONMembers()
    members.add("transactions", .integer(transactionCount))
    members.add("changes", .integer(changeCount))
    members.add("bytes", byteCount.map(JSONValue.integer))
    members.add("oldest", oldest?.json)
    members.add("newest", newest?.json)
    return members.json
  }
}

extension RetentionDecision.RuleOutcome {
  var json: JSONValue {
    var members = JSONMembers()
    members.add("rule", .string(rule.name))
    members.add("value", rule.value.map(JSONValue.string))
    members.add("cut", cut.firstKept.map(JSONValue.integer))
    return members.json
  }
}

extension RetentionGuard {
  var json: JSONValue {
    var members = JSONMembers()
    members.add("guard", .string(name))
    if verdict == .refuses { members.add("refuses", .boolean(true)) }
    members.add("cut", cut?.firstKept.map(JSONValue.integer))
    members.add("reason", .string(reason))
    return members.json
  }
}

extension BookmarkOutlook {
  var json: JSONValue {
    var members = JSONMembers()
    members.add("bookmark", .string(bookmark.name))
    members.add("transaction", number.map(JSONValue.integer))
    members.add("state", .string(state.name))
    if isTooFarBehind { members.add("tooFarBehind", .boolean(true)) }
    members.add("fate", .string(fate.rawValue))
    return members.json
  }
}

extension PrunePlan.TokenOutlook {
  fileprivate var json: JSONValue {
    var members = JSONMembers()
    members.add("token", .string(token.text))
    members.add("transaction", token.number.map(JSONValue.integer))
    members.add("moment", token.moment?.timestamp.iso8601().map(JSONValue.string))
    members.add("timestamp", token.timestamp?.iso8601().map(JSONValue.string))
    members.add("state", .string(token.state.name))
    members.add("stateAfter", .string(stateAfter))
    return members.json
  }
}
