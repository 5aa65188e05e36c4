import PersistentHistory
import StoreFormat
import Terminal

/// A plan for people: what goes, what stays, and which rule or guard decides.
struct PrunePlanPage: FieldPage {
  let session: Session
  let plan: PrunePlan

  func write() throws {
    try writeSummary()
    try writeRules()
    try writeBookmarks()
    try writeTokens()
  }

  private var tokens: TokenText {
    session.tokens(of: plan.storeIdentifier)
  }

  private func writeSummary() throws {
    try field("store", plan.path, style: .heading)
    let bytes = plan.history.byteCount.map { ", \(ByteCount($0))" } ?? ""
    try field(
      "history",
      "\(plan.history.transactionCount.counted("transaction")), "
        + "\(plan.history.changeCount.counted("change"))\(bytes)")
    if plan.isRefused {
      try field("deletes", "nothing: refused (\(plan.refusingGuards.joined(separator: ", ")))")
      try field("otherwise", "\(deletes), with \(plan.optionsToIgnoreRefusals)")
    } else {
      try field("deletes", deletes, style: plan.deletion.isEmpty ? .plain : .deleted)
    }
    if !plan.isRefused, let values = plan.recordedValues, values.valueCount > 0 {
      try field("", values.valueCount.counted("recorded value"), style: .deleted)
    }
    if let newest = plan.history.newest {
      try field("keeps", keeps(upTo: newest), style: .inserted)
    }
  }

  private var deletes: String {
    let deletion = plan.deletion
    guard !deletion.isEmpty else {
      if plan.isSmallEnough, let limit = plan.request.ifLargerThan {
        return "nothing: the history is at most \(ByteCount(limit))"
      }
      return plan.history.newest == nil ? "nothing: the history is empty" : "nothing"
    }
    let bytes = plan.byteCount.map { ", about \(ByteCount($0))" } ?? ""
    let changes = deletion.changeCount.counted("change")
    if let name = plan.entityName { return "\(changes) of \(name)\(bytes)" }
    return "\(deletion.transactionCount.counted("transaction")), \(changes)\(bytes)"
  }

  private func keeps(upTo newest: TransactionPosition) -> String {
    if plan.entityName != nil { return "all transactions" }
    let keepsAll = plan.cut == nil || plan.isRefused
    let first = keepsAll ? plan.history.oldest : plan.firstKept ?? nil
    guard let first, keepsAll || plan.cut != .end else { return "nothing: every token expires" }
    let deleted = plan.isRefused ? 0 : Int64(plan.deletion.transactionCount)
    let count = plan.history.transactionCount - deleted
    let start = max(first.number, plan.history.oldest?.number ?? first.number)
    return
      "\(count.counted("transaction")), \(tokens.text(start, to: newest.number)), "
      + "from \(time.text(first.timestamp)) on"
  }

  private func writeRules() throws {
    func cell(_ cut: HistoryCut?) -> TableCell {
      guard let cut else { return TableCell("refuses", style: .error) }
      return cut.firstKept.map { TableCell(tokens.text($0), style: .token) } ?? TableCell("nothing")
    }
    let deciders = plan.isRefused ? plan.refusingGuards : plan.deciders
    func decides(_ name: String) -> TableCell {
      TableCell(deciders.contains(name) ? "decides" : "")
    }
    let rules = plan.rules.map { outcome in
      [
        TableCell(
          [outcome.rule.name, outcome.rule.value].compactMap { $0 }.joined(separator: " ")),
        cell(outcome.cut), decides(outcome.rule.name), TableCell(""),
      ]
    }
    let guards = plan.guards.map { retentionGuard in
      [
        TableCell(retentionGuard.name), cell(retentionGuard.cut), decides(retentionGuard.name),
        TableCell(retentionGuard.reason, style: .secondary),
      ]
    }
    try writeTable(
      [
        TableColumn("RULE OR GUARD", priority: 4, minimumWidth: 12, canShrink: true),
        TableColumn("KEEPS FROM", priority: 3),
        TableColumn("", priority: 2, canDrop: true),
        TableColumn(guards.isEmpty ? "" : "WHY", priority: 1, canDrop: true),
      ], rules + guards)
  }

  private func writeBookmarks() throws {
    let rows = plan.bookmarks.map { effect in
      [
        TableCell("@" + effect.bookmark.name, style: .token),
        TableCell(effect.number.map(tokens.text) ?? "-"), TableCell(effect.state.name),
        TableCell(effect.outcome.rawValue, style: effect.outcome == .kept ? .inserted : .deleted),
      ]
    }
    try writeTable(
      [
        TableColumn("BOOKMARK", priority: 4, minimumWidth: 8, canShrink: true),
        TableColumn("NUMBER", priority: 2, canDrop: true),
        TableColumn("NOW", priority: 1, canDrop: true), TableColumn(afterwards, priority: 3),
      ], rows)
  }

  /// A plan that is refused changes nothing; what it would have done is still worth knowing.
  private var afterwards: String { plan.isRefused ? "OTHERWISE" : "AFTERWARDS" }

  private func writeTokens() throws {
    let rows = plan.tokens.map { effect in
      [
        TableCell(effect.token.text, style: .token),
        TableCell(effect.token.number.map(tokens.text) ?? "-"),
        TableCell(effect.token.timestamp.map { time.text($0) } ?? "-"),
        TableCell(effect.token.state.name),
        TableCell(effect.stateAfter, style: effect.works ? .inserted : .deleted),
      ]
    }
    try writeTable(
      [
        TableColumn("TOKEN", priority: 4, minimumWidth: 8, canShrink: true),
        TableColumn("NUMBER", priority: 2, canDrop: true),
        TableColumn("TIME", priority: 0, canDrop: true),
        TableColumn("NOW", priority: 1, canDrop: true), TableColumn(afterwards, priority: 3),
      ], rows)
    for effect in plan.tokens where effect.token.moment != nil {
      let last = effect.token.number.map(tokens.text)
      session.diagnostics.note(
        "\(effect.token.text) is a time: it works as long as "
          + (last.map { "transaction \($0), the last one before it, does" }
            ?? "no transaction before it is deleted"))
    }
  }
}
