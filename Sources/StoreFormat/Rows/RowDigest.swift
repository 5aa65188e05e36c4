/// A sum over rows of a history, by which two readings are compared in any order of their rows.
///
/// Digests of different runs of the program cannot be compared.
package struct RowDigest: Hashable, Sendable {
  /// Whether it covers all columns of a change. If not, it covers only what identifies a change and never
  /// changes: a migration renumbers entities, encodes masks again and moves the values of tombstones.
  package let coversContent: Bool
  private var sum: UInt64 = 0

  package init(coversContent: Bool) { self.coversContent = coversContent }

  /// Adds a row of `ATRANSACTION`.
  package mutating func add(_ transaction: TransactionPosition) {
    var hasher = Hasher()
    hasher.combine(transaction.number)
    hasher.combine(transaction.timestamp?.secondsSinceReferenceDate.bitPattern)
    add(hasher)
  }

  /// Adds a row of `ACHANGE`.
  package mutating func add(
    change number: Int64, transaction: Int64, kind: ChangeKind?, primaryKey: Int64?,
    content: @autoclosure () -> ChangeContent
  ) {
    var hasher = Hasher()
    hasher.combine(number)
    hasher.combine(transaction)
    hasher.combine(kind)
    hasher.combine(primaryKey)
    if coversContent { hasher.combine(content()) }
    add(hasher)
  }

  /// Adds the rows of another digest.
  package mutating func add(_ other: RowDigest) { sum &+= other.sum }

  private mutating func add(_ hasher: Hasher) {
    sum &+= UInt64(bitPattern: Int64(hasher.finalize()))
  }
}

/// The columns of a change that a migration may rewrite.
package struct ChangeContent: Hashable, Sendable {
  private let entityNumber: Int64?
  private let mask: ColumnMask?
  private let tombstone: [StoredValue]
  private let extra: [ExtraColumn]

  package init(
    entityNumber: Int64?, mask: ColumnMask?, tombstone: [StoredValue], extra: [ExtraColumn]
  ) {
    self.entityNumber = entityNumber
    self.mask = mask
    self.tombstone = tombstone
    self.extra = extra
  }
}
