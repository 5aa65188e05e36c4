/// One cell of a table: plain text as it is in the store, and what its parts mean.
struct TableCell: Sendable, Equatable {
  /// A part of a cell with one meaning.
  struct Span: Sendable, Equatable {
    /// The text, not yet escaped, styled or padded.
    var text: String
    /// How it is coloured.
    var style: Style
  }

  /// The parts, from left to right.
  var spans: [Span]

  /// Makes a cell of one part.
  init(_ text: String, style: Style = .plain) {
    spans = [Span(text: text, style: style)]
  }

  /// Makes a cell of several parts.
  init(spans: [Span]) {
    self.spans = spans
  }

  /// The whole text.
  var text: String { spans.count == 1 ? spans[0].text : spans.map(\.text).joined() }
}
