import ArgumentParser
import HistoryArchive
import HistoryCoding
import PersistentHistory
import StoreFormat
import Terminal

/// `histctl export`: the history as records for other programs.
struct Export: HistctlCommand, CheckedOptions {
  static let configuration = CommandConfiguration(
    commandName: "export",
    _superCommandName: "histctl",
    abstract: "Export transactions, oldest first, as records for other programs.",
    discussion: """
      The formats are jsonl (one JSON line per transaction, lossless), changes (one JSON line per \
      change), cloudevents, debezium and csv; histctl-export(1) says what each of them carries. \
      The options that select transactions are those of log. With --bookmark and --output-dir each \
      run writes what is new since the run before, so that a cron job loses and doubles nothing, \
      whatever interrupts it.

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

  func check() throws {
    if export.consumer != nil, filter.after != nil {
      throw ValidationError("--bookmark says where to start, so it cannot be combined with --after")
    }
    if output.json, export.format == .csv, export.file == nil, export.outputDir == nil {
      throw ValidationError("--json wants JSON on standard output, --format csv is none: give one")
    }
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
      let run = ExportRun(
        session: session, timeline: timeline, helpers: helpers, schema: schema, encoder: encoder,
        export: whole)
      if let folder = export.outputDir {
        try ExportFolder(
          run: run, folder: folder, format: export.format, resolver: resolver,
          bookmarkPath: store.bookmarkFile
        ).write(consumer: export.consumer).write(session, writer)
      } else if let path = export.file {
        try run.writeFile(path, overwrites: export.overwrite).write(session, writer)
      } else {
        if session.environment.isOutputTerminal, export.compression == .none {
          writer.guardedForm = export.format == .csv ? .csv : .json
        }
        try run.write(to: writer)
      }
    }
  }
  /// Keeps other runs for the same consumer waiting; nil where there is none, or nothing to read.
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
      // An archive, for which it is kept beside the folder; whatever else it is, reading it tells.
      bookmarkPath = BookmarkFile.path(besideStore: store.store)
    }
    return try RunLock(
      exportingFor: consumer, store: store.store, bookmarkPath: bookmarkPath,
      wait: export.lockWait?.seconds(before: session.now) ?? 0)
  }
}
