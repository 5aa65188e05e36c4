/// A table whose rows come one after the other, without end; the first of them choose the widths.
final class StreamedTable {
  /// How many rows choose the widths of the columns.
  private static let sampleSize = 100

  private let session: Session
  private let writer: OutputWriter
  private let columns: [TableColumn]
  private var sample: [[TableCell]] = []
  private var table: Table?

  init(session: Session, writer: OutputWriter, columns: [TableColumn]) {
    self.session = session
    self.writer = writer
    self.columns = columns
  }

  /// Takes the next row; it is written at once, or with the first ones.
  func write(_ row: [TableCell]) throws {
    if let table {
      try writer.writeLine(table.line(row))
    } else {
      sample.append(row)
      if sample.count == Self.sampleSize { try finish() }
    }
  }

  /// Writes what has been kept back; nothing where no row has come.
  func finish() throws {
    guard table == nil, !sample.isEmpty else { return }
    let table = session.table(
      columns: columns, sample: sample)
    if session.environment.isOutputTerminal { try writer.writeLine(table.header) }
    for row in sample { try writer.writeLine(table.line(row)) }
    self.table = table
    sample = []
  }
}
