import HistoryCoding
import PersistentHistory
import StoreFormat
import Terminal

/// The meaning of a token in a store, and whether it works.
struct TokenReport {
  let token: ResolvedToken
  /// The problem and the remedy; `nil` for a token that works.
  let problem: UnusableToken?

  init(_ token: ResolvedToken, resolver: TokenResolver) throws {
    self.token = token
    problem = token.state.isUsable ? nil : try resolver.unusable(token)
  }

  var isUsable: Bool { problem == nil }

  var json: JSONValue {
    .record(
      "token",
      [
        "token": token.text, "state": token.state.name, "transaction": token.number,
        "portable": token.token?.description, "timestamp": token.timestamp?.iso8601(),
        "moment": token.moment?.timestamp.iso8601(), "error": problem?.kind.rawValue,
        "message": problem?.message, "hint": problem?.remedy, "oldest": problem?.oldest?.number,
        "oldestTimestamp": problem?.oldest?.timestamp?.iso8601(),
      ], and: problem?.remainder?.members ?? [])
  }

  /// Returns the token in one form, with a line end.
  func bytes(as form: TokenForm) throws -> [UInt8] {
    func unavailable(_ reason: String, _ other: TokenForm) -> Failure {
      Failure(
        .unavailableForm, "token \(token.text) has no form \(form.rawValue): \(reason)",
        hint: "use --as \(other.rawValue)")
    }
    if form == .number {
      guard let number = token.number else {
        throw unavailable("it belongs to another store", .portable)
      }
      return Array("\(number)\n".utf8)
    }
    guard let value = token.token else {
      throw unavailable("the store has no identifier", .number)
    }
    return switch form {
    case .number, .portable: Array("\(value)\n".utf8)
    case .json: Array((value.json + "\n").utf8)
    case .plist: try value.archivedPropertyList()
    }
  }
}

/// The forms that a token can be converted to.
enum TokenForm: String, WordArgument {
  case number, portable, json, plist
}

extension HistoryToken {
  /// The token as SwiftData encodes it in JSON, with the stores in order.
  fileprivate var json: String {
    var writer = JSONWriter()
    let tokens = storeTokens.sorted { $0.key < $1.key }
      .map { ($0.key, JSONValue.integer($0.value)) }
    writer.append(["storeTokens": .object(JSONObject(tokens))])
    return String(decoding: writer.bytes, as: UTF8.self)
  }
}

/// Writes reports on tokens.
struct TokenReportPage: FieldPage {
  let session: Session

  /// The columns that a token takes; one that was pasted can have thousands of characters.
  private static let maxTokenWidth = 48

  /// Writes one line for each token; with JSON also for those that are not tokens, which are errors otherwise.
  func write(_ reports: [TokenReport], _ failures: [Failure], _ records: [JSONValue]) throws {
    failures.forEach(session.diagnostics.report)
    if isJSON { return try records.forEach { try writer.writeLine($0) } }
    guard !reports.isEmpty else { return }
    let rows = reports.map { report in
      let token = report.token
      let shown =
        session.options.qualified ? token.token?.description : token.number.map(String.init)
      return [
        TableCell(token.text.truncatedInMiddle(to: Self.maxTokenWidth), style: .token),
        TableCell(token.state.name, style: report.isUsable ? .inserted : .deleted),
        TableCell(shown ?? "-"), TableCell(time.text(token.timestamp)),
      ]
    }
    try writeRows(
      [
        TableColumn("TOKEN", priority: 4, minimumWidth: 8, canShrink: true),
        TableColumn("STATE", priority: 5),
        TableColumn("NUMBER", priority: 3, canDrop: true),
        TableColumn("TIME", priority: 2, canDrop: true),
      ], rows)
    explain(reports)
  }

  /// Writes one token in all its forms.
  func write(_ report: TokenReport) throws {
    guard !isJSON else { return try writer.writeLine(report.json) }
    let token = report.token
    try field("number", token.number.map(String.init), style: .token)
    try field("portable", token.token?.description)
    try field("json", token.token?.json)
    try field("moment", token.moment.map { time.fullText($0.timestamp) })
    try field("time", token.timestamp.map(time.fullText))
    try field("state", token.state.name, style: report.isUsable ? .inserted : .deleted)
    explain([report])
  }

  private func explain(_ reports: [TokenReport]) {
    for problem in reports.compactMap(\.problem) {
      session.diagnostics.explain(problem.message(time: time.text), hint: problem.remedy)
    }
  }
}
