extension StoreSnapshot {
  /// The rows among which are all changes of the selected transactions, where these are all of a
  /// range in order; nil where some are left out, or where the layout has no index to tell it.
  public func changeRows(of selection: TransactionSelection) throws -> ClosedRange<Int64>? {
    guard !selection.isSparse else { return nil }
    return try changeRows(ofTransactions: selection.range)
  }
}
