/// A part of a statement of SQL.
struct SQLToken: Hashable {
  enum Kind: Hashable {
    case name
    /// A name in quotation marks, backticks or brackets.
    case quotedName
    /// A text in apostrophes, which may be a name too.
    case text
    /// Blanks; a comment is one blank.
    case blank
    /// A number, data, an operator or a bracket.
    case other
  }

  let kind: Kind
  /// The name or the text, without quotes; otherwise the token as written.
  let value: String
  private let mark: Character?

  /// Whether it begins with a digit.
  var isNumber: Bool {
    kind == .other && value.utf8.first.map { (0x30...0x39).contains($0) } ?? false
  }

  /// The token with another name or text, in the same quotes.
  func sql(_ value: String) -> String {
    guard let mark else { return value }
    let end: Character = mark == "[" ? "]" : mark
    return "\(mark)"
      + value.split(separator: end, omittingEmptySubsequences: false)
      .joined(separator: "\(end)\(end)") + "\(end)"
  }

  /// Splits a statement.
  static func tokens(of sql: String) -> [SQLToken] {
    var rest = Substring(sql)
    var tokens: [SQLToken] = []
    while let token = next(in: &rest) { tokens.append(token) }
    return tokens
  }

  /// The parts of a statement that are not blanks, without quotes.
  static func words(of sql: String) -> [String] {
    tokens(of: sql).filter { $0.kind != .blank }.map(\.value)
  }

  private static func next(in rest: inout Substring) -> SQLToken? {
    guard let first = rest.first else { return nil }
    if first.isWhitespace {
      let blank = rest.prefix { $0.isWhitespace }
      rest = rest.dropFirst(blank.count)
      return SQLToken(kind: .blank, value: String(blank), mark: nil)
    }
    for (start, end) in [("--", "\n"), ("/*", "*/")] where rest.hasPrefix(start) {
      rest = rest.dropFirst(2)
      rest = rest.firstRange(of: end).map { rest[$0.upperBound...] } ?? ""
      return SQLToken(kind: .blank, value: " ", mark: nil)
    }
    switch first {
    case "'": return quoted(first, first, .text, &rest)
    case "\"", "`": return quoted(first, first, .quotedName, &rest)
    case "[": return quoted(first, "]", .quotedName, &rest)
    case "x" where rest.dropFirst().first == "'", "X" where rest.dropFirst().first == "'":
      rest = rest.dropFirst()
      guard let digits = quoted("'", "'", .text, &rest) else { return nil }
      return SQLToken(kind: .other, value: "x'\(digits.value)'", mark: nil)
    case _ where isPartOfName(first):
      let name = rest.prefix(while: isPartOfName)
      rest = rest.dropFirst(name.count)
      return SQLToken(
        kind: first.isASCII && first.isNumber ? .other : .name, value: String(name), mark: nil)
    default:
      rest = rest.dropFirst()
      return SQLToken(kind: .other, value: String(first), mark: nil)
    }
  }

  private static func isPartOfName(_ character: Character) -> Bool {
    character == "_" || character == "$" || !character.isASCII || character.isLetter
      || character.isNumber
  }

  private static func quoted(
    _ mark: Character, _ end: Character, _ kind: Kind, _ rest: inout Substring
  ) -> SQLToken? {
    rest = rest.dropFirst()
    var value = ""
    while let character = rest.popFirst() {
      if character == end {
        // A doubled quotation mark is part of the text; a closing bracket cannot be escaped.
        guard rest.first == end, end != "]" else { break }
        rest = rest.dropFirst()
      }
      value.append(character)
    }
    return SQLToken(kind: kind, value: value, mark: mark)
  }
}
