import ArgumentParser
import PersistentHistory
import StoreFormat
import Terminal

/// `histctl show`: one transaction in full.
struct Show: HistctlCommand {
  static let configuration = CommandConfiguration(
    commandName: "show",
    _superCommandName: "histctl",
    abstract: "Show one transaction in full.",
    discussion: """
      Every change is shown with the attributes that an update touched and the values that a \
      deleted object left behind; where the program that saved has recorded them, with what each \
      value was before and became. A moment shows the first transaction at it or after it.

      Examples:
        histctl show default.store last
        histctl show default.store 57 --json
        histctl show default.store "2026-11-01 10:00"
        histctl show default.store 57 --archive history-archive
      """)

  @OptionGroup var store: StoreOptions
  @OptionGroup var archive: ArchiveOptions

  @Argument(help: "The transaction, as a token.")
  var token: String

  @OptionGroup var values: ValuesOptions
  @OptionGroup(title: "Output") var output: OutputOptions

  func run(_ console: Console) throws {
    let session = Session(output, console)
    try session.readHistory(store, archive) { writer, timeline, resolver in
      _ = try timeline.snapshot?.historyTables()
      let number = try resolver.transactionNumber(token)
      // Nothing stands before the lowest number there is.
      let previous = number == .min ? nil : number - 1
      var query = HistoryQuery(after: previous, until: number, limit: 1)
      try values.apply(to: &query, session, timeline)
      let reader = try TimelineReader(
        timeline, query: query, schema: session.schema(of: timeline, joinsArchive: false))
      if output.json {
        try TransactionLines(writer: writer).write(reader)
      } else if case .transaction(let transaction)? = try reader.nextElement() {
        try TransactionDetail(session: session, writer: writer).write(transaction, reader)
      }
    }
  }
}
