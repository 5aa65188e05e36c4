import Terminal

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
