import HistoryCoding
import PersistentHistory
import Terminal

/// Writes what a verification has found: for people by kind, with what it means and what to do; for
/// programs a line for each finding and one for all.
struct FindingReport {
  let session: Session
  let writer: OutputWriter
  let path: String
  let store: String?

  /// Writes the findings and what was looked at.
  func write(
    _ findings: FindingLog<some ReportedFindingKind>, _ facts: some FactsReport
  ) throws {
    if session.options.json {
      for kind in findings.kinds {
        for finding in findings.findings(of: kind) { try writer.writeLine(json(finding)) }
      }
      try writer.writeLine(json(findings, facts))
    } else if findings.isEmpty {
      guard !session.options.quiet else { return }
      try write("ok, \(facts.summary)", .inserted)
      for note in facts.notes { try writeIndented(note, .secondary) }
    } else {
      try writeText(findings, facts)
    }
  }

  // MARK: - For people

  private var styled: StyledLine { StyledLine(session) }

  private func write(_ text: String, _ style: Style) throws {
    try writer.writeLine(
      styled.line([
        TableCell.Span(text: path + ": ", style: .plain), TableCell.Span(text: text, style: style),
      ]))
  }

  private func writeIndented(_ text: String, _ style: Style = .plain) throws {
    try writer.writeLine(styled.line([TableCell.Span(text: text, style: style)], indentation: 2))
  }

  private func writeText(
    _ findings: FindingLog<some ReportedFindingKind>, _ facts: some FactsReport
  ) throws {
    let count = findings.count.counted("finding")
    try write(
      findings.damageCount > 0
        ? "damaged, \(count), \(findings.damageCount.grouped) of them damage"
        : "\(count), no damage", .deleted)
    for kind in findings.kinds {
      let count = findings.count(of: kind)
      try writer.writeLine("")
      try writer.writeLine(
        styled.line([
          TableCell.Span(text: kind.rawValue, style: .heading),
          TableCell.Span(
            text: ", \(kind.severity == .damage ? "damage, " : "")\(count.grouped)",
            style: .secondary),
        ]))
      let listed = findings.findings(of: kind)
      for finding in listed { try writeIndented("\(finding.place): \(finding.detail)") }
      let rest = count - Int64(listed.count)
      if rest > 0 { try writeIndented("and \(rest.grouped) more", .secondary) }
      try writer.writeLine("  " + styled.field("means", kind.meaning, width: 8))
      try writer.writeLine("  " + styled.field("remedy", kind.hint, width: 8))
    }
    guard !session.options.quiet else { return }
    try writer.writeLine("")
    try writer.writeLine(
      styled.line([TableCell.Span(text: "looked at " + facts.summary, style: .secondary)]))
    for note in facts.notes { try writeIndented(note, .secondary) }
  }

  // MARK: - For programs

  private func json(_ finding: Finding<some ReportedFindingKind>) -> JSONValue {
    var members = JSONMembers.start("finding") + [("path", .string(path))]
    if let store { members.append(("store", .string(store))) }
    members += [
      ("finding", .string(finding.kind.rawValue)),
      ("severity", .string(finding.kind.severity.rawValue)),
      ("place", .object(JSONObject(finding.place.members))),
      ("detail", .string(finding.detail)), ("meaning", .string(finding.kind.meaning)),
      ("remedy", .string(finding.kind.hint)),
    ]
    return .object(JSONObject(members))
  }

  private func json(
    _ findings: FindingLog<some ReportedFindingKind>, _ facts: some FactsReport
  ) -> JSONValue {
    var members = JSONMembers.start("verification") + [("path", .string(path))]
    if let store { members.append(("store", .string(store))) }
    members += [
      ("ok", .boolean(findings.isEmpty)), ("damaged", .boolean(findings.damageCount > 0)),
      ("findings", .integer(findings.count)), ("damage", .integer(findings.damageCount)),
      (
        "kinds",
        .object(
          JSONObject(findings.kinds.map { ($0.rawValue, .integer(findings.count(of: $0))) }))
      ),
    ]
    return .object(JSONObject(members + facts.members))
  }
}

extension FindingPlace {
  /// The place for programs.
  fileprivate var members: [(String, JSONValue)] {
    switch self {
    case .store: []
    case .table(let name): [("table", .string(name))]
    case .log(nil): [("log", true)]
    case .log(let frame?): [("log", true), ("frame", .integer(Int64(frame)))]
    case .transaction(let number): [("transaction", .integer(number))]
    case .transactions(let range):
      [("transaction", .integer(range.lowerBound)), ("last", .integer(range.upperBound))]
    case .change(let number, nil): [("change", .integer(number))]
    case .change(let number, let transaction?):
      [("change", .integer(number)), ("transaction", .integer(transaction))]
    case .text(let number): [("text", .integer(number))]
    case .entity(let name): [("entity", .string(name))]
    case .bookmark(let name): [("bookmark", .string(name))]
    case .file(let path): [("file", .string(path))]
    case .line(let number, let file):
      [("file", .string(file)), ("line", .integer(Int64(number)))]
    case .frame(let number, let file):
      [("file", .string(file)), ("frame", .integer(Int64(number)))]
    }
  }
}
