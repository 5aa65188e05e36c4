import ArgumentParser
import PersistentHistory
import StoreFormat
import Terminal

/// `histctl stats`: shows the activity of a history.
struct Stats: ReadingCommand {
  static let configuration = CommandConfiguration(
    commandName: "stats",
    abstract: "Show activity over time, and by author, entity, kind, object and attribute.",
    discussion: """
      Shows activity over time and by author, bundle, process, entity and kind of change; the \
      amount saved per day; the growth of the history; and the objects and attributes that changed \
      most often, with their share of all changes, the time between changes, and who made most of \
      them. The options on transactions are those of log and select whole transactions. Bytes are \
      estimates: shares of the pages that the history occupies. Several stores, archives and \
      exported lines are counted together; a list of stores and a column STORE tell them apart.

      Examples:
        histctl stats default.store
        histctl stats default.store --by week --after 2024-01-01
        histctl stats default.store --entity Trip --kind delete --top 3
        histctl stats default.store --weekdays
        histctl stats default.store --sessions --author widget
        histctl stats default.store --sessions=2h --json
        histctl stats default.store --until-size 100M
        histctl stats default.store --csv
        histctl stats default.store --json | jq '.objects[0]'
        histctl stats default.store Trips.store --by day
      """)

  @OptionGroup var stores: SeveralStoresOptions
  @OptionGroup var copies: PrivateCopyOptions
  @OptionGroup var archive: ArchiveOptions
  @OptionGroup(title: "Which transactions") var tokens: RangeOptions
  @OptionGroup(title: "Which transactions") var authors: AuthorOptions
  @OptionGroup(title: "Which transactions") var conditions: ConditionOptions

  @Flag(help: "Count only the changes that match --entity, --kind, --object and --attribute.")
  var onlyMatching = false

  @Option(value: "period", help: "List the activity of each hour, day, week or month.")
  var by: PeriodUnit?

  @Flag(help: "Show activity by weekday and hour of the day.")
  var weekdays = false

  @Option(
    defaultAsFlag: SessionPause.usual, parsing: .next,
    help: ArgumentHelp(
      "List sessions instead: saves of one author that are less than DURATION apart.",
      valueName: "duration"))
  // Text, because the parser takes the default for a value that it cannot read.
  var sessions: String?

  @Option(value: "count", help: "List at most COUNT authors, entities and so on.")
  var top = 10

  @Option(help: "Show when the history will reach this size, such as 100M, at the present rate.")
  var untilSize: ByteSize?

  @Flag(help: "Write CSV, as one table.")
  var csv = false

  @Flag(help: "In CSV, write ' before texts that a spreadsheet would evaluate as formulas.")
  var safeCells = false

  @OptionGroup(title: "Output") var output: OutputOptions

  func validate() throws {
    if let range = try stores.dividingRange().range {
      throw ValidationError("a range is given with an option: --range \(range.text)")
    }
    guard top > 0 else { throw ValidationError("--top must be 1 or more") }
    if safeCells && !csv { throw ValidationError("--safe-cells needs --csv") }
    if csv && output.json { throw ValidationError("--csv and --json cannot be combined") }
    if csv && untilSize != nil {
      throw ValidationError("--until-size cannot be combined with --csv; use --json")
    }
    if let sessions { _ = try SessionPause(parsing: sessions) }
    if sessions != nil, by != nil || weekdays || untilSize != nil {
      throw ValidationError(
        "--sessions cannot be combined with --by, --weekdays or --until-size: it lists sessions only"
      )
    }
  }

  private var filter: Filter { Filter(range: tokens, authors: authors, conditions: conditions) }

  private func query(_ resolver: TokenResolver) throws -> HistoryQuery {
    try filter.query(resolver, onlyMatching: onlyMatching)
  }

  func remedy(for token: UnusableToken) -> String { filter.remedy(for: token) }

  /// Prepares the query of each history.
  private func prepare(_ histories: SeveralHistories) throws {
    if histories.areSeveral { try filter.checkForSeveral(histories.session) }
    try histories.prepare { reading, resolver in
      let query = try query(resolver)
      if untilSize != nil, query != HistoryQuery() {
        throw Failure(
          .usage, "--until-size needs the whole history; it cannot be combined with conditions",
          hint: "leave out --until-size, or the options that select transactions")
      }
      let schema =
        sessions == nil
        ? try reading.schema()
        : try reading.schema(
          namesAttributes: query.change.namesAttributes, joinsArchive: !query.change.isEmpty)
      return HistoryPart(query: query, schema: schema, resolver: resolver)
    }
  }

  /// Returns the gap before the beginning of what was asked for.
  private func missingBeginning(
    _ part: HistoryPart, _ reading: HistoryReading
  ) throws -> HistoryGap? {
    (part.query.after ?? 0) <= 0
      ? try reading.timeline.missingBeginning()
      : try part.resolver.missingBeginning(after: filter.after)
  }

  func run(_ session: Session) throws {
    if let sessions { return try list(SessionPause(parsing: sessions), session) }
    try session.readHistories(stores, archive, usesPager: !csv) { histories in
      try prepare(histories)
      guard let report = try report(histories) else { return }
      let writer = histories.writer
      if output.json {
        try writer.writeLine(report.json)
      } else if csv {
        try StatsTable(
          csv: CSVOutput(session: session, guardsFormulas: safeCells),
          report: report
        ).write()
      } else {
        try StatsText(session: session, report: report, listsPeriods: by != nil).write()
      }
      histories.noteCopies()
      try histories.explainAnswer(isEmpty: report.statistics.total.isEmpty)
      for (place, reading) in histories.readings.enumerated() where !histories.hasFailed(place) {
        guard let part = histories.parts[place] else { continue }
        reading.noteUnknownHierarchy(of: part.query)
        if !report.statistics.total.isEmpty || filter.after != nil {
          try reading.note(missingBeginning: missingBeginning(part, reading))
        }
        for gap in report.statistics.gaps where gap.store == reading.timeline.storeIdentifier {
          reading.report(gap)
        }
      }
    }
  }

  /// Counts the histories; returns `nil` if none could be counted.
  private func report(_ histories: SeveralHistories) throws -> StatsReport? {
    let now = histories.session.now
    // All are counted for the same periods.
    var span: ClosedRange<StoreTimestamp>?
    if histories.areSeveral {
      for (place, part) in histories.parts.enumerated() {
        guard let part,
          let times = try histories.run(
            place,
            body: {
              try HistoryStatistics.times(
                histories.readings[place].timeline, query: part.query, schema: part.schema, now: now
              )
            }) ?? nil
        else { continue }
        span =
          span.map {
            min($0.lowerBound, times.lowerBound)...max($0.upperBound, times.upperBound)
          } ?? times
      }
    }
    var report: StatsReport?
    for (place, part) in histories.parts.enumerated() {
      guard let part else { continue }
      let reading = histories.readings[place]
      let next = try histories.run(place) {
        StatsReport(
          reading, statistics: try count(part, histories, place, span), top: top,
          listsWeek: weekdays,
          size: untilSize?.bytes)
      }
      guard let next else { continue }
      if report == nil { report = next } else { report?.join(next) }
    }
    return report
  }

  /// Counts a history; shows what can be counted in a damaged store, and reports the damage.
  private func count(
    _ part: HistoryPart, _ histories: SeveralHistories, _ place: Int,
    _ span: ClosedRange<StoreTimestamp>?
  ) throws -> HistoryStatistics {
    let reading = histories.readings[place]
    func count(_ query: HistoryQuery) throws -> HistoryStatistics {
      try HistoryStatistics(
        reading.timeline, query: query, schema: part.schema, unit: by,
        clock: output.date == .utc ? .universal : .local, now: reading.session.now, span: span)
    }
    do {
      return try count(part.query)
    } catch let error as StoreError {
      guard case .damaged = error else { throw error }
      var tolerant = part.query
      tolerant.checksCompleteness = false
      let statistics = try count(tolerant)
      reading.session.fail(with: histories.explaining(error, of: place))
      return statistics
    }
  }

  /// Lists the sessions.
  private func list(_ pause: SessionPause, _ session: Session) throws {
    try session.readHistories(stores, archive, usesPager: !csv) { histories in
      try prepare(histories)
      let readers = try histories.parts.enumerated().map { place, part -> HistorySessionReader? in
        guard let part else { return nil }
        let reading = histories.readings[place]
        try reading.note(missingBeginning: missingBeginning(part, reading), inStream: true)
        return try histories.run(place) {
          try HistorySessionReader(
            reading.timeline, query: part.query, schema: part.schema,
            pause: Double(pause.seconds), now: session.now)
        }
      }
      var merge = histories.merge(isAscending: true) { place in
        try readers[place]?.next().map { ($0, $0.start) }
      }
      func next() throws -> (saves: HistorySession, reading: HistoryReading)? {
        try merge.next().map { ($0.element, histories.readings[$0.stream]) }
      }
      let lines = SessionOutput(histories: histories)
      let count =
        output.json
        ? try lines.writeJSON(next)
        : csv
          ? try lines.writeCSV(next, guardsFormulas: safeCells)
          : try lines.writeTable(next)
      var hasUntimed = false
      for (place, reading) in histories.readings.enumerated() {
        guard let part = histories.parts[place], let sessions = readers[place] else { continue }
        reading.noteUnknownHierarchy(of: part.query)
        if sessions.withoutTime > 0 {
          session.diagnostics.warn(
            (reading.name.map { $0 + ": " } ?? "")
              + "\(sessions.withoutTime.counted("transaction")) without a usable time "
              + (sessions.withoutTime == 1 ? "is" : "are") + " in no session",
            kind: "withoutTime", hint: "log lists them with their numbers")
          hasUntimed = true
        }
        sessions.gaps.forEach(reading.report)
      }
      if !hasUntimed { try histories.explainAnswer(isEmpty: count == 0) }
    }
  }
}

/// The time without a save after which a session has ended.
struct SessionPause: Equatable {
  static let usual = "30min"

  let seconds: Int

  /// Reads a duration whose length does not depend on the calendar.
  init(parsing text: String) throws(ValidationError) {
    let duration: HistoryDuration
    do {
      duration = try HistoryDuration(option: text)
    } catch {
      // The word may be that of the store.
      throw text.first?.isNumber ?? false
        ? ValidationError("--sessions: \(error.message)")
        : ValidationError(
          "'\(text)' is not a duration; write for example --sessions=30min, or --sessions after the store"
        )
    }
    guard duration.months == 0 else {
      throw ValidationError("--sessions: months differ in length; write weeks or days, such as 4w")
    }
    seconds = duration.days * 86_400 + duration.seconds
  }
}

extension PeriodUnit: WordArgument {}
