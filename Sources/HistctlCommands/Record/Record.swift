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
