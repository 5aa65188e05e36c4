/// Writes plain text as mdoc, so that nothing in it is taken for markup and nothing is lost.
enum MdocText {
  /// The longest line of running text.
  private static let lineLength = 78

  /// Running text: a line for each sentence, long ones wrapped.
  static func prose(_ text: String) -> String {
    var lines: [String] = []
    var line = ""
    var lineEndsSentence = true
    func finish() {
      if !line.isEmpty { lines.append(line) }
      line = ""
    }
    for word in text.split(whereSeparator: \.isWhitespace) {
      let escaped = escape(word, isLiteral: word.hasPrefix("-"))
      if lineEndsSentence || line.count + 1 + escaped.count > lineLength { finish() }
      line += line.isEmpty ? atLineStart(escaped) : " " + escaped
      lineEndsSentence = word.last.map { ".?!:".contains($0) } ?? false
    }
    finish()
    return lines.joined(separator: "\n")
  }

  /// Text that a person types or sees, as one argument of a macro.
  static func literal(_ text: String) -> String {
    let escaped = escape(text, isLiteral: true)
    if escaped.isEmpty || escaped.contains(" ") { return "\"\(escaped)\"" }
    // A short capitalised word could be a macro, and a lone sign of punctuation would be set apart.
    let couldBeMacro = escaped.count <= 3 && escaped.first?.isUppercase == true
    let isSign = escaped.count == 1 && ".,:;()[]?!|".contains(escaped)
    return couldBeMacro || isSign ? "\\&" + escaped : escaped
  }

  /// A list of literals in a sentence, each with its macro and what follows it.
  static func literals(_ texts: [String], conjunction: String, end: String) -> [String] {
    texts.enumerated().flatMap { index, text -> [String] in
      switch texts.count - index {
      case 1: [".Cm \(literal(text)) \(end)"]
      case 2: [".Cm \(literal(text))", conjunction]
      default: [".Cm \(literal(text)) ,"]
      }
    }
  }

  /// A dot or an apostrophe at the beginning of a line would make it a request.
  private static func atLineStart(_ text: String) -> String {
    text.hasPrefix(".") || text.hasPrefix("'") ? "\\&" + text : text
  }

  private static func escape(_ text: some StringProtocol, isLiteral: Bool) -> String {
    var escaped = ""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\\": escaped += "\\e"
      case "\"": escaped += "\\(dq"
      case "~": escaped += "\\(ti"
      case "^": escaped += "\\(ha"
      case "`": escaped += "\\(ga"
      case "-" where isLiteral: escaped += "\\-"
      case "'" where isLiteral: escaped += "\\(aq"
      case " "..."~": escaped.unicodeScalars.append(scalar)
      default:
        if scalar.value < 0xA0 {
          escaped += " "
        } else {
          let digits = String(scalar.value, radix: 16, uppercase: true)
          escaped += "\\[u\(String(repeating: "0", count: max(0, 4 - digits.count)))\(digits)]"
        }
      }
    }
    return escaped
  }
}
