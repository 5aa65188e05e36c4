/// One cell of a table: unescaped text in parts with a style each.
package struct TableCell: Sendable, Equatable {
  /// A part of a cell with one meaning.
  package struct Span: Sendable, Equatable {
    /// The text, not yet escaped, styled or padded.
    package var text: String
    package var style: Style
    /// Whether it is cut in the middle where lines are too narrow, so that the parts up to the next name stay.
    package var isName: Bool

    package init(text: String, style: Style, isName: Bool = false) {
      self.text = text
      self.style = style
      self.isName = isName
    }
  }

  package var spans: [Span]
  /// A shorter text that says enough where lines are too narrow, such as a time without seconds.
  var compact: String?

  package init(_ text: String, style: Style = .plain, compact: String? = nil) {
    self.init(spans: [Span(text: text, style: style)])
    self.compact = compact
  }

  package init(spans: [Span]) {
    self.spans = spans.map {
      Span(text: TerminalText.shortened($0.text), style: $0.style, isName: $0.isName)
    }
  }

  package var text: String { spans.count == 1 ? spans[0].text : spans.map(\.text).joined() }
}

extension [TableCell.Span] {
  /// Returns the parts broken into lines, at spaces where that is possible.
  ///
  /// - Parameters:
  ///   - limit: The columns that each line may take.
  ///   - width: Measures a text as it is shown.
  package func wrapped(to limit: Int, width: (String) -> Int) -> [[TableCell.Span]] {
    var lines: [[TableCell.Span]] = [[]]
    var used = 0
    func append(_ text: String, _ style: Style, _ columns: Int) {
      if let last = lines[lines.count - 1].last, last.style == style {
        lines[lines.count - 1][lines[lines.count - 1].count - 1].text += text
      } else {
        lines[lines.count - 1].append(.init(text: text, style: style))
      }
      used += columns
    }
    func breakLine() {
      // A line does not end with the spaces before the word that did not fit.
      while var last = lines[lines.count - 1].popLast() {
        while last.text.last == " " { last.text.removeLast() }
        guard last.text.isEmpty else {
          lines[lines.count - 1].append(last)
          break
        }
      }
      lines.append([])
      used = 0
    }
    for span in self {
      for word in span.text.words {
        let columns = width(word)
        if used + columns > limit, used > 0 { breakLine() }
        if used == 0, lines.count > 1, word.allSatisfy({ $0 == " " }) { continue }
        if columns <= limit {
          append(word, span.style, columns)
          continue
        }
        for character in word {
          let text = String(character)
          let columns = width(text)
          if used + columns > limit, used > 0 { breakLine() }
          append(text, span.style, columns)
        }
      }
    }
    return lines
  }
}

extension String {
  /// The runs of spaces and of other characters, in order.
  fileprivate var words: [String] {
    var words: [String] = []
    for character in self {
      if let last = words.last?.last, (last == " ") == (character == " ") {
        words[words.count - 1].append(character)
      } else {
        words.append(String(character))
      }
    }
    return words
  }
}

/// The meaning of a text, for coloring. Color never carries meaning alone.
package enum Style: CaseIterable, Sendable {
  case plain
  case inserted
  case updated
  case deleted
  case token
  case secondary
  case heading
  case warning
  case error

  /// The parameters of the ANSI "select graphic rendition" sequence, or `nil` for ordinary text.
  ///
  /// Only the first eight colors: users choose those to suit their background.
  var graphicRendition: String? {
    switch self {
    case .plain: nil
    case .inserted: "32"
    case .updated: "33"
    case .deleted: "31"
    case .token: "36"
    case .secondary: "2"
    case .heading: "1"
    case .warning: "1;33"
    case .error: "1;31"
    }
  }
}

/// Applies styles, or leaves them out where color is off.
package struct Palette: Sendable, Equatable {
  var isColored: Bool

  package init(isColored: Bool) { self.isColored = isColored }

  /// Adds a style to text that is already escaped; empty text stays empty.
  package func apply(_ style: Style, to text: String) -> String {
    guard isColored, !text.isEmpty, let rendition = style.graphicRendition else { return text }
    return "\u{1B}[\(rendition)m\(text)\u{1B}[0m"
  }
}

/// When output is colored: the value of `--color`.
package enum ColorChoice: String, CaseIterable, Sendable {
  /// On a terminal that can, unless NO_COLOR forbids or CLICOLOR_FORCE demands it.
  case auto
  /// Even in a pipe or file.
  case always
  case never

  package func colorsOutput(in environment: TerminalEnvironment) -> Bool {
    resolve(isTerminal: environment.isOutputTerminal, in: environment)
  }

  func colorsErrors(in environment: TerminalEnvironment) -> Bool {
    resolve(isTerminal: environment.isErrorTerminal, in: environment)
  }

  private func resolve(isTerminal: Bool, in environment: TerminalEnvironment) -> Bool {
    switch self {
    case .always: return true
    case .never: return false
    case .auto:
      if environment.disablesColor { return false }
      if environment.forcesColor { return true }
      return isTerminal && !environment.isDumb
    }
  }
}
