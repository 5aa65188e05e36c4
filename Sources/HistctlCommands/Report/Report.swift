import ArgumentParser
import HistoryCoding
import HistoryOperations
import PersistentHistory
import StoreFormat
import Terminal

/// `histctl report`: writes a page that shows histories.
struct Report: ReadingCommand {
  static let configuration = CommandConfiguration(
    commandName: "report",
    abstract: "Write an HTML page with plots, transactions and objects of histories.",
    discussion: """
      The page is one file that any browser opens without a network: activity over time, by author, \
      entity and attribute, the growth of the history, the newest transactions with their changes, \
      and the life of each object in them. Each STORE is a store, an archive, or exported lines. \
      The options that select transactions are those of log. Counts are of all selected \
      transactions; the page says what it does not list.

      Examples:
        histctl report default.store -o report.html --open
        histctl report default.store --after 2w --author widget -o widget.html
        histctl report default.store --archive history-archive -o report.html --overwrite
        histctl report stores/*.store --title "All stores" -o stores.html
        histctl report default.store --redact --reproducible -o - | gzip > report.html.gz
      """)

  @OptionGroup var stores: SeveralStoresOptions
  @OptionGroup var copies: PrivateCopyOptions
  @OptionGroup var archive: ArchiveOptions
  @OptionGroup(title: "Which transactions") var tokens: RangeOptions
  @OptionGroup(title: "Which transactions") var authors: AuthorOptions
  @OptionGroup(title: "Which transactions") var conditions: ConditionOptions
  @OptionGroup var valueConditions: ValueConditionOptions
  @OptionGroup(title: "The page") var page: PageOptions
  @OptionGroup var values: ValuesOptions
  @OptionGroup(title: "Output") var output: OutputOptions

  func validate() throws {
    if output.json, page.file == nil {
      throw ValidationError("--json cannot be combined with a page on standard output")
    }
  }

  private var filter: Filter { Filter(range: tokens, authors: authors, conditions: conditions) }

  func remedy(for token: UnusableToken) -> String { filter.remedy(for: token) }

  var outlivesReader: Bool { page.file != nil }

  func run(_ session: Session) throws {
    let isolation = StoreIsolation(session: session, amongSeveral: true)
    let inputs = try session.inputs(stores, archive)
    let names = UnknownNames()
    var failedCount = 0
    var isAnyDone = false
    try session.write(usesPager: false) { writer in
      var report = HistoryReport(
        inputs, maker: "histctl \(Version.text)",
        query: { timeline, resolver in
          let reading = HistoryReading(session: session, timeline: timeline)
          guard inputs.count > 1 else { return try query(reading, resolver, names) }
          return try names.unlessUnknown { try query(reading, resolver, names) } ?? .ofNothing
        },
        failed: { path, error in
          if error is OutputError { throw error }
          failedCount += 1
          try isolation.run(path) { throw error }
          return Failure(error, time: session.time.text).message
        })
      report.title = page.title
      report.filters =
        filter.texts + valueConditions.value.map { "--value \(ShellWord.quoted($0))" }
      report.maxTransactions = page.maxTransactions
      report.isRedacted = page.redact
      report.showsDigests = page.hashes
      report.madeAt = page.reproducible ? nil : session.now
      guard let file = page.file else {
        let summary = try report.write { try writer.write($0) }
        isAnyDone = summary.histories > failedCount
        return
      }
      let summary = try report.writeFile(file, overwrites: page.overwrite)
      isAnyDone = summary.histories > failedCount
      try show(summary, in: file, session)
    }
    isolation.noteSkipped()
    session.end(with: isolation.status(isAnyDone: isAnyDone))
    names.report(session)
  }

  private func query(
    _ reading: HistoryReading, _ resolver: TokenResolver, _ names: UnknownNames
  ) throws -> HistoryQuery {
    var query = try filter.query(
      resolver, values: valueConditions.conditions(now: reading.session.now))
    try values.apply(to: &query, reading)
    if !query.change.isEmpty {
      // Unknown names are reported before anything else is said.
      _ = try TimelineReader(
        reading.timeline, query: query.readingNewestFirst, schema: reading.timeline.schema())
    }
    try reading.warnOfTornCopy()
    reading.noteUnknownHierarchy(of: query)
    try names.search(reading, for: query)
    return query
  }

  private func show(
    _ summary: HistoryReport.Summary, in file: String, _ session: Session
  ) throws {
    if output.json {
      try session.writer.writeLine(
        .record(
          "report",
          [
            "path": file, "histories": summary.histories, "transactions": summary.transactions,
            "listedTransactions": summary.listedTransactions, "bytes": summary.bytes,
          ]))
    } else if session.environment.isErrorTerminal {
      session.diagnostics.note(
        "wrote \(file) (\(ByteCount(summary.bytes))): "
          + "\(summary.transactions.counted("transaction")), "
          + "\(summary.listedTransactions.grouped) of them with their changes")
    }
    if page.open, !session.console.openFile(file) {
      session.diagnostics.warn(
        "cannot open \(file): no graphical session", kind: "noDesktop",
        hint: "copy the file to a machine with a browser")
    }
  }
}

extension HistoryQuery {
  /// A query that no transaction matches.
  fileprivate static var ofNothing: HistoryQuery {
    HistoryQuery(author: TextCondition(anyOf: []))
  }
}

/// What a page shows, and where it is written.
struct PageOptions: ParsableArguments {
  @Option(
    name: .output, value: .init("file", .file(extensions: ["html"])),
    help: "Write a new file; - is standard output.")
  var outputFile: String

  @Flag(help: "Replace an existing file.")
  var overwrite = false

  @Flag(help: "Open the page in a browser, where there is a desktop.")
  var open = false

  @Option(value: "text", help: "The title of the page.")
  var title: String?

  @Option(
    value: "count",
    help: "List the changes of at most COUNT transactions of each store, the newest ones.")
  var maxTransactions = 10_000

  @Flag(help: "Leave out values, tombstones and names of contexts.")
  var redact = false

  @Flag(help: "Show the SHA-256 of each store, its log and its journal, before and after reading.")
  var hashes = false

  @Flag(help: "Leave out the time of writing, so that equal input gives equal bytes.")
  var reproducible = false

  /// The file to write; `nil` for standard output.
  var file: String? { outputFile == "-" ? nil : outputFile }

  func validate() throws {
    if maxTransactions < 0 { throw ValidationError("--max-transactions must be 0 or more") }
    if outputFile.isEmpty { throw ValidationError("--output needs the name of a file") }
    if let ending = FileEnding.otherThanPage(file ?? "") {
      throw ValidationError(
        "the name \(outputFile) ends in .\(ending), and report writes a page of HTML; end it in .html"
      )
    }
    guard file == nil else { return }
    if open { throw ValidationError("--open needs a file: name it with --output") }
    if overwrite { throw ValidationError("--overwrite needs a file: name it with --output") }
  }
}
