import ArgumentParser
import HistoryCoding
import PersistentHistory
import StoreEditing
import StoreFormat
import Terminal

/// `histctl rehearse`: makes a copy of a store in which tokens have expired.
struct Rehearse: SourceReadingCommand {
  static let configuration = CommandConfiguration(
    commandName: "rehearse",
    abstract:
      "Copy a store so that tokens are expired in the copy, to test an app's handling of it.",
    discussion: """
      In the copy, all tokens before TOKEN are expired, and TOKEN itself works: everything before its \
      transaction is deleted, as when an app purges its history. --expire lets single tokens expire \
      instead. The store is only read, and may be in use. Its external binary data is copied too. \
      The output shows what the frameworks do with each given token and each bookmark in the copy.

      Examples:
        histctl rehearse default.store 9 -o expired.store
        histctl rehearse default.store last -o expired.store --overwrite --check-token 5 --json
        histctl rehearse default.store --expire @widget -o expired.store --overwrite
      """)

  @OptionGroup var store: StoreOptions

  @Argument(value: .token, help: "The oldest token that works in the copy.")
  var token: String?

  @Option(value: .token, help: "Let exactly this token expire.")
  var expire: [String] = []

  @OptionGroup var copy: CopyOptions
  @OptionGroup var guards: DamageGuardOptions

  @Option(value: .token, help: "Show what becomes of this token in the copy.")
  var checkToken: [String] = []

  @OptionGroup var values: ValuesOptions
  @OptionGroup(title: "Output") var output: OutputOptions

  func validate() throws {
    if token == nil && expire.isEmpty {
      throw ValidationError(
        "nothing is to expire: give the oldest token that works in the copy, or --expire")
    }
  }

  var outlivesReader: Bool { true }

  func run(_ session: Session) throws {
    try session.read(store, usesPager: false) { snapshot, resolver in
      _ = try snapshot.historyTables()
      try EvidentDamage.check(snapshot, ignoredGuards: guards.ignoredGuards, readsPages: true)
      let rehearsal = try HistoryRehearsal(
        resolver: resolver, oldestWorking: token, expiring: expire)
      let tokens = try checkToken.map { try resolver.resolve($0) }
      let bookmarks = try BookmarkFile(path: store.bookmarkPath(beside: snapshot.location))
      let place = try StoreCopy(
        of: snapshot.location, at: copy.path, overwrites: copy.overwrite,
        busyTimeout: store.busyTimeout)
      let recorded = try values.usable(session, HistoryTimeline(snapshot))
      let result = try session.copying { progress in
        try rehearsal.write(
          snapshot, to: place, tokens: tokens, bookmarks: bookmarks.bookmarks, values: recorded,
          now: session.now, progress: progress)
      }
      try RehearsalReport(
        session: session, path: snapshot.location.path, copy: copy.path,
        store: snapshot.metadata.storeIdentifier,
        rehearsal: rehearsal, result: result
      ).write()
      session.warn(
        ofIncorrectIndexesOf: result.reindexedTables, copy: copy.path, areRebuilt: true)
    }
  }
}

/// The copy that a rehearsal has made, and the states of tokens in it.
private struct RehearsalReport: FieldPage {
  let session: Session
  let path: String
  let copy: String
  let store: String?
  let rehearsal: HistoryRehearsal
  let result: RehearsalResult

  func write() throws {
    if isJSON {
      try writer.writeLine(json)
      for token in result.tokens { try writer.writeLine(json(token)) }
    } else {
      try writeText()
    }
  }

  // MARK: - For people

  private func writeText() throws {
    let names = session.tokens(of: store)
    try field("copy", copy, style: .heading)
    try field(
      "works", rehearsal.oldestWorking.map { "\(names.text($0)) and all after it" }, style: .token)
    let expired = rehearsal.expired.sorted().map(names.text)
    if !expired.isEmpty { try field("expired", expired.joined(separator: ", ")) }
    try field(
      "deleted",
      "\(result.deleted.transactionCount.counted("transaction")), "
        + "\(result.deleted.changeCount.counted("change"))")
    try field("left", result.transactionCount.counted("transaction"))
    try field(largeData: result.externalFileCount)
    try writeTable(
      [
        TableColumn("TOKEN", priority: 4, minimumWidth: 8, canShrink: true),
        TableColumn("IN THE STORE", priority: 1, canDrop: true),
        TableColumn("IN THE COPY", priority: 3),
        TableColumn("WHAT AN APP GETS", priority: 2, minimumWidth: 16, canShrink: true),
      ],
      result.tokens.map { rehearsed in
        [
          TableCell(rehearsed.token.text, style: .token),
          state(rehearsed.token.state), state(rehearsed.stateInCopy),
          TableCell(text(rehearsed)),
        ]
      })
  }

  private func state(_ state: TokenState) -> TableCell {
    TableCell(state.name, style: state == .valid ? .inserted : .deleted)
  }

  private func text(_ rehearsed: RehearsedToken) -> String {
    switch rehearsed.outcome {
    case .history(let transactions): transactions.counted("transaction")
    case .nothing: "nothing: the token names another store"
    case .expired:
      "error \(FrameworkOutcome.errorCode), \(FrameworkOutcome.errorName)"
        + (rehearsed.remainder.map { remainder in
          "; " + (remainder.missing.map { "after it \($0.text)" } ?? "nothing after it is missing")
        } ?? "")
    }
  }

  // MARK: - For programs

  private var json: JSONValue {
    .record(
      "rehearsal",
      [
        "path": path, "copy": copy, "store": store, "oldestWorking": rehearsal.oldestWorking,
        "expired": rehearsal.expired.sorted(),
        "transactionsDeleted": result.deleted.transactionCount,
        "changesDeleted": result.deleted.changeCount, "transactions": result.transactionCount,
        "externalFiles": result.externalFileCount,
      ])
  }

  private func json(_ rehearsed: RehearsedToken) -> JSONValue {
    let outcome: [(String, JSONValue)] =
      switch rehearsed.outcome {
      case .history(let transactions):
        JSONValue.list(of: ["outcome": "history", "transactions": transactions])
      case .nothing: [("outcome", "nothing")]
      case .expired:
        JSONValue.list(of: [
          "outcome": "error", "error": FrameworkOutcome.errorName,
          "code": FrameworkOutcome.errorCode,
        ]) + (rehearsed.remainder?.members ?? [])
      }
    return .record(
      "tokenOutcome",
      [
        "token": rehearsed.token.text, "transaction": rehearsed.token.number,
        "stateBefore": rehearsed.token.state.name, "state": rehearsed.stateInCopy.name,
      ], and: outcome)
  }
}
