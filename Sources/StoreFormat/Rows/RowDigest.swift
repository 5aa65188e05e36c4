/// A sum over rows of a history, by which two readings are compared in any order of their rows.
///
/// It covers what identifies a row and never changes: a migration renumbers entities and encodes
/// masks again. Digests of different runs of the program cannot be compared.
package struct RowDigest: Hashable, Sendable {
  private var sum: UInt64 = 0

  package init() {}

  /// Adds a row of `ATRANSACTION`.
  package mutating func add(_ transaction: TransactionPosition) {
    var hasher = Hasher()
    hasher.combine(transaction.number)
    hasher.combine(transaction.timestamp?.secondsSinceReferenceDate.bitPattern)
    sum &+= UInt64(bitPattern: Int64(hasher.finalize()))
  }

  /// Adds a row of `ACHANGE`.
  package mutating func add(
    change number: Int64, transaction: Int64, kind: ChangeKind?, primaryKey: Int64?
  ) {
    var hasher = Hasher()
    hasher.combine(number)
    hasher.combine(transaction)
    hasher.combine(kind)
    hasher.combine(primaryKey)
    sum &+= UInt64(bitPattern: Int64(hasher.finalize()))
  }
}
