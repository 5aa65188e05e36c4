import StoreFormat

/// How a store's history continues history that is kept elsewhere, such as in an archive.
package enum HistoryContinuation: Hashable, Sendable {
  /// They overlap, or nothing is missing between them.
  case joined
  /// Both have a transaction of this number, but not the same one: they are of copies that diverged.
  case diverged(transaction: Int64)
  /// The transactions between these two are missing.
  case gap(after: Int64, oldest: Int64)

  /// - Parameters:
  ///   - last: The last transaction that is kept elsewhere.
  ///   - successor: The transaction that followed it when it was put there, if that is known. Numbers
  ///     between the two were never used.
  ///   - oldest: The store's oldest transaction.
  package init(last: Int64, successor: TransactionPosition?, oldest: TransactionPosition?) {
    guard let oldest, oldest.number > last else {
      self = .joined
      return
    }
    if let successor, oldest.number <= successor.number {
      self = successor.mayBe(oldest) ? .joined : .diverged(transaction: oldest.number)
    } else {
      self = oldest.number - 1 > last ? .gap(after: last, oldest: oldest.number) : .joined
    }
  }
}
