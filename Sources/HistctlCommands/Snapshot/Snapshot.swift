import ArgumentParser
import HistoryCoding
import PersistentHistory
import StoreEditing
import StoreFormat
import Terminal

/// `histctl snapshot`: copies a store as it was right after a transaction.
struct Snapshot: SourceReadingCommand {
  static let configuration = CommandConfiguration(
    commandName: "snapshot",
    abstract: "Copy a store as it was right after a transaction.",
    discussion: """
      The write-ahead log of a store holds the states after its last commits. The copy is a store of \
      its own, for inspection with any tool, with the external binary data that is still there. The \
      store is only read, and may be in use. histctl info lists the transactions that the log holds.

      Examples:
        histctl snapshot default.store last~1 -o before.store
        histctl snapshot default.store 353 -o after-353.store --overwrite --json
      """)

  @OptionGroup var store: StoreOptions

  @Argument(
    help: "The transaction; a time means the first one at or after it.",
    completion: Completion.token.kind)
  var token: String

  @OptionGroup var copy: CopyOptions
  @OptionGroup var guards: DamageGuardOptions

  @OptionGroup(title: "Output") var output: OutputOptions

  func run(_ console: Console) throws {
    let session = Session(output, console, outlivesReader: true)
    try session.read(store, usesPager: false) { writer, snapshot, resolver in
      _ = try snapshot.historyTables()
      try EvidentDamage.check(snapshot, ignoredGuards: guards.ignoredGuards, readsPages: true)
      let number = try resolver.transactionNumber(token)
      guard let position = try snapshot.timestamp(ofTransaction: number) else {
        throw HistoryError.noTransaction(text: token, isHistoryEmpty: false)
      }
      let place = try StoreCopy(
        of: snapshot.location, at: copy.path, overwrites: copy.overwrite,
        busyTimeout: store.busyTimeout)
      let line = session.diagnostics.wordWriter.map {
        Progress(label: "copying", unit: "MiB", environment: session.environment, diagnostics: $0)
      }
      defer { line?.finish() }
      // A signal ends the copy cleanly.
      let result = try DeferredSignals.run {
        try place.write(snapshot, after: position) { bytes in
          try DeferredSignals.check()
          line?.update(bytes >> 20)
        }
      }
      line?.finish()
      if session.options.json {
        try writer.writeLine(
          .record(
            "snapshot",
            [
              "path": snapshot.location.path, "copy": copy.path,
              "store": snapshot.metadata.storeIdentifier, "transaction": position.number,
              "timestamp": position.timestamp?.iso8601(), "transactions": result.transactionCount,
              "externalFiles": result.externalFileCount,
            ]))
      } else if !session.options.quiet {
        try write(position, result, session, writer)
      }
    }
  }

  private func write(
    _ position: TransactionPosition, _ result: (transactionCount: Int64, externalFileCount: Int),
    _ session: Session, _ writer: OutputWriter
  ) throws {
    let styled = StyledLine(session)
    let time = TimeText(style: session.options.date, now: session.now)
    try writer.writeLine(styled.field("copy", copy.path, style: .heading))
    try writer.writeLine(
      styled.field(
        "after", "\(position.number)  \(time.fullText(position.timestamp))", style: .token))
    try writer.writeLine(styled.field("holds", result.transactionCount.counted("transaction")))
    if result.externalFileCount > 0 {
      try writer.writeLine(styled.field("large data", result.externalFileCount.counted("file")))
    }
  }
}
