import ArgumentParser
import Terminal

/// `histctl verify`: looks for damage in a store's history or an archive.
struct Verify: HistctlCommand {
  static let configuration = CommandConfiguration(
    commandName: "verify",
    _superCommandName: "histctl",
    abstract: "Look for damage and oddities in a store's history or in an archive.",
    discussion: """
      In a store, SQLite checks the pages of the history's tables, the -wal is compared with its own \
      checksums, and every row is looked at. In an archive every digest, checksum and line is worked \
      out anew; --anchor also sees segments that were taken away. Each finding comes with its place, \
      its meaning and what to do. Ends with 5 where something is damaged, with 1 where something \
      else was found. Nothing is changed.

      Examples:
        histctl verify default.store
        histctl verify default.store --full --quiet
        histctl verify history-archive --subset 1/7
        histctl verify default.store --archive history-archive --json
      """)

  @OptionGroup var target: VerifyOptions
  @OptionGroup(title: "What to look at") var look: LookOptions
  @OptionGroup(title: "Output") var output: OutputOptions

  func run(_ console: Console) throws {
    let session = Session(output, console)
    let run = VerifyRun(session: session, target: target, look: look)
    try run.validate()
    try session.write(usesPager: false) { try run.run($0) }
    if run.status != .success { throw EndWithStatus(status: run.status) }
  }
}
