import ArgumentParser
import HistoryCoding
import PersistentHistory
import StoreFormat
import Terminal

/// `histctl blame`: shows which transaction last set each attribute of an object.
struct Blame: ReadingCommand {
  static let configuration = CommandConfiguration(
    commandName: "blame",
    abstract: "Show who last set each attribute of an object.",
    discussion: """
      Lists the attributes and to-one relationships of an object with their values, the transaction \
      that set each of them, its time and its author, and the value before if it was recorded. With \
      --at, shows the object as it was right after a transaction; a value that a later transaction \
      replaced is shown if it was recorded.

      Examples:
        histctl blame default.store Trip/p12
        histctl blame default.store 'Trip[name=Olive harvest]'
        histctl blame default.store Trip/p12 --at 2026-11-01
        histctl blame default.store Trip/p12 --attribute name --json
      """)

  @OptionGroup var store: StoreOptions
  @OptionGroup var copies: PrivateCopyOptions

  @Argument(value: .object, help: ObjectArgument.help)
  var object: String

  @Option(value: .token, help: "Show the object as it was right after this token.")
  var at: String?

  @Option(value: .attribute, help: "Show only this attribute or relationship.")
  var attribute: [String] = []

  @OptionGroup var archive: ArchiveOptions
  @OptionGroup var values: ValuesOptions
  @OptionGroup(title: "Output") var output: OutputOptions

  func run(_ session: Session) throws {
    try session.readHistory(store, archive) { reading, resolver in
      var query = HistoryQuery()
      try values.apply(to: &query, reading)
      let position = try at.map { try resolver.resolveUsable($0).number } ?? nil
      let reader = try ObjectLifeReader(
        ObjectArgument.object(object, resolver, session), in: reading.timeline,
        schema: reading.schema(), query: query)
      try reader.check(attributes: attribute)
      let blame = try ObjectBlame(reader, at: position)
      guard blame.life.state != .unknown else { throw try reader.unknownObject() }
      if let inserted = blame.laterInsert {
        throw Failure(
          .unknownObject,
          "\(blame.life.object) did not exist yet: transaction "
            + "\(reading.tokens.text(inserted.transaction)) inserted it, "
            + reading.time.text(inserted.timestamp),
          hint: "give that token or a later one with --at")
      }
      try BlameReport(reading: reading, blame: blame, position: position, attributes: attribute)
        .write()
    }
  }
}

/// The report of ``Blame``.
struct BlameReport: FieldPage {
  let reading: HistoryReading
  var session: Session { reading.session }
  let blame: ObjectBlame
  /// The last transaction that was considered; `nil` for the newest.
  let position: Int64?
  /// The attributes to show; empty for all.
  let attributes: [String]

  private var lines: [ObjectBlame.Line] {
    attributes.isEmpty
      ? blame.lines
      : blame.lines.filter { line in
        attributes.contains { line.name == $0 || line.name.hasPrefix($0 + ".") }
      }
  }

  func write() throws {
    if isJSON {
      try reading.writeObjectLines { encoder in
        for line in lines {
          encoder.encode(line, of: blame.life.object, store: reading.timeline.storeIdentifier)
        }
      }
    } else {
      try writeText()
    }
    try writeNotes()
  }

  // MARK: - Text

  private func writeText() throws {
    try reading.writeHeading(
      blame.life.object, deleted: blame.deletion.map { "deleted " + reading.text(of: $0) })
    guard !lines.isEmpty else {
      return try line("no attribute of it is known", .secondary)
    }
    try writer.writeLine("")
    // Who set a value is what was asked for.
    let transactions = TransactionColumns(
      reading, showsAuthors: lines.contains { $0.event?.author != nil }, showsProcess: false,
      authorPriority: 45)
    let table = streamedTable(
      [TableColumn("ATTRIBUTE", priority: 60, minimumWidth: 12, canShrink: true)]
        + transactions.columns
        + [TableColumn("VALUE", priority: 70, minimumWidth: 12, canShrink: true)],
      wrapsLastColumn: true)
    for line in lines {
      let event = line.event.map {
        transactions.cells($0.transaction, $0.timestamp, $0.author)
      }
      try table.write(
        [TableCell(line.name)] + (event ?? transactions.unknown) + [value(line)])
    }
    try table.finish()
  }

  /// Returns the value and the value before.
  private func value(_ line: ObjectBlame.Line) -> TableCell {
    if line.isDerived {
      return TableCell(
        spans: ChangeText.spaced(
          value(line.value).spans + [.init(text: "(derived)", style: .secondary)]))
    }
    guard let before = line.before, let old = before.old else { return value(line.value) }
    let text = ValueChangeText.content(old, before.kind)
    return TableCell(
      spans: ChangeText.spaced(
        value(line.value).spans + [.init(text: "(was \(text))", style: .secondary)]))
  }

  private func value(_ value: ObjectBlame.Value) -> TableCell {
    switch value {
    case .present(let value): ObjectValueText.cell(value)
    case .reference(let reference): ObjectValueText.cell(reference)
    case .preserved(let value, let type):
      TableCell(ChangeText.value(value, of: type, longest: ChangeText.longText))
    case .recorded(let content, let kind): TableCell(ValueChangeText.content(content, kind))
    case .unknown: TableCell("not known", style: .secondary)
    }
  }

  /// Notes why a transaction is not known.
  private func writeNotes() throws {
    if blame.unnamedUpdateCount > 0 {
      reading.session.diagnostics.note(
        "\(blame.unnamedUpdateCount.counted("update")) cannot be read by attribute; what was set "
          + "before is not known")
    }
    for gap in blame.gaps {
      if isJSON { try reading.writeLine(of: gap) }
      reading.report(gap)
    }
    try noteMissingTransactions()
    guard lines.contains(where: { $0.event == nil && !$0.isDerived }),
      blame.unnamedUpdateCount == 0
    else { return }
    try reading.note(missingBeginning: reading.timeline.missingBeginning(), inStream: true)
  }

  /// Notes that transactions are missing that may have set a value after the one that is named.
  private func noteMissingTransactions() throws {
    guard blame.gaps.isEmpty, let first = lines.compactMap(\.event?.transaction).min(),
      let missing = try reading.timeline.missingTransactions(after: first),
      position.map({ missing.first <= $0 }) ?? true
    else { return }
    reading.session.diagnostics.note(
      "of the transactions after \(reading.tokens.text(first)), \(missing.text) "
        + "and may have set a value last",
      kind: "missingTransactions",
      ["firstMissing": missing.first, "lastMissing": missing.last, "missing": missing.count])
  }
}
