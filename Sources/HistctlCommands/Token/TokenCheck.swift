import ArgumentParser
import PersistentHistory
import StoreFormat
import Terminal

/// `histctl token check`: whether tokens work with a store.
struct TokenCheck: HistctlCommand {
  static let configuration = CommandConfiguration(
    commandName: "check",
    _superCommandName: "histctl token",
    abstract: "Say whether tokens work with a store.",
    discussion: """
      A token works when history after it can be fetched. It is expired when no transaction with \
      exactly its number is there (the frameworks then raise historyTokenExpired, error 134301), \
      archived when the archive that is given has it and all that follows up to the store, ahead when the store never issued its number, foreign when it belongs to another store, \
      diverged when a bookmark or the archive remembers another save under its number. Ends with 1 when one of \
      the tokens does not work.

      Examples:
        histctl token check default.store 57
        histctl token check default.store @widget @./saved-token.json
        histctl token check default.store 57 --archive history-archive
      """)

  @OptionGroup var store: StoreOptions
  @OptionGroup var archive: ArchiveOptions

  @Argument(help: ArgumentHelp("The tokens.", valueName: "token"))
  var tokens: [String]

  @OptionGroup(title: "Output") var output: OutputOptions

  func run(_ console: Console) throws {
    let session = Session(output, console)
    try session.readHistory(store, archive, usesPager: false) { writer, timeline, resolver in
      _ = try timeline.snapshot?.historyTables()
      let reports = try tokens.map { try TokenReport(resolver.resolve($0), resolver: resolver) }
      // History after a token can be had only where the segments that hold it are there.
      if let first = reports.filter(\.isUsable).compactMap(\.token.number).min() {
        try timeline.checkPresence(after: first)
      }
      if reports.contains(where: { !$0.isUsable }) { session.end(with: .answerIsNo) }
      try TokenReportTable(session: session, writer: writer).write(reports)
      try GapReport(session: session, timeline: timeline).note(
        missingBeginning: tokens.compactMap { try resolver.missingBeginning(after: $0) }.first)
    }
  }
}
