import ArgumentParser
import PersistentHistory
import StoreFormat
import Terminal

/// `histctl diff`: shows the net changes of objects.
struct Diff: ReadingCommand {
  static let configuration = CommandConfiguration(
    commandName: "diff",
    abstract: "Show the net changes of objects between two tokens.",
    discussion: """
      Shows the net effect of the changes after the first token up to and including the second, \
      one line for each object; A..B is the same as A B. An object that was inserted and deleted is left out; updates name \
      all attributes that they touched, with the first old and the last new value where those were \
      recorded; a deleted object shows the values it left. Without a second token the newest \
      transaction is the end; 0 is before all history. The options under "Which changes" choose \
      changes before they are combined; --kind chooses objects by their net change.

      With --with, compares two copies of one store: up to where their histories agree, and which \
      changes each has had since. With --values as well, compares their objects row by row, and \
      shows each value that differs, from the copy to the store.

      Examples:
        histctl diff default.store yesterday
        histctl diff default.store 1200..1300 --stat
        histctl diff default.store 0 --entity Trip --kind delete
        histctl diff default.store @widget --not-author widget --name-only
        histctl diff default.store last~1 --each
        histctl diff default.store 57 last --exit-code --json
        histctl diff default.store --with backup.store
        histctl diff default.store --with backup.store --values
      """)

  @OptionGroup var store: StoreOptions
  @OptionGroup var copies: PrivateCopyOptions

  @Argument(
    help: ArgumentHelp("The token before the changes, or a range A..B.", valueName: "token"),
    completion: Completion.token.kind)
  var start: String?

  @Argument(
    help: ArgumentHelp(
      "The token after the changes (default: the newest transaction).",
      valueName: "token"),
    completion: Completion.token.kind)
  var end: String?

  @Option(
    name: .customLong("with"),
    help: ArgumentHelp("Compare with this copy of the store.", valueName: "copy"),
    completion: .store)
  var copy: String?

  @OptionGroup var archive: ArchiveOptions
  @OptionGroup(title: "Which changes") var authors: AuthorOptions
  @OptionGroup(title: "Which changes") var conditions: ConditionOptions

  @Flag(help: "Show every change in order instead of net changes.")
  var each = false

  @Flag(help: "Show the number of changed objects of each entity.")
  var stat = false

  @Flag(help: "Show only the names of the objects.")
  var nameOnly = false

  @Flag(
    name: .customLong("values"),
    help: "With --with, compare the objects of both copies, and show each value that differs.")
  var comparesValues = false

  @Flag(help: "End with status 1 if there are differences.")
  var exitCode = false

  @OptionGroup var values: ValuesOptions
  @OptionGroup(title: "Output") var output: OutputOptions

  func validate() throws {
    if copy == nil, start == nil {
      throw ValidationError("Missing expected argument '<token>'")
    }
    if let end, let start, let range = try? TokenRange.parse(start, now: .now()) {
      throw ValidationError(
        "the range \(range.text) cannot be combined with a second token, \(end)")
    }
    if copy != nil, start != nil {
      throw ValidationError(
        "--with cannot be combined with a token: it finds where the copies differ"
      )
    }
    if copy != nil, archive.archive != nil || archive.storeIdentifier != nil {
      throw ValidationError(
        "--with cannot be combined with --archive or --store-identifier: it compares two stores")
    }
    if comparesValues {
      if copy == nil { throw ValidationError("--values needs --with: it compares two copies") }
      if each || values.omitsValues || values.valuesFile != nil {
        throw ValidationError(
          "--values cannot be combined with --each, --no-values or --values-file: it compares rows")
      }
      if authors.query() != HistoryQuery() {
        throw ValidationError(
          "--values cannot be combined with conditions on who saved: it compares rows")
      }
    }
    if [each, stat, nameOnly].count(where: { $0 }) > 1 {
      throw ValidationError(
        "--each, --stat and --name-only cannot be combined")
    }
    if nameOnly && output.json {
      throw ValidationError("--name-only cannot be combined with --json")
    }
  }

  func remedy(for token: UnusableToken) -> String {
    let range = start.flatMap { try? TokenRange.parse($0, now: .now()) }
    return token.text == range?.start ?? start ? token.remedy : token.remedyWithReach
  }

  func run(_ session: Session) throws {
    if let copy {
      try session.read(store) { writer, snapshot, resolver in
        _ = try snapshot.historyTables()
        end(session, try compare(session, writer, snapshot, resolver, copy: copy))
      }
    } else {
      try session.readHistory(store, archive) { end(session, try show($0, $1)) }
    }
  }

  private func end(_ session: Session, _ isDifferent: Bool) {
    if isDifferent, exitCode { session.end(with: .answerIsNo) }
  }

  /// Shows the changes between two tokens and returns whether there are any.
  private func show(_ reading: HistoryReading, _ resolver: TokenResolver) throws -> Bool {
    let given = try TokenRange.parse(start ?? "", now: reading.session.now)
    // All history that is kept is after 0.
    let start = given.map { $0.start ?? "0" } ?? start ?? ""
    let range = try resolver.range(from: start, to: given?.end ?? end)
    try reading.note(
      missingBeginning: range.after <= 0
        ? reading.timeline.missingBeginning() : resolver.missingBeginning(after: start),
      inStream: true)
    var query = try makeQuery(resolver)
    try values.apply(to: &query, reading)
    let count = try DiffOutput(reading: reading, schema: reading.schema(), form: form)
      .write(range, query)
    if count == 0, try reading.timeline.newestTransaction() == nil {
      try reading.explainEmptyAnswer(to: query)
    }
    return count > 0
  }

  /// Compares two copies and returns whether they differ.
  private func compare(
    _ session: Session, _ writer: OutputWriter, _ snapshot: StoreSnapshot,
    _ resolver: TokenResolver, copy: String
  ) throws -> Bool {
    guard try !snapshot.location.isSameFile(as: StoreLocation(path: copy)) else {
      throw Failure(
        .sameFile, "\(store.store) and \(copy) are the same file",
        hint: "give another copy of the store")
    }
    let other = try session.open(copy, busyTimeout: store.busyTimeout)
    return try other.read { otherSnapshot in
      let output = ComparisonOutput(session: session, writer: writer, form: form)
      let query = try makeQuery(resolver)
      return comparesValues
        ? try output.writeDifferences(snapshot, otherSnapshot, query)
        : try output.write(snapshot, otherSnapshot, query, values) != .same
    }
  }

  /// Returns a query with the conditions, for a whole history.
  private func makeQuery(_ resolver: TokenResolver) throws -> HistoryQuery {
    authors.query((nil, nil), try conditions.condition(resolver))
  }

  private var form: DiffForm {
    if each { return .changes }
    if stat { return .stat }
    return nameOnly ? .names : .objects
  }
}
