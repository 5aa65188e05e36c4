import ArgumentParser
import HistoryArchive
import PersistentHistory
import StoreFormat
import Terminal

/// `histctl archive`: the beginning of a history, sealed.
struct ArchiveHistory: HistctlCommand {
  static let configuration = CommandConfiguration(
    commandName: "archive",
    _superCommandName: "histctl",
    abstract: "Seal history in an archive that any program can read.",
    discussion: """
      Transactions that are not sealed yet are written as JSON lines into compressed segments, read \
      back, compared with the store, and entered into a catalog in which each line vouches for the \
      one before. The newest transaction is left for the next run, unless --before says otherwise. \
      The store is not changed; prune --archive seals and then deletes. An archive can hold many \
      stores.

      Examples:
        histctl archive default.store history-archive
        histctl archive default.store history-archive --before 30d
        histctl archive default.store history-archive --dry-run
        zstdcat history-archive/*/*.jsonl.zst | jq .author
      """)

  @OptionGroup var store: StoreOptions

  @Argument(
    help: ArgumentHelp("The folder of the archive; made where it is missing.", valueName: "dir"),
    completion: .directory)
  var archive: String

  @Option(
    help: ArgumentHelp(
      "Seal only what was saved before this token, which itself is left.", valueName: "token"))
  var before: String?

  @OptionGroup(title: "The archive") var sealing: SealingOptions

  @OptionGroup var values: ValuesOptions

  @OptionGroup var guards: DamageGuardOptions

  @Flag(name: [.customShort("n"), .long], help: "Show what would be sealed, and seal nothing.")
  var dryRun = false

  @OptionGroup(title: "Output") var output: OutputOptions

  func run(_ console: Console) throws {
    let session = Session(output, console, outlivesReader: true)
    let run = ArchiveRun(
      session: session, archivePath: archive, busyTimeout: store.busyTimeout, options: sealing,
      values: values, ignoredGuards: guards.ignoredGuards)
    let cut: (StoreSnapshot) throws -> HistoryCut? = { snapshot in
      try before.map {
        try TokenResolver(snapshot: snapshot, bookmarkPath: store.bookmarkFile, now: session.now)
          .cut(before: $0)
      }
    }
    try session.write(usesPager: false) { writer in
      let report = ArchiveReport(session: session, writer: writer, path: store.store)
      if dryRun {
        try report.write(try run.plan(store.store, before: cut))
      } else {
        try report.write(try run.seal(store.store, before: cut), saysNothingNew: true)
      }
    }
    if session.status != .success { throw EndWithStatus(status: session.status) }
  }
}
