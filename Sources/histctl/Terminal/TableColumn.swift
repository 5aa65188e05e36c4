/// One column of a table: its title, and what it gives up when the terminal is narrow.
struct TableColumn: Sendable {
  /// Text of the header line.
  var title: String
  /// On which side the cells stand.
  var alignment: TextAlignment
  /// Columns with a lower priority are dropped first; among equals the rightmost is.
  var priority: Int
  /// Narrowest width that the column shrinks to; ignored unless it can shrink.
  var minimumWidth: Int
  /// Whether its cells may be cut short with "…".
  var canShrink: Bool
  /// Whether the table can do without it.
  var canDrop: Bool

  /// Makes a column; unless told otherwise it keeps its width and its place.
  init(
    _ title: String, alignment: TextAlignment = .leading, priority: Int = 0,
    minimumWidth: Int = 4, canShrink: Bool = false, canDrop: Bool = false
  ) {
    self.title = title
    self.alignment = alignment
    self.priority = priority
    self.minimumWidth = minimumWidth
    self.canShrink = canShrink
    self.canDrop = canDrop
  }
}
