import ArgumentParser
import HistoryArchive
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

/// Writes the history of an object as text: its changes as they are read, then its present values.
struct ObjectText: FieldPage {
  let reading: HistoryReading

  var session: Session { reading.session }
  private var timeline: HistoryTimeline { reading.timeline }

  /// Writes everything that a reader returns; nothing for an unknown object.
  func write(_ reader: ObjectLifeReader) throws {
    let hasHistory = timeline.snapshot.map { $0.layout.history != nil } ?? true
    let transactions = TransactionColumns(
      reading, showsAuthors: try hasHistory && timeline.hasAuthors())
    let table = streamedTable(
      transactions.columns + [
        TableColumn("CHANGE", priority: 60, minimumWidth: 20, canShrink: true)
      ], wrapsLastColumn: true)
    var shown = 0
    try reading.forEach(reader.nextElement) { transaction in
      while let change = try reader.nextChange() {
        if shown == 0 { try writeHeading(reader.life) }
        shown += 1
        try table.write(transactions.cells(transaction) + [cell(change)])
      }
    }
    try table.finish()
    guard reader.life.state != .unknown else { return }
    if shown == 0 {
      try writeHeading(reader.life)
      if reader.life.changeCount > 0 {
        try line("no change matches", .secondary)
      }
    }
    if reader.life.changeCount > 0 { try writer.writeLine("") }
    try writeState(reader.life)
    if let present = reader.life.present {
      try write(present)
    } else if let values = reader.life.deletion?.preservedValues, reader.life.state == .deleted {
      try write(
        values.map { value in
          [
            TableCell("  " + value.attribute.name),
            TableCell(
              ChangeText.value(
                value.value, of: value.attribute.type, longest: ChangeText.longText)),
          ]
        })
    }
  }

  private func writeHeading(_ life: ObjectLife) throws {
    let address = timeline.storeIdentifier.map { "x-coredata://\($0)/\(life.object)" }
    try line(
      ChangeText.spaced([
        .init(text: life.object.description, style: .heading),
        .init(text: address ?? "", style: .secondary),
      ]))
    try writer.writeLine("")
  }

  private func cell(_ change: HistoryChange) -> TableCell {
    let sign = ChangeSign(change.kind)
    return TableCell(
      spans: ChangeText.spaced(
        [.init(text: "\(sign.text) \(sign.word)", style: sign.style)]
          + ChangeText.details(change).filter { $0.text != "  " }))
  }

  // MARK: - Its present values

  private func writeState(_ life: ObjectLife) throws {
    let (text, style): (String, Style) =
      switch life.state {
      case .present where life.changeCount == 0:
        ("in the store; the history has no change of it", .inserted)
      case .present: ("in the store", .inserted)
      case .deleted: ("deleted" + (life.deleted.map { " " + reading.text(of: $0) } ?? ""), .deleted)
      case .missing: ("not in the store, although no deletion was recorded", .warning)
      case .recorded: ("not deleted, as far as the \(source) goes", .plain)
      case .unknown: ("unknown", .warning)
      }
    try line(text, style)
  }

  /// The kind of input that replaces a store.
  private var source: String { timeline.archive is ExportedHistory ? "export" : "archive" }

  /// Writes names and values, one a line.
  private func write(_ rows: [[TableCell]]) throws {
    try writeRows(
      [
        TableColumn("", priority: 2, minimumWidth: 10, canShrink: true),
        TableColumn("", priority: 1, minimumWidth: 8, canShrink: true, canDrop: true),
      ], rows, hasHeading: false)
  }

  private func write(_ present: PresentObject) throws {
    var rows = present.values.map { value in
      [TableCell("  " + value.name), ObjectValueText.cell(value)]
    }
    rows += present.references.map { reference in
      [TableCell("  " + reference.name), ObjectValueText.cell(reference)]
    }
    rows += present.counts.map { count in
      [
        TableCell("  " + count.name),
        TableCell(count.count.counted("object"), style: .secondary),
      ]
    }
    try write(rows)
    for case let problem? in present.values.map(\.problem) {
      session.diagnostics.warn(problem.message, kind: "unreadableValue", hint: problem.remedy)
    }
    if !present.isNamedByModel {
      session.diagnostics.note(
        "the model is unknown; values are listed by the names of their columns")
    } else if !present.missingProperties.isEmpty {
      session.diagnostics.warn(
        "the table has no column for \(present.missingProperties.joined(separator: ", "))",
        kind: "missingColumns",
        hint: "the store was written with another model than the one it contains")
    }
  }
}

/// Writes the present values of objects for people.
enum ObjectValueText {
  /// Returns a value, or the size of data and of very long texts.
  static func cell(_ value: PresentObject.Value) -> TableCell {
    if let file = value.externalFile {
      return value.problemReason.map { TableCell("in the file \(file): \($0)", style: .warning) }
        ?? TableCell("in the file \(file)", style: .secondary)
    }
    if let size = value.byteCount, value.isLeftOut || value.isData {
      return TableCell("\(size.grouped) bytes", style: .secondary)
    }
    if value.value.isNull { return TableCell("nil", style: .secondary) }
    return TableCell(
      ChangeText.value(value.value, of: value.type, longest: ChangeText.longText))
  }

  /// Returns the object that a relationship refers to.
  static func cell(_ reference: PresentObject.Reference) -> TableCell {
    guard let key = reference.primaryKey else { return TableCell("nil", style: .secondary) }
    return TableCell("\(reference.entityName ?? "?")/p\(key)", style: .token)
  }
}
