/// A change whose row takes many pages of its own.
package struct LargeChange: Hashable, Sendable {
  package let transaction: Int64
  package let row: Int64
  /// The bytes of the values of the row.
  package let byteCount: Int

  /// The minimum of bytes of one.
  static let minByteCount = 16 << 10
}

/// The changes of some transactions, as the table has them.
package struct StoredChanges: Hashable, Sendable {
  package let digest: ChangeDigest
  /// The large ones, by transaction and row.
  package let large: [LargeChange]
}

extension StoreSnapshot {
  /// Reads the changes of the transactions up to and including a number in the table.
  ///
  /// Memory grows with the number of large changes, a few bytes for each.
  ///
  /// - Parameters:
  ///   - last: The number.
  ///   - isOrdered: Whether to read only up to the last row that the index lists of them, after which the table has
  ///     none in the order in which the frameworks write.
  /// - Throws: ``StoreError/damaged(path:place:detail:)``.
  package func storedChanges(
    ofTransactionsThrough last: Int64, isOrdered: Bool
  ) throws -> StoredChanges {
    let comparison = try changeComparison()
    let end = isOrdered ? try comparison.lastRow(ofTransactionsThrough: last) : nil
    var large: [LargeChange]? = []
    let digest = try comparison.changes(
      of: .min...last, in: .min...(end ?? .max), findingLarge: &large)
    return StoredChanges(
      digest: digest,
      large: large?.sorted { ($0.transaction, $0.row) < ($1.transaction, $1.row) } ?? [])
  }

  /// Returns the error for transactions of which the table has other changes than the index lists.
  package func damage(
    listed: ChangeDigest, stored: ChangeDigest, ofTransactionsThrough last: Int64
  ) -> StoreError {
    ChangeComparison.difference(listed, stored, .min...last, path: location.path)
  }
}
