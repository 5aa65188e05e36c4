import ArgumentParser
import PersistentHistory
import StoreFormat
import Terminal

/// `histctl compact`: gives free pages of a store back to the file system.
struct Compact: HistctlCommand {
  static let configuration = CommandConfiguration(
    commandName: "compact",
    _superCommandName: "histctl",
    abstract: "Give pages of a store that hold nothing back to the file system.",
    discussion: """
      Deleting history does not make a file smaller. This does, a few pages at a time and beside a \
      running app, in a store that was made for it, as those of Apple's frameworks are. --full \
      rebuilds the store instead: nobody else may have it open, and it needs twice its size for a \
      while. It is refused where it would number the rows of a table anew.

      Examples:
        histctl compact default.store --dry-run
        histctl compact default.store
        histctl compact default.store --full --json
      """)

  @OptionGroup var store: StoreOptions

  @Flag(help: "Rebuild the whole store; no other program may have it open.")
  var full = false

  @Flag(
    name: [.customShort("n"), .long], help: "Show how much can be freed, and change nothing.")
  var dryRun = false

  @OptionGroup var guards: DamageGuardOptions

  @OptionGroup(title: "Output") var output: OutputOptions

  func run(_ console: Console) throws {
    let session = Session(output, console, outlivesReader: true)
    if dryRun {
      try session.read(store, usesPager: false) { writer, snapshot, _ in
        try EvidentDamage.check(snapshot, ignoredGuards: guards.ignoredGuards)
        let report = try CompactReport(plannedFor: snapshot, isFull: full)
        try report.write(session, writer)
        if report.refusal != nil { session.end(with: .refused) }
      }
    } else {
      try session.write(usesPager: false) { writer in
        try CompactRun(session: session, store: store, ignoredGuards: guards.ignoredGuards)
          .run(isFull: full, writer)
      }
      if session.status != .success { throw EndWithStatus(status: session.status) }
    }
  }
}
