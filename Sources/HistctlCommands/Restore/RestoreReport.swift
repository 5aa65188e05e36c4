import HistoryCoding
import PersistentHistory
import StoreEditing
import StoreFormat
import Terminal

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
