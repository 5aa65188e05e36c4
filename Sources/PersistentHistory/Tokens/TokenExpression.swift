import StoreFormat

/// A token in its written form, not yet resolved in a store.
package enum TokenExpression: Hashable, Sendable {
  /// The number of a transaction of the store in question.
  case number(Int64)
  /// A token that names its store or stores.
  case token(HistoryToken)
  /// The oldest transaction, or the n-th after it.
  case first(offset: Int64)
  /// The newest transaction, or the n-th before it.
  case last(offset: Int64)
  /// A moment: the position before the first transaction at or after it.
  case moment(Moment)
  case bookmark(name: String)
  /// The token in a file, or in standard input for `-`; after `#` the key of a value.
  case file(path: String)
}

extension TokenExpression {
  /// Reads a token in any of its forms.
  ///
  /// - Parameters:
  ///   - text: Such as `57`, `1D070E6D-…:57`, `last~3`, `2w`, `@name` or `@./file`, or the content of a
  ///     token file.
  ///   - now: The time that durations and words such as `yesterday` are relative to.
  /// - Throws: ``HistoryError/malformedToken(text:reason:hint:)``.
  package init(_ text: String, now: StoreTimestamp) throws(HistoryError) {
    let trimmed = text.trimmingBlanks
    func malformed(_ reason: String, _ hint: String) -> HistoryError {
      .malformedToken(text: text, reason: reason, hint: hint)
    }
    if trimmed.isEmpty { throw malformed("it is empty", TokenExpression.formsHint) }
    if trimmed.hasPrefix("@") {
      self = try TokenExpression.reference(String(trimmed.dropFirst()), malformed: malformed)
      return
    }
    if let token = try TokenExpression.document(trimmed, malformed: malformed) {
      self = .token(token)
      return
    }
    if let number = try TokenExpression.number(trimmed, malformed: malformed) {
      self = .number(number)
      return
    }
    if let anchored = try TokenExpression.anchored(trimmed, malformed: malformed) {
      self = anchored
      return
    }
    if let token = HistoryToken(portable: trimmed) {
      self = .token(token)
      return
    }
    do {
      if let moment = try Moment.parse(trimmed, now: now) {
        self = .moment(moment)
        return
      }
    } catch {
      throw malformed(error.message, error.hint)
    }
    if trimmed.contains(":"), trimmed.contains("-") {
      throw malformed(
        "the part before the colon is not a store identifier, or the part after it is not a number",
        "write the identifier in full, as in 1D070E6D-8F4B-4E3A-9C61-0A5B7C9D2E3F:57")
    }
    throw malformed(
      "it is not a transaction number, date, duration, bookmark or token file",
      TokenExpression.formsHint)
  }

  static let formsHint =
    "write a number, STORE:NUMBER, first, last, last~3, a date, a duration such as 2w, @bookmark or @./file"

  /// Reads a transaction number, or returns `nil` for other text.
  private static func number(
    _ text: String, malformed: (String, String) -> HistoryError
  ) throws(HistoryError) -> Int64? {
    if text.utf8.allSatisfy(\.isDigit) {
      guard let number = Int64(text) else {
        throw malformed(
          "the number is larger than any transaction number", "a number has at most 19 digits")
      }
      return number
    }
    if text.hasPrefix("-"), text.count > 1, text.dropFirst().utf8.allSatisfy(\.isDigit) {
      throw malformed(
        "a transaction number must not be negative",
        "count back from the newest with last~\(text.dropFirst())")
    }
    return nil
  }

  /// Reads the JSON or the archive of a token, also in Base64, or returns `nil` for other text.
  private static func document(
    _ text: String, malformed: (String, String) -> HistoryError
  ) throws(HistoryError) -> HistoryToken? {
    guard TokenContent.isDocument(text) else { return nil }
    let hint =
      "write what the app encoded, whole and in quotation marks, or name its place as @./FILE#KEY"
    guard text.utf8.count <= SmallFile.limit else {
      throw malformed("it is longer than \(SmallFile.limit >> 20) MiB", hint)
    }
    do {
      if case .token(let token) = try TokenContent(Array(text.utf8)) { return token }
    } catch {
      throw malformed(error.description, hint)
    }
    throw malformed("it is encoded text", hint)
  }

  private static func reference(
    _ name: String, malformed: (String, String) -> HistoryError
  ) throws(HistoryError) -> TokenExpression {
    if name == "-" || name.hasPrefix("-#") || name.contains("/") { return .file(path: name) }
    guard !name.isEmpty else {
      throw malformed(
        "nothing follows the @",
        "write @name for a bookmark, @./file for a file, @- for standard input")
    }
    if name.hasPrefix(".") || name.hasPrefix("-") {
      throw malformed(
        "a bookmark's name begins with a letter, a digit or '_'",
        "for a file in this folder write @./\(name)")
    }
    guard Bookmark.isName(name) else {
      throw malformed(
        "a bookmark's name has only letters, digits, '.', '_' and '-'",
        "for a file in this folder write @./\(name)")
    }
    return .bookmark(name: name)
  }

  /// Reads `first` and `last`, with an optional offset as in `last~3`.
  private static func anchored(
    _ text: String, malformed: (String, String) -> HistoryError
  ) throws(HistoryError) -> TokenExpression? {
    for (word, make) in [
      ("first", TokenExpression.first(offset:)), ("last", TokenExpression.last(offset:)),
    ] where text.hasPrefix(word) {
      let rest = text.dropFirst(word.count)
      if rest.isEmpty { return make(0) }
      guard rest.hasPrefix("~") || rest.hasPrefix("+") || rest.hasPrefix("-") else { continue }
      let digits = rest.dropFirst()
      guard rest.hasPrefix("~"), !digits.isEmpty, digits.utf8.allSatisfy(\.isDigit),
        let offset = Int64(digits)
      else {
        throw malformed(
          "a number must follow \(word)~",
          "write \(word)~3 for the third from \(word == "last" ? "the newest" : "the oldest")")
      }
      return make(offset)
    }
    return nil
  }
}

extension Int64 {
  /// Reads ASCII digits, or returns `nil` for any other text and for too many digits.
  init?(decimal digits: some StringProtocol) {
    guard digits.utf8.allSatisfy(\.isDigit) else { return nil }
    self.init(digits)
  }
}

extension UInt8 {
  /// Whether this is an ASCII digit.
  var isDigit: Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(self) }
}

extension StringProtocol {
  /// The text without blanks and line ends around it.
  var trimmingBlanks: String {
    let blanks: (Character) -> Bool = { $0.isWhitespace }
    guard let first = firstIndex(where: { !blanks($0) }),
      let last = lastIndex(where: { !blanks($0) })
    else { return "" }
    return String(self[first...last])
  }
}
