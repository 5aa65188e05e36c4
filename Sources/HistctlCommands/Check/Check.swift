import ArgumentParser
import HistoryCoding
import HistoryOperations
import PersistentHistory
import StoreFormat
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

/// The health of histories: a line for each healthy one and for each finding, or JSON lines.
struct CheckReport: FieldPage {
  let session: Session

  func write(_ result: HistoryCheck.Result, path: String) throws {
    let health = result.health
    if isJSON {
      let bookmarks = BookmarkReport(session: session, storeIdentifier: health.storeIdentifier)
      return try writer.writeLine(
        json(
          health, path: path, bookmarks: health.bookmarks.map(bookmarks.json), result.knownValues))
    }
    if health.findings.isEmpty, !session.options.quiet {
      try line(path, "ok, \(summary(health))", .inserted)
    }
    for finding in health.findings { try line(path, text(finding), .deleted) }
  }

  // MARK: - For people

  private func summary(_ health: HistoryHealth) -> String {
    var parts = [health.transactionCount.counted("transaction")]
    if let bytes = health.historyByteCount { parts.append("\(ByteCount(bytes))") }
    if let time = health.oldest?.timestamp { parts.append("oldest: \(self.time.text(time))") }
    if !health.bookmarks.isEmpty {
      parts.append(health.bookmarks.count.counted("bookmark"))
    }
    if let behind = health.mirroring?.transactionsBehind, behind > 0 {
      parts.append("the mirror is \(behind.counted("transaction")) behind")
    }
    if let failures = health.mirroring?.failedExports {
      parts.append("upload to CloudKit \(failures.text(time))")
    }
    if health.unfinishedLog != nil { parts.append("its -wal ends in the middle of a save") }
    return parts.joined(separator: ", ")
  }

  private func text(_ finding: HistoryFinding) -> String {
    switch finding {
    case .tooLarge(let bytes, let limit):
      return "the history is \(ByteCount(bytes)) (limit \(ByteCount(limit)))"
    case .missingChanges(let missing): return missing.text
    case .tooOld(let oldest, let limit):
      return "the oldest transaction, \(oldest.number) of \(time.text(oldest.timestamp)), "
        + "is older than \(limit)"
    case .failingExport(let failures, let limit):
      return "upload to CloudKit \(failures.text(time)) (limit \(limit))"
    case .unreadableMirroring(let reason):
      return "whether uploads to CloudKit fail is not known: \(reason)"
    case .unusableBookmark(let status):
      return "the bookmark \(status.token.text) does not work: it is \(status.token.state.name)"
    case .lostBookmark(let status, let allowance):
      return "the bookmark \(status.behindText(limit: allowance, time))"
    case .shortHeadroom(let status, let limit):
      let wanted = limit.map { " (minimum \($0))" } ?? ""
      switch status.headroom {
      case .seconds(let seconds):
        let left = RelativeTime.describe(secondsAgo: -seconds)
        return "the bookmark \(status.token.text) would expire \(left)\(wanted)"
      case .exhausted, .unlimited, nil:
        return "the bookmark \(status.token.text) would expire at once\(wanted)"
      }
    case .unreadableBookmarks(let error): return error.message
    case .damagedLog(let reason): return reason
    case .damaged(let finding): return "damaged: \(finding.place): \(finding.detail)"
    }
  }

  // MARK: - For programs

  private func json(
    _ health: HistoryHealth, path: String, bookmarks: [JSONValue], _ values: KnownValues?
  ) -> JSONValue {
    .record(
      "check",
      [
        "path": path, "store": health.storeIdentifier, "ok": health.findings.isEmpty,
        "storeBytes": health.storeByteCount, "freeBytes": health.freeByteCount,
        "bytes": health.historyByteCount, "transactions": health.transactionCount,
        "oldest": health.oldest, "newest": health.newest,
        "mirroring": health.mirroring?.json, "bookmarks": bookmarks,
        "values": values?.recordedJSON, "logValues": values?.logJSON,
        "findings": health.findings.map { finding in
          JSONValue.object(of: [
            "finding": finding.kind, "bookmark": finding.bookmark?.name, "message": text(finding),
          ])
        },
        "notices": health.unfinishedLog.map {
          [JSONValue.object(of: ["kind": "unfinishedLog", "message": $0])]
        },
      ])
  }
}
