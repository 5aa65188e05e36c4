import HistoryCoding
import PersistentHistory
import StoreFormat
import Terminal

/// Writes what a config file says is to be done: for each section its stores and its steps.
struct MaintenancePlanReport {
  let session: Session
  let writer: OutputWriter

  /// Writes all sections.
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
        rule.name + " " + (rule.bytes.map { "\(ByteCount($0))" } ?? rule.value ?? "")
      }
      if let limit = prune.ifLargerThan { parts.append("if larger than \(ByteCount(limit))") }
      if let allowance = prune.allowance { parts.append("bookmarks at most \(allowance) behind") }
      if !prune.ignoredGuards.isEmpty {
        parts.append("without asking " + prune.ignoredGuards.sorted().joined(separator: ", "))
      }
      if let archive = settings.archive { parts.append("sealed in \(archive) first") }
      steps.append(("prune", parts.joined(separator: ", ")))
    }
    if settings.compacts { steps.append(("compact", "free pages are given back")) }
    return steps
  }

  private func rules(_ prune: PruneRequest) -> [RetentionRule] {
    if case .transactions(let rules) = prune.target { rules } else { [] }
  }

  private func json(_ part: MaintenancePlan.Part) -> JSONValue {
    let settings = part.settings
    var members = JSONMembers.start("maintenancePlan")
    members += [
      ("section", .string(settings.section)),
      ("stores", .array(part.stores.map(JSONValue.string))),
    ]
    if let export = settings.export {
      members.append(
        (
          "export",
          [
            "folder": .string(export.folder), "bookmark": .string(export.bookmark),
            "format": .string(export.format.rawValue),
            "compress": .string(export.compression.rawValue),
          ]
        ))
    }
    if let prune = settings.prune {
      var parts = rules(prune).map { ($0.name, JSONValue.string($0.value ?? "")) }
      if let limit = prune.ifLargerThan { parts.append(("if-larger", .string("\(limit)B"))) }
      if let allowance = prune.allowance { parts.append(("max-behind", .string("\(allowance)"))) }
      if !prune.ignoredGuards.isEmpty {
        parts.append(
          ("ignore-guard", .array(prune.ignoredGuards.sorted().map(JSONValue.string))))
      }
      if let archive = settings.archive { parts.append(("archive", .string(archive))) }
      members.append(("prune", .object(JSONObject(parts))))
    }
    members.append(("compact", .boolean(settings.compacts)))
    return .object(JSONObject(members))
  }
}

extension RetentionRule {
  fileprivate var bytes: Int64? { if case .maxSize(let bytes) = self { bytes } else { nil } }
}
