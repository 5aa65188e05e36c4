import Terminal

/// A table whose rows come one after the other, without end, with other lines between them; the first
/// rows choose the widths.
final class StreamedTable {
  /// How many rows choose the widths of the columns.
  private static let sampleSize = 100

  private let session: Session
  private let writer: OutputWriter
  private let columns: [TableColumn]
  private let wrapsLastColumn: Bool
  private var kept: [Line] = []
  private var table: Table?

  private enum Line {
    case row([TableCell])
    case text(String)

    var row: [TableCell]? { if case .row(let row) = self { row } else { nil } }
  }

  /// - Parameter wrapsLastColumn: Whether cells of the last column that are too long for a terminal go on
  ///   in the next line, instead of being cut.
  init(
    session: Session, writer: OutputWriter, columns: [TableColumn], wrapsLastColumn: Bool = false
  ) {
    self.session = session
    self.writer = writer
    self.columns = columns
    self.wrapsLastColumn = wrapsLastColumn
  }

  /// Takes the next row; it is written at once, or with the first ones.
  func write(_ row: [TableCell]) throws { try write(.row(row)) }

  /// Takes a line that is no row, which is written where it comes.
  func write(line text: String) throws { try write(.text(text)) }

  /// Writes what has been kept back; nothing where nothing has come.
  func finish() throws {
    guard table == nil, !kept.isEmpty else { return }
    let table = session.table(columns: columns, sample: kept.compactMap(\.row))
    try writer.writeLine(table.header)
    for line in kept { try write(line, table) }
    self.table = table
    kept = []
  }

  private func write(_ line: Line) throws {
    if let table { return try write(line, table) }
    kept.append(line)
    if kept.count == Self.sampleSize { try finish() }
  }

  private func write(_ line: Line, _ table: Table) throws {
    switch line {
    case .row(let row) where wrapsLastColumn:
      for line in table.lines(row) { try writer.writeLine(line) }
    case .row(let row): try writer.writeLine(table.line(row))
    case .text(let text): try writer.writeLine(text)
    }
  }
}
