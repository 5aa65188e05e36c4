import GRDB

/// Goes through rows of `ACHANGE` as they lie in the file: from its pages, where that can be done, and
/// row by row from SQLite for the rest.
final class RowScan {
  /// Stands at the row where ``page`` is nil.
  package let statement: StatementCursor
  private let pages: ChangePageCursor?
  /// The column with the number of the row; nil where the statement does not select it.
  private let numberColumn: Int?
  private var order: RowOrder

  /// - Parameters:
  ///   - rows: The row numbers.
  ///   - pages: The pages to read them from; nil to ask SQLite for all.
  ///   - path: The store, for errors.
  ///   - numberColumn: The column of the statement with the number of the row; nil where it has none.
  ///   - sql: The statement, with this condition on the number of the row and no other, in
  ///     ascending order.
  /// - Throws: ``RowsOutOfOrder`` where the pages are not as they should be.
  init(
    _ database: Database, rows: ClosedRange<Int64>, pages: ChangePages?, path: String,
    numberColumn: Int?, sql: (_ condition: String) -> String
  ) throws {
    self.numberColumn = numberColumn
    order = RowOrder(path: path, table: "ACHANGE")
    if let pages {
      self.pages = try ChangePageCursor(pages, rows: rows)
      statement = try StatementCursor(database, sql: sql("= ?1"))
    } else {
      self.pages = nil
      statement = try StatementCursor(database, sql: sql("BETWEEN ?1 AND ?2"))
      try statement.bind([.integer(rows.lowerBound), .integer(rows.upperBound)])
    }
  }

  /// The row, where it was read from its page; nil where ``statement`` stands at it.
  @inline(__always)
  var page: ChangePageCursor? {
    guard let pages, pages.isRegular else { return nil }
    return pages
  }

  /// Goes to the next row; false after the last one.
  @inline(__always)
  func next() throws -> Bool {
    guard let pages else {
      guard try statement.step() else { return false }
      if let numberColumn { try order.take(statement.integer(at: numberColumn)) }
      return true
    }
    guard try pages.next() else { return false }
    if !pages.isRegular { try ask(pages.number) }
    return true
  }

  /// Has the statement stand at a row that a page holds.
  ///
  /// - Throws: ``RowsOutOfOrder`` where SQLite does not find it.
  func ask(_ number: Int64) throws {
    try statement.bind(number)
    guard try statement.step() else { throw RowsOutOfOrder() }
  }
}
