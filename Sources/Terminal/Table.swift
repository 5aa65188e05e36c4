/// Aligned columns for people, whose rows may come in a stream of any length.
///
/// Widths are chosen once, from the titles and a sample of rows. Rows that come later keep to
/// them: on a terminal a longer cell is cut short. In a pipe a cell that may be cut is as long as
/// ``TableLayout/widestText`` at most, so that numbers after it stay near their titles; the last one is
/// whole. On a terminal the last column may use what remains of the line.
package struct Table {
  private let columns: [TableColumn]
  private let layout: TableLayout
  private let lineWidth: Int?
  private let text: TerminalText
  private let palette: Palette

  /// Chooses the layout.
  ///
  /// - Parameters:
  ///   - columns: The columns, in the order in which every row has its cells.
  ///   - sample: The first rows, from which widths are chosen; they are not written.
  ///   - lineWidth: The maximum width of a line, or `nil` for no limit.
  ///   - text: How cells are escaped.
  ///   - palette: Applies styles, or leaves them out.
  package init(
    columns: [TableColumn], sample: [[TableCell]], lineWidth: Int?, text: TerminalText,
    palette: Palette
  ) {
    let titles = columns.map { text.escaped($0.title).displayWidth }
    var (naturalWidths, compactWidths) = (titles, titles)
    for row in sample {
      for (place, cell) in row.enumerated() where place < columns.count {
        let width = text.escaped(cell.text).displayWidth
        naturalWidths[place] = max(naturalWidths[place], width)
        compactWidths[place] = max(
          compactWidths[place], cell.compact.map { text.escaped($0).displayWidth } ?? width)
      }
    }
    self.columns = columns
    self.lineWidth = lineWidth
    self.text = text
    self.palette = palette
    layout = TableLayout(
      columns: columns, naturalWidths: naturalWidths, compactWidths: compactWidths, limit: lineWidth
    )
  }

  package init(
    columns: [TableColumn], sample: [[TableCell]], environment: TerminalEnvironment,
    palette: Palette
  ) {
    self.init(
      columns: columns, sample: sample, lineWidth: environment.lineWidth,
      text: .terminal, palette: palette)
  }

  /// The titles of hidden columns.
  package var hiddenTitles: [String] {
    columns.indices.filter { !layout.columns.contains($0) }.map { columns[$0].title }
      .filter { !$0.isEmpty }
  }

  /// The width of a full line.
  package var width: Int {
    layout.widths.reduce(0, +) + TableLayout.gap * max(layout.widths.count - 1, 0)
  }

  package var header: String {
    line(columns.map { TableCell($0.title, style: .heading) })
  }

  /// Returns the line of a row, without line end and trailing spaces.
  ///
  /// Cells that are missing are empty; cells beyond the last column are left out.
  package func line(_ cells: [TableCell]) -> String {
    var line = ""
    var pendingSpaces = 0
    var start = 0
    for (position, place) in layout.columns.enumerated() {
      let width = layout.widths[position]
      let isLast = position == layout.columns.count - 1
      var cell = place < cells.count ? cells[place] : TableCell("")
      if layout.compactColumns.contains(place), let compact = cell.compact {
        cell = TableCell(compact, style: cell.spans.first?.style ?? .plain)
      }
      let shown = fit(
        cell, width: room(width, start, isLast, columns[place]),
        cutsMiddle: !isLast)
      let missing = max(width - shown.width, 0)
      if columns[place].alignment == .trailing { pendingSpaces += missing }
      if shown.width > 0 {
        line.append(contentsOf: Self.spaces(pendingSpaces))
        line += shown.text
        pendingSpaces = 0
      }
      if columns[place].alignment == .leading { pendingSpaces += missing }
      pendingSpaces += TableLayout.gap
      start += width + TableLayout.gap
    }
    return line
  }

  /// Returns the lines of a row: on a terminal, the last column is wrapped.
  package func lines(_ cells: [TableCell]) -> [String] {
    guard let lineWidth, let place = layout.columns.last, place < cells.count else {
      return [line(cells)]
    }
    let start = layout.widths.dropLast().reduce(0) { $0 + $1 + TableLayout.gap }
    let parts = cells[place].spans.wrapped(to: max(lineWidth - start, 1)) {
      text.escaped($0).displayWidth
    }
    return parts.enumerated().map { index, part in
      var row = index == 0 ? cells : cells.map { _ in TableCell("") }
      row[place] = TableCell(spans: part)
      return line(row)
    }
  }

  private static let manySpaces = String(repeating: " ", count: 256)

  private static func spaces(_ count: Int) -> Substring {
    count <= 256
      ? Substring(manySpaces.utf8.prefix(count)) : String(repeating: " ", count: count)[...]
  }

  /// The columns that a cell may take; `nil` for as many as it needs.
  private func room(_ width: Int, _ start: Int, _ isLast: Bool, _ column: TableColumn) -> Int? {
    if isLast, column.staysWhole { return nil }
    guard let lineWidth else {
      return isLast || !column.canShrink ? nil : max(width, TableLayout.widestText)
    }
    return isLast && column.alignment == .leading ? max(width, lineWidth - start) : width
  }

  /// Returns the cell escaped, cut to a width and styled, and its display width.
  private func fit(
    _ cell: TableCell, width: Int?, cutsMiddle: Bool
  ) -> (text: String, width: Int) {
    if let only = cell.spans.first, cell.spans.count == 1 {
      // Most cells have one part, and a million rows need no array for each of them.
      let escaped = text.escaped(only.text)
      let total = escaped.displayWidth
      guard let width, total > width else {
        return (palette.apply(only.style, to: escaped), total)
      }
      if cutsMiddle {
        let cut = escaped.truncatedInMiddle(to: width)
        return (palette.apply(only.style, to: cut), cut.displayWidth)
      }
    }
    var spans = cell.spans.map { (text: text.escaped($0.text), style: $0.style) }
    if let width { shortenName(of: cell, in: &spans, to: width) }
    let total = Self.width(spans[...])
    guard let width, total > width else {
      return (spans.map { palette.apply($0.style, to: $0.text) }.joined(), total)
    }
    var shown = ""
    var used = 0
    for span in spans {
      let spanWidth = span.text.displayWidth
      // The last column is kept for the ellipsis.
      if used + spanWidth < width {
        shown += palette.apply(span.style, to: span.text)
        used += spanWidth
      } else {
        let cut = spanWidth == width - used ? span.text + "…" : span.text
        let part = cut.truncated(to: width - used)
        return (shown + palette.apply(span.style, to: part), used + part.displayWidth)
      }
    }
    return (shown, used)
  }

  /// The least width of a shortened name.
  private static let shortestName = 6

  private static func width(_ spans: ArraySlice<(text: String, style: Style)>) -> Int {
    spans.reduce(0) { $0 + $1.text.displayWidth }
  }

  /// Cuts the first name in the middle that does not fit together with the parts up to the next name.
  private func shortenName(
    of cell: TableCell, in spans: inout [(text: String, style: Style)], to width: Int
  ) {
    for place in spans.indices where cell.spans[place].isName {
      let next = cell.spans[(place + 1)...].firstIndex(where: \.isName) ?? spans.endIndex
      // The last column is kept for the ellipsis.
      let limit = next < spans.endIndex ? width - 1 : width
      guard Self.width(spans[..<next]) > limit else { continue }
      let room = limit - Self.width(spans[..<place]) - Self.width(spans[(place + 1)..<next])
      if room >= Self.shortestName {
        spans[place].text = spans[place].text.truncatedInMiddle(to: room)
      }
      return
    }
  }
}

/// Which columns of a table are shown, and how wide.
package struct TableLayout: Equatable {
  package static let gap = 2

  /// The maximum width of a column if lines have no limit. Longer cells exceed it, instead of
  /// making every other line as long as the longest.
  static let widestUnlimited = 100
  /// The maximum width of a cell that may be cut and has others after it, if lines have no limit.
  static let widestText = 60

  /// The indices of the shown columns in the table's list, in order.
  package private(set) var columns: [Int]
  /// Their widths; same order.
  package private(set) var widths: [Int]
  /// The columns whose cells are compact.
  package private(set) var compactColumns: Set<Int> = []

  /// Chooses columns and widths.
  ///
  /// - Parameters:
  ///   - columns: All columns of the table.
  ///   - naturalWidths: The width of each column's widest known cell or title.
  ///   - compactWidths: The same for compact cells; `nil` if no cell is.
  ///   - limit: Width that a line may have, or `nil` for as much as is needed.
  init(
    columns all: [TableColumn], naturalWidths: [Int], compactWidths: [Int]? = nil, limit: Int?
  ) {
    columns = Array(all.indices)
    // A single cell never needs more than the line, and bounded widths bound the work below.
    func bounded(_ widths: [Int]) -> [Int] {
      widths.enumerated().map { place, width in
        let isCut = all[place].canShrink && place < all.count - 1
        return min(width, max(limit ?? (isCut ? Self.widestText : Self.widestUnlimited), 1))
      }
    }
    widths = bounded(naturalWidths)
    guard let limit else { return }
    let (natural, compact) = (widths, bounded(compactWidths ?? naturalWidths))

    // Cells become compact before a column is left out.
    while true {
      widths = columns.map { natural[$0] }
      var minimums = minimums(all, natural)
      if Self.total(minimums) > limit, natural != compact {
        let shorter = self.minimums(all, compact)
        if Self.total(shorter) <= limit || !columns.contains(where: { all[$0].canDrop }) {
          minimums = shorter
          widths = columns.map { compact[$0] }
          compactColumns = Set(columns.filter { compact[$0] < natural[$0] })
        }
      }
      if Self.total(minimums) <= limit || !dropLeastImportant(all) {
        shrink(to: limit, minimums: minimums)
        break
      }
    }
    // In a terminal of a few columns, cut all columns that still fit and leave out the rest.
    shrink(to: limit, minimums: columns.map { _ in 1 })
    while Self.total(widths) > limit && columns.count > 1 {
      columns.removeLast()
      widths.removeLast()
    }
  }

  /// The widths to which the columns can shrink.
  private func minimums(_ all: [TableColumn], _ widths: [Int]) -> [Int] {
    columns.map { place in
      let widest = widths[place]
      return all[place].canShrink ? min(widest, max(all[place].minimumWidth, 1)) : widest
    }
  }

  /// Width of a full line with columns of these widths.
  private static func total(_ widths: [Int]) -> Int {
    widths.reduce(0, +) + gap * max(widths.count - 1, 0)
  }

  /// Removes one column, or returns `false` if none may be removed.
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

  /// Shrinks the widest columns first, so that all end up about equally wide.
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

/// One column of a table: its title, and how it adapts to a narrow terminal.
package struct TableColumn: Sendable {
  package var title: String
  var alignment: TextAlignment
  /// Columns with a lower priority are dropped first; among equals the rightmost is.
  var priority: Int
  /// Narrowest width that the column shrinks to; ignored unless it can shrink.
  var minimumWidth: Int
  /// Whether its cells may be cut short with "…".
  var canShrink: Bool
  var canDrop: Bool
  /// Whether a cell of the last column is never cut or broken, as a path that people copy: it exceeds the line.
  var staysWhole: Bool

  /// Creates a column, which by default neither shrinks nor is dropped.
  package init(
    _ title: String, alignment: TextAlignment = .leading, priority: Int = 0,
    minimumWidth: Int = 4, canShrink: Bool = false, canDrop: Bool = false, staysWhole: Bool = false
  ) {
    self.title = title
    self.alignment = alignment
    self.priority = priority
    self.minimumWidth = minimumWidth
    self.canShrink = canShrink
    self.canDrop = canDrop
    self.staysWhole = staysWhole
  }
}

/// The side of its column at which a text is aligned.
package enum TextAlignment: Sendable {
  case leading
  case trailing
}
