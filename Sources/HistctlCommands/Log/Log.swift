import ArgumentParser
import HistoryCoding
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
  @OptionGroup(title: "Which transactions") var authors: AuthorOptions
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
        "--follow cannot be combined with --private-copy: a copy does not change")
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
    var filter = Filter(range: tokens, authors: authors, conditions: conditions)
    if let range { filter.range.range = range }
    return filter
  }

  func remedy(for token: UnusableToken) -> String { filter.remedy(for: token) }

  func run(_ session: Session) throws {
    if follow { return try followHistory(session) }
    try session.readHistory(store, archive) { reading, resolver in
      var query = try query(reading, resolver)
      try reading.note(
        missingBeginning: resolver.missingBeginning(after: filter.after), inStream: true)
      let schema = try reading.schema(
        namesAttributes: showsChanges || query.change.namesAttributes,
        joinsArchive: !query.change.isEmpty)
      try query.deriveValues(in: reading.timeline, schema: schema)
      try query.skip(newest: skip, of: reading.timeline, schema: schema)
      let reader = try TimelineReader(reading.timeline, query: query, schema: schema)
      reading.noteUnknownHierarchy(of: query)
      let count = try write(reader, reading, table(reading))
      session.noteUnknownValues(of: query)
      if count == 0 {
        try reading.explainEmptyAnswer(to: query, skipped: skip)
      } else if query.change.objects.count > 1 {
        _ = try reading.warnOfUnknownObjects(in: query)
      }
    }
  }

  /// Whether every change is shown.
  private var showsChanges: Bool { changes || output.json && !stat && !countsOnly }

  private func query(
    _ reading: HistoryReading, _ resolver: TokenResolver
  ) throws -> HistoryQuery {
    var query = try filter.query(
      resolver, values: valueConditions.conditions(now: reading.session.now),
      onlyMatching: onlyMatching)
    query.order = reverse ? .ascending : .descending
    query.limit = count
    query.limitKeepsNewest = true
    if showsChanges || !valueConditions.value.isEmpty {
      try values.apply(to: &query, reading)
    }
    return query
  }

  /// Returns the table for text; `nil` for JSON.
  private func table(_ reading: HistoryReading) throws -> TransactionTable? {
    if output.json || countsOnly { return nil }
    return TransactionTable(
      reading, detail: changes ? .changes : stat ? .counts : .summary,
      showsAuthors: try reading.timeline.hasAuthors(), asked: authors)
  }

  private func write(
    _ reader: TimelineReader, _ reading: HistoryReading, _ table: TransactionTable?
  ) throws -> Int {
    if let table { return try table.write(reader) }
    if countsOnly { return try writeCount(of: reader, reading) }
    guard stat else { return try reading.writeLines(reader) }
    return try reading.forEach(reader.nextElement) {
      try reading.writer.writeLine($0.json(reader.countChanges()))
    }
  }

  /// Writes the number of transactions, and returns it.
  private func writeCount(of reader: TimelineReader, _ reading: HistoryReading) throws -> Int {
    var count = 0
    try reading.forEach(reader.nextElement) { _ in count += 1 }
    if output.json {
      try reading.writer.writeLine(
        .record(
          "transactionCount", ["store": reading.timeline.storeIdentifier, "transactions": count]))
    } else {
      try reading.writer.writeLine("\(count)")
    }
    return count
  }

  // MARK: - Following

  /// The number of transactions that `--follow` shows first.
  private static let firstFollowedCount = 10

  /// Writes the newest transactions, then every one that is saved, until the program is ended.
  private func followHistory(_ session: Session) throws {
    let input = session.input(store, archive)
    guard try input.archiveAlone() == nil else {
      throw Failure(
        .usage, "--follow needs a store, which can be saved to",
        hint: "leave out --follow, or give the store")
    }
    try session.write(usesPager: false) { writer in
      writer.flushesEachLine = true
      let file = try session.open(store.store, busyTimeout: store.busyTimeout)
      var (reading, query, position, table) = try file.read { snapshot in
        _ = try snapshot.historyTables()
        let timeline = try input.timeline(of: snapshot)
        let reading = HistoryReading(session: session, writer: writer, timeline: timeline)
        var query = try self.query(reading, input.resolver(timeline))
        query.order = .ascending
        if showsChanges, !values.omitsValues {
          // The log may be filled later.
          query.recordedValues = RecordedValues(query.recordedValues?.file, readsLog: true)
        }
        if query.limit == nil, filter.after == nil { query.limit = Self.firstFollowedCount }
        let table = try self.table(reading)
        let position = try snapshot.newestTransaction()?.number ?? 0
        let schema = try reading.schema()
        try query.deriveValues(in: timeline, schema: schema)
        let reader = try TimelineReader(timeline, query: query, schema: schema)
        _ = try write(reader, reading, table)
        try writer.flush()
        return (reading, query, position, table)
      }
      query.after = nil
      let follower = try HistoryFollower(
        path: store.store, busyTimeout: store.busyTimeout, query: query, after: position)
      try follower.run { event in
        switch event {
        case .transactions(let reader): _ = try write(TimelineReader(reader), reading, table)
        case .gap(let after, let oldest):
          if let table {
            try table.writeGap(after: after, oldest: oldest)
          } else {
            try reading.writeLine(
              of: HistoryGap(store: follower.storeIdentifier, after: after, oldest: oldest))
          }
        }
        try writer.flush()
      }
    }
  }
}

extension HistoryTransaction {
  /// Returns the record of a transaction with the numbers of its changes.
  fileprivate func json(_ summary: ChangeSummary) -> JSONValue {
    .record(
      "transactionStat",
      [
        "store": store, "transaction": number, "timestamp": timestamp?.iso8601(),
        "author": author?.string, "bundle": bundle?.string, "process": process?.string,
        "context": context?.string, "partial": isPartial ? true : nil,
        "entities": summary.entries.map { entry in
          let name = entry.entity?.name
          return JSONValue.object(of: [
            "entity": name, "entityRaw": name == nil ? entry.entity?.number : nil,
            "inserts": entry.inserts, "updates": entry.updates, "deletes": entry.deletes,
            "others": entry.others > 0 ? entry.others : nil,
          ])
        },
      ])
  }
}
