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
