import StoreFormat

/// History that is kept outside the store that it comes from.
package protocol RestorableHistory {
  /// The identifier of the store.
  var storeIdentifier: String { get }

  /// Reads the transactions up to and including a number, from the newest to the oldest, until the first
  /// gap. Entities have the slots of the model under which they were sealed.
  func transactions(through number: Int64) throws -> any TransactionSource

  /// Returns a number below which no transaction was saved at a moment or later, or the lowest of all if
  /// finding it would take reading the history.
  func lowestNumber(notBefore moment: StoreTimestamp) throws -> Int64

  /// Returns the transaction that followed another one, if it is known; without a time if only its
  /// number is. Numbers between the two were never used.
  func successor(of number: Int64) throws -> TransactionPosition?
}

extension RestorableHistory {
  package func lowestNumber(notBefore moment: StoreTimestamp) throws -> Int64 { .min }

  package func successor(of number: Int64) throws -> TransactionPosition? { nil }
}
