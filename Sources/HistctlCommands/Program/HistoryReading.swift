import HistoryCoding
import HistoryOperations
import PersistentHistory
import StoreFormat
import Terminal

/// Reading by commands: operations open the input, and the session shows their warnings and progress.
extension Session {
  /// Runs an operation, shows its events, and keeps what it has done for ``WorkDone``.
  func observing<Result>(
    _ operation: (@escaping OperationObserver) throws -> Result
  ) rethrows -> Result {
    let display = OperationDisplay(self)
    defer { display.endProgress() }
    return try operation { display.show($0) }
  }

  // MARK: - Stores

  /// Opens a store for reading, and warns if a part of its log is damaged.
  func open(_ path: String, busyTimeout: Double) throws -> StoreFile {
    try observing { try StoreReading.open(path, busyTimeout: busyTimeout, observer: $0) }
  }

  /// Reads a store in one snapshot, writes what `body` finds, and ends with the session's status.
  func read(
    _ store: StoreOptions, usesPager: Bool = true,
    _ body: (OutputWriter, StoreSnapshot, TokenResolver) throws -> Void
  ) throws {
    try read(
      open(store.store, busyTimeout: store.busyTimeout), store, usesPager: usesPager, body)
  }

  /// Reads a store that is open already.
  func read(
    _ file: StoreFile, _ store: StoreOptions, usesPager: Bool = true,
    _ body: (OutputWriter, StoreSnapshot, TokenResolver) throws -> Void
  ) throws {
    // The snapshot ends before the pager is waited for: a reader that takes an hour must not keep the
    // app's log from being checkpointed.
    try write(usesPager: usesPager) { writer in
      try file.read { snapshot in
        try body(
          writer, snapshot,
          TokenResolver(snapshot: snapshot, bookmarkPath: store.bookmarkFile, now: now))
      }
    }
    if status != .success { throw EndWithStatus(status: status) }
  }

  // MARK: - Histories

  /// Returns the input that options name.
  func input(_ store: StoreOptions, _ archive: ArchiveOptions) -> HistoryInput {
    input(store.store, store.bookmarkFile, archive)
  }

  private func input(
    _ store: String, _ bookmarkFile: String?, _ archive: ArchiveOptions
  ) -> HistoryInput {
    let display = OperationDisplay(self)
    return HistoryInput(
      store, archivePath: archive.archive, storeIdentifier: archive.storeIdentifier,
      bookmarkPath: bookmarkFile, now: now
    ) { display.show($0) }
  }

  /// Reads a store, its archive, or both as one history, writes what `body` finds, and ends with the
  /// session's status.
  func readHistory(
    _ store: StoreOptions, _ archive: ArchiveOptions, usesPager: Bool = true,
    _ body: (OutputWriter, HistoryTimeline, TokenResolver) throws -> Void
  ) throws {
    let input = input(store, archive)
    guard let alone = try input.archiveAlone() else {
      return try read(store, usesPager: usesPager) { writer, snapshot, _ in
        let timeline = try input.timeline(of: snapshot)
        try warnOfTornCopy(in: snapshot)
        try body(writer, timeline, input.resolver(timeline))
      }
    }
    try write(usesPager: usesPager) { writer in
      let timeline = HistoryTimeline(alone)
      try body(writer, timeline, input.resolver(timeline))
    }
    if status != .success { throw EndWithStatus(status: status) }
  }

  /// Reads a history on several threads; an archive without its store is read on one.
  func readHistoryTogether(
    _ store: String, _ options: SeveralStoresOptions, _ archive: ArchiveOptions,
    _ body: (OutputWriter, HistoryTimeline, SnapshotHelpers?, TokenResolver) throws -> Void
  ) throws {
    let input = input(store, options.bookmarkFile, archive)
    try write(usesPager: false) { writer in
      try input.read(busyTimeout: options.busyTimeout, helperCount: StoreReading.helperCount) {
        try warnOfTornCopy(in: $0.snapshot)
        try body(writer, $0, $1, $2)
      }
    }
    if status != .success { throw EndWithStatus(status: status) }
  }

  // MARK: - Names

  /// Returns the names of entities and attributes, and warns if the model cannot be read.
  ///
  /// - Parameter namesAttributes: Whether names of attributes are needed as well.
  func schema(of snapshot: StoreSnapshot, namesAttributes: Bool = true) throws -> HistorySchema {
    try observing {
      try StoreReading.warnOfModel(in: snapshot, readsModel: namesAttributes, observer: $0)
    }
    return namesAttributes
      ? try HistorySchema(snapshot) : HistorySchema(namesOf: snapshot.entities)
  }

  /// Returns the names of a whole history.
  ///
  /// - Parameter joinsArchive: Whether names that only the archive has are needed, for which all its
  ///   manifests are read. Its transactions bring their own names.
  func schema(
    of timeline: HistoryTimeline, namesAttributes: Bool = true, joinsArchive: Bool = true
  ) throws -> HistorySchema {
    let store = try timeline.snapshot.map { try schema(of: $0, namesAttributes: namesAttributes) }
    return joinsArchive ? try timeline.schema(store) : store ?? HistorySchema(entities: [])
  }

  // MARK: - Notes on what was read

  /// Warns of counters that are lower than numbers in use.
  func warnOfTornCopy(in snapshot: StoreSnapshot?) throws {
    guard let snapshot else { return }
    try observing { try StoreReading.warnOfTornCopy(in: snapshot, observer: $0) }
  }

  /// Explains an empty answer: savers and objects that the history does not have, and a history whose
  /// transactions were deleted. If nothing matches, or nothing was ever saved, only a person is told.
  ///
  /// - Parameter skipped: The number of newest matches that were to be left out.
  func explainEmptyAnswer(
    to query: HistoryQuery, of timeline: HistoryTimeline, skipped: Int = 0
  ) throws {
    guard !hasReportedEmptyHistory else { return }
    let newest = try timeline.newestTransaction()
    if newest == nil, let gap = try timeline.missingBeginning() {
      return try GapReport(session: self, timeline: timeline).note(missingBeginning: gap)
    }
    if try warnOfUnknownNames(in: query, of: timeline) { return }
    guard environment.isErrorTerminal, !options.json else { return }
    diagnostics.note(
      newest.map {
        skipped > 0
          ? "no transaction is left after skipping \(skipped.grouped); the newest is \($0.number)"
          : "no transaction matches; the newest is \($0.number)"
      }
        ?? "the history is empty: no save has been recorded yet")
  }

  /// Notes for which transactions values are known, where those that a query compares are not all known.
  func noteUnknownValues(of query: HistoryQuery) {
    guard let search = query.valueSearch?.result, let message = search.message(on: query) else {
      return
    }
    diagnostics.note(
      message
        + " (histctl blame OBJECT, with --at for the past, names the setter of a value where it can be known)",
      kind: "unknownValues",
      JSONValue.list(of: [
        "transactions": Int64(search.count), "known": Int64(search.count - search.unknownCount),
        "knownRanges": JSONValue.array(
          search.knownRanges.map { .array([.integer($0.lowerBound), .integer($0.upperBound)]) }),
      ]))
  }

  /// Warns of authors, bundles, processes and objects in a query that the history does not have, and returns
  /// whether there was one.
  ///
  /// It may read all transactions of an archive.
  func warnOfUnknownNames(in query: HistoryQuery, of timeline: HistoryTimeline) throws -> Bool {
    let conditions: [(StringRole, String, HistoryQuery.TextCondition)] = [
      (.author, "author", query.author), (.bundle, "bundle", query.bundle),
      (.process, "process", query.process),
    ]
    var isAnyUnknown = false
    for (role, noun, condition) in conditions {
      guard let wanted = condition.anyOf, !wanted.isEmpty else { continue }
      guard let known = try timeline.names(role) else { continue }
      for name in wanted where !known.contains(name) {
        isAnyUnknown = true
        let near = NearNames.of(name, in: known)
        let hint =
          known.isEmpty
          ? "no transaction has any \(noun)"
          : near.isEmpty
            ? "there are: \(known.prefix(10).joined(separator: ", "))"
            : "did you mean \(near.map { "'\($0)'" }.joined(separator: " or "))?"
        diagnostics.warn(
          "no transaction has the \(noun) '\(name)'", kind: "unknown" + noun.capitalized,
          hint: hint)
      }
    }
    return try warnOfUnknownObjects(in: query, of: timeline) || isAnyUnknown
  }

  /// Warns of objects in a query that are neither in the store nor in its history, and returns whether there
  /// was one.
  func warnOfUnknownObjects(
    in query: HistoryQuery, of timeline: HistoryTimeline
  ) throws -> Bool {
    let objects = query.change.objects
    guard !objects.isEmpty, timeline.snapshot.map({ $0.layout.history != nil }) ?? true else {
      return false
    }
    let schema = try timeline.schema(
      timeline.snapshot.map { HistorySchema(namesOf: $0.entities) })
    var isAnyUnknown = false
    for object in objects {
      let reader = try ObjectLifeReader(object, in: timeline, schema: schema)
      guard try reader.nextTransaction() == nil, reader.life.state == .unknown else { continue }
      isAnyUnknown = true
      let failure = Failure(try reader.unknownObject())
      diagnostics.warn(failure.message, kind: failure.kind, hint: failure.hint)
    }
    return isAnyUnknown
  }

  /// Warns that only the named entities match where nothing tells which entities inherit from them.
  func noteUnknownHierarchy(of query: HistoryQuery, in timeline: HistoryTimeline) {
    let names = query.change.entities
    guard timeline.snapshot == nil, !names.isEmpty else { return }
    diagnostics.warn(
      "\(timeline.path) does not record which entities inherit from "
        + "\(names.joined(separator: ", ")): only "
        + (names.count == 1 ? "that entity itself matches" : "those themselves match"),
      kind: "unknownHierarchy",
      hint: "read it together with its store, or use --exact-entity")
  }
}
