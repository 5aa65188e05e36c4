/// Gives transactions one after the other, each with its changes one by one.
///
/// ``HistoryReader`` does so for a store; an archive has a source of its own. A source that is asked
/// for the next transaction leaves out the changes of the one before that were not asked for.
package protocol TransactionSource: AnyObject {
  /// Goes to the next transaction and gives it without its changes; `nil` after the last one.
  func nextTransaction() throws -> HistoryTransaction?

  /// Goes to the next change of the current transaction; `nil` after the last one.
  func nextChange() throws -> HistoryChange?
}

extension HistoryReader: TransactionSource {}
