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
    value: .token,
    help: "The transaction, as a token, a range A..B, or an object that it changed last.")
  var token: String

  @OptionGroup var values: ValuesOptions
  @OptionGroup(title: "Output") var output: OutputOptions

  func remedy(for token: UnusableToken) -> String {
    guard let range = (try? TokenRange.parse(self.token, now: .now())) ?? nil else {
      return token.remedyWithReach
    }
    return token.remedy(upTo: range.end)
      ?? (token.text == range.start ? token.remedy : token.remedyWithReach)
  }

  func run(_ session: Session) throws {
    try session.readHistory(store, archive) { reading, resolver in
      if ObjectExpression.isWritten(as: token) {
        return try showLast(of: ObjectArgument.object(token, resolver, session), reading)
      }
      guard let range = try TokenRange.parse(token, now: session.now) else {
        let number = try resolver.transactionNumber(token)
        // The lowest number has no predecessor.
        let previous = number == .min ? nil : number - 1
        return _ = try show(HistoryQuery(after: previous, until: number, limit: 1), reading)
      }
      var query = HistoryQuery()
      (query.after, query.until) = try resolver.positions(of: range)
      try reading.note(
        missingBeginning: resolver.missingBeginning(after: range.start), inStream: true)
      do {
        if try show(query, reading) == 0 { try reading.explainEmptyAnswer(to: query) }
      } catch {
        let part = HistoryPart(
          query: query, schema: try reading.timeline.schema(), resolver: resolver)
        throw reading.explaining(error, of: part, takesRange: true)
      }
    }
  }

  /// Writes the last transaction that changed an object.
  private func showLast(of object: HistoryObject, _ reading: HistoryReading) throws {
    var query = HistoryQuery(change: ChangeCondition(objects: [object]))
    (query.order, query.limit) = (.descending, 1)
    guard try show(query, reading) == 0 else { return }
    let timeline = reading.timeline
    let reader = try ObjectLifeReader(object, in: timeline, schema: timeline.schema())
    guard reader.life.state != .unknown else { throw try reader.unknownObject() }
    throw Failure(
      .unknownObject, "\(object) is in the store, and no transaction of the history changed it",
      hint: "histctl object shows its present values")
  }

  /// Writes the transactions of a query and returns their number.
  private func show(_ query: HistoryQuery, _ reading: HistoryReading) throws -> Int {
    var query = query
    try values.apply(to: &query, reading)
    let reader = try TimelineReader(
      reading.timeline, query: query,
      schema: reading.schema(joinsArchive: !query.change.isEmpty))
    if output.json { return try reading.writeLines(reader) }
    var count = 0
    try reading.forEach(reader.nextElement) { transaction in
      if count > 0 { try reading.writer.writeLine("") }
      try reading.write(transaction, reader)
      count += 1
    }
    return count
  }
}

extension HistoryReading {
  /// The indentation of recorded values below their change.
  private static let valueIndentation = 6

  /// Writes one transaction in full.
  fileprivate func write(_ transaction: HistoryTransaction, _ reader: TimelineReader) throws {
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
      try line(
        ChangeText.spans(change, includesValues: false, longest: ChangeText.longText),
        indentation: 2)
      for value in ValueChangeText.shown(change) {
        let width = session.environment.lineWidth.map { $0 - Self.valueIndentation }
        try writer.writeLine(
          String(repeating: " ", count: Self.valueIndentation)
            + ValueChangeText.line(value, of: change.kind, styled.text, width: width))
      }
    }
    if summary.count > 0 { try writer.writeLine("") }
    try line(ChangeText.summary(summary).spans)
  }
}
