import HistoryCoding
import PersistentHistory
import StoreFormat
import Terminal

/// What a rehearsal has made, and what becomes of tokens in it: one value for text and JSON.
struct RehearsalReport {
  let path: String
  let copy: String
  let store: String?
  let rehearsal: HistoryRehearsal
  let result: RehearsalResult

  func write(_ session: Session, _ writer: OutputWriter) throws {
    if session.options.json {
      try writer.writeLine(json)
      for token in result.tokens { try writer.writeLine(json(token)) }
    } else {
      try writeText(session, writer)
    }
  }

  // MARK: - For people

  private func writeText(_ session: Session, _ writer: OutputWriter) throws {
    let styled = StyledLine(session)
    let names = TokenText(isQualified: session.options.qualified, store: store)
    try writer.writeLine(styled.field("copy", copy, style: .heading))
    if let number = rehearsal.oldestWorking {
      try writer.writeLine(
        styled.field("works", "\(names.text(number)) and all after it", style: .token))
    }
    let expired = rehearsal.expired.sorted().map(names.text)
    if !expired.isEmpty {
      try writer.writeLine(styled.field("expired", expired.joined(separator: ", ")))
    }
    try writer.writeLine(
      styled.field(
        "deleted",
        "\(result.deleted.transactionCount.counted("transaction")), "
          + "\(result.deleted.changeCount.counted("change"))"))
    try writer.writeLine(styled.field("left", result.transactionCount.counted("transaction")))
    if result.externalFileCount > 0 {
      try writer.writeLine(
        styled.field("large data", result.externalFileCount.counted("file")))
    }
    try writeTokens(session, writer)
  }

  private func writeTokens(_ session: Session, _ writer: OutputWriter) throws {
    guard !result.tokens.isEmpty else { return }
    let rows = result.tokens.map { rehearsed in
      [
        TableCell(rehearsed.token.text, style: .token),
        state(rehearsed.token.state), state(rehearsed.stateInCopy),
        TableCell(text(rehearsed.outcome)),
      ]
    }
    let table = session.table(
      columns: [
        TableColumn("TOKEN", priority: 4, minimumWidth: 8, canShrink: true),
        TableColumn("IN THE STORE", priority: 1, canDrop: true),
        TableColumn("IN THE COPY", priority: 3),
        TableColumn("WHAT AN APP GETS", priority: 2, minimumWidth: 16, canShrink: true),
      ], sample: rows)
    try writer.writeLine("")
    try writer.writeLine(table.header)
    for row in rows { try writer.writeLine(table.line(row)) }
  }

  private func state(_ state: TokenState) -> TableCell {
    TableCell(state.name, style: state == .valid ? .inserted : .deleted)
  }

  private func text(_ outcome: FrameworkOutcome) -> String {
    switch outcome {
    case .history(let transactions): transactions.counted("transaction")
    case .nothing: "nothing: the token names another store"
    case .expired: "error \(FrameworkOutcome.errorCode), \(FrameworkOutcome.errorName)"
    }
  }

  // MARK: - For programs

  private var json: JSONValue {
    var members = JSONMembers.start("rehearsal")
    members += [
      ("path", .string(path)), ("copy", .string(copy)),
    ]
    if let store { members.append(("store", .string(store))) }
    if let number = rehearsal.oldestWorking {
      members.append(("oldestWorking", .integer(number)))
    }
    members += [
      ("expired", .array(rehearsal.expired.sorted().map(JSONValue.integer))),
      ("transactionsDeleted", .integer(Int64(result.deleted.transactionCount))),
      ("changesDeleted", .integer(Int64(result.deleted.changeCount))),
      ("transactions", .integer(result.transactionCount)),
      ("externalFiles", .integer(Int64(result.externalFileCount))),
    ]
    return .object(JSONObject(members))
  }

  private func json(_ rehearsed: RehearsedToken) -> JSONValue {
    var members = JSONMembers.start("tokenOutcome")
    members += [
      ("token", .string(rehearsed.token.text))
    ]
    if let number = rehearsed.token.number { members.append(("transaction", .integer(number))) }
    members += [
      ("stateBefore", .string(rehearsed.token.state.name)),
      ("state", .string(rehearsed.stateInCopy.name)),
    ]
    switch rehearsed.outcome {
    case .history(let transactions):
      members += [("outcome", "history"), ("transactions", .integer(transactions))]
    case .nothing: members.append(("outcome", "nothing"))
    case .expired:
      members += [
        ("outcome", "error"), ("error", .string(FrameworkOutcome.errorName)),
        ("code", .integer(FrameworkOutcome.errorCode)),
      ]
    }
    return .object(JSONObject(members))
  }
}
