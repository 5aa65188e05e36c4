import StoreFormat

extension TransactionPosition {
  /// Whether a transaction of a store may be this one, of which the time need not be known.
  package func mayBe(_ other: TransactionPosition) -> Bool {
    number == other.number && (timestamp == nil || timestamp == other.timestamp)
  }
}
