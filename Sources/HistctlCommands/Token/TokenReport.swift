import HistoryCoding
import PersistentHistory
import StoreFormat
import Terminal

/// What a token means in a store and whether it works: one value for text and JSON.
struct TokenReport {
  let token: ResolvedToken
  /// Why it does not work, and how to go on; nil for one that works.
  let problem: UnusableToken?

  init(_ token: ResolvedToken, resolver: TokenResolver) throws {
    self.token = token
    problem = token.state.isUsable ? nil : try resolver.unusable(token)
  }

  var isUsable: Bool { problem == nil }

  /// The report as one JSON object.
  var json: JSONValue {
    var members = JSONMembers.start("token")
    members += [
      ("token", .string(token.text)), ("state", .string(token.state.name)),
    ]
    func add(_ key: String, _ value: JSONValue?) {
      if let value { members.append((key, value)) }
    }
    add("transaction", token.number.map(JSONValue.integer))
    add("portable", token.token.map { .string($0.description) })
    add("timestamp", (token.timestamp?.iso8601()).map(JSONValue.string))
    add("moment", (token.moment?.timestamp.iso8601()).map(JSONValue.string))
    if let problem {
      add("error", .string(problem.kind))
      add("message", .string(problem.message))
      add("hint", .string(problem.remedy))
      add("oldest", (problem.oldest?.number).map(JSONValue.integer))
      add("oldestTimestamp", (problem.oldest?.timestamp?.iso8601()).map(JSONValue.string))
    }
    return .object(JSONObject(members))
  }
}

/// Several tokens, a line each.
struct TokenReportTable {
  let session: Session
  let writer: OutputWriter

  func write(_ reports: [TokenReport]) throws {
    guard !session.options.json else {
      for report in reports { try writer.writeLine(report.json) }
      return
    }
    let time = TimeText(style: session.options.date, now: session.now)
    let rows = reports.map { report in
      let token = report.token
      let shown =
        session.options.qualified ? token.token?.description : token.number.map(String.init)
      return [
        TableCell(token.text, style: .token),
        TableCell(token.state.name, style: report.isUsable ? .inserted : .deleted),
        TableCell(shown ?? "-"),
        TableCell(time.text(token.timestamp)),
      ]
    }
    let table = session.table(
      columns: [
        TableColumn("TOKEN", priority: 4, minimumWidth: 8, canShrink: true),
        TableColumn("STATE", priority: 5),
        TableColumn("NUMBER", priority: 3, canDrop: true),
        TableColumn("TIME", priority: 2, canDrop: true),
      ], sample: rows)
    try writer.writeLine(table.header)
    for row in rows { try writer.writeLine(table.line(row)) }
    for problem in reports.compactMap(\.problem) {
      session.diagnostics.explain(problem.message(time: time.text), hint: problem.remedy)
    }
  }
}

/// One token in all its forms.
struct TokenReportDetail {
  let session: Session
  let writer: OutputWriter

  func write(_ report: TokenReport) throws {
    guard !session.options.json else {
      try writer.writeLine(report.json)
      return
    }
    let styled = StyledLine(session)
    let time = TimeText(style: session.options.date, now: session.now)
    func field(_ title: String, _ value: String?, style: Style = .plain) throws {
      if let value { try writer.writeLine(styled.field(title, value, style: style)) }
    }
    try field("number", report.token.number.map(String.init), style: .token)
    try field("portable", report.token.token?.description)
    try field("json", report.token.token?.json)
    try field("moment", report.token.moment.map { time.fullText($0.timestamp) })
    try field("time", report.token.timestamp.map(time.fullText))
    try field("state", report.token.state.name, style: report.isUsable ? .inserted : .deleted)
    if let problem = report.problem {
      session.diagnostics.explain(problem.message(time: time.text), hint: problem.remedy)
    }
  }
}

/// Writes tokens: as a number, or with the identifier of their store.
struct TokenText {
  let isQualified: Bool
  let store: String?

  /// The token that stands behind a transaction.
  func text(_ number: Int64) -> String {
    guard isQualified, let store else { return "\(number)" }
    return HistoryToken(storeIdentifier: store, transaction: number).description
  }

  /// Where a bookmark stands: of one in another store, all of its token.
  func text(_ bookmark: Bookmark) -> String {
    store.flatMap { bookmark.token.transaction(in: $0) }.map(text) ?? bookmark.token.description
  }
}
