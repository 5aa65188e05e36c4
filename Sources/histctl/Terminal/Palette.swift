/// Applies styles, or leaves them out where colour is off.
struct Palette: Sendable, Equatable {
  /// Whether styles show.
  var isColored: Bool

  /// Adds a style to text that has been made safe already; empty text stays empty.
  func apply(_ style: Style, to text: String) -> String {
    guard isColored, !text.isEmpty, let rendition = style.graphicRendition else { return text }
    return "\u{1B}[\(rendition)m\(text)\u{1B}[0m"
  }
}
