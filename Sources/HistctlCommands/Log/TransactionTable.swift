import PersistentHistory
import StoreFormat
import Terminal

/// Writes transactions as a table, one line each, newest or oldest first as they come.
///
/// The first transactions choose the widths, for all that come later as well.
final class TransactionTable {
  private let session: Session
  private let writer: OutputWriter
  private let showsChanges: Bool
  /// Whether anybody who saved has named themselves; most apps never do.
  private let showsAuthors: Bool
  private let tokens: TokenText
  /// Tells of gaps; nil where none can be.
  private let gaps: GapReport?
  private let table: StreamedTable
  private var hasWritten = false

  init(
    session: Session, writer: OutputWriter, showsChanges: Bool, showsAuthors: Bool,
    tokens: TokenText, gaps: GapReport? = nil
  ) {
    self.session = session
    self.writer = writer
    self.showsChanges = showsChanges
    self.showsAuthors = showsAuthors
    self.tokens = tokens
    self.gaps = gaps
    let author = TableColumn("AUTHOR", priority: 3, minimumWidth: 6, canShrink: true, canDrop: true)
    table = StreamedTable(
      session: session, writer: writer,
      columns: [
        TableColumn("TOKEN", alignment: tokens.isQualified ? .leading : .trailing, priority: 5),
        TableColumn("TIME", priority: 4, canDrop: true),
      ] + (showsAuthors ? [author] : []) + [
        TableColumn("PROCESS", priority: 1, minimumWidth: 6, canShrink: true, canDrop: true),
        TableColumn(
          "CHANGES", priority: 6, minimumWidth: tokens.isQualified ? 10 : 30, canShrink: true),
      ])
  }

  /// Writes all that a reader gives and tells how many transactions that were.
  func write(_ reader: TimelineReader) throws -> Int {
    // With changes below each line nothing is kept back, for one transaction can have millions.
    if showsChanges { return try writeWithChanges(reader) }
    var count = 0
    do {
      while let element = try reader.nextElement() {
        count += 1
        switch element {
        case .transaction(let transaction):
          try table.write(row(transaction) + [ChangeText.summary(reader.countChanges())])
        case .gap(let gap):
          try table.write(line: line(gap.message))
          gaps?.tell(gap)
        }
      }
    } catch {
      // What could be read is shown; what cannot be written either, the first error tells.
      try? table.finish()
      throw error
    }
    try table.finish()
    return count
  }

  private func row(_ transaction: HistoryTransaction) -> [TableCell] {
    let time = TimeText(style: session.options.date, now: session.now)
    let author = showsAuthors ? [TableCell(transaction.author?.string ?? "")] : []
    return [
      TableCell(tokens.text(transaction.number), style: .token),
      TableCell(time.text(transaction.timestamp)),
    ] + author + [TableCell(transaction.process?.string ?? "", style: .secondary)]
  }

  // MARK: - With changes

  private func writeWithChanges(_ reader: TimelineReader) throws -> Int {
    let styled = StyledLine(session)
    var count = 0
    while let element = try reader.nextElement() {
      if hasWritten { try writer.writeLine("") }
      hasWritten = true
      count += 1
      guard case .transaction(let transaction) = element else {
        if case .gap(let gap) = element {
          try writer.writeLine(line(gap.message))
          gaps?.tell(gap)
        }
        continue
      }
      try writer.writeLine(styled.line(heading(transaction)))
      while let change = try reader.nextChange() {
        for line in styled.lines(
          ChangeText.spans(change), indentation: 4, width: session.environment.lineWidth)
        {
          try writer.writeLine(line)
        }
      }
    }
    return count
  }

  /// Tells that transactions were pruned before they could be read.
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
    // The process would stand in the place of the author who is missing.
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
