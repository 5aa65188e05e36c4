import PersistentHistory
import StoreFormat
import Terminal

/// Writes changes as a table, one line each, with the time and author of their transaction.
struct ChangeTable {
  private let table: StreamedTable
  private let tokens: TokenText
  private let time: TimeText
  private let showsAuthors: Bool

  init(session: Session, writer: OutputWriter, timeline: HistoryTimeline) throws {
    tokens = session.tokens(of: timeline.storeIdentifier)
    time = session.time
    showsAuthors = try timeline.hasAuthors()
    let author = TableColumn(
      "AUTHOR", priority: 2, minimumWidth: 6, canShrink: true, canDrop: true)
    table = StreamedTable(
      session: session, writer: writer,
      columns: [
        TableColumn("TOKEN", alignment: tokens.isQualified ? .leading : .trailing, priority: 5),
        TableColumn("TIME", priority: 3, canDrop: true),
      ] + (showsAuthors ? [author] : []) + [
        TableColumn("OBJECT", priority: 6, minimumWidth: 48, canShrink: true),
        TableColumn("DETAILS", priority: 4, minimumWidth: 10, canShrink: true, canDrop: true),
      ])
  }

  /// Writes one change.
  func write(_ change: HistoryChange, _ transaction: HistoryTransaction) throws {
    let author = showsAuthors ? [TableCell(transaction.author?.string ?? "")] : []
    try table.write(
      [
        TableCell(tokens.text(transaction.number), style: .token),
        time.cell(transaction.timestamp),
      ] + author + [
        TableCell(spans: [ChangeText.object(change)]),
        TableCell(spans: ChangeText.details(change)),
      ])
  }

  /// Writes the rows that were kept back.
  func finish() throws { try table.finish() }
}
