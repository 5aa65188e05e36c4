import ArgumentParser
import PersistentHistory
import StoreFormat
import Terminal

/// `histctl prune`: the beginning of a history, deleted.
struct Prune: HistctlCommand, CheckedOptions {
  static let configuration = CommandConfiguration(
    commandName: "prune",
    _superCommandName: "histctl",
    abstract: "Delete the beginning of a history.",
    discussion: """
      Everything before one transaction goes, it and all after it stay, as when an app deletes \
      history. With several rules a transaction goes only if every one lets it go. The newest one \
      always stays. Bookmarks hold back what their consumers have not read. With --archive nothing goes \
      that is not sealed there, read back and verified. What would be deleted is \
      shown first, and on a terminal there is a question; elsewhere it takes --yes or --dry-run. \
      Apps may go on using the store meanwhile.

      Examples:
        histctl prune default.store --keep-last 1000 --dry-run
        histctl prune default.store --keep-within 30d --max-behind 90d --yes
        histctl prune default.store --max-size 50M --if-larger 60M --yes --quiet
        histctl prune default.store --before 2w --check-token @widget --dry-run
        histctl prune default.store --keep-within 90d --archive history-archive --yes
      """)

  @OptionGroup var stores: SeveralStoresOptions
  @OptionGroup(title: "What to keep") var retention: RetentionOptions

  @Option(
    help: ArgumentHelp("Delete only if the history is larger than this.", valueName: "size"),
    transform: ByteSize.init(parsing:))
  var ifLarger: ByteSize?

  @Option(
    help: ArgumentHelp(
      "Let bookmarks expire that are farther behind: 30d, or a number of transactions.",
      valueName: "allowance"),
    transform: AllowanceArgument.init(parsing:))
  var maxBehind: AllowanceArgument?

  @Option(
    help: ArgumentHelp(
      "Ignore this guard: mirroring, archive, bookmarks, damage, or one bookmark as @name.",
      valueName: "name"))
  var ignoreGuard: [String] = []

  @Option(
    help: ArgumentHelp(
      "Seal in this archive what is to be deleted, before it is.", valueName: "dir"),
    completion: .directory)
  var archive: String?

  @OptionGroup(title: "The archive") var sealing: SealingOptions

  @Option(
    help: ArgumentHelp("Say what becomes of this token; may be repeated.", valueName: "token"))
  var checkToken: [String] = []

  @Flag(name: [.customShort("n"), .long], help: "Show what would be deleted, and delete nothing.")
  var dryRun = false

  @Flag(name: .shortAndLong, help: "Delete without a question.")
  var yes = false

  @OptionGroup(title: "Output") var output: OutputOptions

  func check() throws {
    for name in ignoreGuard { _ = try GuardArgument.name(parsing: name) }
    if archive != nil, retention.entity != nil {
      throw ValidationError(
        "--entity deletes from transactions that stay, so it cannot be combined with --archive; "
          + "seal them with histctl archive first")
    }
    if archive == nil, sealing.isGiven {
      throw ValidationError(
        "--segment-size, --allow-gap and --lock-wait are about an archive; name it with --archive")
    }
  }

  func run(_ console: Console) throws {
    let session = Session(output, console, outlivesReader: true)
    // What is no token anywhere is told of once, and before anything is deleted.
    for token in [retention.before].compactMap({ $0 }) + checkToken {
      _ = try TokenExpression(token, now: session.now)
    }
    var request = PruneRequest(retention.target)
    request.ifLargerThan = ifLarger?.bytes
    request.allowance = maxBehind?.allowance
    request.ignoredGuards = Set(ignoreGuard)
    request.tokens = checkToken
    let run = PruneRun(
      session: session, request: request, stores: stores,
      consent: try Consent(.delete, dryRun: dryRun, yes: yes, session: session),
      archiving: archive.map {
        PruneArchiving(
          run: ArchiveRun(
            session: session, archivePath: $0, busyTimeout: stores.busyTimeout, options: sealing,
            values: .usual, ignoredGuards: request.ignoredGuards))
      })
    try session.write(usesPager: false) { writer in try run.run(writer) }
    if run.status != .success { throw EndWithStatus(status: run.status) }
  }
}
