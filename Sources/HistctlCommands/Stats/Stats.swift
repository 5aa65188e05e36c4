import ArgumentParser
import PersistentHistory
import StoreFormat
import Terminal

/// `histctl stats`: what was saved when, by whom and about what.
struct Stats: HistctlCommand, CheckedOptions {
  static let configuration = CommandConfiguration(
    commandName: "stats",
    _superCommandName: "histctl",
    abstract: "Show who saved how much, and when.",
    discussion: """
      Activity over time, and by author, bundle, process, entity and kind of change; how much is \
      saved in a day, and how fast the history grows. The options on transactions are those of log \
      and choose whole transactions. Bytes are shares of the pages that history occupies, and about \
      right.

      Examples:
        histctl stats default.store
        histctl stats default.store --by week --after 2024-01-01
        histctl stats default.store --entity Trip --kind delete --top 3
        histctl stats default.store --until-size 100M
        histctl stats default.store --csv
        histctl stats default.store --json | jq '.authors[0]'
      """)

  @OptionGroup var store: StoreOptions
  @OptionGroup var archive: ArchiveOptions
  @OptionGroup(title: "Which transactions") var filter: FilterOptions

  @Option(help: ArgumentHelp("List the activity of each of these periods.", valueName: "period"))
  var by: PeriodArgument?

  @Option(
    help: ArgumentHelp("List at most COUNT authors, entities and the like.", valueName: "count"))
  var top = 10

  @Option(
    help: ArgumentHelp(
      "Say when history will have this size, such as 100M, if it goes on as at present.",
      valueName: "size"),
    transform: ByteSize.init(parsing:))
  var untilSize: ByteSize?

  @Flag(help: "Write one table of comma-separated values.")
  var csv = false

  @Flag(help: "Write ' before texts in CSV that a spreadsheet would take for a formula.")
  var safeCells = false

  @OptionGroup(title: "Output") var output: OutputOptions

  func check() throws {
    guard top > 0 else { throw ValidationError("--top takes a number of 1 or more") }
    if safeCells && !csv { throw ValidationError("--safe-cells is about --csv") }
    if csv && output.json { throw ValidationError("--csv and --json are two forms, choose one") }
    if csv && untilSize != nil {
      throw ValidationError("--csv has no place for --until-size; --json has")
    }
  }

  func run(_ console: Console) throws {
    let session = Session(output, console)
    try session.readHistory(store, archive, usesPager: !csv) { writer, timeline, resolver in
      _ = try timeline.snapshot?.historyTables()
      let query = try filter.query(resolver)
      if untilSize != nil, query != HistoryQuery() {
        throw Failure(
          status: .usage, kind: "usage",
          message: "--until-size is about the whole history, not about chosen transactions",
          hint: "leave out --until-size, or the options on transactions")
      }
      if query.selectsEverything { try session.warnOfTornCounters(in: timeline.snapshot) }
      let schema = try session.schema(
        of: timeline, namesAttributes: !filter.conditions.attribute.isEmpty)
      func count(_ query: HistoryQuery) throws -> HistoryStatistics {
        try HistoryStatistics(
          timeline, query: query, schema: schema, unit: by?.unit,
          clock: output.date == .utc ? .universal : .local, now: session.now)
      }
      let statistics: HistoryStatistics
      do {
        statistics = try count(query)
      } catch let error as StoreError {
        // What can be counted of a damaged store is shown, and the damage reported.
        guard case .damaged = error else { throw error }
        var tolerant = query
        tolerant.checksCompleteness = false
        statistics = try count(tolerant)
        session.diagnostics.report(Failure(error))
        session.end(with: .damaged)
      }
      let report = StatsReport(
        timeline: timeline, statistics: statistics, top: top, size: untilSize?.bytes,
        now: session.now)
      if output.json {
        try writer.writeLine(report.json)
      } else if csv {
        try StatsTable(
          session: session, writer: writer, report: report, guardsFormulas: safeCells
        ).write()
      } else {
        try StatsText(
          session: session, writer: writer, report: report, listsPeriods: by != nil
        ).write()
      }
      session.noteUnknownHierarchy(of: query, in: timeline)
      if statistics.total.isEmpty { try session.explainEmptyAnswer(to: query, of: timeline) }
      let gaps = GapReport(session: session, timeline: timeline)
      if !statistics.total.isEmpty || filter.after != nil {
        try gaps.note(
          missingBeginning: (query.after ?? 0) <= 0
            ? timeline.missingBeginning() : resolver.missingBeginning(after: filter.after))
      }
      gaps.tell(statistics.gaps)
    }
  }
}

/// A length of periods on the command line.
enum PeriodArgument: String, WordArgument {
  case hour, day, week, month

  var unit: PeriodUnit {
    switch self {
    case .hour: .hour
    case .day: .day
    case .week: .week
    case .month: .month
    }
  }
}
