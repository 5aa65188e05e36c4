import ArgumentParser
import HistoryArchive
import HistoryCoding
import HistoryOperations
import PersistentHistory
import StoreFormat
import Terminal

/// `histctl export`: writes the history as records for other programs.
struct Export: HistctlCommand {
  static let configuration = CommandConfiguration(
    commandName: "export",
    abstract: "Export transactions, oldest first, as records for other programs.",
    discussion: """
      The formats are jsonl (one JSON line per transaction, lossless), changes (one JSON line per \
      change), cloudevents, debezium and csv; histctl-export(1) describes them. The options that \
      select transactions are those of log. With --bookmark and --output-dir, each run writes what \
      is new since the run before. An interrupted run loses and repeats nothing when it is run \
      again.

      Examples:
        histctl export default.store | jq .author
        histctl export default.store --format csv -o history.csv
        histctl export default.store --after 2w --entity Trip -o trips.jsonl.zst
        histctl export default.store --with-current | jq '.changes[].current'
        histctl export default.store --output-dir logs --bookmark nightly
        histctl export default.store --archive history-archive --after 57
        histctl export history.jsonl.zst --format csv --entity Trip
      """)

  @OptionGroup var store: StoreOptions
  @OptionGroup var archive: ArchiveOptions
  @OptionGroup(title: "Which transactions") var filter: FilterOptions

  @Flag(help: "Leave out changes that do not match the options on changes.")
  var onlyMatching = false

  @OptionGroup var values: ValuesOptions
  @OptionGroup(title: "Form and place") var export: ExportOptions
  @OptionGroup(title: "Output") var output: OutputOptions

  func validate() throws {
    if export.consumer != nil, filter.after != nil {
      throw ValidationError("--bookmark says where to start, so it cannot be combined with --after")
    }
    if output.json, export.format == .csv, export.file == nil, export.outputDir == nil {
      throw ValidationError("--json cannot be combined with --format csv on standard output")
    }
  }

  func remedy(for token: UnusableToken) -> String {
    export.consumer == nil
      ? filter.remedy(for: token)
      : token.remedyOfBookmark(isInOtherFile: store.bookmarkFile != nil)
  }

  func run(_ console: Console) throws {
    let session = Session(
      output, console, outlivesReader: export.file != nil || export.outputDir != nil)
    let encoder = try export.encoder()
    if export.consumer != nil, store.bookmarkFile == nil,
      store.store == ExportedText.standardInput
    {
      throw Failure(
        status: .usage, kind: "usage",
        message: "standard input has no place beside it for a bookmark",
        hint: "name the file of bookmarks with --bookmark-file")
    }
    let lock = try lock(session)
    defer { withExtendedLifetime(lock) {} }
    try session.readHistoryTogether(store, archive) { writer, timeline, helpers, resolver in
      _ = try timeline.snapshot?.historyTables()
      var query = try filter.query(resolver)
      let schema = try session.schema(of: timeline, joinsArchive: !query.change.isEmpty)
      if query.selectsEverything { try session.warnOfTornCounters(in: timeline.snapshot) }
      query.keepsOnlyMatchingChanges = onlyMatching
      query.readsPresentObjects = export.withCurrent
      try values.apply(to: &query, session, timeline)
      var whole = HistoryExport(query: query, compression: export.compression)
      if let gap = try resolver.missingBeginning(after: filter.after) {
        whole.missingBeginning = gap
        let gaps = GapReport(session: session, timeline: timeline)
        try output.json ? session.diagnostics.record(gap) : gaps.note(gap)
      }
      let (path, summary) = try session.observing { observer in
        try write(
          ExportOperation(
            timeline: timeline, helpers: helpers, schema: schema, encoder: encoder, export: whole,
            observer: observer), session, writer, resolver)
      }
      if let summary { try explain(summary, of: query, timeline, session) }
      if export.file != nil || export.outputDir != nil {
        try ExportReport(path: path, summary: summary ?? ExportSummary()).write(session, writer)
      }
    }
  }

  /// Exports to where the options say.
  ///
  /// - Returns: The file, and what was written to it or to standard output; `nil` if nothing was new.
  private func write(
    _ operation: ExportOperation, _ session: Session, _ writer: OutputWriter,
    _ resolver: TokenResolver
  ) throws -> (path: String?, summary: ExportSummary?) {
    if let folder = export.outputDir {
      let target = try ExportFolder(
        operation, to: folder, format: export.format, resolver: resolver,
        bookmarkPath: store.bookmarkFile)
      let plan = try target.plan(consumer: export.consumer)
      if let consumer = plan.consumer, plan.isNewConsumer {
        session.diagnostics.note(
          "the bookmark \(consumer) is new: exporting "
            + (plan.start.map { "what was saved after \($0)" } ?? "the whole history"))
      }
      let result = try target.write(plan)
      return (result.path, result.path == nil ? nil : result.summary)
    }
    if let path = export.file {
      return (path, try operation.writeFile(path, overwrites: export.overwrite))
    }
    if session.environment.isOutputTerminal, export.compression == .none {
      writer.guardedForm = export.format == .csv ? .csv : .json
    }
    // One call at a time, whichever thread it comes from.
    nonisolated(unsafe) let output = writer
    return (nil, try operation.write { try output.write($0) })
  }

  private func explain(
    _ summary: ExportSummary, of query: HistoryQuery, _ timeline: HistoryTimeline,
    _ session: Session
  ) throws {
    GapReport(session: session, timeline: timeline).tell(summary.gaps)
    session.noteUnknownHierarchy(of: query, in: timeline)
    if summary.transactions == 0, !query.isUnconditional {
      try session.explainEmptyAnswer(to: query, of: timeline)
    }
  }

  /// Keeps other runs for the same consumer waiting; `nil` without a consumer, or if nothing is there to
  /// read.
  private func lock(_ session: Session) throws -> RunLock? {
    guard let consumer = export.consumer else { return nil }
    guard Bookmark.isName(consumer) else { throw HistoryError.malformedBookmarkName(consumer) }
    let bookmarkPath: String
    do {
      bookmarkPath =
        try store.bookmarkFile
        ?? BookmarkFile.path(besideStore: StoreLocation(path: store.store).resolvedPath)
    } catch StoreError.missing {
      return nil
    } catch {
      // An archive keeps its bookmarks beside its folder. Any other problem shows when it is read.
      bookmarkPath = BookmarkFile.path(besideStore: store.store)
    }
    return try RunLock(
      exportingFor: consumer, store: store.store, bookmarkPath: bookmarkPath,
      wait: export.lockWait?.seconds(before: session.now) ?? 0)
  }
}

/// What an export has written into a file.
private struct ExportReport {
  let path: String?
  let summary: ExportSummary

  /// Writes JSON to standard output; otherwise notes it for a person at a terminal.
  func write(_ session: Session, _ writer: OutputWriter) throws {
    if session.options.json {
      try writer.writeLine(json)
    } else if session.environment.isErrorTerminal {
      session.diagnostics.note(text)
    }
  }

  private var text: String {
    guard let path else { return "nothing new to export" }
    guard let first = summary.first, let last = summary.last else {
      return "no transactions match; \(path) is empty"
    }
    return "exported \(summary.transactions.grouped) transactions, \(first.number) to "
      + "\(last.number), to \(path)"
  }

  private var json: JSONValue {
    var members = JSONMembers(type: "export")
    members.add("path", path.map(JSONValue.string))
    members.add("transactions", .integer(Int64(summary.transactions)))
    members.add("first", summary.first.map { .integer($0.number) })
    members.add("last", summary.last.map { .integer($0.number) })
    return members.json
  }
}
