extension Session {
  /// A table on standard output, whose columns a narrow terminal may have no room for; what is left
  /// out is told at the end.
  func table(columns: [TableColumn], sample: [[TableCell]]) -> Table {
    let table = Table(
      columns: columns, sample: sample, environment: environment, palette: palette)
    leaveOut(table.hiddenTitles)
    return table
  }

  /// Tells a person which columns they do not see.
  func tellOfHiddenColumns() {
    guard !hiddenColumns.isEmpty, environment.isErrorTerminal else { return }
    diagnostics.note(
      "no room for \(hiddenColumns.joined(separator: ", ")); a wider terminal or --json shows "
        + (hiddenColumns.count == 1 ? "it" : "them"))
  }
}
