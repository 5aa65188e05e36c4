import HistoryCoding
import HistoryOperations
import PersistentHistory
import Terminal

/// Lines of styled parts, escaped for a terminal, that take the width they need.
struct StyledLine {
  let text: TerminalText
  let palette: Palette

  init(_ session: Session) {
    text = TerminalText.terminal
    palette = session.palette
  }

  /// Returns the parts after an indentation.
  func line(_ spans: [TableCell.Span], indentation: Int = 0) -> String {
    String(repeating: " ", count: indentation)
      + spans.map { palette.apply($0.style, to: text.escaped($0.text)) }.joined()
  }

  /// Returns one part after an indentation.
  func line(_ text: String, _ style: Style = .plain, indentation: Int = 0) -> String {
    line([.init(text: text, style: style)], indentation: indentation)
  }

  /// Returns the parts in lines of at most a width; all but the first are indented twice as far.
  func lines(_ spans: [TableCell.Span], indentation: Int, width: Int?) -> [String] {
    guard let width else { return [line(spans, indentation: indentation)] }
    let further = min(2 * indentation, width / 2)
    let parts = spans.wrapped(to: max(width - further, 1)) { text.escaped($0).displayWidth }
    return parts.enumerated().map { index, part in
      line(part, indentation: index == 0 ? indentation : further)
    }
  }

  /// Returns a title and its value.
  func field(_ title: String, _ value: String, width: Int = 12, style: Style = .plain) -> String {
    palette.apply(.secondary, to: title.padded(to: width))
      + palette.apply(style, to: text.escaped(value))
  }
}

/// A report that is written as lines of titles and values, and as tables.
protocol FieldPage {
  var session: Session { get }
}

extension FieldPage {
  var writer: OutputWriter { session.writer }
  var isJSON: Bool { session.options.json }
  var styled: StyledLine { StyledLine(session) }
  var time: TimeText { session.time }

  /// Writes a title and its value, or nothing without a value.
  func field(_ title: String, _ value: String?, style: Style = .plain) throws {
    guard let value else { return }
    try writer.writeLine(styled.field(title, value, style: style))
  }

  /// Writes one styled line.
  /// Writes the token and the time of a transaction.
  func field(_ title: String, _ position: TransactionPosition?, of store: String?) throws {
    let tokens = session.tokens(of: store)
    try field(
      title, position.map { "\(tokens.text($0.number))  \(time.fullText($0.timestamp))" })
  }

  /// Writes the number of files of large values that a copy has, if it has any.
  func field(largeData count: Int) throws {
    try field("large data", count > 0 ? count.counted("file") : nil)
  }

  /// Writes several values, the first with the title; those that are `nil` are left out.
  func fields(_ title: String, _ values: [String?], style: Style = .plain) throws {
    for (index, value) in values.compactMap(\.self).enumerated() {
      try field(index == 0 ? title : "", value, style: style)
    }
  }

  func line(_ text: String, _ style: Style = .plain, indentation: Int = 0) throws {
    try line([.init(text: text, style: style)], indentation: indentation)
  }

  /// Writes what holds of a path.
  func line(_ path: String, _ text: String, _ style: Style) throws {
    try line([.init(text: path + ": ", style: .plain), .init(text: text, style: style)])
  }

  /// Writes one line of styled parts.
  func line(_ spans: [TableCell.Span], indentation: Int = 0) throws {
    try writer.writeLine(styled.line(spans, indentation: indentation))
  }

  /// Writes a record for programs, or a line for people, unless they want none.
  func write(_ json: @autoclosure () -> JSONValue, orLine text: @autoclosure () -> String) throws {
    if isJSON { return try writer.writeLine(json()) }
    if !session.options.quiet { try line(text()) }
  }

  /// Returns a table to which rows are written as they come.
  func streamedTable(_ columns: [TableColumn], wrapsLastColumn: Bool = false) -> StreamedTable {
    StreamedTable(session, columns, wrapsLastColumn: wrapsLastColumn)
  }

  /// Writes a table after an empty line, or nothing without rows.
  ///
  /// - Parameter hidden: The number of rows that were left out, which a last line reports.
  func writeTable(_ columns: [TableColumn], _ rows: [[TableCell]], hidden: Int = 0) throws {
    guard !rows.isEmpty else { return }
    try writer.writeLine("")
    try writeRows(columns, rows)
    if hidden > 0 { try line("and \(hidden) more", .secondary) }
  }

  /// Writes a table.
  func writeRows(
    _ columns: [TableColumn], _ rows: [[TableCell]], hasHeading: Bool = true
  ) throws {
    let table = session.table(columns: columns, sample: rows)
    if hasHeading { try writer.writeLine(table.header) }
    for row in rows { try writer.writeLine(table.line(row)) }
  }

  /// Writes notes after an empty line.
  func write(_ notices: [StoreNotice]) throws {
    guard !notices.isEmpty else { return }
    try writer.writeLine("")
    for notice in notices { try line("note: \(notice.text)", .warning) }
  }

  /// Writes lines with bars.
  func write(_ rows: [Bars.Row], indentation: Int = 0, isOfUnits: Bool = false) throws {
    let bars = Bars(environment: session.environment, palette: session.palette)
    for line in bars.lines(rows, indentation: indentation, isOfUnits: isOfUnits) {
      try writer.writeLine(line)
    }
  }
}

/// Writes tokens: as a number, or with the identifier of their store.
struct TokenText {
  let isQualified: Bool
  let store: String?

  /// Returns the token of a transaction.
  func text(_ number: Int64) -> String {
    guard isQualified, let store else { return "\(number)" }
    return HistoryToken(storeIdentifier: store, transaction: number).description
  }

  /// Returns a range of transactions: the token of a single one, or the first and the last.
  func text(_ first: Int64, to last: Int64) -> String {
    first == last ? text(first) : "\(text(first)) to \(text(last))"
  }

  /// Returns the position of a bookmark; all of its token, if that is of another store.
  func text(_ bookmark: Bookmark) -> String {
    store.flatMap { bookmark.token.transaction(in: $0) }.map(text) ?? bookmark.token.description
  }
}

extension Int64 {
  /// Returns the numbers from this one to another: 5, or 5 to 7.
  func text(to last: Int64) -> String { self == last ? "\(self)" : "\(self) to \(last)" }
}

extension [String] {
  /// Joins the first of them, and counts the others.
  func listed(_ most: Int) -> String {
    prefix(most).joined(separator: ", ")
      + (count > most ? " and \((count - most).grouped) more" : "")
  }
}

/// A table whose rows are written as they come; the first rows determine the widths.
final class StreamedTable: FieldPage {
  /// The number of rows that determine the widths.
  private static let sampleSize = 100

  let session: Session
  private let columns: [TableColumn]
  private let wrapsLastColumn: Bool
  private var kept: [Line] = []
  private var table: Table?

  private enum Line {
    case row([TableCell])
    case text(String)

    var row: [TableCell]? { if case .row(let row) = self { row } else { nil } }
  }

  /// - Parameter wrapsLastColumn: Whether cells of the last column wrap on a terminal instead of being
  ///   cut.
  init(_ session: Session, _ columns: [TableColumn], wrapsLastColumn: Bool) {
    self.session = session
    self.columns = columns
    self.wrapsLastColumn = wrapsLastColumn
  }

  /// Adds a row.
  func write(_ row: [TableCell]) throws { try write(.row(row)) }

  /// Adds a line that is not a row.
  func write(line text: String) throws { try write(.text(text)) }

  /// Runs what writes the rows, then writes those that were kept back, also after an error.
  func finishing<Result>(_ body: () throws -> Result) throws -> Result {
    do {
      let result = try body()
      try finish()
      return result
    } catch {
      // Show what could be read; the first error is the one to report.
      try? finish()
      throw error
    }
  }

  /// Writes the rows that were kept back.
  func finish() throws {
    guard table == nil, !kept.isEmpty else { return }
    let table = session.table(columns: columns, sample: kept.compactMap(\.row))
    try writer.writeLine(table.header)
    for line in kept { try write(line, table) }
    self.table = table
    kept = []
  }

  private func write(_ line: Line) throws {
    if let table { return try write(line, table) }
    kept.append(line)
    if kept.count == Self.sampleSize { try finish() }
  }

  private func write(_ line: Line, _ table: Table) throws {
    switch line {
    case .row(let row) where wrapsLastColumn:
      for line in table.lines(row) { try writer.writeLine(line) }
    case .row(let row): try writer.writeLine(table.line(row))
    case .text(let text): try writer.writeLine(text)
    }
  }
}
