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

  private let session: Session
  private let writer: OutputWriter
  private let detail: Detail
  /// Whether any transaction has an author; those of most apps have none.
  private let showsAuthors: Bool
  private let tokens: TokenText
  /// Reports gaps; `nil` where there can be none.
  private let gaps: GapReport?
  private let table: StreamedTable
  private var hasWritten = false

  init(
    session: Session, writer: OutputWriter, detail: Detail, showsAuthors: Bool,
    asked: SaverOptions, tokens: TokenText, gaps: GapReport? = nil
  ) {
    self.session = session
    self.writer = writer
    self.detail = detail
    self.showsAuthors = showsAuthors
    self.tokens = tokens
    self.gaps = gaps
    // What was asked for stays on a narrow terminal.
    let author = TableColumn(
      "AUTHOR", priority: 3, minimumWidth: 6, canShrink: true, canDrop: !asked.namesAuthors)
    table = StreamedTable(
      session: session, writer: writer,
      columns: [
        TableColumn("TOKEN", alignment: tokens.isQualified ? .leading : .trailing, priority: 5),
        TableColumn("TIME", priority: 4, canDrop: true),
      ] + (showsAuthors ? [author] : []) + [
        TableColumn(
          "PROCESS", priority: 1, minimumWidth: 7, canShrink: true, canDrop: asked.process.isEmpty),
        TableColumn(
          "CHANGES", priority: 6, minimumWidth: tokens.isQualified ? 10 : 24, canShrink: true),
      ])
  }

  /// Writes everything that a reader returns, and returns the number of transactions and gaps.
  func write(_ reader: TimelineReader) throws -> Int {
    var count = 0
    do {
      while let element = try reader.nextElement() {
        if detail != .summary, hasWritten { try writer.writeLine("") }
        hasWritten = true
        count += 1
        switch element {
        case .transaction(let transaction) where detail == .summary:
          try table.write(row(transaction) + [ChangeText.summary(reader.countChanges())])
        case .transaction(let transaction):
          // A transaction can have millions of changes, so rows are written at once.
          try writer.writeLine(StyledLine(session).line(heading(transaction)))
          if detail == .counts { try writeCounts(reader) } else { try writeChanges(reader) }
        case .gap(let gap):
          let line = line(gap.message)
          if detail == .summary { try table.write(line: line) } else { try writer.writeLine(line) }
          gaps?.report(gap)
        }
      }
    } catch {
      // Show what could be read; the first error is the one to report.
      try? table.finish()
      throw error
    }
    try table.finish()
    return count
  }

  private func row(_ transaction: HistoryTransaction) -> [TableCell] {
    let author = showsAuthors ? [TableCell(transaction.author?.string ?? "")] : []
    return [
      TableCell(tokens.text(transaction.number), style: .token),
      session.time.cell(transaction.timestamp),
    ] + author + [TableCell(transaction.process?.string ?? "", style: .secondary)]
  }

  private func writeChanges(_ reader: TimelineReader) throws {
    let styled = StyledLine(session)
    let width = session.environment.lineWidth
    while let change = try reader.nextChange() {
      let spans = ChangeText.spans(change)
      for line in styled.lines(spans, indentation: Self.indentation, width: width) {
        try writer.writeLine(line)
      }
    }
  }

  private func writeCounts(_ reader: TimelineReader) throws {
    let bars = Bars(environment: session.environment, palette: session.palette)
    let rows = try reader.countChanges().entries.map { entry in
      let counts = ChangeText.counts(entry)
      return Bars.Row(
        label: entry.entity?.label ?? "?",
        parts: counts.map { (Double($0.count), $0.style) },
        text: counts.map { "\($0.sign)\($0.count.grouped)" }.joined(separator: " "))
    }
    for line in bars.lines(rows, indentation: Self.indentation, isOfUnits: true) {
      try writer.writeLine(line)
    }
  }

  /// Reports transactions that were pruned before they could be read.
  func writeGap(after position: Int64, oldest: Int64) throws {
    try writer.writeLine(
      line("transactions \(position + 1) to \(oldest - 1) were pruned before they were read"))
  }

  private func line(_ gap: String) -> String {
    session.palette.apply(.warning, to: "-- \(gap) --")
  }

  private func heading(_ transaction: HistoryTransaction) -> [TableCell.Span] {
    var spans: [TableCell.Span] = []
    var cells = row(transaction)
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
