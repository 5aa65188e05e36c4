import ArgumentParser
import PersistentHistory
import StoreFormat
import Terminal

/// `histctl show`: shows one transaction in full.
struct Show: ReadingCommand {
  static let configuration = CommandConfiguration(
    commandName: "show",
    abstract: "Show one transaction in full, each of a range, or the last one of an object.",
    discussion: """
      Every change is shown with the attributes that an update touched, the values that a deleted \
      object left, and the old and new values of an update where the saving program recorded \
      them. For a date or time, shows the first transaction at or after it. For a range A..B, shows \
      the transactions after token A up to and including token B, oldest first. For an object, shows \
      the last transaction that changed it.

      Examples:
        histctl show default.store last
        histctl show default.store 57 --json
        histctl show default.store "2026-11-01 10:00"
        histctl show default.store last~3..last
        histctl show default.store Trip/p12
        histctl show default.store 'Trip[name=Olive harvest]'
        histctl show default.store 57 --archive history-archive
      """)

  @OptionGroup var store: StoreOptions
  @OptionGroup var copies: PrivateCopyOptions
  @OptionGroup var archive: ArchiveOptions

  @Argument(
    help: "The transaction, as a token, a range A..B, or an object that it changed last.",
    completion: Completion.token.kind)
  var token: String

  @OptionGroup var values: ValuesOptions
  @OptionGroup(title: "Output") var output: OutputOptions

  func run(_ console: Console) throws {
    let session = Session(output, console)
    try session.readHistory(store, archive) { writer, timeline, resolver in
      _ = try timeline.snapshot?.historyTables()
      if ObjectExpression.isWritten(as: token) {
        let object = try ObjectArgument.object(token, resolver, session)
        return try showLast(of: object, session, writer, timeline)
      }
      guard let range = try TokenRange.parse(token, now: session.now) else {
        let number = try resolver.transactionNumber(token)
        // The lowest number has no predecessor.
        let previous = number == .min ? nil : number - 1
        let query = HistoryQuery(after: previous, until: number, limit: 1)
        return _ = try show(query, session, writer, timeline, nil)
      }
      var query = HistoryQuery()
      (query.after, query.until) = try resolver.positions(of: range)
      let gaps = GapReport(session: session, timeline: timeline)
      try gaps.note(
        missingBeginning: resolver.missingBeginning(after: range.start),
        to: output.json ? writer : nil)
      if try show(query, session, writer, timeline, gaps) == 0 {
        try session.explainEmptyAnswer(to: query, of: timeline)
      }
    }
  }

  /// Writes the last transaction that changed an object.
  private func showLast(
    of object: HistoryObject, _ session: Session, _ writer: OutputWriter,
    _ timeline: HistoryTimeline
  ) throws {
    var query = HistoryQuery(change: ChangeCondition(objects: [object]))
    (query.order, query.limit) = (.descending, 1)
    guard try show(query, session, writer, timeline, nil) == 0 else { return }
    let reader = try ObjectLifeReader(object, in: timeline, schema: timeline.schema())
    guard reader.life.state != .unknown else { throw try reader.unknownObject() }
    throw Failure(
      status: .answerIsNo, kind: "unknownObject",
      message: "\(object) is in the store, and no transaction of the history changed it",
      hint: "histctl object shows its present values")
  }

  /// Writes the transactions of a query and returns their number.
  private func show(
    _ query: HistoryQuery, _ session: Session, _ writer: OutputWriter, _ timeline: HistoryTimeline,
    _ gaps: GapReport?
  ) throws -> Int {
    var query = query
    try values.apply(to: &query, session, timeline)
    let reader = try TimelineReader(
      timeline, query: query,
      schema: session.schema(of: timeline, joinsArchive: !query.change.isEmpty))
    if output.json { return try TransactionLines(writer: writer, gaps: gaps).write(reader) }
    let page = TransactionPage(session: session, writer: writer)
    var count = 0
    while let element = try reader.nextElement() {
      switch element {
      case .transaction(let transaction):
        if count > 0 { try writer.writeLine("") }
        try page.write(transaction, reader)
        count += 1
      case .gap(let gap):
        gaps?.report(gap)
      }
    }
    return count
  }
}

/// Writes one transaction in full.
private struct TransactionPage: FieldPage {
  /// The indentation of recorded values below their change.
  private static let valueIndentation = 6

  let session: Session
  let writer: OutputWriter

  func write(_ transaction: HistoryTransaction, _ reader: TimelineReader) throws {
    try field("transaction", "\(transaction.number)", style: .token)
    try field("token", transaction.token?.description, style: .token)
    try field("time", time.fullText(transaction.timestamp))
    try field("author", transaction.author?.string)
    try field("bundle", transaction.bundle?.string)
    try field("process", transaction.process?.string)
    try field("context", transaction.context?.string)
    try field("generation", transaction.queryGeneration.map { "\($0.count) bytes" })
    if !transaction.extra.isEmpty {
      try field("also", ChangeText.extra(transaction.extra), style: .warning)
    }
    try writer.writeLine("")
    var summary = ChangeSummary()
    while let change = try reader.nextChange() {
      summary.add(change)
      try writer.writeLine(
        styled.line(
          ChangeText.spans(change, includesValues: false, longest: ChangeText.longText),
          indentation: 2))
      for value in ValueChangeText.shown(change) {
        let width = session.environment.lineWidth.map { $0 - Self.valueIndentation }
        try writer.writeLine(
          String(repeating: " ", count: Self.valueIndentation)
            + ValueChangeText.line(value, of: change.kind, styled.text, width: width))
      }
    }
    if summary.count > 0 { try writer.writeLine("") }
    try writer.writeLine(styled.line(ChangeText.summary(summary).spans))
  }
}
