import PersistentHistory
import StoreFormat
import Terminal

/// A plan of restoring for people: what comes back, and what works again with it.
struct RestorePlanPage: FieldPage {
  let session: Session
  let writer: OutputWriter
  let plan: RestorePlan
  let archivePath: String
  /// Whether older transactions of the archive cannot come back.
  let hasGap: Bool

  func write() throws {
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
          + " of authors, bundles and the like, added anew")
    }
    try writer.writeTable(
      [
        TableColumn("GUARD", priority: 2), TableColumn("", priority: 3),
        TableColumn("WHY", priority: 1, canDrop: true),
      ],
      plan.guards.map { guardian in
        [
          TableCell(guardian.name), TableCell("refuses", style: .error),
          TableCell(guardian.reason, style: .secondary),
        ]
      }, in: session)
    try writer.writeTable(
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
      }, in: session)
  }

  private var time: TimeText { TimeText(style: session.options.date, now: session.now) }
  private var tokens: TokenText {
    TokenText(isQualified: session.options.qualified, store: plan.storeIdentifier)
  }

  private var history: String {
    guard let oldest = plan.oldest, let newest = plan.newest else { return "empty" }
    return "\(tokens.text(oldest.number)) to \(tokens.text(newest.number)), "
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
      + ", \(changes), \(tokens.text(first.number)) to \(tokens.text(last.number))"
  }
}
