/// Which columns of a table are shown, and how wide.
package struct TableLayout: Equatable {
  /// Spaces between two columns.
  package static let gap = 2

  /// Widest that a column is made where lines have no limit: longer cells stick out, instead of
  /// making every other line as long as the longest.
  package static let widestUnlimited = 100

  /// The shown columns' places in the table's list, in order.
  package private(set) var columns: [Int]
  /// Their widths; same order.
  package private(set) var widths: [Int]

  /// Chooses columns and widths.
  ///
  /// - Parameters:
  ///   - columns: All columns of the table.
  ///   - naturalWidths: The width of each column's widest known cell or title.
  ///   - limit: Width that a line may have, or nil for as much as is needed.
  package init(columns all: [TableColumn], naturalWidths: [Int], limit: Int?) {
    columns = Array(all.indices)
    // A single cell never needs more than the line, and bounded widths bound the work below.
    let bounded = naturalWidths.map { min($0, max(limit ?? Self.widestUnlimited, 1)) }
    widths = bounded
    guard let limit else { return }

    while true {
      let minimums = columns.map { place in
        let widest = bounded[place]
        return all[place].canShrink ? min(widest, max(all[place].minimumWidth, 1)) : widest
      }
      if Self.total(minimums) <= limit || !dropLeastImportant(all) {
        shrink(to: limit, minimums: minimums)
        break
      }
    }
    // A terminal of a few columns: whatever still has a place is cut, the rest is left out.
    shrink(to: limit, minimums: columns.map { _ in 1 })
    while Self.total(widths) > limit && columns.count > 1 {
      columns.removeLast()
      widths.removeLast()
    }
  }

  /// Width of a full line with columns of these widths.
  private static func total(_ widths: [Int]) -> Int {
    widths.reduce(0, +) + gap * max(widths.count - 1, 0)
  }

  /// Takes one column out, or returns false where none may go.
  private mutating func dropLeastImportant(_ all: [TableColumn]) -> Bool {
    guard columns.count > 1 else { return false }
    var victim: Int?
    for position in columns.indices where all[columns[position]].canDrop {
      guard let current = victim else {
        victim = position
        continue
      }
      if all[columns[position]].priority <= all[columns[current]].priority { victim = position }
    }
    guard let victim else { return false }
    columns.remove(at: victim)
    widths.remove(at: victim)
    return true
  }

  /// Takes from the widest column first, so that the columns come out about equal.
  private mutating func shrink(to limit: Int, minimums: [Int]) {
    var excess = Self.total(widths) - limit
    while excess > 0 {
      var widest: Int?
      for position in widths.indices where widths[position] > minimums[position] {
        if widest.map({ widths[position] > widths[$0] }) ?? true { widest = position }
      }
      guard let widest else { return }
      widths[widest] -= 1
      excess -= 1
    }
  }
}

/// One column of a table: its title, and what it gives up when the terminal is narrow.
package struct TableColumn: Sendable {
  /// Text of the header line.
  package var title: String
  /// On which side the cells stand.
  package var alignment: TextAlignment
  /// Columns with a lower priority are dropped first; among equals the rightmost is.
  package var priority: Int
  /// Narrowest width that the column shrinks to; ignored unless it can shrink.
  package var minimumWidth: Int
  /// Whether its cells may be cut short with "…".
  package var canShrink: Bool
  /// Whether the table can do without it.
  package var canDrop: Bool

  /// Makes a column; unless told otherwise it keeps its width and its place.
  package init(
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

/// On which side of its column a text stands.
package enum TextAlignment: Sendable {
  /// At the start, as words do.
  case leading
  /// At the end, as numbers do.
  case trailing
}
