import ArgumentParser
import HistoryOperations
import PersistentHistory
import Terminal

/// `histctl check`: whether histories stay within limits.
struct Check: ReadingCommand {
  static let configuration = CommandConfiguration(
    commandName: "check",
    abstract: "Say whether histories stay within limits, for monitoring.",
    discussion: """
      Checks the size of the history, the age of its oldest transaction and its bookmarks. The newest \
      transaction, which prune always keeps, is never too old. The exit \
      status is 1 if one of them is beyond its limit, or a bookmark does not work. With \
      --prometheus, writes metrics for the textfile collector of the node exporter.

      Examples:
        histctl check default.store --max-size 50M --max-age 90d
        histctl check default.store --keep-within 30d --min-headroom 7d --max-behind 21d
        histctl check default.store --max-size 50M --quiet
        histctl check default.store --prometheus
        histctl check default.store --prometheus -o histctl.prom
      """)

  @OptionGroup var stores: SeveralStoresOptions
  @OptionGroup var copies: PrivateCopyOptions
  @OptionGroup(title: "Limits") var limits: LimitOptions
  @OptionGroup(title: "Bookmarks") var bookmarkLimits: BookmarkLimitOptions

  @Flag(help: "Write metrics in Prometheus' text format.")
  var prometheus = false

  @Option(
    name: .output, value: .init("file", .file(extensions: ["prom"])),
    help: "Write the metrics to this file, which is replaced in one step.")
  var outputFile: String?

  @OptionGroup(title: "Output") var output: OutputOptions

  func validate() throws {
    if limits.minHeadroom != nil, bookmarkLimits.retention == nil {
      throw ValidationError(
        "--min-headroom needs a retention rule: add "
          + "--keep-within or --keep-last")
    }
    if prometheus, output.json {
      throw ValidationError("--prometheus cannot be combined with --json")
    }
    if outputFile != nil, !prometheus {
      throw ValidationError("--output is for metrics; add --prometheus")
    }
    try NewPlace.file.check(outputFile, of: "--output")
  }

  func run(_ session: Session) throws {
    let paths = try stores.paths(session)
    var limits = limits.limits
    limits.retention = bookmarkLimits.retention
    limits.allowance = bookmarkLimits.maxBehind
    limits.ignoresBookmarksOfOtherStores =
      stores.bookmarkFile != nil && paths.count > 1
    let check = HistoryCheck(limits)
    let isolation = StoreIsolation(session: session, amongSeveral: paths.count > 1)
    try session.write(usesPager: false) { writer in
      let report = CheckReport(session: session)
      var metrics = HistoryMetrics()
      for path in paths {
        var checked: HistoryCheck.Result?
        try isolation.run(path) {
          let result = try check.run(
            stores.context(path, session) { _ in },
            prometheus ? .statistics : output.json ? .knownValues : .nothing)
          checked = result
          let findings = result.health.findings
          if findings.contains(where: \.isDamage) { isolation.end(with: .damaged) }
          if !findings.isEmpty { isolation.end(with: .answerIsNo) }
          if !prometheus { try report.write(result, path: path) }
          if let problem = result.problem { throw problem }
        }
        if prometheus, isolation.skipped.last != path {
          metrics.add(checked, path: path, hasLimit: limits.allowance != nil)
        }
      }
      isolation.noteSkipped()
      guard prometheus else { return }
      if let outputFile {
        try MetricsFile(outputFile).replace(with: metrics.text, about: paths)
      } else {
        try writer.write(metrics.text)
      }
    }
    throw EndWithStatus(status: isolation.status)
  }
}
