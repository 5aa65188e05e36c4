import PersistentHistory
import StoreFormat
import Terminal

/// Writes transactions as a table, one line each, in the order in which they come.
///
/// The first transactions determine the widths of all later ones.
final class TransactionTable {
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

  private let reading: HistoryReading
  private let detail: Detail
  private let showsAuthors: Bool
  private let transactions: TransactionColumns
  private let table: StreamedTable
  private var hasWritten = false

  init(_ reading: HistoryReading, detail: Detail, showsAuthors: Bool, asked: AuthorOptions) {
    self.reading = reading
    self.detail = detail
    self.showsAuthors = showsAuthors
    transactions = TransactionColumns(reading, showsAuthors: showsAuthors, asked: asked)
    let changes = TableColumn(
      "CHANGES", priority: 60, minimumWidth: reading.tokens.isQualified ? 10 : 24, canShrink: true)
    table = StreamedTable(
      session: reading.session, writer: reading.writer, columns: transactions.columns + [changes])
  }

  /// Writes everything that a reader returns, and returns the number of transactions and gaps.
  func write(_ reader: TimelineReader) throws -> Int {
    try table.finishing {
      try reading.forEach(
        reader.nextElement,
        writeGap: { gap in
          try separate()
          try writeLine(line(gap.message))
        },
        { transaction in
          try separate()
          guard detail != .summary else {
            return try table.write(
              transactions.cells(transaction) + [ChangeText.summary(reader.countChanges())])
          }
          // A transaction can have millions of changes, so rows are written at once.
          try reading.line(heading(transaction))
          if detail == .counts { try writeCounts(reader) } else { try writeChanges(reader) }
        })
    }
  }

  /// Writes an empty line between transactions of several lines.
  private func separate() throws {
    if detail != .summary, hasWritten { try reading.writer.writeLine("") }
    hasWritten = true
  }

  private func writeLine(_ line: String) throws {
    if detail == .summary {
      try table.write(line: line)
    } else {
      try reading.writer.writeLine(line)
    }
  }

  private func writeChanges(_ reader: TimelineReader) throws {
    let width = reading.session.environment.lineWidth
    while let change = try reader.nextChange() {
      let spans = ChangeText.spans(change)
      for line in reading.styled.lines(spans, indentation: Self.indentation, width: width) {
        try reading.writer.writeLine(line)
      }
    }
  }

  private func writeCounts(_ reader: TimelineReader) throws {
    let rows = try reader.countChanges().entries.map { entry in
      Bars.Row(label: entry.entity?.label ?? "?", counts: ChangeText.counts(entry))
    }
    try reading.write(rows, indentation: Self.indentation, isOfUnits: true)
  }

  /// Reports transactions that were pruned before they could be read.
  func writeGap(after position: Int64, oldest: Int64) throws {
    try reading.writer.writeLine(
      line("transactions \(position + 1) to \(oldest - 1) were pruned before they were read"))
  }

  private func line(_ gap: String) -> String {
    reading.session.palette.apply(.warning, to: "-- \(gap) --")
  }

  private func heading(_ transaction: HistoryTransaction) -> [TableCell.Span] {
    var spans: [TableCell.Span] = []
    var cells = transactions.cells(transaction)
    // Without it the process would be taken for the author.
    if showsAuthors, cells[2].spans.allSatisfy(\.text.isEmpty) {
      cells[2] = TableCell("-", style: .secondary)
    }
    for span in cells.flatMap(\.spans) where !span.text.isEmpty {
      if !spans.isEmpty { spans.append(.init(text: "  ", style: .plain)) }
      spans.append(span)
    }
    return spans
  }
}
