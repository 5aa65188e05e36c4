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
