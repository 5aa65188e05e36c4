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

  @Argument(value: .token, help: "The transaction; a time means the first one at or after it.")
  var token: String

  @OptionGroup var copy: CopyOptions
  @OptionGroup var guards: DamageGuardOptions

  @OptionGroup(title: "Output") var output: OutputOptions

  var outlivesReader: Bool { true }

  func run(_ session: Session) throws {
    try session.read(store, usesPager: false) { snapshot, resolver in
      _ = try snapshot.historyTables()
      try EvidentDamage.check(snapshot, ignoredGuards: guards.ignoredGuards, readsPages: true)
      let number = try resolver.transactionNumber(token)
      guard let position = try snapshot.timestamp(ofTransaction: number) else {
        throw HistoryError.noTransaction(text: token, isHistoryEmpty: false)
      }
      let place = try StoreCopy(
        of: snapshot.location, at: copy.path, overwrites: copy.overwrite,
        busyTimeout: store.busyTimeout)
      let result = try session.copying { try place.write(snapshot, after: position, progress: $0) }
      if session.options.json {
        try session.writer.writeLine(
          .record(
            "snapshot",
            [
              "path": snapshot.location.path, "copy": copy.path,
              "store": snapshot.metadata.storeIdentifier, "transaction": position.number,
              "timestamp": position.timestamp?.iso8601(), "transactions": result.transactionCount,
              "externalFiles": result.externalFileCount,
            ]))
      } else if !session.options.quiet {
        try session.field("copy", copy.path, style: .heading)
        try session.field(
          "after", "\(position.number)  \(session.time.fullText(position.timestamp))", style: .token
        )
        try session.field("holds", result.transactionCount.counted("transaction"))
        try session.field(largeData: result.externalFileCount)
      }
      session.warn(
        ofIncorrectIndexesOf: result.incorrectlyIndexed, copy: copy.path, areRebuilt: false)
    }
  }
}

extension Session {
  /// Warns of tables whose indexes list other rows than they have, of which a copy was made.
  ///
  /// - Parameter areRebuilt: Whether the indexes are built again in the copy.
  func warn(ofIncorrectIndexesOf tables: [String], copy: String, areRebuilt: Bool) {
    guard !tables.isEmpty else { return }
    let list = tables.prefix(5).joined(separator: ", ")
    let rest = tables.count - 5
    let name = ShellWord.quoted(copy)
    diagnostics.warn(
      "the indexes of \(list)\(rest > 0 ? " and \(rest.grouped) more tables" : "") list other rows than "
        + (tables.count == 1 ? "the table has" : "the tables have")
        + (areRebuilt ? "; they were built again in \(copy)" : ", in \(copy) too"),
      kind: "incorrectIndexes",
      hint: areRebuilt
        ? "the store still has them; histctl verify --full lists what is wrong"
        : "no row is missing; to build them again in the copy: sqlite3 \(name) REINDEX")
  }
}
