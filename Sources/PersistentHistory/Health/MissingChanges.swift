import StoreFormat

/// Most transactions of a history have no changes, although more numbers were given out for changes.
///
/// Migrations write a few transactions without changes, and deleting the changes of an entity leaves its transactions.
/// A program that deletes rows of `ACHANGE` leaves many.
package struct MissingChanges: Hashable, Sendable {
  let transactionCount: Int64
  let changeCount: Int64
  /// The highest number of a change that was given out.
  let highestIssued: Int64

  /// The number of transactions above which half of them without changes are too many.
  private static let fewTransactions: Int64 = 10

  /// Returns `nil` if the changes may be all that there were.
  init?(transactionCount: Int64, changeCount: Int64, highestIssued: Int64) {
    // Each transaction with changes has at least one.
    let emptyCount = transactionCount - changeCount
    guard
      changeCount == 0
        ? transactionCount > 1
        : transactionCount >= Self.fewTransactions && changeCount < transactionCount / 2,
      highestIssued - changeCount >= emptyCount
    else { return nil }
    self.transactionCount = transactionCount
    self.changeCount = changeCount
    self.highestIssued = highestIssued
  }

  /// Reads no more rows than there are transactions.
  package init?(in snapshot: StoreSnapshot, transactionCount: Int64) throws {
    self.init(
      transactionCount: transactionCount,
      changeCount: try snapshot.changeCount(upTo: transactionCount),
      highestIssued: snapshot.entities.highestNumber(of: .change))
  }

  /// The finding in words.
  package var text: String {
    "\(transactionCount) transactions have "
      + (changeCount == 0 ? "no changes" : "only \(changeCount) changes")
      + ", and numbers up to \(highestIssued) were given out for changes: another program has deleted changes, "
      + "or those of an entity were deleted"
  }
}
