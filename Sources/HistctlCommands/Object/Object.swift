import ArgumentParser
import HistoryCoding
import PersistentHistory
import StoreFormat
import Terminal

/// `histctl object`: shows the history of one object.
struct Object: ReadingCommand {
  static let configuration = CommandConfiguration(
    commandName: "object",
    abstract: "Show the history of one object, and its present values.",
    discussion: """
      Lists every change of the object, oldest first, with who saved it: its insertion, the \
      attributes that each update touched, and the values that its deletion left. If the object is \
      still in the store, its values follow. The options under "Which changes" select changes; the \
      object's present state is always shown. Ends with 1 if neither the store nor its history has \
      the object.

      Examples:
        histctl object default.store Trip/p12
        histctl object default.store 'Trip[name=Olive harvest]'
        histctl object default.store \\
          x-coredata://1D070E6D-8F4B-4E3A-9C61-0A5B7C9D2E3F/Trip/p1
        histctl object default.store Trip/p12 --attribute name
        histctl object default.store Trip/p12 --json |
          jq 'select(.type == "object") | .current'
      """)

  @OptionGroup var store: StoreOptions
  @OptionGroup var copies: PrivateCopyOptions

  @Argument(value: .object, help: ObjectArgument.help)
  var object: String

  @OptionGroup var archive: ArchiveOptions
  @OptionGroup(title: "Which changes") var range: RangeOptions
  @OptionGroup(title: "Which changes") var authors: AuthorOptions
  @OptionGroup(title: "Which changes") var changes: LifeOptions
  @OptionGroup var values: ValuesOptions
  @OptionGroup(title: "Output") var output: OutputOptions

  func remedy(for token: UnusableToken) -> String {
    range.remedy(for: token)
  }

  func run(_ session: Session) throws {
    try session.readHistory(store, archive, needsHistory: false) { reading, resolver in
      let timeline = reading.timeline
      var query = authors.query(try range.positions(resolver), changes.condition)
      try values.apply(to: &query, reading)
      let reader = try ObjectLifeReader(
        ObjectArgument.object(object, resolver, session), in: timeline, schema: reading.schema(),
        query: query)
      if output.json {
        try writeLines(reader, reading)
      } else {
        try ObjectText(reading: reading).write(reader)
      }
      try noteMissingBeginning(of: reader.life, reading, resolver)
      if output.json, reader.life.state != .unknown {
        try reading.writeObjectLines {
          $0.encode(reader.life, store: timeline.storeIdentifier)
        }
      }
      try reportUnknown(reader, timeline, session)
    }
  }

  /// Reports an object that is not known, and a store without history.
  private func reportUnknown(
    _ reader: ObjectLifeReader, _ timeline: HistoryTimeline, _ session: Session
  ) throws {
    let isUnknown = reader.life.state == .unknown
    guard let snapshot = timeline.snapshot, snapshot.layout.history == nil else {
      if isUnknown { throw try reader.unknownObject() }
      return
    }
    // A store without history has present values all the same.
    if isUnknown { session.diagnostics.report(Failure(try reader.unknownObject())) }
    session.fail(with: StoreError.withoutHistory(path: snapshot.location.path))
  }

  /// Writes the transactions as JSON lines, reduced to the changes of the object.
  private func writeLines(_ reader: ObjectLifeReader, _ reading: HistoryReading) throws {
    var encoder = TransactionLineEncoder()
    let drain = TextDrain { try reading.writer.write($0) }
    encoder.drain = drain
    try reading.forEach(reader.nextElement) { transaction in
      encoder.begin(transaction)
      while let change = try reader.nextChange() { encoder.append(change) }
      encoder.end()
      try drain.throwFailure()
      try reading.writer.write(&encoder)
    }
  }

  /// Notes that the object is older than the history, if its first changes were asked for.
  private func noteMissingBeginning(
    of life: ObjectLife, _ reading: HistoryReading, _ resolver: TokenResolver
  ) throws {
    guard life.changeCount > 0 || life.present != nil, !life.startsWithInsert else { return }
    let timeline = reading.timeline
    guard timeline.snapshot.map({ $0.layout.history != nil }) ?? true else { return }
    let gap =
      try range.after.map {
        try resolver.resolve($0).number ?? 0 <= 0
          ? timeline.missingBeginning() : resolver.missingBeginning(after: $0)
      } ?? timeline.missingBeginning()
    try reading.note(missingBeginning: gap, inStream: true)
  }
}

/// Which changes of one object to show.
struct LifeOptions: ParsableArguments {
  @Option(value: "kind", help: "Only changes of this kind.")
  var kind: [ChangeKind] = []

  @Option(value: .attribute, help: "Only updates of this attribute or relationship.")
  var attribute: [String] = []

  /// The condition that they make together.
  var condition: ChangeCondition {
    ChangeCondition(kinds: kind, attributes: attribute)
  }
}
