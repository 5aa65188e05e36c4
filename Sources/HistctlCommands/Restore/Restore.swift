import ArgumentParser
import PersistentHistory
import StoreFormat
import Terminal

/// `histctl restore`: sealed history, put back.
struct Restore: HistctlCommand, CheckedOptions {
  static let configuration = CommandConfiguration(
    commandName: "restore",
    _superCommandName: "histctl",
    abstract: "Put sealed history back into its store.",
    discussion: """
      Transactions that an archive has come back before those that the store has, without a gap, so \
      that tokens which had expired work again. Rows come back as they were; where the app's model \
      has changed since, they are put into its order by name. Every segment is verified and every \
      row looked at before the first is written. What would be restored is shown first, and on a \
      terminal there is a question; elsewhere it takes --yes or --dry-run. Apps may go on using the \
      store meanwhile.

      Examples:
        histctl restore default.store history-archive --dry-run
        histctl restore default.store history-archive --from @widget
        histctl restore default.store history-archive --from 30d --yes
      """)

  @OptionGroup var store: StoreOptions

  @Argument(
    help: ArgumentHelp("The folder of the archive.", valueName: "dir"), completion: .directory)
  var archive: String

  @Option(
    help: ArgumentHelp(
      "Restore only as far back as this token, which then works again.", valueName: "token"))
  var from: String?

  @Option(help: ArgumentHelp("Ignore this guard: mirroring or damage.", valueName: "name"))
  var ignoreGuard: [String] = []

  @Flag(
    name: [.customShort("n"), .long], help: "Show what would be restored, and restore nothing.")
  var dryRun = false

  @Flag(name: .shortAndLong, help: "Restore without a question.")
  var yes = false

  @Option(
    help: ArgumentHelp(
      "Time to wait for another program that uses the archive, such as 10min.",
      valueName: "duration"),
    transform: DurationArgument.init(parsing:))
  var lockWait: DurationArgument?

  @Flag(
    name: .customLong("no-values"),
    help: "Leave out old and new values of updates that were sealed with them.")
  var omitsValues = false

  @OptionGroup(title: "Output") var output: OutputOptions

  func check() throws {
    for name in ignoreGuard {
      _ = try GuardArgument.name(
        parsing: name, among: [RetentionGuard.mirroringName, RetentionGuard.damageName],
        of: "restore")
    }
  }

  func run(_ console: Console) throws {
    let session = Session(output, console, outlivesReader: true)
    if let from { _ = try TokenExpression(from, now: session.now) }
    var request = RestoreRequest(from: from, ignoredGuards: Set(ignoreGuard))
    request.restoresValues = !omitsValues
    let run = RestoreRun(
      session: session, store: store, archivePath: archive,
      lockWait: lockWait?.seconds(before: session.now) ?? 0,
      request: request,
      consent: try Consent(.restore, dryRun: dryRun, yes: yes, session: session))
    try session.write(usesPager: false) { writer in try run.run(writer) }
    if session.status != .success { throw EndWithStatus(status: session.status) }
  }
}
