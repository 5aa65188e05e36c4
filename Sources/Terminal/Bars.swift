/// Horizontal bars: a label, a bar in proportion to a value, and the value as text.
package struct Bars {
  package struct Row: Sendable {
    /// The label, escaped when the line is made.
    package var label: String
    /// The parts of the bar, from left to right.
    package var parts: [(value: Double, style: Style)]
    package var text: String

    /// The sum of the parts; the row with the largest sum has the longest bar.
    package var value: Double { parts.reduce(0) { $0 + $1.value } }

    /// Makes a row with a bar of one color.
    init(label: String, value: Double, text: String, style: Style = .plain) {
      self.init(label: label, parts: [(value, style)], text: text)
    }

    /// Makes a row with a bar of several parts.
    package init(label: String, parts: [(value: Double, style: Style)], text: String) {
      self.label = label
      self.parts = parts
      self.text = text
    }
  }

  /// The maximum length of a bar.
  static let longestBar = 60

  private static let gap = 2
  /// Blocks of one to seven eighths of a column.
  private static let eighths = ["▏", "▎", "▍", "▌", "▋", "▊", "▉"]

  private let columns: Int
  private let isUTF8: Bool
  private let text: TerminalText
  private let palette: Palette

  package init(environment: TerminalEnvironment, palette: Palette) {
    columns = environment.columns
    isUTF8 = environment.isUTF8
    text = .terminal
    self.palette = palette
  }

  /// One line for each row, without line end, none wider than the terminal.
  ///
  /// Space goes to the value first, then to the label (up to a third of the line), then to the bar.
  ///
  /// - Parameters:
  ///   - indentation: The number of spaces before each line.
  ///   - isOfUnits: Whether a column stands for at most one unit, so that few units make a short bar.
  package func lines(
    _ rows: [Row], indentation: Int = 0, isOfUnits: Bool = false
  ) -> [String] {
    let columns = max(columns - indentation, 0)
    let labels = rows.map { text.escaped($0.label) }
    let values = rows.map { text.escaped($0.text) }
    let valueWidth = min(values.map(\.displayWidth).max() ?? 0, columns)
    let labelRoom = max(min(columns / 3, columns - valueWidth - Self.gap), 0)
    let labelWidth = min(labels.map(\.displayWidth).max() ?? 0, labelRoom)
    let barRoom = columns - labelWidth - valueWidth - 2 * Self.gap
    let barWidth = min(max(barRoom, 0), Self.longestBar)
    let maximum = rows.map(\.value).filter(\.isFinite).max() ?? 0
    let largest = isOfUnits ? max(maximum, Double(barWidth)) : maximum
    let space = String(repeating: " ", count: Self.gap)
    let margin = String(repeating: " ", count: indentation)

    return rows.indices.map { place in
      let label = labels[place].truncated(to: labelWidth).padded(to: labelWidth)
      let value = values[place].truncated(to: valueWidth)
        .padded(to: valueWidth, alignment: .trailing)
      let fraction = largest > 0 ? rows[place].value / largest : 0
      let bar = Self.bar(fraction: fraction, width: barWidth, isUTF8: isUTF8)
      let parts = [label, value, styled(bar, rows[place])]
      return margin + parts.filter { !$0.isEmpty }.joined(separator: space)
    }
  }

  /// The bar with each part in its color, to the next whole column.
  private func styled(_ bar: String, _ row: Row) -> String {
    var styled = ""
    var sum = 0.0
    var start = bar.startIndex
    for (index, part) in row.parts.enumerated() {
      sum += part.value
      let share = row.value > 0 ? min(max(sum / row.value, 0), 1) : 0
      let columns = share.isFinite ? Int((share * Double(bar.count)).rounded()) : 0
      let end =
        index == row.parts.count - 1
        ? bar.endIndex : max(start, bar.index(bar.startIndex, offsetBy: columns))
      styled += palette.apply(part.style, to: String(bar[start..<end]))
      start = end
    }
    return styled
  }

  /// A bar that fills a part of `width` columns, in steps of an eighth of a column; without
  /// UTF-8, in "#" and whole columns.
  ///
  /// Any fraction above 0 is visible; fractions above 1 count as 1, and NaN as 0.
  package static func bar(fraction: Double, width: Int, isUTF8: Bool) -> String {
    guard fraction > 0, width > 0 else { return "" }
    let steps = isUTF8 ? 8 : 1
    let filled = (min(fraction, 1) * Double(width * steps)).rounded()
    let count = min(max(Int(filled), 1), width * steps)
    let partial = count % steps
    return String(repeating: isUTF8 ? "█" : "#", count: count / steps)
      + (partial > 0 ? eighths[partial - 1] : "")
  }
}

/// A row of small bars, one column each, for values that follow each other.
package struct Sparkline {
  private static let blocks = Array("▁▂▃▄▅▆▇█")
  /// For terminals that know ASCII only.
  private static let letters = Array(".:-=+*#@")

  /// The bars; 0 is a blank, and any value above it is visible.
  package let text: String
  package let valuesPerColumn: Int

  /// Draws values in at most `width` columns, adding up adjacent values if there are more.
  ///
  /// Negative values and NaN count as 0.
  package init(_ values: [Double], width: Int, isUTF8: Bool) {
    let width = max(width, 1)
    let count = max(1, (values.count + width - 1) / width)
    let sums = stride(from: 0, to: values.count, by: count).map { start in
      values[start..<min(start + count, values.count)]
        .reduce(0) { $0 + ($1.isFinite ? max($1, 0) : 0) }
    }
    let largest = sums.max() ?? 0
    let marks = isUTF8 ? Self.blocks : Self.letters
    text = String(
      sums.map { sum in
        guard sum > 0, largest > 0 else { return " " }
        let level = (sum / largest * Double(marks.count)).rounded(.up)
        return marks[min(max(Int(level) - 1, 0), marks.count - 1)]
      })
    valuesPerColumn = count
  }
}
