import StoreFormat

/// History that is kept outside of the store that it comes from.
package protocol RestorableHistory {
  /// The identifier of the store that it comes from.
  var storeIdentifier: String { get }

  /// Steps through the transactions up to and including a number, from the newest to the oldest, as
  /// far as they are without a gap.
  func transactions(through number: Int64) throws -> any SealedTransactionReader

  /// A number below which no transaction was saved at a moment or later; the lowest of all where that
  /// would have to be looked for.
  func lowestNumber(notBefore moment: StoreTimestamp) throws -> Int64

  /// The transaction that follows one of these, where that is known; without a time where only its number
  /// is. Numbers between the two were never given.
  func successor(of number: Int64) throws -> TransactionPosition?
}

extension RestorableHistory {
  /// The lowest of all.
  package func lowestNumber(notBefore moment: StoreTimestamp) throws -> Int64 { .min }

  /// Not known.
  package func successor(of number: Int64) throws -> TransactionPosition? { nil }
}

/// Steps through sealed transactions from the newest to the oldest, and through the changes of each in
/// recorded order.
package protocol SealedTransactionReader: AnyObject {
  /// Returns the next older transaction without its changes, or `nil` after the oldest. The changes of
  /// the one before need not have been read.
  func nextTransaction() throws -> HistoryTransaction?

  /// Goes to the next change of the current transaction, its entity with the slots of the model under
  /// which it was sealed; `nil` after the last one.
  func nextChange() throws -> HistoryChange?
}
