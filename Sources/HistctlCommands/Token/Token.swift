import ArgumentParser
import HistoryCoding
import PersistentHistory
import StoreFormat
import Terminal

/// `histctl token`: explains tokens.
struct Token: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "token",
    abstract: "Show what a token means and whether it works.",
    subcommands: [TokenCheck.self, TokenShow.self])
}

/// `histctl token check`: reports whether tokens work with a store.
struct TokenCheck: ReadingCommand {
  static let configuration = CommandConfiguration(
    commandName: "check",
    abstract: "Check whether tokens work with a store.",
    discussion: """
      A token is valid if the history after it can be read. It is expired if the store has no \
      transaction with exactly its number (the frameworks then raise historyTokenExpired, error \
      134301); archived if the given archive has that transaction and all later ones up to the \
      store; ahead if the store never issued its number; foreign if it belongs to another store; \
      diverged if a bookmark or the archive remembers another save under its number. Ends with 1 \
      if one of the tokens does not work, and with 64 if one is not a token; the others are shown.

      Examples:
        histctl token check default.store 57
        histctl token check default.store @widget @./saved-token.json
        histctl token check default.store 57 --archive history-archive
      """)

  @OptionGroup var store: StoreOptions
  @OptionGroup var copies: PrivateCopyOptions
  @OptionGroup var archive: ArchiveOptions

  @Argument(value: .token, help: "The tokens.")
  var tokens: [String]

  @OptionGroup(title: "Output") var output: OutputOptions

  func run(_ session: Session) throws {
    try session.readHistory(store, archive, usesPager: false) { reading, resolver in
      var (reports, failures, records): ([TokenReport], [Failure], [JSONValue]) = ([], [], [])
      for text in tokens {
        do {
          let report = try TokenReport(resolver.resolve(text), resolver: resolver)
          reports.append(report)
          records.append(report.json)
        } catch let error as HistoryError {
          // Errors of the store end the command; one of the token itself is the answer for it.
          let failure = Failure(error)
          failures.append(failure)
          records.append(
            .record(
              "token",
              [
                "token": text, "state": "malformed", "error": failure.kind.rawValue,
                "message": failure.message, "hint": failure.hint,
              ]))
        }
      }
      // A single token that cannot be read is the whole answer.
      if tokens.count == 1, let failure = failures.first { throw failure }
      // History after a token can be read only if the segments that have it are there.
      if let first = reports.filter(\.isUsable).compactMap(\.token.number).min() {
        try reading.timeline.checkPresence(after: first)
      }
      let statuses = failures.map(\.status) + reports.map { $0.isUsable ? .success : .answerIsNo }
      session.end(with: statuses.max { $0.severity < $1.severity } ?? .success)
      try TokenReportPage(session: session).write(reports, failures, records)
      try reading.note(
        missingBeginning: reports.compactMap {
          try resolver.missingBeginning(after: $0.token.text)
        }.first)
    }
  }
}

/// `histctl token show`: converts a token to its forms.
struct TokenShow: ReadingCommand {
  static let configuration = CommandConfiguration(
    commandName: "show",
    abstract: "Show a token and its forms, or convert it to one of them.",
    discussion: """
      The JSON is that of SwiftData's DefaultHistoryToken; the property list is an archived \
      NSPersistentHistoryToken.

      Examples:
        histctl token show default.store last
        histctl token show default.store yesterday --as portable
        histctl token show default.store last --as json > token.json
      """)

  @OptionGroup var store: StoreOptions
  @OptionGroup var copies: PrivateCopyOptions

  @Argument(value: .token, help: "The token.")
  var token: String

  @Option(name: .customLong("as"), value: "form", help: "Write only this form.")
  var form: TokenForm?

  @OptionGroup(title: "Output") var output: OutputOptions

  func validate() throws {
    if form != nil && output.json {
      throw ValidationError("--as writes the token, --json a report on it; give one of them")
    }
  }

  func run(_ session: Session) throws {
    try session.read(store, usesPager: false) { snapshot, resolver in
      _ = try snapshot.historyTables()
      let report = try TokenReport(resolver.resolve(token), resolver: resolver)
      if let form {
        try session.writer.write(try report.bytes(as: form))
      } else {
        try TokenReportPage(session: session).write(report)
      }
    }
  }
}

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
