import ArgumentParser
import PersistentHistory
import StoreFormat
import Terminal

/// `histctl bookmark check`: whether bookmarks work, and their consumers keep up.
struct BookmarkCheck: HistctlCommand {
  static let configuration = CommandConfiguration(
    commandName: "check",
    _superCommandName: "histctl bookmark",
    abstract: "Say whether bookmarks work and their consumers keep up.",
    discussion: """
      Prints what histctl bookmark list prints, for the bookmarks that are named or for all. Ends \
      with 1 when one of them does not work, is farther behind than --max-behind allows, or would \
      expire at once with the retention of --keep-within or --keep-last.

      Examples:
        histctl bookmark check default.store
        histctl bookmark check default.store widget --max-behind 7d
        histctl bookmark check default.store --max-behind 1000 --keep-within 30d --quiet
      """)

  @OptionGroup var store: StoreOptions

  @Argument(help: ArgumentHelp("The names; all bookmarks unless given.", valueName: "bookmark"))
  var names: [String] = []

  @OptionGroup(title: "What to hold them to") var outlook: BookmarkOutlookOptions
  @OptionGroup(title: "Output") var output: OutputOptions

  func run(_ console: Console) throws {
    let session = Session(output, console)
    try session.read(store, usesPager: false) { writer, snapshot, resolver in
      let file = try BookmarkFile(path: store.bookmarkPath(beside: snapshot.location))
      let bookmarks =
        names.isEmpty ? file.bookmarks : try names.map { try file.bookmark(named: $0) }
      let standings = try outlook.standings(of: bookmarks, snapshot, now: session.now)
      let report = BookmarkReport(
        session: session, writer: writer, snapshot: snapshot, resolver: resolver,
        retention: outlook.retention)
      try report.write(standings)
      for standing in standings where !standing.isWell {
        session.end(with: .answerIsNo)
        try report.explain(standing, limit: outlook.maxBehind?.allowance)
      }
    }
  }
}
