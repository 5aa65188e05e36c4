import ArgumentParser
import HistoryArchive
import HistoryOperations
import PersistentHistory
import Terminal

/// `histctl forget`: deletes the beginning of archived histories and merges small segments.
struct Forget: HistctlCommand {
  static let configuration = CommandConfiguration(
    commandName: "forget",
    abstract: "Delete the beginning of a history in an archive.",
    discussion: """
      Deletes sealed transactions before one and keeps it and all after it, for each store of the \
      archive. With several rules, a transaction is deleted only if every rule allows it. The \
      newest transaction always stays, so that sealing continues after it. Bookmarks keep what their \
      consumers have not read. --merge makes larger segments of small ones, with the same lines. The \
      catalog records both in its chain, so that a head kept elsewhere still proves the rest. forget \
      shows what would be deleted and, on a terminal, asks; in scripts, pass --yes or --dry-run. \
      Stores are not changed.

      Examples:
        histctl forget history-archive --keep-within 2y --dry-run
        histctl forget history-archive --keep-within 2y --merge --yes --quiet
        histctl forget history-archive --merge
      """)

  @Argument(value: .folder, help: "The folder of the archive.")
  var archive: String

  @Option(value: "identifier", help: "The only store to work on, in an archive of several.")
  var storeIdentifier: String?

  @OptionGroup(title: "What to keep") var keep: KeepOptions

  @Option(
    name: .customLong("bookmark-file"), value: .file,
    help: "Ask the bookmarks of this file too, not only DIR-bookmarks.json.")
  var bookmarkFiles: [String] = []

  @Option(value: "name", help: "Ignore this guard: bookmarks, or one bookmark as @name.")
  var ignoreGuard: [String] = []

  @Flag(help: "Merge small segments, up to the size of a segment.")
  var merge = false

  @OptionGroup(title: "The archive") var writing: ArchiveWritingOptions

  @Flag(name: [.customShort("n"), .long], help: "Show what would be deleted, and change nothing.")
  var dryRun = false

  @Flag(name: .shortAndLong, help: "Delete without asking.")
  var yes = false

  @OptionGroup(title: "Output") var output: OutputOptions

  func validate() throws {
    guard merge || !keep.rules.isEmpty else {
      throw ValidationError(
        "no retention rule given: use --before, --keep-within or --keep-last, or only --merge")
    }
    for name in ignoreGuard where !name.hasPrefix("@") {
      _ = try GuardArgument.name(
        parsing: name, among: [RetentionGuard.bookmarksName, "@NAME"], of: "forget")
    }
    if !merge, writing.segmentSize != nil {
      throw ValidationError("--segment-size is the size of merged segments; add --merge")
    }
  }

  var outlivesReader: Bool { true }

  func run(_ session: Session) throws {
    // Merging loses nothing.
    let consent = try Consent(
      .delete, dryRun: dryRun, yes: yes || keep.rules.isEmpty, session: session)
    var request = request
    request.lockWait = writing.lockWait?.seconds(before: session.now) ?? 0
    let operation = ForgetOperation(request, now: session.now)
    try session.write(usesPager: false) { writer in
      let plans = try operation.plans()
      let report = ForgetReport(session: session, namesStores: plans.count > 1)
      for plan in plans { report.warn(of: plan) }
      let isNothing = !consent.isDryRun && plans.allSatisfy { $0.forgotten == nil }
      if !isNothing, consent.isDryRun || consent.asks { try plans.forEach(report.write) }
      guard try isNothing || consent.permits(ForgetReport.question(plans)) else { return }
      try operation.run(plans, report: report.write)
    }
  }

  /// What is asked for.
  var request: ForgetRequest {
    var request = ForgetRequest(archivePath: archive)
    request.rules = keep.rules
    request.merges = merge
    if let size = writing.segmentSize { request.segmentSize = size.bytes }
    request.storeIdentifier = storeIdentifier
    request.bookmarkPaths = bookmarkFiles
    request.ignoredGuards = Set(ignoreGuard)
    return request
  }
}
