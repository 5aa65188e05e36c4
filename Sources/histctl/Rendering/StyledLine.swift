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

  /// A title and what belongs to it.
  func field(_ title: String, _ value: String, width: Int = 12, style: Style = .plain) -> String {
    palette.apply(.secondary, to: title.padded(to: width))
      + palette.apply(style, to: text.escaped(value))
  }
}
