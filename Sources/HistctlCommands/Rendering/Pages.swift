import Terminal

/// What pages for people have in common.
extension OutputWriter {
  /// Writes a table below an empty line; nothing where it has no rows.
  ///
  /// - Parameter hidden: How many rows were left out, which a last line tells.
  func writeTable(
    _ columns: [TableColumn], _ rows: [[TableCell]], hidden: Int = 0, in session: Session
  ) throws {
    guard !rows.isEmpty else { return }
    let table = session.table(
      columns: columns, sample: rows)
    try writeLine("")
    try writeLine(table.header)
    for row in rows { try writeLine(table.line(row)) }
    if hidden > 0 { try writeLine(session.palette.apply(.secondary, to: "and \(hidden) more")) }
  }

  /// Writes what deserves attention, below an empty line.
  func writeNotices(_ texts: [String], in session: Session) throws {
    guard !texts.isEmpty else { return }
    try writeLine("")
    let styled = StyledLine(session)
    for text in texts {
      try writeLine(styled.line([.init(text: "note: \(text)", style: .warning)]))
    }
  }
}

/// A page of facts, with a line for each: a title and what belongs to it.
protocol FieldPage {
  var session: Session { get }
  var writer: OutputWriter { get }
}

extension FieldPage {
  /// Writes a line; none where there is no value.
  func field(_ title: String, _ value: String?, style: Style = .plain) throws {
    guard let value else { return }
    try writer.writeLine(StyledLine(session).field(title, value, style: style))
  }
}

extension Session {
  /// Makes a table for standard output and notes the columns that a narrow terminal hides.
  func table(columns: [TableColumn], sample: [[TableCell]]) -> Table {
    let table = Table(
      columns: columns, sample: sample, environment: environment, palette: palette)
    leaveOut(table.hiddenTitles)
    return table
  }

  /// Notes on a terminal which columns were hidden.
  func tellOfHiddenColumns() {
    guard !hiddenColumns.isEmpty, environment.isErrorTerminal else { return }
    diagnostics.note(
      "\(hiddenColumns.joined(separator: ", ")) hidden: terminal too narrow (use --json)")
  }
}
