import PersistentHistory
import StoreFormat
import Terminal

/// Writes transactions as a table, one line each, in the order in which they come.
///
/// The first transactions determine the widths of all later ones.
final class TransactionTable: FieldPage {
  /// What is shown of the changes of a transaction.
  enum Detail {
    /// Their numbers by entity, on the line of the transaction.
    case summary
    /// Their numbers, a line with a bar for each entity.
    case counts
    /// Each change.
    case changes
  }

  /// The indentation of what is shown below a transaction.
  private static let indentation = 4

  let session: Session
  private let detail: Detail
  private let showsAuthors: Bool
  private let transactions: TransactionColumns
  private let table: StreamedTable
  private var hasWritten = false

  /// - Parameter reading: The history, or one of several.
  init(_ reading: HistoryReading, detail: Detail, showsAuthors: Bool, asked: AuthorOptions) {
    session = reading.session
    self.detail = detail
    self.showsAuthors = showsAuthors
    transactions = TransactionColumns(reading, showsAuthors: showsAuthors, asked: asked)
    let changes = TableColumn(
      "CHANGES", priority: 60, minimumWidth: reading.tokens.isQualified ? 10 : 24, canShrink: true)
    table = reading.streamedTable(transactions.columns + [changes])
  }

  /// Runs what writes transactions, then writes the rows that were kept back.
  func finishing<Result>(_ body: () throws -> Result) throws -> Result {
    try table.finishing(body)
  }

  /// Writes a transaction or a gap of a history.
  func write(
    _ element: TimelineReader.Element, of reader: TimelineReader, _ reading: HistoryReading
  ) throws {
    try reading.handle(
      element,
      writeGap: { gap in
        try separate()
        try writeLine(line((reading.name.map { $0 + ": " } ?? "") + gap.message))
      },
      { transaction in
        try separate()
        let cells = transactions.cells(transaction, of: reading)
        guard detail != .summary else {
          return try table.write(cells + [ChangeText.summary(reader.countChanges())])
        }
        // A transaction can have millions of changes, so rows are written at once.
        try reading.line(heading(cells, showsStore: reading.name != nil))
        if detail == .counts {
          try writeCounts(reader, reading)
        } else {
          try writeChanges(reader, reading)
        }
      })
  }

  /// Writes an empty line between transactions of several lines.
  private func separate() throws {
    if detail != .summary, hasWritten { try writer.writeLine("") }
    hasWritten = true
  }

  private func writeLine(_ line: String) throws {
    if detail == .summary {
      try table.write(line: line)
    } else {
      try writer.writeLine(line)
    }
  }

  private func writeChanges(_ reader: TimelineReader, _ reading: HistoryReading) throws {
    let width = session.environment.lineWidth
    while let change = try reader.nextChange() {
      let spans = ChangeText.spans(change)
      for line in reading.styled.lines(spans, indentation: Self.indentation, width: width) {
        try writer.writeLine(line)
      }
    }
  }

  private func writeCounts(_ reader: TimelineReader, _ reading: HistoryReading) throws {
    let rows = try reader.countChanges().entries.map { entry in
      Bars.Row(label: entry.entity?.label ?? "?", counts: ChangeText.counts(entry))
    }
    try reading.write(rows, indentation: Self.indentation, isOfUnits: true)
  }

  /// Reports transactions that were pruned before they could be read.
  func writeGap(after position: Int64, oldest: Int64) throws {
    try writer.writeLine(
      line("transactions \(position + 1) to \(oldest - 1) were pruned before they were read"))
  }

  private func line(_ gap: String) -> String {
    session.palette.apply(.warning, to: "-- \(gap) --")
  }

  private func heading(_ cells: [TableCell], showsStore: Bool) -> [TableCell.Span] {
    var spans: [TableCell.Span] = []
    var cells = cells
    // Without it the process would be taken for the author.
    let author = showsStore ? 3 : 2
    if showsAuthors, cells[author].spans.allSatisfy(\.text.isEmpty) {
      cells[author] = TableCell("-", style: .secondary)
    }
    for span in cells.flatMap(\.spans) where !span.text.isEmpty {
      if !spans.isEmpty { spans.append(.init(text: "  ", style: .plain)) }
      spans.append(span)
    }
    return spans
  }
}
