import HistoryCoding
import HistoryOperations
import PersistentHistory
import StoreEditing
import StoreFormat
import Terminal

/// What every command works with: the terminal, the output, the words on standard error, and the
/// status that the command will end with.
final class Session {
  let console: Console
  let options: OutputOptions
  let palette: Palette
  let diagnostics: Diagnostics
  var environment: TerminalEnvironment { console.terminal }
  var now: StoreTimestamp { console.now }
  private(set) var status = ExitStatus.success
  /// The titles of columns that a narrow terminal has no room for, each once.
  private(set) var hiddenColumns: [String] = []
  private let outlivesReader: Bool

  /// - Parameter outlivesReader: Whether the command goes on when nobody reads any more what it tells,
  ///   as one must that changes something.
  init(
    _ options: OutputOptions, _ console: Console, outlivesReader: Bool = false
  ) {
    self.options = options
    self.outlivesReader = outlivesReader
    self.console = console
    palette = Palette(isColored: options.color.colorsOutput(in: console.terminal))
    diagnostics = Diagnostics(options: options, console: console)
  }

  /// Remembers columns that are not shown.
  func leaveOut(_ titles: [String]) {
    hiddenColumns += titles.filter { !hiddenColumns.contains($0) }
  }

  /// Ends with this status unless an earlier problem has set another.
  func end(with status: ExitStatus) {
    if self.status == .success { self.status = status }
  }

  /// Reads a store in one snapshot and writes what is found, then ends with the session's status.
  func read(
    _ store: StoreOptions, usesPager: Bool = true,
    _ body: (OutputWriter, StoreSnapshot, TokenResolver) throws -> Void
  ) throws {
    let file = try open(store.store, busyTimeout: store.busyTimeout)
    try read(file, store, usesPager: usesPager, body)
  }

  /// Reads a store that is open already, as ``read(_:usesPager:_:)`` does.
  func read(
    _ file: StoreFile, _ store: StoreOptions, usesPager: Bool = true,
    _ body: (OutputWriter, StoreSnapshot, TokenResolver) throws -> Void
  ) throws {
    // The snapshot ends before the pager is waited for: somebody who reads in it for an hour must
    // not keep the app's log from being checkpointed.
    try write(usesPager: usesPager) { writer in
      try file.read { snapshot in
        let resolver = TokenResolver(
          snapshot: snapshot, bookmarkPath: store.bookmarkFile, now: now)
        try body(writer, snapshot, resolver)
      }
    }
    if status != .success { throw EndWithStatus(status: status) }
  }

  /// Reads a store, its archive, or both as one history, and writes what is found, as
  /// ``read(_:usesPager:_:)`` does.
  func readHistory(
    _ store: StoreOptions, _ archive: ArchiveOptions, usesPager: Bool = true,
    _ body: (OutputWriter, HistoryTimeline, TokenResolver) throws -> Void
  ) throws {
    let input = input(store, archive)
    guard let alone = try input.archiveAlone() else {
      return try read(store, usesPager: usesPager) { writer, snapshot, _ in
        let timeline = try input.timeline(of: snapshot)
        try body(writer, timeline, input.resolver(timeline))
      }
    }
    try write(usesPager: usesPager) { writer in
      let timeline = HistoryTimeline(alone)
      try body(writer, timeline, input.resolver(timeline))
    }
    if status != .success { throw EndWithStatus(status: status) }
  }

  /// Reads a history on as many threads as the machine has, at most four; an archive by itself is
  /// read on one, without helpers.
  func readHistoryTogether(
    _ store: StoreOptions, _ archive: ArchiveOptions,
    _ body: (OutputWriter, HistoryTimeline, SnapshotHelpers?, TokenResolver) throws -> Void
  ) throws {
    let input = input(store, archive)
    if let alone = try input.archiveAlone() {
      try write(usesPager: false) { writer in
        let timeline = HistoryTimeline(alone)
        try body(writer, timeline, nil, input.resolver(timeline))
      }
    } else {
      let file = try open(store.store, busyTimeout: store.busyTimeout)
      try write(usesPager: false) { writer in
        try file.read(withHelpers: StoreReading.helperCount) { snapshot, helpers in
          let timeline = try input.timeline(of: snapshot)
          try body(writer, timeline, helpers, input.resolver(timeline))
        }
      }
    }
    if status != .success { throw EndWithStatus(status: status) }
  }

  /// The names of entities and attributes; where the model cannot be read, what is left is told.
  ///
  /// - Parameter namesAttributes: Whether the names of attributes are needed, or those of entities
  ///   only.
  func schema(
    of snapshot: StoreSnapshot, namesAttributes: Bool = true
  ) throws -> HistorySchema {
    try observing {
      try StoreReading.warnOfModel(in: snapshot, readsModel: namesAttributes, observer: $0)
    }
    return namesAttributes
      ? try HistorySchema(snapshot) : HistorySchema(namesOf: snapshot.entities)
  }

  /// The names of a whole history.
  ///
  /// - Parameters:
  ///   - namesAttributes: Whether the names of the store's attributes are needed.
  ///   - joinsArchive: Whether what only the archive knows is needed, for which all its manifests are
  ///     read; its transactions bring their own names along.
  func schema(
    of timeline: HistoryTimeline, namesAttributes: Bool = true, joinsArchive: Bool = true
  ) throws -> HistorySchema {
    let store = try timeline.snapshot.map { try schema(of: $0, namesAttributes: namesAttributes) }
    return joinsArchive ? try timeline.schema(store) : store ?? HistorySchema(entities: [])
  }

  /// Writes to standard output, through a pager where one is wanted and of use.
  func write(usesPager: Bool, _ body: (OutputWriter) throws -> Void) throws {
    try Pager.withOutput(
      usesPager: usesPager && environment.isOutputTerminal && !options.noPager && !options.json,
      environment: environment, diagnostics: diagnostics.wordWriter, descriptor: console.output
    ) { writer in
      writer.outlivesReader = outlivesReader
      if options.json, environment.isOutputTerminal { writer.guardedForm = .json }
      try body(writer)
    }
    tellOfHiddenColumns()
  }
}

extension OutputWriter {
  /// Writes a JSON value as one line.
  func writeLine(_ json: JSONValue) throws(OutputError) {
    var line = JSONWriter()
    line.append(json)
    line.appendRaw("\n")
    try line.withUnsafeBytes { bytes throws(OutputError) in try write(bytes) }
  }
}
