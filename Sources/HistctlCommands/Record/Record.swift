import ArgumentParser
import DurableFiles
import HistoryCoding
import HistoryOperations
import PersistentHistory
import StoreFormat
import StoreTransactions
import SystemPackage
import Terminal

/// `histctl record`: keeps the old and new values of each save.
struct Record: HistctlCommand {
  static let configuration = CommandConfiguration(
    commandName: "record",
    abstract: "Keep the old and new values of each save as it happens.",
    discussion: """
      History says which attributes a save changed, and not their values. The write-ahead log of the \
      store has them until it is restarted, which an app does every few minutes. record runs beside \
      the app, waits for saves, and writes their values into STORE-values.db, from which every \
      command shows them. The store is only read. What it could not read in time is shown as a gap, \
      here and by histctl info.

      Examples:
        histctl record default.store
        histctl record default.store --once
        histctl record default.store --json | jq .values
      """)

  @Argument(help: "The store file.", completion: .store)
  var store: String

  @Flag(help: "Keep what the log holds now, and end.")
  var once = false

  @Option(value: .file, help: "Keep values in this file, not in STORE-values.db.")
  var valuesFile: String?

  @Option(help: .busyTimeout) var busyTimeout: Double = 5

  @OptionGroup(title: "Output") var output: OutputOptions

  func validate() throws {
    try StoreOptions.validate(busyTimeout: busyTimeout)
    try NewPlace.file.check(valuesFile, of: "--values-file")
    if let valuesFile, let location = try? StoreLocation(path: store), location.owns(valuesFile),
      FilePath(FileStatus.resolvedPlace(valuesFile))
        != FilePath(RecordedValuesFile.path(besideStore: location.resolvedPath))
    {
      throw ValidationError(
        "--values-file names \(store) or a file that belongs to it; name another file")
    }
  }

  var outlivesReader: Bool { once }

  func run(_ session: Session) throws {
    do {
      try session.observing { try run(session, $0) }
    } catch let error as StoreWriteError {
      guard case .unrecordedValues = error else { throw error }
      var failure = Failure(error)
      failure.hint =
        "make the file and its folder writable, or keep values in another place with --values-file"
      throw failure
    }
  }

  private func run(_ session: Session, _ observer: @escaping OperationObserver) throws {
    let context = StoreContext(
      store, busyTimeout: busyTimeout, now: session.now, observer: observer)
    let operation = try RecordOperation(context, valuesPath: valuesFile)
    try session.write(usesPager: false) { writer in
      let report = RecordReport(session, path: store)
      guard !once else {
        let count = try operation.runOnce(report.count)
        return try report.writeTotal(valueCount: count, valuesPath: operation.valuesPath)
      }
      writer.flushesEachLine = true
      session.diagnostics.note("keeping values in \(operation.valuesPath); end with Control-C")
      // A signal ends it cleanly: the file of values is closed, and the lock removed.
      do {
        try DeferredSignals.run {
          try operation.run(checking: { try DeferredSignals.check() }) { event in
            try report.write(event)
            try writer.flush()
          }
        }
      } catch is DeferredSignals.Interruption {}
    }
  }
}

/// What was recorded: a line for each save, or a total.
final class RecordReport: FieldPage {
  private let path: String
  let session: Session
  private var transactionCount = 0
  private var partialCount = 0
  private var gaps: [(first: Int64, last: Int64)] = []

  init(_ session: Session, path: String) {
    self.session = session
    self.path = path
  }

  /// Writes an event.
  func write(_ event: RecordOperation.Event) throws {
    switch event {
    case .recorded(.kept(let position, let changes, let values, let isComplete)):
      try write(
        .record(
          "recorded",
          [
            "path": path, "transaction": position.number,
            "timestamp": position.timestamp?.iso8601(), "changes": changes, "values": values,
            "complete": isComplete,
          ]),
        orLine: "\(position.number)  \(time.text(position.timestamp))  "
          + "\(changes.counted("change")), \(values.counted("value"))"
          + (isComplete ? "" : ", not all known"))
    case .recorded(.missed(let first, let last)):
      try writeGap(first, last)
    case .recorded(.otherHistory(let common)):
      session.diagnostics.warn(
        "\(path) is another copy: the last transactions that were recorded are not in it",
        kind: "otherHistory",
        hint: common > 0
          ? "recording continues after transaction \(common), the last one that is the same"
          : "recording begins again with what the log holds")
    case .recorded(.unreadable(let reason)):
      session.diagnostics.warn(
        "the values in the log of \(path) cannot be read: \(reason)", kind: "unreadableLog")
    case .waiting(let error):
      let failure = Failure(error)
      session.diagnostics.warn(
        failure.message + "; recording continues when it can be read", kind: failure.kind.rawValue)
    case .replaced:
      session.diagnostics.warn(
        "\(path) is another file now; recording continues with it", kind: "replacedStore")
    }
  }

  /// Counts an event, for ``writeTotal(valueCount:valuesPath:)``.
  func count(_ event: RecordOperation.Event) throws {
    switch event {
    case .recorded(.kept(_, _, _, let isComplete)):
      transactionCount += 1
      partialCount += isComplete ? 0 : 1
    case .recorded(.missed(let first, let last)): gaps.append((first, last))
    default: try write(event)
    }
  }

  /// Writes how much was recorded.
  func writeTotal(valueCount: Int, valuesPath: String) throws {
    if isJSON {
      let gaps: [JSONValue] = gaps.map { .object(of: ["first": $0.first, "last": $0.last]) }
      return try writer.writeLine(
        .record(
          "record",
          [
            "path": path, "valuesFile": valuesPath, "transactions": transactionCount,
            "incomplete": partialCount, "values": valueCount, "gaps": gaps,
          ]))
    }
    for gap in gaps { try writeGap(gap.first, gap.last) }
    guard !session.options.quiet else { return }
    let partial = partialCount > 0 ? "; of \(partialCount), not all values are known" : ""
    try line(
      transactionCount == 0
        ? "\(path): nothing new in the log"
        : "\(path): kept \(valueCount.counted("value")) of "
          + "\(transactionCount.counted("transaction")) in \(valuesPath)\(partial)")
  }

  private func writeGap(_ first: Int64, _ last: Int64) throws {
    guard !isJSON else {
      return try writer.writeLine(
        .record("valueGap", ["path": path, "first": first, "last": last]))
    }
    try line("\(first.text(to: last))  not recorded: the log was restarted before it was read")
  }
}
