import ArgumentParser
import DemoStore
import DurableFiles
import HistoryCoding
import HistoryOperations
import PersistentHistory
import StoreFormat
import StoreTransactions
import Terminal

/// `histctl demo`: writes a sample store.
struct Demo: HistctlCommand {
  static let configuration = CommandConfiguration(
    commandName: "demo",
    abstract: "Write a sample store, and list commands to try on it.",
    discussion: """
      The store is DIR/trips.store, in the layout of Apple's frameworks: six weeks of an app that \
      plans trips, with its widget and its server, up to yesterday. The beginning of its history \
      is deleted, so old tokens have expired. The listed commands can be pasted as they are.

      Examples:
        histctl demo demo
        histctl demo demo --overwrite --json
        histctl demo sample --ending 2026-11-20
      """)

  @Argument(value: .folder, help: "The folder for the store; created if it is missing.")
  var folder: String

  @Flag(help: "Replace an existing store.")
  var overwrite = false

  @Option(value: "date", help: "The last day of the history.")
  var ending = "yesterday"

  @OptionGroup(title: "Output") var output: OutputOptions

  func validate() throws { try NewPlace.folder.check(folder, of: "<dir>") }

  var outlivesReader: Bool { true }

  func run(_ session: Session) throws {
    let demo = try TripsDemo(lastDay: lastDay(session.now))
    let isNew = !MissingFolders.isFolder(folder)
    try OutputFolder.make(folder)
    let draft = try StoreDraft(
      path: OutputFolder.path(of: "trips.store", in: folder), overwrites: overwrite)
    // A signal also removes the folder, if nothing else is in it.
    let registrations = (draft.temporaryFiles + (isNew ? [folder] : []))
      .compactMap(TemporaryFileRegistry.register)
    defer { registrations.forEach(TemporaryFileRegistry.unregister) }
    let report = try draft.write { path in
      try demo.write(to: path)
      return try StoreFile(path: path).read { try DemoReport(session, $0, path: draft.path) }
    }
    try session.write(usesPager: false) { _ in try report.write() }
  }

  private func lastDay(_ now: StoreTimestamp) throws -> CivilDate {
    guard let moment = try Moment.parse(ending, now: now),
      let time = LocalTime(moment.timestamp)
    else {
      throw MomentError(
        message: "'\(ending)' is not a day",
        hint: "--ending takes a day, such as 2026-11-20, yesterday or 3d for three days ago")
    }
    return time.date
  }
}

/// The contents of a sample store, and commands to try on it.
struct DemoReport: FieldPage {
  let session: Session
  private let path: String
  private let storeIdentifier: String?
  private let overview: HistoryOverview
  private let tour: DemoTour

  /// - Parameter path: The store's path in the report and its commands.
  init(_ session: Session, _ snapshot: StoreSnapshot, path: String) throws {
    self.session = session
    self.path = path
    storeIdentifier = snapshot.metadata.storeIdentifier
    overview = try HistoryOverview(snapshot: snapshot)
    tour = try DemoTour(
      snapshot: snapshot, path: path, program: session.console.programName,
      tokens: session.tokens(of: storeIdentifier))
  }

  private var json: JSONValue {
    .record(
      "demo",
      [
        "path": path, "store": storeIdentifier?.json ?? JSONValue.null,
        "transactions": overview.transactionCount, "changes": overview.changeCount,
        "oldest": overview.oldest?.json ?? JSONValue.null,
        "newest": overview.newest?.json ?? JSONValue.null,
        "validToken": tour.validToken?.json ?? JSONValue.null,
        "expiredToken": tour.expiredToken?.json ?? JSONValue.null,
        "commands": tour.steps.map {
          JSONValue.object(of: [
            "command": $0.command, "reason": $0.reason, "status": Int64($0.status.rawValue),
          ])
        },
      ])
  }

  func write() throws {
    if isJSON { return try writer.writeLine(json) }
    try field("store", path, style: .heading)
    try field(
      "history",
      "\(overview.transactionCount.grouped) transactions, \((overview.changeCount ?? 0).grouped) changes"
    )
    try field("oldest", overview.oldest, of: storeIdentifier)
    try field("newest", overview.newest, of: storeIdentifier)
    if let expired = tour.expiredToken, let oldest = overview.oldest {
      let first = session.tokens(of: storeIdentifier).text(oldest.number)
      try field("expired", "\(expired), as all others before \(first)")
    }
    try writer.writeLine("")
    for step in tour.steps {
      try writer.writeLine(session.palette.apply(.secondary, to: step.reason))
      // Commands are never cut.
      try writer.writeLine("  " + step.command)
    }
  }
}

/// Commands to try on a sample store, with its tokens and objects.
struct DemoTour {
  /// One command.
  struct Step {
    /// Its purpose.
    let reason: String
    /// The command line for a POSIX shell.
    let command: String
    /// Its exit status.
    let status: ExitStatus
  }

  /// A token that works, some saves before the newest.
  let validToken: String?
  /// A token whose transaction has been deleted.
  let expiredToken: String?
  private(set) var steps: [Step] = []

  private let program: String

  /// Chooses commands for what the store contains.
  ///
  /// - Parameters:
  ///   - path: The store's path in commands.
  ///   - program: The name by which the program was called.
  init(snapshot: StoreSnapshot, path: String, program: String, tokens: TokenText) throws {
    self.program = program
    validToken = try snapshot.newestTransaction(offset: 20).map { tokens.text($0.number) }
    expiredToken = try snapshot.oldestTransaction().flatMap { oldest in
      oldest.number > 1 ? tokens.text(oldest.number / 2) : nil
    }
    // A path that begins with a dash would be an option.
    let store = path.hasPrefix("-") ? "./" + path : path
    add("Describe the store", ["info", store])
    add("List the newest saves", ["log", store, "-n", "10"])
    try addSaves(snapshot, store, tokens)
    addTokens(store)
    add("List them as JSON, one transaction a line", ["log", store, "-n", "3", "--json"])
  }

  private mutating func addSaves(
    _ snapshot: StoreSnapshot, _ store: String, _ tokens: TokenText
  ) throws {
    let ofWidget = HistoryQuery(author: .init(anyOf: ["widget"]))
    if let transaction = try Self.newest(snapshot, ofWidget) {
      add(
        "Show a save of the widget",
        ["show", store, tokens.text(transaction.number)])
    }
    let deletion = ChangeCondition(kinds: [.delete], entities: ["Trip"])
    guard let transaction = try Self.newest(snapshot, HistoryQuery(change: deletion)) else {
      return
    }
    add(
      "Show the deletion of a trip, with its tombstone",
      ["show", store, tokens.text(transaction.number)])
    if let key = transaction.changes.first(where: deletion.matches)?.primaryKey {
      add(
        "Show the history of that trip", ["object", store, "Trip/p\(key)"])
    }
  }

  private mutating func addTokens(_ store: String) {
    if let validToken {
      add("Check a token that works", ["token", "check", store, validToken])
      add(
        "List what others than the app saved after it",
        ["log", store, "--after", validToken, "--not-author", "app", "--reverse"])
    }
    if let expiredToken {
      add(
        "Check an expired token; ends with 1", ["token", "check", store, expiredToken],
        .answerIsNo)
      add(
        "Ask for the history after it; ends with 4",
        ["log", store, "--after", expiredToken], .historyGap)
    }
  }

  private mutating func add(
    _ reason: String, _ words: [String], _ status: ExitStatus = .success
  ) {
    let command = ([program] + words).map(ShellWord.quoted).joined(separator: " ")
    steps.append(Step(reason: reason, command: command, status: status))
  }

  private static func newest(
    _ snapshot: StoreSnapshot, _ query: HistoryQuery
  ) throws -> HistoryTransaction? {
    var query = query
    query.order = .descending
    query.limit = 1
    return try HistoryReader(snapshot: snapshot, query: query).next()
  }
}
