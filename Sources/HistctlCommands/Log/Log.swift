import ArgumentParser
import HistoryOperations
import PersistentHistory
import StoreFormat
import Terminal

/// `histctl log`: lists transactions.
struct Log: ReadingCommand {
  static let configuration = CommandConfiguration(
    commandName: "log",
    abstract: "List transactions, newest first.",
    discussion: """
      Values of the same option are alternatives; different options must all match. They select \
      whole transactions; --only-matching hides the changes that do not match. A token is a \
      number, STORE:NUMBER, first, last, last~3, a date, a duration such as 2w, @bookmark or \
      @./file; see histctl-tokens(7). The lines of --json are described in histctl-json(5).

      Examples:
        histctl log default.store -n 20
        histctl log default.store 1200..1300
        histctl log default.store --author widget --after yesterday
        histctl log default.store --entity Trip --kind delete --changes
        histctl log default.store --object Trip/p12 --only-matching --changes
        histctl log default.store --after 1200 --reverse --json | jq .author
        histctl log default.store --after 1200 --stat
        histctl log default.store --after 1200 --count
        histctl log default.store --follow --author widget
        histctl log default.store --archive history-archive --object Trip/p12
        histctl log history.jsonl.zst --author widget
      """)

  @OptionGroup var store: StoreOptions

  @Argument(
    help: "Only transactions in A..B: after token A up to and including token B.",
    completion: Completion.token.kind, transform: TokenRange.init(parsing:))
  var range: TokenRange?

  @OptionGroup var copies: PrivateCopyOptions
  @OptionGroup var archive: ArchiveOptions
  @OptionGroup(title: "Which transactions") var tokens: RangeOptions
  @OptionGroup(title: "Which transactions") var savers: SaverOptions
  @OptionGroup(title: "Which transactions") var conditions: ConditionOptions

  @Option(
    name: .customShort("n", allowingJoined: true),
    help: ArgumentHelp("Show at most COUNT transactions, the newest ones.", valueName: "count"))
  var count: Int?

  @Option(
    help: ArgumentHelp("Skip the COUNT newest transactions that match.", valueName: "count"))
  var skip = 0

  @Flag(help: "Show the oldest first; -n and --skip still count from the newest.")
  var reverse = false

  @Flag(help: "Show each change below its transaction.")
  var changes = false

  @Flag(help: "Show how many objects of each entity were changed, below each transaction.")
  var stat = false

  // Not "count", which is the value of -n.
  @Flag(
    name: .customLong("count"), help: "Write only the number of transactions that match.")
  var countsOnly = false

  @OptionGroup var valueConditions: ValueConditionOptions

  @Flag(
    help: "Hide changes that do not match --entity, --kind, --object, --attribute and --value.")
  var onlyMatching = false

  @Flag(
    name: .shortAndLong, help: "Show the newest transactions, then each new one as it is saved.")
  var follow = false

  @OptionGroup var values: ValuesOptions
  @OptionGroup(title: "Output") var output: OutputOptions

  func validate() throws {
    if range != nil, tokens.after != nil || tokens.until != nil {
      throw ValidationError(
        "a range after the store cannot be combined with --range, --after or --until")
    }
    if follow, filter.until != nil {
      throw ValidationError("--follow cannot be combined with --until or the end of a range")
    }
    if follow, copies.privateCopy != nil {
      throw ValidationError(
        "--follow cannot be combined with --private-copy: nobody saves to a copy")
    }
    if let count, count < 0 {
      throw ValidationError("-n must be 0 or more")
    }
    guard skip >= 0 else { throw ValidationError("--skip must be 0 or more") }
    if follow, skip > 0 || countsOnly {
      throw ValidationError(
        "--follow cannot be combined with --\(countsOnly ? "count" : "skip")")
    }
    if [changes, stat, countsOnly].count(where: { $0 }) > 1 {
      throw ValidationError("--changes, --stat and --count cannot be combined")
    }
  }

  /// Which transactions, by the options and the range.
  private var filter: Filter {
    var filter = Filter(range: tokens, savers: savers, conditions: conditions)
    if let range { filter.range.range = range }
    return filter
  }

  func remedy(for token: UnusableToken) -> String { filter.remedy(for: token) }

  func run(_ console: Console) throws {
    let session = Session(output, console)
    if follow { return try followHistory(session) }
    try session.readHistory(store, archive) { writer, timeline, resolver in
      _ = try timeline.snapshot?.historyTables()
      var query = try query(session, timeline, resolver)
      let gaps = GapReport(session: session, timeline: timeline)
      try gaps.note(
        missingBeginning: resolver.missingBeginning(after: filter.after),
        to: output.json ? writer : nil)
      let schema = try session.schema(
        of: timeline, namesAttributes: showsChanges || query.change.namesAttributes,
        joinsArchive: !query.change.isEmpty)
      try query.skip(newest: skip, of: timeline, schema: schema)
      let reader = try TimelineReader(timeline, query: query, schema: schema)
      session.noteUnknownHierarchy(of: query, in: timeline)
      let count = try write(reader, table(session, writer, timeline), writer, gaps)
      session.noteUnknownValues(of: query)
      if count == 0 {
        try session.explainEmptyAnswer(to: query, of: timeline, skipped: skip)
      } else if query.change.objects.count > 1 {
        _ = try session.warnOfUnknownObjects(in: query, of: timeline)
      }
    }
  }

  /// Whether every change is shown.
  private var showsChanges: Bool { changes || output.json && !stat && !countsOnly }

  private func query(
    _ session: Session, _ timeline: HistoryTimeline, _ resolver: TokenResolver
  ) throws -> HistoryQuery {
    var query = try filter.query(resolver)
    query.order = reverse ? .ascending : .descending
    query.limit = count
    query.limitKeepsNewest = true
    query.keepsOnlyMatchingChanges = onlyMatching
    query.change.values = valueConditions.conditions(now: session.now)
    if !valueConditions.value.isEmpty { query.valueSearch = ValueSearch() }
    if showsChanges || !valueConditions.value.isEmpty {
      try values.apply(to: &query, session, timeline)
    }
    return query
  }

  /// Returns the table for text; `nil` for JSON.
  private func table(
    _ session: Session, _ writer: OutputWriter, _ timeline: HistoryTimeline
  ) throws -> TransactionTable? {
    if output.json || countsOnly { return nil }
    return TransactionTable(
      session: session, writer: writer, detail: changes ? .changes : stat ? .counts : .summary,
      showsAuthors: try timeline.hasAuthors(), asked: savers,
      tokens: session.tokens(of: timeline.storeIdentifier),
      gaps: GapReport(session: session, timeline: timeline))
  }

  private func write(
    _ reader: TimelineReader, _ table: TransactionTable?, _ writer: OutputWriter,
    _ gaps: GapReport? = nil
  ) throws -> Int {
    if let table { return try table.write(reader) }
    let counts = TransactionCounts(writer: writer, isJSON: output.json, gaps: gaps)
    if countsOnly { return try counts.writeNumber(reader) }
    if stat { return try counts.write(reader) }
    return try TransactionLines(writer: writer, gaps: gaps).write(reader)
  }

  // MARK: - Following

  /// The number of transactions that `--follow` shows first.
  private static let firstFollowedCount = 10

  /// Writes the newest transactions, then every one that is saved, until the program is ended.
  private func followHistory(_ session: Session) throws {
    let input = session.input(store, archive)
    guard try input.archiveAlone() == nil else {
      throw Failure(
        status: .usage, kind: "usage", message: "--follow needs a store, which can be saved to",
        hint: "leave out --follow, or give the store")
    }
    try session.write(usesPager: false) { writer in
      writer.flushesEachLine = true
      var query = HistoryQuery()
      var position: Int64 = 0
      var table: TransactionTable?
      try session.open(store.store, busyTimeout: store.busyTimeout).read { snapshot in
        _ = try snapshot.historyTables()
        let timeline = try input.timeline(of: snapshot)
        query = try self.query(session, timeline, input.resolver(timeline))
        query.order = .ascending
        if showsChanges, !values.omitsValues {
          // The log may be filled later.
          query.recordedValues = RecordedValues(query.recordedValues?.file, readsLog: true)
        }
        if query.limit == nil, filter.after == nil { query.limit = Self.firstFollowedCount }
        table = try self.table(session, writer, timeline)
        position = try snapshot.newestTransaction()?.number ?? 0
        let reader = try TimelineReader(
          timeline, query: query, schema: session.schema(of: timeline))
        _ = try write(reader, table, writer, GapReport(session: session, timeline: timeline))
        try writer.flush()
      }
      query.after = nil
      let follower = try HistoryFollower(
        path: store.store, busyTimeout: store.busyTimeout, query: query, after: position)
      try follower.run { event in
        switch event {
        case .transactions(let reader): _ = try write(TimelineReader(reader), table, writer)
        case .gap(let after, let oldest):
          if let table {
            try table.writeGap(after: after, oldest: oldest)
          } else {
            try TransactionLines(writer: writer).write(
              HistoryGap(store: follower.storeIdentifier, after: after, oldest: oldest))
          }
        }
        try writer.flush()
      }
    }
  }
}
