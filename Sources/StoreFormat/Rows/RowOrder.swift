/// Detects rows of a history table that are not in order.
///
/// SQLite trusts the order of the cells in a page. If two of them were exchanged, it reads all rows
/// without an error, skips some that a condition selects, and ends a range too early.
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

  /// Checks the number of the next row.
  ///
  /// - Throws: ``StoreError/damaged(path:place:detail:)`` if it is out of order.
  @inline(__always)
  package mutating func take(_ number: Int64) throws {
    if let last, isAscending ? number <= last : number >= last {
      throw StoreError.damaged(
        path: path, place: table, detail: "row \(number) is stored after row \(last)")
    }
    last = number
  }

  /// Accepts any number for the next row.
  mutating func restart() { last = nil }
}
