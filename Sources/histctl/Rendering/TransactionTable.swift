import PersistentHistory
import StoreFormat

/// Writes transactions as a table, one line each, newest or oldest first as they come.
///
/// The first transactions choose the widths, for all that come later as well.
final class TransactionTable {
  /// How many transactions choose the widths of the columns.
  private static let sampleSize = 100

  private let session: Session
  private let writer: OutputWriter
  private let showsChanges: Bool
  /// Whether anybody who saved has named themselves; most apps never do.
  private let showsAuthors: Bool
  private let tokens: TokenText
  private var table: Table?
  private var hasWritten = false

  init(
    session: Session, writer: OutputWriter, showsChanges: Bool, showsAuthors: Bool,
    tokens: TokenText
  ) {
    self.session = session
    self.writer = writer
    self.showsChanges = showsChanges
    self.showsAuthors = showsAuthors
    self.tokens = tokens
  }

  /// Writes all that a reader gives and tells how many transactions that were.
  func write(_ reader: HistoryReader) throws -> Int {
    // With changes below each line nothing is kept back, for one transaction can have millions.
    if showsChanges { return try writeWithChanges(reader) }
    var count = 0
    if table == nil {
      var sample: [[TableCell]] = []
      while sample.count < Self.sampleSize, let row = try nextRow(reader) { sample.append(row) }
      guard !sample.isEmpty else { return 0 }
      let table = chooseWidths(sample)
      self.table = table
      if session.environment.isOutputTerminal { try writer.writeLine(table.header) }
      for row in sample { try writer.writeLine(table.line(row)) }
      count = sample.count
    }
    while let table, let row = try nextRow(reader) {
      try writer.writeLine(table.line(row))
      count += 1
    }
    return count
  }

  private func nextRow(_ reader: HistoryReader) throws -> [TableCell]? {
    guard let transaction = try reader.nextTransaction() else { return nil }
    return try row(transaction) + [ChangeText.summary(reader.countChanges())]
  }

  private func row(_ transaction: HistoryTransaction) -> [TableCell] {
    let time = TimeText(style: session.options.date, now: session.now)
    let author = showsAuthors ? [TableCell(transaction.author?.string ?? "")] : []
    return [
      TableCell(tokens.text(transaction.number), style: .token),
      TableCell(time.text(transaction.timestamp)),
    ] + author + [TableCell(transaction.process?.string ?? "", style: .secondary)]
  }

  private func chooseWidths(_ sample: [[TableCell]]) -> Table {
    let author = TableColumn(
      "AUTHOR", priority: 3, minimumWidth: 6, canShrink: true, canDrop: true)
    return Table(
      columns: [
        TableColumn("TOKEN", alignment: tokens.isQualified ? .leading : .trailing, priority: 5),
        TableColumn("TIME", priority: 4, canDrop: true),
      ] + (showsAuthors ? [author] : []) + [
        TableColumn("PROCESS", priority: 1, minimumWidth: 6, canShrink: true, canDrop: true),
        TableColumn("CHANGES", priority: 6, minimumWidth: 30, canShrink: true),
      ], sample: sample, environment: session.environment, palette: session.palette)
  }

  // MARK: - With changes

  private func writeWithChanges(_ reader: HistoryReader) throws -> Int {
    let styled = StyledLine(session)
    var count = 0
    while let transaction = try reader.nextTransaction() {
      if hasWritten { try writer.writeLine("") }
      hasWritten = true
      count += 1
      try writer.writeLine(styled.line(heading(transaction)))
      while let change = try reader.nextChange() {
        try writer.writeLine(styled.line(ChangeText.spans(change), indentation: 4))
      }
    }
    return count
  }

  /// Tells that transactions were pruned before they could be read.
  func writeGap(after position: Int64, oldest: Int64) throws {
    let text = "transactions \(position + 1) to \(oldest - 1) were pruned before they were read"
    try writer.writeLine(session.palette.apply(.warning, to: "-- \(text) --"))
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
