import ArgumentParser
import PersistentHistory
import StoreFormat
import Terminal

/// `histctl bookmark set`: keeps a token under a name.
struct BookmarkSet: HistctlCommand {
  static let configuration = CommandConfiguration(
    commandName: "set",
    _superCommandName: "histctl bookmark",
    abstract: "Keep a token under the name of its consumer.",
    discussion: """
      The bookmark remembers the transaction's own time too, so that another copy of the store is \
      noticed. The token must work. A bookmark goes forward only, unless --force says otherwise: \
      a consumer that is set back sees again what it has seen. The file is replaced in one step, \
      and programs that change it at the same time wait for each other.

      Examples:
        histctl bookmark set default.store widget 10
        histctl bookmark set default.store widget
        histctl bookmark set default.store nightly @./saved-token.json --force
      """)

  @OptionGroup var store: StoreOptions

  @Argument(help: ArgumentHelp("The name.", valueName: "bookmark"))
  var name: String

  @Argument(help: "The token.")
  var token = "last"

  @Flag(help: "Set it although it goes back, or replaces a bookmark of another store.")
  var force = false

  @OptionGroup(title: "Output") var output: OutputOptions

  func run(_ console: Console) throws {
    let session = Session(output, console, outlivesReader: true)
    try session.read(store, usesPager: false) { writer, snapshot, resolver in
      _ = try snapshot.historyTables()
      // A name that cannot be one is told of before a token that does not work.
      guard Bookmark.isName(name) else { throw HistoryError.malformedBookmarkName(name) }
      let usable = try resolver.resolveUsable(token)
      let bookmark = try Bookmark(name: name, at: usable, inStoreAt: snapshot.location.path)
      try BookmarkFile.set(
        bookmark, in: store.bookmarkPath(beside: snapshot.location),
        permissions: snapshot.location.filePermissions(), onlyForward: !force
      ) {
        // What the snapshot shows may have been deleted since.
        guard usable.state == .valid else { return }
        try checkNotExpired(bookmark, snapshot.location)
      }
      let standings = try BookmarkStanding.standings(
        of: [bookmark], in: snapshot, now: session.now)
      try BookmarkReport(session: session, writer: writer, snapshot: snapshot, resolver: resolver)
        .writeSet(standings)
    }
  }

  private func checkNotExpired(_ bookmark: Bookmark, _ location: StoreLocation) throws {
    let now: StoreFile
    do {
      now = try StoreFile(
        location: location, busyTimeout: store.busyTimeout, allowsPrivateCopy: false)
    } catch StoreError.unreadable {
      // It is read from a copy, and its size is no price for this.
      return
    }
    try now.read { try bookmark.checkNotExpired(in: $0) }
  }
}
