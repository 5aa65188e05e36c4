import StoreFormat
import StoreTransactions

/// Walks through sealed history from its newest transaction to its oldest, and translates it into rows of a store.
///
/// A plan walks once to check and count (``RestoreSurvey``), and a restore walks again to insert (``RestorePieces``):
/// what a plan holds of all rows would not fit into memory.
final class RestoreWalk {
  private let reader: any TransactionSource
  private let translator: HistoryTranslator
  /// The oldest transaction of the store, whose changes may be of entities that are gone.
  private let oldest: Int64?
  /// The number of the transaction that was returned last; `nil` before the first.
  private(set) var number: Int64?

  /// - Parameters:
  ///   - newest: The newest transaction to read.
  ///   - oldest: The oldest transaction of the store.
  init(
    _ sealed: any RestorableHistory, through newest: Int64, oldest: TransactionPosition?,
    _ translator: HistoryTranslator
  ) throws {
    reader = try sealed.transactions(through: newest)
    self.oldest = oldest?.number
    self.translator = translator
  }

  /// The entities whose changes are translated.
  var translatedEntities: Set<String> { translator.translatedEntities }

  /// Goes to the next older transaction; `nil` after the last one.
  ///
  /// - Throws: ``RestoreObstacle/disorder(transaction:)``.
  func nextTransaction() throws -> HistoryTransaction? {
    guard let transaction = try reader.nextTransaction() else { return nil }
    if let number, transaction.number >= number {
      throw RestoreObstacle.disorder(transaction: transaction.number)
    }
    number = transaction.number
    return transaction
  }

  /// Goes to the next change of the current transaction; `nil` after the last one.
  func nextChange() throws -> HistoryChange? { try reader.nextChange() }

  /// Returns the row of the current transaction.
  func row(of transaction: HistoryTransaction) throws(RestoreObstacle) -> RecordedTransaction {
    try translator.row(of: transaction)
  }

  /// Returns the row of a change of the current transaction; `nil` if the store's oldest transaction lost it together
  /// with its entity.
  func row(of change: HistoryChange) throws(RestoreObstacle) -> RecordedChange? {
    try translator.row(
      of: change, in: number ?? 0, skipsGoneEntities: number != nil && number == oldest)
  }
}
