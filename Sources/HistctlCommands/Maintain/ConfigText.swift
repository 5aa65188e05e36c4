/// A mistake in a config file.
struct ConfigMistake: Error, Hashable {
  /// The line, counted from 1; `nil` for a mistake of the whole file.
  let line: Int?
  let message: String
  /// What to write instead.
  let hint: String?

  /// The maximum number that is reported. A file with more is not a config file.
  static let limit = 100

  init(line: Int?, _ message: String, hint: String? = nil) {
    self.line = line
    self.message = message
    self.hint = hint
  }
}

/// A config file of sections, each with lines of keys and values, like systemd's units and rsync's
/// modules.
///
/// ```ini
/// # A comment has a line of its own.
/// [section]
/// key = value
/// ```
///
/// Blanks around names and values are ignored. A value extends to the end of its line, and needs no
/// quotation marks.
struct ConfigText {
  /// A key with its value.
  struct Entry: Hashable {
    let key: String
    let value: String
    let line: Int
  }

  /// A section. Its name may occur once.
  struct Section: Hashable {
    let name: String
    let line: Int
    fileprivate(set) var entries: [Entry] = []
  }

  private(set) var sections: [Section] = []
  private(set) var mistakes: [ConfigMistake] = []
  /// The lines in which sections begin, by name.
  private var beginnings: [String: Int] = [:]

  /// Reads a text. A line that cannot be understood is a mistake, and reading continues until there are
  /// too many.
  init(_ bytes: [UInt8]) {
    guard let text = String(validating: bytes, as: UTF8.self) else {
      mistakes = [ConfigMistake(line: nil, "it is not UTF-8", hint: "save it as UTF-8")]
      return
    }
    // Some editors begin a file with a byte order mark.
    let content =
      text.unicodeScalars.first == "\u{FEFF}"
      ? text.unicodeScalars.dropFirst() : text.unicodeScalars[...]
    for (index, line) in content.split(separator: "\n", omittingEmptySubsequences: false)
      .enumerated()
    {
      read(Self.trimmed(line), line: index + 1)
      if mistakes.count > ConfigMistake.limit { break }
    }
  }

  private mutating func read(_ text: Substring.UnicodeScalarView, line: Int) {
    guard let first = text.first, first != "#", first != ";" else { return }
    if let odd = text.first(where: { $0.properties.generalCategory == .control && $0 != "\t" }) {
      mistake(
        line, "it has the control character U+\(String(odd.value, radix: 16, uppercase: true))")
    } else if first == "[" {
      begin(text, line: line)
    } else if let sign = text.firstIndex(of: "=") {
      add(
        key: String(Self.trimmed(text[..<sign])),
        value: String(Self.trimmed(text[text.index(after: sign)...])), line: line)
    } else {
      mistake(
        line, "'\(String(text))' is neither a [section] nor a key with its value",
        hint: "write key = value")
    }
  }

  private mutating func begin(_ text: Substring.UnicodeScalarView, line: Int) {
    guard text.last == "]", text.count > 2 else {
      return mistake(
        line, "'\(String(text))' is not a section",
        hint: "a section is a name in brackets, such as [app]")
    }
    let name = String(Self.trimmed(text.dropFirst().dropLast()))
    guard !name.isEmpty, !name.contains(where: { "[]".contains($0) }) else {
      return mistake(
        line, "'\(String(text))' is not a section", hint: "give it a name without brackets")
    }
    if let earlier = beginnings[name] {
      mistake(
        line, "the section [\(name)] is already defined in line \(earlier)",
        hint: "give it another name, or put its keys into that one")
    } else {
      beginnings[name] = line
    }
    sections.append(Section(name: name, line: line))
  }

  private mutating func add(key: String, value: String, line: Int) {
    guard !sections.isEmpty else {
      return mistake(
        line, "'\(key)' comes before the first section",
        hint: "put it below [defaults], or below the section of its store")
    }
    if key.isEmpty {
      return mistake(line, "there is a value without a key", hint: "write key = value")
    }
    sections[sections.count - 1].entries.append(Entry(key: key, value: value, line: line))
  }

  private mutating func mistake(_ line: Int, _ message: String, hint: String? = nil) {
    mistakes.append(ConfigMistake(line: line, message, hint: hint))
  }

  /// Removes blanks at both ends, and the carriage return of other systems' lines.
  private static func trimmed(
    _ text: Substring.UnicodeScalarView
  ) -> Substring.UnicodeScalarView {
    func isBlank(_ scalar: Unicode.Scalar) -> Bool {
      scalar == " " || scalar == "\t" || scalar == "\r"
    }
    var text = text.drop(while: isBlank)
    while let last = text.last, isBlank(last) { text.removeLast() }
    return text
  }
}
