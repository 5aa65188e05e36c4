import HistoryCoding
import Terminal

/// Writes rows of CSV.
struct CSVOutput: FieldPage {
  let session: Session
  /// Whether to write an apostrophe before texts that a spreadsheet would evaluate as formulas.
  let guardsFormulas: Bool

  /// Writes a row. Escapes control characters on a terminal; files get texts as they are.
  func writeRow(_ fields: [String?]) throws {
    let isTerminal = session.environment.isOutputTerminal
    try writer.write(
      CSVWriter.row(
        isTerminal ? fields.map { $0.map(TerminalText.terminal.escaped) } : fields,
        guardsFormulas: guardsFormulas))
  }
}
