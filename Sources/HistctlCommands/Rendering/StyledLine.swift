import Terminal

/// Lines of parts with meanings, made safe and coloured, that take the width they need.
struct StyledLine {
  let text: TerminalText
  let palette: Palette

  init(_ session: Session) {
    text = TerminalText.terminal
    palette = session.palette
  }

  /// The parts after an indentation.
  func line(_ spans: [TableCell.Span], indentation: Int = 0) -> String {
    String(repeating: " ", count: indentation)
      + spans.map { palette.apply($0.style, to: text.escaped($0.text)) }.joined()
  }

  /// The parts after an indentation, in lines of at most a width; those after the first are indented
  /// twice as far.
  func lines(_ spans: [TableCell.Span], indentation: Int, width: Int?) -> [String] {
    guard let width else { return [line(spans, indentation: indentation)] }
    let further = min(2 * indentation, width / 2)
    let parts = spans.wrapped(to: max(width - further, 1)) { text.escaped($0).displayWidth }
    return parts.enumerated().map { index, part in
      line(part, indentation: index == 0 ? indentation : further)
    }
  }

  /// A title and what belongs to it.
  func field(_ title: String, _ value: String, width: Int = 12, style: Style = .plain) -> String {
    palette.apply(.secondary, to: title.padded(to: width))
      + palette.apply(style, to: text.escaped(value))
  }
}
