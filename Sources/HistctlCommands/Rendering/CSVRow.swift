/// One row of comma-separated values, quoted as RFC 4180 has it.
enum CSVRow {
  /// The fields as a line, without line end; nil is an empty field, an empty text two quotes.
  ///
  /// - Parameter guardsFormulas: Whether a text that a spreadsheet would take for a formula gets an
  ///   apostrophe before it.
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
      // Many readers refuse a NUL or end the text there.
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
