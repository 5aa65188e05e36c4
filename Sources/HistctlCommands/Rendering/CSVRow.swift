import Terminal

/// Writes rows of CSV.
struct CSVOutput {
  let session: Session
  let writer: OutputWriter
  /// Whether to write an apostrophe before texts that a spreadsheet would evaluate as formulas.
  let guardsFormulas: Bool

  /// Writes a row. Escapes control characters on a terminal; files get texts as they are.
  func writeRow(_ fields: [String?]) throws {
    let isTerminal = session.environment.isOutputTerminal
    try writer.writeLine(
      CSVRow.line(
        isTerminal ? fields.map { $0.map(TerminalText.terminal.escaped) } : fields,
        guardsFormulas: guardsFormulas))
  }
}

/// A row of CSV, quoted as in RFC 4180.
enum CSVRow {
  /// Returns the fields as a line without line feed; `nil` is an empty field, an empty text two quotes.
  ///
  /// - Parameter guardsFormulas: Whether to write an apostrophe before texts that a spreadsheet would
  ///   evaluate as formulas.
  static func line(_ fields: [String?], guardsFormulas: Bool = false) -> String {
    fields.map { text in
      guard let text else { return "" }
      let isFormula = text.utf8.first.map { "=+-@\t\r".utf8.contains($0) } ?? false
      return field(guardsFormulas && isFormula ? "'" + text : text)
    }
    .joined(separator: ",")
  }

  private static func field(_ text: String) -> String {
    guard text.isEmpty || text.utf8.contains(where: isSpecial) else { return text }
    var quoted = "\""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\"": quoted += "\"\""
      // Many readers reject a NUL, or end the text there.
      case "\0": quoted += "\u{FFFD}"
      default: quoted.unicodeScalars.append(scalar)
      }
    }
    return quoted + "\""
  }

  private static func isSpecial(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: ","), UInt8(ascii: "\""), UInt8(ascii: "\n"), UInt8(ascii: "\r"), 0: true
    default: false
    }
  }
}
