import HistoryCoding
import PersistentHistory
import StoreFormat
import Terminal

/// Writes what maintaining stores has come to: a line for each with which something happened, or a
/// JSON line for each.
struct MaintenanceReport {
  let session: Session
  let writer: OutputWriter

  /// Writes what became of one store; what went wrong with it is told elsewhere.
  func write(_ outcome: MaintenanceOutcome) throws {
    if session.options.json {
      try writer.writeLine(json(outcome))
    } else if outcome.hasNews, !session.options.quiet {
      try writer.writeLine(
        TerminalText.terminal.escaped("\(outcome.path): \(text(outcome))"))
    }
  }

  // MARK: - For people

  private func text(_ outcome: MaintenanceOutcome) -> String {
    let isDry = outcome.isDryRun
    var parts: [String] = []
    if let export = outcome.export {
      let count = export.transactions.counted("transaction")
      let range =
        export.first == export.last ? "\(export.first)" : "\(export.first) to \(export.last)"
      let place = export.path.map { ", to \($0)" } ?? ""
      parts.append("\(isDry ? "would export" : "exported") \(count), \(range)\(place)")
    }
    if let sealed = outcome.sealed, outcome.hasSealed {
      let count = sealed.transactionCount.counted("transaction")
      parts.append("sealed \(count) in \(sealed.archivePath)")
    }
    if let prune = outcome.prune {
      let deleted = prune.deleted
      let counts =
        deleted.transactionCount.counted("transaction") + ", "
        + deleted.changeCount.counted("change")
      let bytes = prune.plan.byteCount.map { ", about \(ByteCount($0))" } ?? ""
      parts.append("\(isDry ? "would delete" : "deleted") \(counts)\(bytes)")
    }
    if let bytes = outcome.givenBack {
      parts.append("\(isDry ? "would free" : "freed") \(ByteCount(bytes))")
    }
    return parts.joined(separator: "; ")
  }

  // MARK: - For programs

  private func json(_ outcome: MaintenanceOutcome) -> JSONValue {
    var members = JSONMembers.start("maintain")
    members += [
      ("section", .string(outcome.section)), ("path", .string(outcome.path)),
      ("dryRun", .boolean(outcome.isDryRun)), ("changed", .boolean(outcome.hasNews)),
    ]
    if let export = outcome.export {
      var parts: [(String, JSONValue)] = []
      if let path = export.path { parts.append(("path", .string(path))) }
      parts += [
        ("transactions", .integer(export.transactions)), ("first", .integer(export.first)),
        ("last", .integer(export.last)),
      ]
      members.append(("export", .object(JSONObject(parts))))
    }
    if let sealed = outcome.sealed, outcome.hasSealed {
      members.append(
        (
          "archive",
          .object([
            "path": .string(sealed.archivePath), "transactions": .integer(sealed.transactionCount),
            "head": .string(sealed.head.description),
          ])
        ))
    }
    if let prune = outcome.prune {
      var parts: [(String, JSONValue)] = [
        ("transactions", .integer(Int64(prune.deleted.transactionCount))),
        ("changes", .integer(Int64(prune.deleted.changeCount))),
      ]
      if let first = prune.plan.cut?.firstKept { parts.append(("cut", .integer(first))) }
      let lost = prune.lost.map { JSONValue.string($0.bookmark.name) }
      if !lost.isEmpty { parts.append(("lostBookmarks", .array(lost))) }
      members.append(("prune", .object(JSONObject(parts))))
    }
    if let bytes = outcome.givenBack {
      members.append(("compact", .object(JSONObject([("bytes", .integer(bytes))]))))
    }
    if let failure = outcome.failure {
      members.append(("status", .integer(Int64(failure.status.rawValue))))
      members.append(("error", .string(failure.kind)))
      members.append(("message", .string(failure.message)))
    }
    return .object(JSONObject(members))
  }
}
