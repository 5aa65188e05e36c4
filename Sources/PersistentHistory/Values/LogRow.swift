import StoreFormat

/// The row of an object in a state of a store's log, and the objects that it was related to.
package struct LogRow: Hashable, Sendable {
  /// The maximum number of objects of a to-many relationship that are read.
  static let maxMembers = 10_000

  let table: String
  /// All columns: those of the model in its order, and then others.
  package let columns: [String]
  /// The value of each column.
  package let values: [StoredValue]
  /// The objects of to-many relationships, in order; none for a relationship with more than ``maxMembers``.
  let members: [String: [StoreObject]]

  /// Returns the value of a column; `nil` without that column.
  package func value(_ column: String) -> StoredValue? {
    columns.firstIndex(of: column).map { values[$0] }
  }
}
