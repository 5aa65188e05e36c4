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
  /// Tells of gaps; nil where none can be.
  private let gaps: GapReport?
  private var table: Table?
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
  }

  /// Writes all that a reader gives and tells how many transactions that were.
  func write(_ reader: TimelineReader) throws -> Int {
    // With changes below each line nothing is kept back, for one transaction can have millions.
    if showsChanges { return try writeWithChanges(reader) }
    var count = 0
    if table == nil {
      var sample: [Line] = []
      while sample.count < Self.sampleSize, let line = try nextLine(reader) { sample.append(line) }
      guard !sample.isEmpty else { return 0 }
      let table = chooseWidths(sample.compactMap(\.row))
      self.table = table
      if session.environment.isOutputTerminal { try writer.writeLine(table.header) }
      for line in sample { try write(line, table) }
      count = sample.count
    }
    while let table, let line = try nextLine(reader) {
      try write(line, table)
      count += 1
    }
    return count
  }

  private enum Line {
    case transaction([TableCell])
    case gap(HistoryGap)

    var row: [TableCell]? { if case .transaction(let row) = self { row } else { nil } }
  }

  private func nextLine(_ reader: TimelineReader) throws -> Line? {
    switch try reader.nextElement() {
    case .transaction(let transaction):
      .transaction(try row(transaction) + [ChangeText.summary(reader.countChanges())])
    case .gap(let gap): .gap(gap)
    case nil: nil
    }
  }

  private func write(_ line: Line, _ table: Table) throws {
    switch line {
    case .transaction(let row): try writer.writeLine(table.line(row))
    case .gap(let gap): try write(gap)
    }
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
    return session.table(
      columns: [
        TableColumn("TOKEN", alignment: tokens.isQualified ? .leading : .trailing, priority: 5),
        TableColumn("TIME", priority: 4, canDrop: true),
      ] + (showsAuthors ? [author] : []) + [
        TableColumn("PROCESS", priority: 1, minimumWidth: 6, canShrink: true, canDrop: true),
        TableColumn(
          "CHANGES", priority: 6, minimumWidth: tokens.isQualified ? 10 : 30, canShrink: true),
      ], sample: sample)
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
        if case .gap(let gap) = element { try write(gap) }
        continue
      }
      try writer.writeLine(styled.line(heading(transaction)))
      while let change = try reader.nextChange() {
        try writer.writeLine(styled.line(ChangeText.spans(change), indentation: 4))
      }
    }
    return count
  }

  /// Tells that transactions were pruned before they could be read.
  func writeGap(after position: Int64, oldest: Int64) throws {
    try writeGap("transactions \(position + 1) to \(oldest - 1) were pruned before they were read")
  }

  private func write(_ gap: HistoryGap) throws {
    try writeGap(gap.message)
    gaps?.tell(gap)
  }

  private func writeGap(_ text: String) throws {
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
