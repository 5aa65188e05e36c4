import ArgumentParser
import PersistentHistory
import Terminal

/// `histctl check`: whether histories stay within limits.
struct Check: HistctlCommand, CheckedOptions {
  static let configuration = CommandConfiguration(
    commandName: "check",
    _superCommandName: "histctl",
    abstract: "Say whether histories stay within limits, for monitoring.",
    discussion: """
      Looks at the size of the history, the age of its oldest transaction and its bookmarks, and \
      ends with 1 when one of them is beyond its limit. A bookmark that does not work is so in any \
      case. With --prometheus it writes metrics for the textfile collector of the node exporter.

      Examples:
        histctl check default.store --max-size 50M --max-age 90d
        histctl check default.store --keep-within 30d --min-headroom 7d --max-behind 21d
        histctl check default.store --max-size 50M --quiet
        histctl check default.store --prometheus
      """)

  @OptionGroup var stores: SeveralStoresOptions
  @OptionGroup(title: "Limits") var limits: LimitOptions
  @OptionGroup(title: "What to hold bookmarks to") var outlook: BookmarkOutlookOptions

  @Flag(help: "Write metrics in the text format of Prometheus.")
  var prometheus = false

  @OptionGroup(title: "Output") var output: OutputOptions

  func check() throws {
    if limits.minHeadroom != nil, outlook.retention == nil {
      throw ValidationError(
        "--min-headroom asks when a retention would expire bookmarks; say which one with "
          + "--keep-within or --keep-last")
    }
    if prometheus, output.json {
      throw ValidationError("--prometheus and --json are two forms; choose one")
    }
  }

  func run(_ console: Console) throws {
    let session = Session(output, console)
    var limits = limits.limits
    limits.retention = outlook.retention
    limits.allowance = outlook.maxBehind?.allowance
    limits.ignoresBookmarksOfOtherStores =
      stores.bookmarkFile != nil && stores.stores.count > 1
    let run = CheckRun(session: session, stores: stores, limits: limits)
    try session.write(usesPager: false) { writer in
      prometheus ? try run.writeMetrics(writer) : try run.writeReports(writer)
    }
    if run.status != .success { throw EndWithStatus(status: run.status) }
  }
}
