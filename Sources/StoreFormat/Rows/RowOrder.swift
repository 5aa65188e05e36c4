/// Notices rows of a history table that do not come in rising order.
///
/// SQLite trusts the order of the cells in a page. Where two of them were exchanged, it reads all rows
/// without an error, skips some that a condition asks for, and ends a range too early. The numbers are
/// the one cheap sign of that.
package struct RowOrder {
  private let path: String
  private let table: String
  private let isAscending: Bool
  private var last: Int64?

  /// - Parameters:
  ///   - path: The store, for the error.
  ///   - table: The table, for the error.
  ///   - isAscending: Whether every number must be higher than the one before, or lower.
  package init(path: String, table: String, isAscending: Bool = true) {
    self.path = path
    self.table = table
    self.isAscending = isAscending
  }

  /// Takes the number of the next row.
  ///
  /// - Throws: ``StoreError/damaged(path:place:detail:)`` where it is out of order.
  @inline(__always)
  package mutating func take(_ number: Int64) throws {
    if let last, isAscending ? number <= last : number >= last {
      throw StoreError.damaged(
        path: path, place: table, detail: "row \(number) is stored after row \(last)")
    }
    last = number
  }

  /// Begins again, with rows that may have any number.
  mutating func restart() { last = nil }
}
