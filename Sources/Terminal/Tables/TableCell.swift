/// One cell of a table: plain text as it is in the store, and what its parts mean.
package struct TableCell: Sendable, Equatable {
  /// A part of a cell with one meaning.
  package struct Span: Sendable, Equatable {
    /// The text, not yet escaped, styled or padded.
    package var text: String
    /// How it is coloured.
    package var style: Style

    package init(text: String, style: Style) {
      self.text = text
      self.style = style
    }
  }

  /// The parts, from left to right.
  package var spans: [Span]

  /// Makes a cell of one part.
  package init(_ text: String, style: Style = .plain) {
    self.init(spans: [Span(text: text, style: style)])
  }

  /// Makes a cell of several parts.
  package init(spans: [Span]) {
    self.spans = spans.map { Span(text: TerminalText.shortened($0.text), style: $0.style) }
  }

  /// The whole text.
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
