import ArgumentParser
import DurableFiles
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

      With --stat, several stores, archives and exported lines can be given before the tokens; a \
      column STORE names the store of each number.

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
        histctl diff default.store Trips.store yesterday --stat
        histctl diff default.store --with backup.store
        histctl diff default.store --with backup.store --values
      """)

  @OptionGroup var store: StoreOptions
  @OptionGroup var copies: PrivateCopyOptions

  @Argument(value: .token, help: "The token before the changes, or a range A..B.")
  var start: String?

  @Argument(value: .token, help: "The token after the changes (default: the newest transaction).")
  var end: String?

  @Argument(
    value: .store, help: "With --stat, further stores before the tokens, and then the tokens.")
  var more: [String] = []

  @Option(
    name: .customLong("with"), value: .init("copy", .store),
    help: "Compare with this copy of the store.")
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

  /// The further stores and the tokens, of the words after the first store.
  private var words: (stores: [String], tokens: [String]) {
    let words = [start, end].compactMap { $0 } + more
    let stores = words.prefix { word in
      (try? TokenExpression(word, now: .now())) == nil
        && ((try? TokenRange.parse(word, now: .now())) ?? nil) == nil
        && (try? FileStatus(path: word)) != nil
    }
    return (Array(stores), Array(words.dropFirst(stores.count)))
  }

  func validate() throws {
    let (stores, tokens) = words
    if !stores.isEmpty, stat, values.valuesFile != nil {
      throw ValidationError("--values-file is of one store; leave it out")
    }
    let (start, end) = (tokens.first, tokens.dropFirst().first)
    if copy == nil, start == nil, stores.isEmpty || stat {
      throw ValidationError("Missing expected argument '<token>'")
    }
    if tokens.count > 2 {
      throw ValidationError(
        (try? FileStatus(path: tokens[2])) == nil
          ? "Unexpected argument '\(tokens[2])'" : "give the store \(tokens[2]) before the tokens")
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
    let start = words.tokens.first
    let range = start.flatMap { try? TokenRange.parse($0, now: .now()) }
    return token.remedy(upTo: range == nil ? end : range?.end)
      ?? (token.text == range?.start ?? start ? token.remedy : token.remedyWithReach)
  }

  func run(_ session: Session) throws {
    if let second = words.stores.first, !stat || copy != nil {
      throw Failure(
        .usage, "'\(second)' is a second store, and of several diff shows only --stat",
        hint: "run the command once for each; to compare two copies of a store: histctl diff "
          + "\(ShellWord.quoted(store.store)) --with \(ShellWord.quoted(second))")
    }
    if let copy {
      try session.read(store) { snapshot, resolver in
        _ = try snapshot.historyTables()
        end(session, try compare(session, snapshot, resolver, copy: copy))
      }
    } else {
      try showHistories(session)
    }
  }

  /// Shows the changes of one history, or the numbers of several.
  private func showHistories(_ session: Session) throws {
    var stores = SeveralStoresOptions()
    (stores.stores, stores.storesFrom) = ([store.store] + words.stores, nil)
    (stores.bookmarkFile, stores.busyTimeout) = (store.bookmarkFile, store.busyTimeout)
    try session.readHistories(stores, archive) { histories in
      if histories.areSeveral {
        for token in words.tokens {
          let range = try TokenRange.parse(token, now: session.now)
          for text in range.map({ [$0.start, $0.end].compactMap { $0 } }) ?? [token] {
            try TokenExpression.checkForSeveral(text, session)
          }
        }
      }
      histories.takesRange = true
      try histories.prepare(part)
      let table = histories.areSeveral && !output.json ? DiffTable(histories) : nil
      var count = 0
      for (place, part) in histories.parts.enumerated() {
        guard let part else { continue }
        let reading = histories.readings[place]
        count +=
          try histories.run(place) {
            try DiffOutput(
              reading: reading, schema: part.schema, form: form, path: reading.path, table: table
            ).write(part.query, isReversed: part.isReversed)
          } ?? 0
      }
      try table?.finish()
      // Of one history, an empty answer has been explained.
      if histories.areSeveral || count > 0 { try histories.explainAnswer(isEmpty: count == 0) }
      end(session, count > 0)
    }
  }

  private func end(_ session: Session, _ isDifferent: Bool) {
    if isDifferent, exitCode { session.end(with: .answerIsNo) }
  }

  /// Returns what is shown of a history.
  private func part(_ reading: HistoryReading, _ resolver: TokenResolver) throws -> HistoryPart {
    let first = words.tokens.first ?? ""
    let given = try TokenRange.parse(first, now: reading.session.now)
    // All history that is kept is after 0.
    let start = given.map { $0.start ?? "0" } ?? first
    let range = try resolver.range(from: start, to: given?.end ?? words.tokens.dropFirst().first)
    try reading.note(
      missingBeginning: range.after <= 0
        ? reading.timeline.missingBeginning() : resolver.missingBeginning(after: start),
      inStream: true)
    var query = try makeQuery(resolver)
    try values.apply(to: &query, reading)
    (query.after, query.until) = (range.after, range.until)
    return HistoryPart(
      query: query, schema: try reading.schema(), resolver: resolver, isReversed: range.isReversed)
  }

  /// Compares two copies and returns whether they differ.
  private func compare(
    _ session: Session, _ snapshot: StoreSnapshot, _ resolver: TokenResolver, copy: String
  ) throws -> Bool {
    guard try !snapshot.location.isSameFile(as: StoreLocation(path: copy)) else {
      throw Failure(
        .sameFile, "\(store.store) and \(copy) are the same file",
        hint: "give another copy of the store")
    }
    let other = try session.open(copy, busyTimeout: store.busyTimeout)
    return try other.read { otherSnapshot in
      let output = ComparisonOutput(session: session, form: form)
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
