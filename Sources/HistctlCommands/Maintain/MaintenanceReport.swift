import HistoryCoding
import HistoryOperations
import PersistentHistory
import StoreFormat
import Terminal

/// Writes what maintaining stores has done or would do: a line for each store that changed, or a JSON
/// line for each store.
struct MaintenanceReport: FieldPage {
  let session: Session

  /// Writes what was done with a store. What went wrong is reported as an error.
  func write(_ outcome: MaintenanceOutcome) throws {
    guard isJSON || outcome.hasNews else { return }
    try write(json(outcome), orLine: "\(outcome.path): \(text(outcome))")
  }

  // MARK: - For people

  private func text(_ outcome: MaintenanceOutcome) -> String {
    let isDry = outcome.isDryRun
    var parts: [String] = []
    if let export = outcome.export {
      let count = export.transactions.counted("transaction")
      let range = export.first.text(to: export.last)
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
    let failure = outcome.failure.map { Failure($0).naming(outcome.path, amongSeveral: true) }
    return .record(
      "maintain",
      [
        "section": outcome.section, "path": outcome.path, "dryRun": outcome.isDryRun,
        "changed": outcome.hasNews,
        "export": outcome.export.map { export in
          JSONValue.object(of: [
            "path": export.path, "transactions": export.transactions, "first": export.first,
            "last": export.last,
          ])
        },
        "archive": outcome.sealed.map { sealed in
          JSONValue.object(of: [
            "path": sealed.archivePath, "transactions": sealed.transactionCount,
            "head": sealed.head.description,
          ])
        }
          ?? outcome.sealing.map { sealing in
            JSONValue.object(of: [
              "path": sealing.archivePath, "transactions": sealing.transactionCount,
            ])
          },
        "prune": outcome.prune.map { prune in
          JSONValue.object(of: [
            "transactions": prune.deleted.transactionCount, "changes": prune.deleted.changeCount,
            "cut": prune.plan.cut?.firstKept,
            "lostBookmarks": prune.lost.isEmpty ? nil : prune.lost.map(\.bookmark.name),
          ])
        },
        "forget": outcome.forgetting.map { plan, done in
          JSONValue.object(
            JSONObject(
              ForgetReport.members(
                plan, done.map(\.forgotten) ?? plan.forgotten, done.map(\.merged) ?? plan.merging)
                + JSONValue.list(of: ["path": plan.archivePath, "head": done?.head.description])))
        },
        "compact": outcome.freedBytes == nil && !outcome.freesPrunedPages
          ? nil
          : JSONValue.object(of: [
            "bytes": outcome.freedBytes ?? 0, "prunedPages": outcome.freesPrunedPages ? true : nil,
          ]),
        "skipped": outcome.isWithoutHistory ? "withoutHistory" : nil,
        "status": failure.map { Int64($0.status.rawValue) }, "error": failure?.kind.rawValue,
        "message": failure?.message,
      ])
  }

  // MARK: - The config file

  /// Writes what a config file asks for: for each section its stores and its steps.
  func write(_ plan: MaintenancePlan) throws {
    if isJSON {
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
      if let archive = settings.sealing?.archivePath { parts.append("sealed in \(archive) first") }
      steps.append(("prune", parts.joined(separator: ", ")))
    }
    if let forget = settings.forget {
      let parts =
        forget.rules.map { "\($0.name) \($0.value ?? "")" }
        + (forget.merges ? ["small segments are merged"] : [])
      steps.append(("forget", parts.joined(separator: ", ") + ", in \(forget.archivePath)"))
    }
    if settings.compacts { steps.append(("compact", "free pages are returned to the file system")) }
    if !settings.otherOptions.isEmpty {
      steps.append(("also", settings.otherOptions.joined(separator: ", ")))
    }
    return steps
  }

  private func rules(_ prune: PruneRequest) -> [RetentionRule] {
    if case .transactions(let rules) = prune.target { rules } else { [] }
  }

  private func json(_ part: MaintenancePlan.Part) -> JSONValue {
    let settings = part.settings
    func members(_ rules: [RetentionRule]) -> [(String, JSONValue)] {
      rules.map { ($0.name, .string($0.value ?? "")) }
    }
    return .record(
      "maintenancePlan",
      [
        "section": settings.section, "stores": part.stores,
        "export": settings.export.map { export in
          JSONValue.object(of: [
            "folder": export.folder, "bookmark": export.bookmark,
            "format": export.format.rawValue, "compress": export.compression.rawValue,
          ])
        },
        "prune": settings.prune.map { prune in
          let ignored = prune.ignoredGuards.sorted()
          return JSONValue.object(
            JSONObject(
              members(rules(prune))
                + JSONValue.list(of: [
                  "if-larger": prune.ifLargerThan.map { "\($0)B" },
                  "max-behind": prune.allowance.map { "\($0)" },
                  "ignore-guard": ignored.isEmpty ? nil : ignored,
                  "archive": settings.sealing?.archivePath,
                ])))
        },
        "forget": settings.forget.map { forget in
          JSONValue.object(
            JSONObject(
              members(forget.rules)
                + JSONValue.list(of: ["merge": forget.merges, "archive": forget.archivePath])))
        },
        "compact": settings.compacts,
        "options": settings.otherOptions.isEmpty ? nil : settings.otherOptions,
      ])
  }
}
