import PersistentHistory
import StoreFormat

/// Writes transactions as a table, one line each, newest or oldest first as they come.
struct TransactionTable {
  /// How many transactions choose the widths of the columns.
  private static let sampleSize = 100

  let session: Session
  let writer: OutputWriter
  let showsChanges: Bool
  /// Whether anybody who saved has named themselves; most apps never do.
  let showsAuthors: Bool
  let tokens: TokenText

  /// Writes all that a reader gives and tells how many transactions that were.
  func write(_ reader: HistoryReader) throws -> Int {
    // With changes below each line nothing is kept back, for one transaction can have millions.
    if showsChanges { return try writeWithChanges(reader) }
    var sample: [[TableCell]] = []
    while sample.count < Self.sampleSize, let row = try nextRow(reader) { sample.append(row) }
    guard !sample.isEmpty else { return 0 }
    let table = table(sample)
    if session.environment.isOutputTerminal { try writer.writeLine(table.header) }
    for row in sample { try writer.writeLine(table.line(row)) }
    var count = sample.count
    while let row = try nextRow(reader) {
      try writer.writeLine(table.line(row))
      count += 1
    }
    return count
  }

  private func nextRow(_ reader: HistoryReader) throws -> [TableCell]? {
    guard let transaction = try reader.nextTransaction() else { return nil }
    var summary = ChangeSummary()
    while let change = try reader.nextChange() { summary.add(change) }
    return row(transaction) + [ChangeText.summary(summary)]
  }

  private func row(_ transaction: HistoryTransaction) -> [TableCell] {
    let time = TimeText(style: session.options.date, now: session.now)
    let author = showsAuthors ? [TableCell(transaction.author?.string ?? "")] : []
    return [
      TableCell(tokens.text(transaction.number), style: .token),
      TableCell(time.text(transaction.timestamp)),
    ] + author + [TableCell(transaction.process?.string ?? "", style: .secondary)]
  }

  private func table(_ sample: [[TableCell]]) -> Table {
    let author = TableColumn(
      "AUTHOR", priority: 3, minimumWidth: 6, canShrink: true, canDrop: true)
    return Table(
      columns: [
        TableColumn("TOKEN", alignment: tokens.isQualified ? .leading : .trailing, priority: 5),
        TableColumn("TIME", priority: 4, canDrop: true),
      ] + (showsAuthors ? [author] : []) + [
        TableColumn("PROCESS", priority: 1, minimumWidth: 6, canShrink: true, canDrop: true),
        TableColumn("CHANGES", priority: 6, minimumWidth: 10, canShrink: true),
      ], sample: sample, environment: session.environment, palette: session.palette)
  }

  // MARK: - With changes

  private func writeWithChanges(_ reader: HistoryReader) throws -> Int {
    let styled = StyledLine(session)
    var count = 0
    while let transaction = try reader.nextTransaction() {
      if count > 0 { try writer.writeLine("") }
      count += 1
      try writer.writeLine(styled.line(heading(transaction)))
      while let change = try reader.nextChange() {
        try writer.writeLine(styled.line(ChangeText.spans(change), indentation: 4))
      }
    }
    return count
  }

  private func heading(_ transaction: HistoryTransaction) -> [TableCell.Span] {
    var spans: [TableCell.Span] = []
    for span in row(transaction).flatMap(\.spans) where !span.text.isEmpty {
      if !spans.isEmpty { spans.append(.init(text: "  ", style: .plain)) }
      spans.append(span)
    }
    return spans
  }
}
