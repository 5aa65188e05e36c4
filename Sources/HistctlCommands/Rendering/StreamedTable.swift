import Terminal

/// A table whose rows are written as they come; the first rows determine the widths.
final class StreamedTable: FieldPage {
  /// The number of rows that determine the widths.
  private static let sampleSize = 100

  let session: Session
  private let columns: [TableColumn]
  private let wrapsLastColumn: Bool
  private var kept: [Line] = []
  private var table: Table?

  private enum Line {
    case row([TableCell])
    case text(String)

    var row: [TableCell]? { if case .row(let row) = self { row } else { nil } }
  }

  /// - Parameter wrapsLastColumn: Whether cells of the last column wrap on a terminal instead of being
  ///   cut.
  init(_ session: Session, _ columns: [TableColumn], wrapsLastColumn: Bool) {
    self.session = session
    self.columns = columns
    self.wrapsLastColumn = wrapsLastColumn
  }

  /// Adds a row.
  func write(_ row: [TableCell]) throws { try write(.row(row)) }

  /// Adds a line that is not a row.
  func write(line text: String) throws { try write(.text(text)) }

  /// Runs what writes the rows, then writes those that were kept back, also after an error.
  func finishing<Result>(_ body: () throws -> Result) throws -> Result {
    do {
      let result = try body()
      try finish()
      return result
    } catch {
      // Show what could be read; the first error is the one to report.
      try? finish()
      throw error
    }
  }

  /// Writes the rows that were kept back.
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
