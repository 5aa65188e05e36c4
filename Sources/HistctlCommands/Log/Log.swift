import ArgumentParser
import PersistentHistory
import StoreFormat
import Terminal

/// `histctl log`: the transactions of a store.
struct Log: HistctlCommand, CheckedOptions {
  static let configuration = CommandConfiguration(
    commandName: "log",
    _superCommandName: "histctl",
    abstract: "List transactions, newest first.",
    discussion: """
      Values of one option are alternatives, different options must all hold. They select whole \
      transactions; --only-matching leaves out the changes that do not match. A token is a number, \
      STORE:NUMBER, first, last, last~3, a date, a duration such as 2w, @bookmark or @./file; see \
      histctl-tokens(7). The lines of --json are described in histctl-json(5).

      Examples:
        histctl log default.store -n 20
        histctl log default.store --author widget --after yesterday
        histctl log default.store --entity Trip --kind delete --changes
        histctl log default.store --object Trip/p12 --only-matching --changes
        histctl log default.store --after 1200 --reverse --json | jq .author
        histctl log default.store --follow --author widget
        histctl log default.store --archive history-archive --object Trip/p12
        histctl log history.jsonl.zst --author widget
      """)

  @OptionGroup var store: StoreOptions
  @OptionGroup var archive: ArchiveOptions
  @OptionGroup(title: "Which transactions") var filter: FilterOptions

  @Option(
    name: .customShort("n", allowingJoined: true),
    help: ArgumentHelp("Show at most COUNT transactions, the newest.", valueName: "count"))
  var count: Int?

  @Flag(help: "Oldest first; with -n still the newest ones.")
  var reverse = false

  @Flag(help: "Show each change below its transaction.")
  var changes = false

  @Flag(help: "Leave out changes that do not match the options on changes.")
  var onlyMatching = false

  @Flag(
    name: .shortAndLong, help: "Show the newest transactions, then each one as it is saved.")
  var follow = false

  @OptionGroup var values: ValuesOptions
  @OptionGroup(title: "Output") var output: OutputOptions

  func check() throws {
    if follow, filter.until != nil {
      throw ValidationError("--follow has no end, so it cannot be combined with --until")
    }
    if let count, count < 0 {
      throw ValidationError("-n takes a number of transactions, 0 or more")
    }
  }

  func run(_ console: Console) throws {
    let session = Session(output, console)
    guard !follow else {
      return try FollowedLog(session: session, store: store, archive: archive).write(
        start: { resolver, timeline in
          var query = try query(resolver)
          if showsChanges { try values.apply(to: &query, session, timeline) }
          query.order = .ascending
          if query.limit == nil, filter.after == nil { query.limit = FollowedLog.usualStart }
          return query
        },
        table: { writer, timeline in
          output.json ? nil : try table(session, writer, timeline)
        })
    }
    try session.readHistory(store, archive) { writer, timeline, resolver in
      _ = try timeline.snapshot?.historyTables()
      var query = try query(resolver)
      if showsChanges { try values.apply(to: &query, session, timeline) }
      let gaps = GapReport(session: session, timeline: timeline)
      try gaps.note(
        missingBeginning: resolver.missingBeginning(after: filter.after),
        to: output.json ? writer : nil)
      if query.selectsEverything { try session.warnOfTornCounters(in: timeline.snapshot) }
      let reader = try TimelineReader(
        timeline, query: query,
        schema: session.schema(
          of: timeline, namesAttributes: namesAttributes, joinsArchive: !query.change.isEmpty))
      session.noteUnknownHierarchy(of: query, in: timeline)
      let count =
        output.json
        ? try TransactionLines(writer: writer, gaps: gaps).write(reader)
        : try table(session, writer, timeline).write(reader)
      if count == 0 { try session.explainEmptyAnswer(to: query, of: timeline) }
    }
  }

  /// Whether every change is shown.
  private var showsChanges: Bool { output.json || changes }

  /// Whether the model is needed: for names of attributes, not for those of entities.
  private var namesAttributes: Bool {
    showsChanges || !filter.conditions.attribute.isEmpty
  }

  private func query(_ resolver: TokenResolver) throws -> HistoryQuery {
    var query = try filter.query(resolver)
    query.order = reverse ? .ascending : .descending
    query.limit = count
    query.limitKeepsNewest = true
    query.keepsOnlyMatchingChanges = onlyMatching
    return query
  }

  private func table(
    _ session: Session, _ writer: OutputWriter, _ timeline: HistoryTimeline
  ) throws -> TransactionTable {
    TransactionTable(
      session: session, writer: writer, showsChanges: changes,
      showsAuthors: try timeline.hasAuthors(),
      tokens: TokenText(isQualified: output.qualified, store: timeline.storeIdentifier),
      gaps: GapReport(session: session, timeline: timeline))
  }
}
