import ArgumentParser
import PersistentHistory
import StoreEditing
import StoreFormat
import Terminal

/// `histctl rehearse`: a copy of a store in which tokens have expired.
struct Rehearse: HistctlCommand, CheckedOptions {
  static let configuration = CommandConfiguration(
    commandName: "rehearse",
    _superCommandName: "histctl",
    abstract: "Copy a store so that tokens have expired in the copy, to test how an app takes it.",
    discussion: """
      In the copy all tokens before TOKEN have expired, and TOKEN itself still works: everything \
      before its transaction is deleted, as when an app purges its history. --expire lets single \
      tokens expire instead. The store may be in use; it is only read. Its external binary data is \
      copied too. For each token that is given, and for each bookmark, it says what the frameworks \
      do with it then.

      Examples:
        histctl rehearse default.store 9 -o expired.store
        histctl rehearse default.store last -o expired.store --overwrite --check-token 5 --json
        histctl rehearse default.store --expire @widget -o expired.store --overwrite
      """)

  @OptionGroup var store: StoreOptions

  @Argument(help: "The oldest token that is to work in the copy.")
  var token: String?

  @Option(
    help: ArgumentHelp("Let exactly this token expire; can be repeated.", valueName: "token"))
  var expire: [String] = []

  @Option(
    name: [.customShort("o", allowingJoined: true), .customLong("output")],
    help: ArgumentHelp("Where to write the copy.", valueName: "copy"), completion: .file())
  var copy: String

  @Flag(help: "Replace a store that is there.")
  var overwrite = false

  @Option(
    help: ArgumentHelp(
      "Say what becomes of this token in the copy; can be repeated.", valueName: "token"))
  var checkToken: [String] = []

  @OptionGroup var values: ValuesOptions
  @OptionGroup(title: "Output") var output: OutputOptions

  func check() throws {
    if token == nil && expire.isEmpty {
      throw ValidationError(
        "say what is to expire: give the oldest token that is to work, or --expire")
    }
  }

  func run(_ console: Console) throws {
    let session = Session(output, console, outlivesReader: true)
    try session.read(store, usesPager: false) { writer, snapshot, resolver in
      _ = try snapshot.historyTables()
      let rehearsal = try HistoryRehearsal(
        resolver: resolver, oldestWorking: token, expiring: expire)
      let tokens = try checkToken.map { try resolver.resolve($0) }
      let bookmarks = try BookmarkFile(path: store.bookmarkPath(beside: snapshot.location))
      let place = try StoreCopy(
        of: snapshot.location, at: copy, overwrites: overwrite, busyTimeout: store.busyTimeout)
      let recorded = try values.usable(session, HistoryTimeline(snapshot))
      let result = try RehearsalRun(session: session).run { progress in
        try rehearsal.write(
          snapshot, to: place, tokens: tokens, bookmarks: bookmarks.bookmarks, values: recorded,
          now: session.now, progress: progress)
      }
      try RehearsalReport(
        path: snapshot.location.path, copy: copy, store: snapshot.metadata.storeIdentifier,
        rehearsal: rehearsal, result: result
      ).write(session, writer)
    }
  }
}
