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

  /// Runs what copies a store, and shows its progress. A signal ends the copy cleanly.
  func copying<Result>(
    _ body: (_ progress: (Int64) throws -> Void) throws -> Result
  ) throws -> Result {
    try showingProgress("copying", "MiB") { progress in
      try DeferredSignals.endingReads {
        try body { bytes in
          try DeferredSignals.check()
          progress(bytes >> 20)
        }
      }
    }
  }

  /// Shows progress on a terminal. One thread at a time updates it.
  func showingProgress<Result>(
    _ label: String, _ unit: String, _ body: (@escaping @Sendable (Int64) -> Void) throws -> Result
  ) rethrows -> Result {
    nonisolated(unsafe) let line = progress(label, unit)
    defer { line?.finish() }
    return try body { line?.update($0) }
  }

  /// Returns a line of progress, if people read standard error.
  func progress(_ label: String, _ unit: String, total: Int64? = nil) -> Progress? {
    diagnostics.wordWriter.map {
      Progress(
        label: label, unit: unit, total: total, environment: environment, diagnostics: $0)
    }
  }

  // MARK: - Stores

  /// Opens a store for reading, and warns if a part of its log is damaged.
  func open(_ path: String, busyTimeout: Double) throws -> StoreFile {
    try observing {
      try StoreContext(path, busyTimeout: busyTimeout, now: now, observer: $0).openForReading()
    }
  }

  /// Reads a store in one snapshot, writes what `body` finds, and ends with the session's status.
  func read(
    _ store: StoreOptions, usesPager: Bool = true,
    _ body: (StoreSnapshot, TokenResolver) throws -> Void
  ) throws {
    let file = try open(store.store, busyTimeout: store.busyTimeout)
    // The snapshot ends before the pager is waited for: a reader that takes an hour must not keep the
    // app's log from being checkpointed.
    try write(usesPager: usesPager) { _ in
      try file.read { snapshot in
        try body(
          snapshot, TokenResolver(snapshot: snapshot, bookmarkPath: store.bookmarkFile, now: now))
      }
    }
  }

  // MARK: - Histories

  /// Returns the input at a path.
  func input(
    _ path: String, _ access: some StoreAccess, _ archive: ArchiveOptions
  ) -> HistoryInput {
    let display = OperationDisplay(self)
    return HistoryInput(
      access.context(path, self) { display.show($0) }, archivePath: archive.archive,
      storeIdentifier: archive.storeIdentifier)
  }

  /// Returns the input at each path that options name.
  func inputs(
    _ stores: SeveralStoresOptions, _ archive: ArchiveOptions
  ) throws -> [HistoryInput] {
    try stores.paths(self).map { input($0, stores, archive) }
  }

  /// Reads a store, its archive, or both as one history, and writes what `body` finds.
  func readHistory(
    _ store: StoreOptions, _ archive: ArchiveOptions, usesPager: Bool = true,
    needsHistory: Bool = true, _ body: (HistoryReading, TokenResolver) throws -> Void
  ) throws {
    try read(input(store.store, store, archive), usesPager: usesPager, needsHistory: needsHistory) {
      try body($0, $2)
    }
  }

  /// Reads a history, and writes what `body` finds.
  ///
  /// - Parameters:
  ///   - needsHistory: Whether a store without history tables is an error.
  ///   - helperCount: The number of threads that read a store beside this one.
  func read(
    _ input: HistoryInput, usesPager: Bool, needsHistory: Bool = true, helperCount: Int = 0,
    _ body: (HistoryReading, SnapshotHelpers?, TokenResolver) throws -> Void
  ) throws {
    // The snapshot ends before the pager is waited for, as in ``read(_:usesPager:_:)``.
    let history = try input.open()
    try write(usesPager: usesPager) { _ in
      try history.read(helperCount: helperCount) { timeline, helpers, resolver in
        let reading = HistoryReading(session: self, timeline: timeline)
        try reading.warnOfTornCopy()
        if needsHistory { _ = try timeline.snapshot?.historyTables() }
        try body(reading, helpers, resolver)
      }
    }
  }

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

  /// Notes for which transactions values are known, where those that a query compares are not all known.
  func noteUnknownValues(of query: HistoryQuery) {
    guard let search = query.valueSearch?.result, let message = search.message(on: query) else {
      return
    }
    // Otherwise blame knows no more than this answer.
    let isCut = query.change.derived?.isCut ?? false
    diagnostics.note(
      message
        + (isCut
          ? " (there are too many to derive values: name objects with --object, or see histctl "
            + "blame OBJECT)"
          : " (histctl record keeps the values of later saves)"),
      kind: "unknownValues",
      [
        "transactions": search.count, "known": search.count - search.unknownCount,
        "knownRanges": search.knownRanges.map { [$0.lowerBound, $0.upperBound] },
      ])
  }
}

/// A history that a command reads, and where it writes the answer.
struct HistoryReading: FieldPage {
  /// The number of bytes of JSON lines that are collected before they are written.
  static let pieceSize = 1 << 16

  let session: Session
  let timeline: HistoryTimeline
  /// The name of its store, if there are several.
  var name: String?

  /// The path of its store, which records have if there are several.
  var path: String? { name == nil ? nil : timeline.path }

  /// Writes its tokens, with the identifier of the store if there are several.
  var tokens: TokenText {
    TokenText(
      isQualified: session.options.qualified || name != nil, store: timeline.storeIdentifier)
  }

  /// Returns the names of the whole history.
  ///
  /// - Parameter joinsArchive: Whether names that only the archive has are needed, for which all its
  ///   manifests are read. Its transactions bring their own names.
  func schema(namesAttributes: Bool = true, joinsArchive: Bool = true) throws -> HistorySchema {
    let store = try timeline.snapshot.map {
      try session.schema(of: $0, namesAttributes: namesAttributes)
    }
    return joinsArchive ? try timeline.schema(store) : store ?? HistorySchema(entities: [])
  }

  /// Writes lines of objects, and long values in pieces.
  func writeObjectLines(_ encode: (inout ObjectLineEncoder) -> Void) throws {
    let drain = TextDrain { try writer.write($0) }
    var encoder = ObjectLineEncoder(drain: drain)
    encode(&encoder)
    try drain.throwFailure()
    try writer.write(&encoder)
  }

  /// Reads up to the end or an error, and reports each gap; with `--json`, writes its line first.
  ///
  /// - Parameters:
  ///   - next: Returns the next transaction or gap.
  ///   - writeGap: Writes a gap in text.
  ///   - body: Writes a transaction.
  /// - Returns: The number of transactions and gaps.
  @discardableResult
  func forEach(
    _ next: () throws -> TimelineReader.Element?,
    writeGap: (HistoryGap) throws -> Void = { _ in },
    _ body: (HistoryTransaction) throws -> Void
  ) throws -> Int {
    var count = 0
    while let element = try next() {
      count += 1
      try handle(element, writeGap: writeGap, body)
    }
    return count
  }

  /// Passes a transaction on, or reports a gap; with `--json`, writes its line first.
  func handle(
    _ element: TimelineReader.Element, writeGap: (HistoryGap) throws -> Void = { _ in },
    _ body: (HistoryTransaction) throws -> Void
  ) throws {
    switch element {
    case .transaction(let transaction): try body(transaction)
    case .gap(let gap):
      if isJSON { try writeLine(of: gap) } else { try writeGap(gap) }
      report(gap)
    }
  }

  /// Returns an encoder of the history's lines; texts that are too long for its buffer are written at once.
  func lineEncoder() -> TransactionLineEncoder {
    var encoder = TransactionLineEncoder()
    encoder.path = path
    encoder.drain = TextDrain { try writer.write($0) }
    return encoder
  }

  /// Writes a transaction with its changes as a JSON line, up to the error of reading them.
  func writeLine(
    of transaction: HistoryTransaction, _ reader: TimelineReader,
    _ encoder: inout TransactionLineEncoder
  ) throws {
    try encoder.append(transaction, of: reader, byteLimit: Self.pieceSize) {
      try writer.write(&$0)
    }
    // An error in the middle of the next line must leave no part of it, unless it is longer than a piece.
    try writer.write(&encoder)
  }

  /// Writes everything that a reader returns as JSON lines, up to its error, and returns their number.
  func writeLines(_ reader: TimelineReader) throws -> Int {
    var encoder = lineEncoder()
    return try forEach(reader.nextElement) { try writeLine(of: $0, reader, &encoder) }
  }

  /// Returns when and by whom an object was changed.
  func text(of event: ObjectLife.Event) -> String {
    "in transaction \(tokens.text(event.transaction)), \(time.text(event.timestamp))"
      + (event.author.map { ", by \($0.string)" } ?? "")
  }

  /// Writes the name of an object, and how it was deleted.
  func writeHeading(_ object: HistoryObject, deleted: String?) throws {
    try line(
      ChangeText.spaced([
        .init(text: object.description, style: .heading),
        .init(text: deleted ?? "", style: .deleted),
      ]))
  }
}
