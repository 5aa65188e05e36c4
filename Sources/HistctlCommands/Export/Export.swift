import ArgumentParser
import HistoryArchive
import HistoryCoding
import HistoryOperations
import PersistentHistory
import StoreFormat
import Terminal

/// `histctl export`: writes the history as records for other programs.
struct Export: ReadingCommand {
  static let configuration = CommandConfiguration(
    commandName: "export",
    abstract: "Export transactions, oldest first, as records for other programs.",
    discussion: """
      The formats are jsonl (one JSON line per transaction, lossless), changes (one JSON line per \
      change), cloudevents, debezium, csv, timesketch, bodyfile and sqlite (a database); \
      histctl-export(1) describes them. The options that select transactions are those of log. \
      With --bookmark and --output-dir, each run writes what is new since the run before. An \
      interrupted run loses and repeats nothing when it is run again. Several stores are exported \
      into one folder, at the same time.

      Examples:
        histctl export default.store | jq .author
        histctl export default.store --format csv -o history.csv
        histctl export default.store -o history.sqlite
        histctl export default.store --after 2w --entity Trip -o trips.jsonl.zst
        histctl export default.store --with-current | jq '.changes[].current'
        histctl export default.store --output-dir logs --bookmark nightly
        histctl export default.store --archive history-archive --after 57
        histctl export history.jsonl.zst --format csv --entity Trip
        histctl export stores/*.store --output-dir lake --bookmark nightly \\
          --partition store,month
        histctl find /srv/apps -0 | histctl export --stores-from - --output-dir lake
      """)

  @OptionGroup var stores: SeveralStoresOptions
  @OptionGroup var copies: PrivateCopyOptions
  @OptionGroup var archive: ArchiveOptions
  @OptionGroup(title: "Which transactions") var tokens: RangeOptions
  @OptionGroup(title: "Which transactions") var authors: AuthorOptions
  @OptionGroup(title: "Which transactions") var conditions: ConditionOptions

  @Flag(help: "Leave out changes that do not match the options on changes.")
  var onlyMatching = false

  @OptionGroup var values: ValuesOptions
  @OptionGroup(title: "Form and place") var export: ExportOptions
  @OptionGroup(title: "Output") var output: OutputOptions

  /// The store, if it is the only one; a list of stores always counts as several.
  private var store: String? {
    stores.storesFrom == nil && stores.stores.count == 1 ? stores.stores[0] : nil
  }

  func validate() throws {
    if stores.storesFrom != nil || stores.stores.count > 1 {
      guard export.outputDir != nil else {
        throw ValidationError(
          "several stores are exported into a folder; name it with --output-dir")
      }
      guard stores.bookmarkFile == nil else {
        throw ValidationError(
          "--bookmark-file goes with one store; each of several has its own file")
      }
      guard values.valuesFile == nil else {
        throw ValidationError("--values-file goes with one store; each of several has its own file")
      }
    }
    if export.consumer != nil, copies.privateCopy != nil, stores.bookmarkFile == nil {
      throw ValidationError(
        "--bookmark with --private-copy needs --bookmark-file: the store's own bookmarks stay as they are"
      )
    }
    if export.consumer != nil, filter.after != nil {
      throw ValidationError(
        "--bookmark says where to start, so it cannot be combined with --after "
          + "or the beginning of a range")
    }
    if output.json, export.format.content != .jsonLines, export.file == nil,
      export.outputDir == nil
    {
      throw ValidationError(
        "--json cannot be combined with --format \(export.format.rawValue) on standard output")
    }
  }

  /// Returns which transactions and changes are asked for.
  func query(_ resolver: TokenResolver) throws -> HistoryQuery {
    var query = try filter.query(resolver, onlyMatching: onlyMatching)
    query.readsPresentObjects = export.withCurrent
    return query
  }

  private var filter: Filter { Filter(range: tokens, authors: authors, conditions: conditions) }

  func remedy(for token: UnusableToken) -> String {
    export.consumer == nil
      ? filter.remedy(for: token)
      : token.remedyOfBookmark(isInOtherFile: stores.bookmarkFile != nil)
  }

  var outlivesReader: Bool { export.file != nil || export.outputDir != nil }

  func run(_ session: Session) throws {
    let encoder = try export.encoder()
    guard let store else { return try runSeveral(session, encoder) }
    if export.consumer != nil, stores.bookmarkFile == nil, store == ExportedText.standardInput {
      throw Failure(
        .usage, "standard input has no place beside it for a bookmark",
        hint: "name the file of bookmarks with --bookmark-file")
    }
    if export.consumer != nil, stores.bookmarkFile == nil, let place = ContainedPath(store) {
      throw Failure(
        .contained, "\(store) is in \(place.container), where no bookmark can be kept",
        hint: "name the file of bookmarks with --bookmark-file, or export without --bookmark")
    }
    let lock = try export.consumer.flatMap {
      try RunLock.forExport(
        of: store, for: $0, bookmarkPath: stores.bookmarkFile, wait: lockWait(session))
    }
    defer { withExtendedLifetime(lock) {} }
    try session.read(
      session.input(store, stores, archive), usesPager: false, needsHistory: false,
      helperCount: StoreReading.helperCount
    ) { reading, helpers, resolver in
      var operation = try operation(reading, helpers, resolver, encoder)
      let begins = try beginsHistory(resolver)
      let files = try session.observing { observer in
        operation.observer = observer
        return try write(operation, session, resolver)
      }
      // After everything that may be refused.
      if begins { try noteBeginning(of: operation.export, reading) }
      for summary in files.map(\.summary) {
        try explain(summary, of: operation.export.query, reading)
      }
      if files.isEmpty, try reading.timeline.newestTransaction() == nil {
        try reading.explainEmptyAnswer(to: operation.export.query)
      }
      if export.file != nil || export.outputDir != nil {
        try report(files, session)
      }
    }
  }

  private func lockWait(_ session: Session) -> Double {
    export.lockWait?.seconds(before: session.now) ?? 0
  }

  /// Whether the export does not go on where an earlier one ended.
  private func beginsHistory(_ resolver: TokenResolver) throws -> Bool {
    guard let name = export.consumer else { return true }
    return try !BookmarkFile(path: resolver.bookmarkPath).bookmarks.contains { $0.name == name }
  }

  /// Notes where the history begins, if its beginning is missing.
  ///
  /// - Parameter name: The name of the history in messages, if there are several.
  private func noteBeginning(
    of export: HistoryExport, _ reading: HistoryReading, among name: String? = nil
  ) throws {
    if let gap = export.missingBeginning {
      try reading.note(missingBeginning: gap, among: name)
    } else {
      try reading.noteBeginning(of: export.query, among: name)
    }
  }

  /// Makes the export of a history.
  private func operation(
    _ reading: HistoryReading, _ helpers: SnapshotHelpers?, _ resolver: TokenResolver,
    _ encoder: any HistoryEncoder
  ) throws -> ExportOperation {
    let timeline = reading.timeline
    _ = try timeline.snapshot?.historyTables()
    var query = try query(resolver)
    let schema = try reading.schema(joinsArchive: !query.change.isEmpty)
    try values.apply(to: &query, reading)
    var whole = HistoryExport(query: query, compression: export.compression)
    whole.missingBeginning = try resolver.missingBeginning(after: filter.after)
    return ExportOperation(
      timeline: timeline, helpers: helpers, schema: schema, format: export.format, encoder: encoder,
      export: whole,
      observer: { _ in })
  }

  /// Exports to the place that the options name.
  ///
  /// - Returns: The written files, or one part without a path for standard output; none if nothing was
  ///   new.
  private func write(
    _ operation: ExportOperation, _ session: Session, _ resolver: TokenResolver
  ) throws -> [ExportFolder.File] {
    if let folder = export.outputDir {
      let target = try ExportFolder(
        operation, to: folder, layout: export.layout, resolver: resolver,
        bookmarkPath: stores.bookmarkFile)
      let plan = try target.plan(consumer: export.consumer)
      if let consumer = plan.consumer, plan.isNewConsumer {
        session.diagnostics.note(
          "the bookmark \(consumer) is new: exporting "
            + (plan.start.map { "what was saved after \($0)" } ?? "from the beginning"))
      }
      return try target.write(plan)
    }
    if let path = export.file {
      let summary = try operation.writeFile(path, overwrites: export.overwrite)
      return [ExportFolder.File(path: path, summary: summary)]
    }
    if session.environment.isOutputTerminal, export.compression == .none {
      session.writer.guardedForm = export.format.content == .jsonLines ? .json : .text
    }
    // One call at a time, whichever thread it comes from.
    nonisolated(unsafe) let output = session.writer
    return [ExportFolder.File(path: "-", summary: try operation.write { try output.write($0) })]
  }

  /// Exports several histories into a folder.
  private func runSeveral(_ session: Session, _ encoder: any HistoryEncoder) throws {
    let inputs = try session.inputs(stores, archive)
    let isolation = StoreIsolation(session: session, amongSeveral: true)
    let names = UnknownNames()
    let summary = try session.observing { observer in
      var run = ExportRun(
        inputs, to: export.outputDir ?? "", format: export.format,
        maker: "histctl \(Version.text)", now: session.now, observer: observer)
      run.listedStores = session.listedStores
      run.layout = export.layout
      run.consumer = export.consumer
      run.lockWait = lockWait(session)
      var summary: ExportRun.Summary?
      try session.write(usesPager: false) { writer in
        let end = try run.run {
          try prepare(
            HistoryReading(session: session, timeline: $0), $1, $2, encoder, names)
        } ended: { outcome in
          if output.json {
            for file in outcome.files {
              try writer.writeLine(file.json(source: outcome.path, store: outcome.storeIdentifier))
            }
          }
          guard let error = outcome.error else {
            if outcome.isWithoutHistory {
              try isolation.run(outcome.path) {
                throw StoreError.withoutHistory(path: outcome.path)
              }
            }
            return nil
          }
          try isolation.run(outcome.path) { throw error }
          return Failure(error).naming(outcome.path, amongSeveral: true).json
        }
        if output.json { try writer.writeLine(end.json) }
        summary = end
      }
      return summary
    }
    isolation.noteSkipped()
    if let summary, !output.json, session.environment.isErrorTerminal {
      session.diagnostics.note(text(of: summary))
    }
    let doneCount = summary.map { $0.exported + $0.unchanged + $0.skipped } ?? 0
    session.end(with: isolation.status(isAnyDone: doneCount > 0))
    names.report(session, onlyObjects: summary?.transactions != 0)
  }

  /// Makes the export of one of several histories; `nil` if it does not have what conditions name.
  private func prepare(
    _ reading: HistoryReading, _ helpers: SnapshotHelpers?, _ resolver: TokenResolver,
    _ encoder: any HistoryEncoder, _ names: UnknownNames
  ) throws -> ExportOperation? {
    try names.unlessUnknown {
      let operation = try operation(reading, helpers, resolver, encoder)
      let query = operation.export.query
      _ = try TimelineReader(
        reading.timeline, query: query.readingNewestFirst, schema: operation.schema)
      if try beginsHistory(resolver) {
        try noteBeginning(of: operation.export, reading, among: reading.timeline.path)
      }
      try names.search(reading, for: query)
      return operation
    }
  }

  private func text(of summary: ExportRun.Summary) -> String {
    var parts = [
      "exported \(summary.transactions.counted("transaction")) of "
        + "\(summary.exported.counted("store")) into \(summary.files.counted("file"))"
    ]
    if summary.unchanged > 0 { parts.append("\(summary.unchanged.grouped) had nothing new") }
    if summary.failed > 0 { parts.append("\(summary.failed.grouped) failed") }
    return parts.joined(separator: ", ") + "; see \(summary.manifest)"
  }

  private func explain(
    _ summary: ExportSummary, of query: HistoryQuery, _ reading: HistoryReading
  ) throws {
    summary.gaps.forEach(reading.report)
    reading.noteUnknownHierarchy(of: query)
    if summary.transactions == 0 {
      try reading.explainEmptyAnswer(to: query)
    } else if query.change.objects.count > 1 {
      // Others of several objects may have made the answer.
      _ = try reading.reportUnknownNames(in: query, onlyObjects: true)
    }
  }

  /// Reports files: as JSON on standard output, otherwise in notes for a person at a terminal.
  private func report(_ files: [ExportFolder.File], _ session: Session) throws {
    if output.json {
      for file in files { try session.writer.writeLine(file.json()) }
      if files.isEmpty { try session.writer.writeLine(.record("export", ["transactions": 0])) }
    } else if session.environment.isErrorTerminal {
      for file in files { session.diagnostics.note(text(of: file)) }
      if files.isEmpty { session.diagnostics.note("nothing new to export") }
    }
  }

  private func text(of file: ExportFolder.File) -> String {
    guard let first = file.summary.first, let last = file.summary.last else {
      return "no transactions match; \(file.path) is empty"
    }
    return "exported \(file.summary.transactions.grouped) transactions, \(first.number) to "
      + "\(last.number), to \(file.path)"
  }
}
