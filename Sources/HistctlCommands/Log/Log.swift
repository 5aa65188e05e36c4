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
      A range A..B after the store selects the transactions after token A up to and including \
      token B. Several stores, archives and exported lines are shown as one history, ordered by \
      time: a column STORE names the store of each transaction, tokens have the identifier of \
      their store, and records of --json have its path. Positions in them are times, bookmarks, or \
      tokens that name their store.

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
        histctl log default.store Trips.store -n 20
        histctl find --apps -0 | histctl log --stores-from - 1d..
      """)

  @OptionGroup var stores: SeveralStoresOptions
  @OptionGroup var copies: PrivateCopyOptions
  @OptionGroup var archive: ArchiveOptions
  @OptionGroup(title: "Which transactions") var tokens: RangeOptions
  @OptionGroup(title: "Which transactions") var authors: AuthorOptions
  @OptionGroup(title: "Which transactions") var conditions: ConditionOptions

  @Option(
    name: .customShort("n", allowingJoined: true), value: "count",
    help: "Show at most COUNT transactions, the newest ones.")
  var count: Int?

  @Option(value: "count", help: "Skip the COUNT newest transactions that match.")
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
    let range = try stores.dividingRange().range
    if range != nil, tokens.after != nil || tokens.until != nil {
      throw ValidationError(
        "a range after the store cannot be combined with --range, --after or --until")
    }
    if follow, try stores.dividingRange().stores.areSeveral {
      throw ValidationError(
        "--follow reads one store; to follow several, run the command for each of them")
    }
    if values.valuesFile != nil, try stores.dividingRange().stores.areSeveral {
      throw ValidationError(
        "--values-file is of one store; leave it out, and values are read from each STORE-values.db"
      )
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
    if let range = try? stores.dividingRange().range { filter.range.range = range }
    return filter
  }

  func remedy(for token: UnusableToken) -> String { filter.remedy(for: token) }

  func run(_ session: Session) throws {
    let stores = try stores.dividingRange().stores
    if follow { return try followHistory(session, stores) }
    try session.readHistories(stores, archive) { histories in
      if histories.areSeveral { try filter.checkForSeveral(session) }
      try histories.prepare { reading, resolver in
        var query = try query(reading, resolver)
        try reading.note(
          missingBeginning: resolver.missingBeginning(after: filter.after), inStream: true)
        let schema = try reading.schema(
          namesAttributes: showsChanges || query.change.namesAttributes,
          joinsArchive: !query.change.isEmpty)
        try query.deriveValues(in: reading.timeline, schema: schema)
        if !histories.areSeveral {
          try query.skip(newest: skip, of: reading.timeline, schema: schema)
        }
        return HistoryPart(query: query, schema: schema, resolver: resolver)
      }
      if histories.areSeveral, skip > 0 || reverse {
        try histories.keepNewest(count, skipping: skip)
      }
      let readers = try histories.parts.enumerated().map { place, part -> TimelineReader? in
        guard let part else { return nil }
        let reading = histories.readings[place]
        return try histories.run(place) {
          let reader = try TimelineReader(
            reading.timeline, query: part.query, schema: part.schema)
          reading.noteUnknownHierarchy(of: part.query)
          return reader
        }
      }
      try explain(try write(readers, histories), histories)
    }
  }

  /// Says what an answer lacks.
  private func explain(_ counts: [Int], _ histories: SeveralHistories) throws {
    let count = counts.reduce(0, +)
    if countsOnly { histories.noteCopies() }
    for part in histories.parts {
      if let part { histories.session.noteUnknownValues(of: part.query) }
    }
    // Of a limited list, nobody expects the beginning.
    if self.count.map({ count < $0 }) ?? true {
      for (part, reading) in zip(histories.parts, histories.readings) {
        if let part { try reading.noteBeginning(of: part.query) }
      }
    }
    try histories.explainAnswer(isEmpty: count == 0 && self.count != 0, skipped: skip)
  }

  /// Whether whole transactions are written as JSON.
  private var showsLines: Bool { output.json && !stat && !countsOnly }

  /// Whether every change is shown.
  private var showsChanges: Bool { changes || showsLines }

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
  private func table(_ readings: [HistoryReading]) throws -> TransactionTable? {
    guard !output.json, !countsOnly, let first = readings.first else { return nil }
    return TransactionTable(
      first, detail: changes ? .changes : stat ? .counts : .summary,
      showsAuthors: try readings.contains { try $0.timeline.hasAuthors() }, asked: authors)
  }

  /// Writes the transactions in the order of their times, and returns how many and how many gaps each
  /// history has.
  private func write(_ readers: [TimelineReader?], _ histories: SeveralHistories) throws -> [Int] {
    let table = try table(histories.readings)
    var merge = histories.merge(readers, isAscending: reverse)
    var counts = readers.map { _ in 0 }
    var encoders = showsLines ? histories.readings.map { $0.lineEncoder() } : []
    func writeAll() throws {
      var rest = histories.areSeveral ? count : nil
      while rest.map({ $0 > 0 }) ?? true, let (place, element) = try merge.next() {
        counts[place] += 1
        if case .transaction = element { rest = rest.map { $0 - 1 } }
        guard let reader = readers[place] else { continue }
        let reading = histories.readings[place]
        try histories.run(place, reader) {
          if let table { return try table.write(element, of: reader, reading) }
          try reading.handle(element) { transaction in
            if stat {
              try reading.writer.writeLine(
                transaction.json(reader.countChanges(), path: reading.path))
            } else if showsLines {
              try reading.writeLine(of: transaction, reader, &encoders[place])
            }
          }
        }
      }
    }
    try table?.finishing(writeAll) ?? writeAll()
    if countsOnly { try write(counts.reduce(0, +), counts, histories) }
    return counts
  }

  /// Writes the number of transactions, and with `--json` that of each history.
  private func write(_ total: Int, _ counts: [Int], _ histories: SeveralHistories) throws {
    guard output.json else { return try histories.writer.writeLine("\(total)") }
    for (reading, count) in zip(histories.readings, counts) {
      try histories.writer.writeLine(
        .record(
          "transactionCount",
          [
            "path": reading.path, "store": reading.timeline.storeIdentifier,
            "transactions": count,
          ]))
    }
  }

  // MARK: - Following

  /// The number of transactions that `--follow` shows first.
  private static let firstFollowedCount = 10

  /// Writes the newest transactions, then every one that is saved, until the program is ended.
  private func followHistory(_ session: Session, _ stores: SeveralStoresOptions) throws {
    let paths = try stores.paths(session)
    guard paths.count == 1, let path = paths.first else {
      throw Failure(
        .usage, "--follow reads one store, and \(paths.count.grouped) are given",
        hint: "run the command for each of them")
    }
    let input = session.input(path, stores, archive)
    guard try input.archiveAlone() == nil else {
      throw Failure(
        .usage, "--follow needs a store, which can be saved to",
        hint: "leave out --follow, or give the store")
    }
    try session.write(usesPager: false) { writer in
      writer.flushesEachLine = true
      let file = try session.open(path, busyTimeout: stores.busyTimeout)
      var (reading, query, position, table) = try file.read { snapshot in
        _ = try snapshot.historyTables()
        let timeline = try input.timeline(of: snapshot)
        let reading = HistoryReading(session: session, timeline: timeline)
        var query = try self.query(reading, input.resolver(timeline))
        query.order = .ascending
        if showsChanges, !values.omitsValues {
          // The log may be filled later.
          query.recordedValues = RecordedValues(query.recordedValues?.file, readsLog: true)
        }
        if query.limit == nil, filter.after == nil { query.limit = Self.firstFollowedCount }
        let table = try self.table([reading])
        let position = try snapshot.newestTransaction()?.number ?? 0
        let schema = try reading.schema()
        try query.deriveValues(in: timeline, schema: schema)
        let reader = try TimelineReader(timeline, query: query, schema: schema)
        try writeAll(of: reader, reading, table)
        try writer.flush()
        return (reading, query, position, table)
      }
      query.after = nil
      let follower = try HistoryFollower(
        path: path, busyTimeout: stores.busyTimeout, query: query, after: position)
      try follower.run { event in
        switch event {
        case .transactions(let reader):
          try writeAll(of: TimelineReader(reader), reading, table)
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

  /// Writes everything that a reader of a followed history returns.
  private func writeAll(
    of reader: TimelineReader, _ reading: HistoryReading, _ table: TransactionTable?
  ) throws {
    if let table {
      return try table.finishing {
        while let element = try reader.nextElement() {
          try table.write(element, of: reader, reading)
        }
      }
    }
    guard stat else {
      _ = try reading.writeLines(reader)
      return
    }
    try reading.forEach(reader.nextElement) {
      try reading.writer.writeLine($0.json(reader.countChanges(), path: reading.path))
    }
  }
}

extension HistoryTransaction {
  /// Returns the record of a transaction with the numbers of its changes.
  fileprivate func json(_ summary: ChangeSummary, path: String?) -> JSONValue {
    .record(
      "transactionStat",
      [
        "path": path, "store": store, "transaction": number, "timestamp": timestamp?.iso8601(),
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
