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

  @Argument(
    help: "The oldest token that works in the copy.", completion: Completion.token.kind)
  var token: String?

  @Option(
    help: ArgumentHelp("Let exactly this token expire.", valueName: "token"),
    completion: Completion.token.kind)
  var expire: [String] = []

  @OptionGroup var copy: CopyOptions
  @OptionGroup var guards: DamageGuardOptions

  @Option(
    help: ArgumentHelp(
      "Show what becomes of this token in the copy.", valueName: "token"),
    completion: Completion.token.kind)
  var checkToken: [String] = []

  @OptionGroup var values: ValuesOptions
  @OptionGroup(title: "Output") var output: OutputOptions

  func validate() throws {
    if token == nil && expire.isEmpty {
      throw ValidationError(
        "nothing is to expire: give the oldest token that works in the copy, or --expire")
    }
  }

  func run(_ console: Console) throws {
    let session = Session(output, console, outlivesReader: true)
    try session.read(store, usesPager: false) { writer, snapshot, resolver in
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
      let line = session.diagnostics.wordWriter.map {
        Progress(label: "copying", unit: "MiB", environment: session.environment, diagnostics: $0)
      }
      defer { line?.finish() }
      // A signal ends the copy cleanly.
      let result = try DeferredSignals.run {
        try rehearsal.write(
          snapshot, to: place, tokens: tokens, bookmarks: bookmarks.bookmarks, values: recorded,
          now: session.now
        ) { bytes in
          try DeferredSignals.check()
          line?.update(bytes >> 20)
        }
      }
      line?.finish()
      try RehearsalReport(
        path: snapshot.location.path, copy: copy.path, store: snapshot.metadata.storeIdentifier,
        rehearsal: rehearsal, result: result
      ).write(session, writer)
    }
  }
}

/// The copy that a rehearsal has made, and the states of tokens in it.
private struct RehearsalReport {
  let path: String
  let copy: String
  let store: String?
  let rehearsal: HistoryRehearsal
  let result: RehearsalResult

  func write(_ session: Session, _ writer: OutputWriter) throws {
    if session.options.json {
      try writer.writeLine(json)
      for token in result.tokens { try writer.writeLine(json(token)) }
    } else {
      try writeText(session, writer)
    }
  }

  // MARK: - For people

  private func writeText(_ session: Session, _ writer: OutputWriter) throws {
    let styled = StyledLine(session)
    let names = TokenText(isQualified: session.options.qualified, store: store)
    try writer.writeLine(styled.field("copy", copy, style: .heading))
    if let number = rehearsal.oldestWorking {
      try writer.writeLine(
        styled.field("works", "\(names.text(number)) and all after it", style: .token))
    }
    let expired = rehearsal.expired.sorted().map(names.text)
    if !expired.isEmpty {
      try writer.writeLine(styled.field("expired", expired.joined(separator: ", ")))
    }
    try writer.writeLine(
      styled.field(
        "deleted",
        "\(result.deleted.transactionCount.counted("transaction")), "
          + "\(result.deleted.changeCount.counted("change"))"))
    try writer.writeLine(styled.field("left", result.transactionCount.counted("transaction")))
    if result.externalFileCount > 0 {
      try writer.writeLine(
        styled.field("large data", result.externalFileCount.counted("file")))
    }
    try writeTokens(session, writer)
  }

  private func writeTokens(_ session: Session, _ writer: OutputWriter) throws {
    guard !result.tokens.isEmpty else { return }
    let rows = result.tokens.map { rehearsed in
      [
        TableCell(rehearsed.token.text, style: .token),
        state(rehearsed.token.state), state(rehearsed.stateInCopy),
        TableCell(text(rehearsed)),
      ]
    }
    let table = session.table(
      columns: [
        TableColumn("TOKEN", priority: 4, minimumWidth: 8, canShrink: true),
        TableColumn("IN THE STORE", priority: 1, canDrop: true),
        TableColumn("IN THE COPY", priority: 3),
        TableColumn("WHAT AN APP GETS", priority: 2, minimumWidth: 16, canShrink: true),
      ], sample: rows)
    try writer.writeLine("")
    try writer.writeLine(table.header)
    for row in rows { try writer.writeLine(table.line(row)) }
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
    var members = JSONMembers(type: "rehearsal", path: path)
    members.add("copy", .string(copy))
    members.add("store", store.map(JSONValue.string))
    members.add("oldestWorking", rehearsal.oldestWorking.map(JSONValue.integer))
    members.add("expired", .array(rehearsal.expired.sorted().map(JSONValue.integer)))
    members.add("transactionsDeleted", .integer(Int64(result.deleted.transactionCount)))
    members.add("changesDeleted", .integer(Int64(result.deleted.changeCount)))
    members.add("transactions", .integer(result.transactionCount))
    members.add("externalFiles", .integer(Int64(result.externalFileCount)))
    return members.json
  }

  private func json(_ rehearsed: RehearsedToken) -> JSONValue {
    var members = JSONMembers(type: "tokenOutcome")
    members.add("token", .string(rehearsed.token.text))
    members.add("transaction", rehearsed.token.number.map(JSONValue.integer))
    members.add("stateBefore", .string(rehearsed.token.state.name))
    members.add("state", .string(rehearsed.stateInCopy.name))
    switch rehearsed.outcome {
    case .history(let transactions):
      members.add("outcome", "history")
      members.add("transactions", .integer(transactions))
    case .nothing: members.add("outcome", "nothing")
    case .expired:
      members.add("outcome", "error")
      members.add("error", .string(FrameworkOutcome.errorName))
      members.add("code", .integer(FrameworkOutcome.errorCode))
      for (key, value) in rehearsed.remainder?.members ?? [] { members.add(key, value) }
    }
    return members.json
  }
}
