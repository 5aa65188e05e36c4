/// On which side of its column a text stands.
enum TextAlignment: Sendable {
  /// At the start, as words do.
  case leading
  /// At the end, as numbers do.
  case trailing
}
