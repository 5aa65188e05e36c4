import HistoryCoding
import HistoryOperations
import PersistentHistory
import StoreFormat
import Terminal

/// Writes what maintaining stores has done or would do: a line for each store that changed, or a JSON
/// line for each store.
struct MaintenanceReport {
  let session: Session
  let writer: OutputWriter

  /// Writes what was done with a store. What went wrong is reported as an error.
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
    if let sealed = outcome.sealed {
      let count = sealed.transactionCount.counted("transaction")
      parts.append("sealed \(count) in \(sealed.archivePath)")
    }
    if let sealing = outcome.sealing {
      let count = sealing.transactionCount.counted("transaction")
      parts.append("would seal \(count) in \(sealing.archivePath)")
    }
    if let prune = outcome.prune {
      let deleted = prune.deleted
      let counts =
        deleted.transactionCount.counted("transaction") + ", "
        + deleted.changeCount.counted("change")
      let bytes = prune.plan.byteCount.map { ", about \(ByteCount($0))" } ?? ""
      parts.append("\(isDry ? "would delete" : "deleted") \(counts)\(bytes)")
    }
    if let (plan, done) = outcome.forgetting {
      parts.append(
        ForgetReport.text(
          plan, done.map(\.forgotten) ?? plan.forgotten, done.map(\.merged) ?? plan.merging,
          isDry ? ForgetReport.wouldDo : ForgetReport.hasDone) + " in \(plan.archivePath)")
    }
    let freed =
      (outcome.freedBytes.map { ["\(ByteCount($0))"] } ?? [])
      + (outcome.freesPrunedPages ? ["the pages that pruning empties"] : [])
    if !freed.isEmpty {
      parts.append("\(isDry ? "would free" : "freed") \(freed.joined(separator: " and "))")
    }
    return parts.joined(separator: "; ")
  }

  // MARK: - For programs

  private func json(_ outcome: MaintenanceOutcome) -> JSONValue {
    var members = JSONMembers(type: "maintain")
    members.add("section", .string(outcome.section))
    members.add("path", .string(outcome.path))
    members.add("dryRun", .boolean(outcome.isDryRun))
    members.add("changed", .boolean(outcome.hasNews))
    if let export = outcome.export {
      var parts = JSONMembers()
      parts.add("path", export.path.map(JSONValue.string))
      parts.add("transactions", .integer(export.transactions))
      parts.add("first", .integer(export.first))
      parts.add("last", .integer(export.last))
      members.add("export", parts.json)
    }
    if let sealed = outcome.sealed {
      members.add(
        "archive",
        .object([
          "path": .string(sealed.archivePath), "transactions": .integer(sealed.transactionCount),
          "head": .string(sealed.head.description),
        ]))
    }
    if let sealing = outcome.sealing {
      members.add(
        "archive",
        .object([
          "path": .string(sealing.archivePath), "transactions": .integer(sealing.transactionCount),
        ]))
    }
    if let prune = outcome.prune {
      var parts = JSONMembers()
      parts.add("transactions", .integer(Int64(prune.deleted.transactionCount)))
      parts.add("changes", .integer(Int64(prune.deleted.changeCount)))
      parts.add("cut", prune.plan.cut?.firstKept.map(JSONValue.integer))
      let lost = prune.lost.map { JSONValue.string($0.bookmark.name) }
      parts.add("lostBookmarks", lost.isEmpty ? nil : .array(lost))
      members.add("prune", parts.json)
    }
    if let (plan, done) = outcome.forgetting {
      var parts = ForgetReport.members(
        JSONMembers(), plan, done.map(\.forgotten) ?? plan.forgotten,
        done.map(\.merged) ?? plan.merging)
      parts.add("path", .string(plan.archivePath))
      parts.add("head", done.map { .string($0.head.description) })
      members.add("forget", parts.json)
    }
    if outcome.freedBytes != nil || outcome.freesPrunedPages {
      var parts = JSONMembers()
      parts.add("bytes", .integer(outcome.freedBytes ?? 0))
      parts.add("prunedPages", outcome.freesPrunedPages ? .boolean(true) : nil)
      members.add("compact", parts.json)
    }
    if let error = outcome.failure {
      let failure = Failure(error).naming(outcome.path, amongSeveral: true)
      members.add("status", .integer(Int64(failure.status.rawValue)))
      members.add("error", .string(failure.kind))
      members.add("message", .string(failure.message))
    }
    return members.json
  }

  // MARK: - The config file

  /// Writes what a config file asks for: for each section its stores and its steps.
  func write(_ plan: MaintenancePlan) throws {
    if session.options.json {
      for part in plan.parts { try writer.writeLine(json(part)) }
      return
    }
    let line = StyledLine(session)
    for (index, part) in plan.parts.enumerated() {
      if index > 0 { try writer.writeLine("") }
      try writer.writeLine(
        line.line([.init(text: "[\(part.settings.section)]", style: .heading)]))
      for store in part.stores { try writer.writeLine(line.field("store", store, width: 9)) }
      for (name, text) in steps(part.settings) {
        try writer.writeLine(line.field(name, text, width: 9))
      }
    }
  }

  private func steps(_ settings: MaintenanceSettings) -> [(String, String)] {
    var steps: [(String, String)] = []
    if let export = settings.export {
      let packed = export.compression == .none ? "" : ", packed with \(export.compression.rawValue)"
      steps.append(
        (
          "export",
          "to \(export.folder) as \(export.format.rawValue)\(packed), after the bookmark "
            + "@\(export.bookmark)"
        ))
    }
    if let prune = settings.prune {
      var parts = rules(prune).map { rule in
        if case .maxSize(let bytes) = rule { return "\(rule.name) \(ByteCount(bytes))" }
        return "\(rule.name) \(rule.value ?? "")"
      }
      if let limit = prune.ifLargerThan { parts.append("if larger than \(ByteCount(limit))") }
      if let allowance = prune.allowance { parts.append("bookmarks at most \(allowance) behind") }
      if !prune.ignoredGuards.isEmpty {
        parts.append("without asking " + prune.ignoredGuards.sorted().joined(separator: ", "))
      }
      if let archive = settings.archive { parts.append("sealed in \(archive) first") }
      steps.append(("prune", parts.joined(separator: ", ")))
    }
    if let forget = settings.forget {
      let parts =
        forget.rules.map { "\($0.name) \($0.value ?? "")" }
        + (forget.merges ? ["small segments are merged"] : [])
      steps.append(("forget", parts.joined(separator: ", ") + ", in \(forget.archivePath)"))
    }
    if settings.compacts { steps.append(("compact", "free pages are given back")) }
    return steps
  }

  private func rules(_ prune: PruneRequest) -> [RetentionRule] {
    if case .transactions(let rules) = prune.target { rules } else { [] }
  }

  private func json(_ part: MaintenancePlan.Part) -> JSONValue {
    let settings = part.settings
    var members = JSONMembers(type: "maintenancePlan")
    members.add("section", .string(settings.section))
    members.add("stores", .array(part.stores.map(JSONValue.string)))
    if let export = settings.export {
      members.add(
        "export",
        [
          "folder": .string(export.folder), "bookmark": .string(export.bookmark),
          "format": .string(export.format.rawValue),
          "compress": .string(export.compression.rawValue),
        ])
    }
    if let prune = settings.prune {
      var parts = JSONMembers()
      for rule in rules(prune) { parts.add(rule.name, .string(rule.value ?? "")) }
      parts.add("if-larger", prune.ifLargerThan.map { .string("\($0)B") })
      parts.add("max-behind", prune.allowance.map { .string("\($0)") })
      let ignored = prune.ignoredGuards.sorted().map(JSONValue.string)
      parts.add("ignore-guard", ignored.isEmpty ? nil : .array(ignored))
      parts.add("archive", settings.archive.map(JSONValue.string))
      members.add("prune", parts.json)
    }
    if let forget = settings.forget {
      var parts = JSONMembers()
      for rule in forget.rules { parts.add(rule.name, .string(rule.value ?? "")) }
      parts.add("merge", .boolean(forget.merges))
      parts.add("archive", .string(forget.archivePath))
      members.add("forget", parts.json)
    }
    members.add("compact", .boolean(settings.compacts))
    return members.json
  }
}
