/// A row of small bars, one column each, for values that follow each other.
struct Sparkline {
  private static let blocks = Array("▁▂▃▄▅▆▇█")
  /// For terminals that know ASCII only.
  private static let letters = Array(".:-=+*#@")

  /// The bars; nothing at all is a blank, and whatever is more can be seen.
  let text: String
  /// How many values each bar sums up.
  let valuesPerColumn: Int

  /// Draws values in at most `width` columns, summing up neighbours where they are more.
  ///
  /// What is negative or not a number is nothing.
  init(_ values: [Double], width: Int, isUTF8: Bool) {
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
