import ArgumentParser
import PersistentHistory
import StoreFormat
import Terminal

/// `histctl bookmark list`: the bookmarks of a store.
struct BookmarkList: HistctlCommand {
  static let configuration = CommandConfiguration(
    commandName: "list",
    _superCommandName: "histctl bookmark",
    abstract: "List the bookmarks of a store, and how far behind their consumers are.",
    discussion: """
      For each: its state, as in histctl token check; how many transactions and changes its \
      consumer has not read, and since when the oldest of them waits. With --keep-within or \
      --keep-last also when that retention would expire it, if its consumer read nothing more and \
      saves went on at the rate of the last 30 days.

      Examples:
        histctl bookmark list default.store
        histctl bookmark list default.store --keep-within 30d
        histctl bookmark list default.store --json | jq .transactionsBehind
      """)

  @OptionGroup var store: StoreOptions
  @OptionGroup(title: "What to hold them to") var outlook: BookmarkOutlookOptions
  @OptionGroup(title: "Output") var output: OutputOptions

  func run(_ console: Console) throws {
    let session = Session(output, console)
    try session.read(store, usesPager: false) { writer, snapshot, resolver in
      let file = try BookmarkFile(path: store.bookmarkPath(beside: snapshot.location))
      let standings = try outlook.standings(of: file.bookmarks, snapshot, now: session.now)
      try BookmarkReport(
        session: session, writer: writer, snapshot: snapshot, resolver: resolver,
        retention: outlook.retention
      ).write(standings)
      if standings.isEmpty, session.environment.isErrorTerminal {
        session.diagnostics.note("there are no bookmarks in \(file.path)")
      }
    }
  }
}
