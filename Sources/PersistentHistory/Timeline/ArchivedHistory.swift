import StoreFormat

/// The history of one store outside the store.
///
/// Entities have the names and slots of the time when their transactions were archived. They
/// correspond to entities of the store's present model by name.
package protocol ArchivedHistory {
  /// The path for messages.
  var path: String { get }

  /// The identifier of the store; `nil` if it has none.
  var storeIdentifier: String? { get }

  /// The ranges of archived numbers, in order, with gaps between them.
  ///
  /// A range may include numbers that no transaction ever had.
  var ranges: [ClosedRange<Int64>] { get }

  /// Returns the entities, those of the newest model first. A name occurs once for each model.
  func entities() throws -> [HistoryEntity]

  /// Returns the transaction that followed another one if it is known, without a time if only its
  /// number is.
  ///
  /// No transaction ever had a number between the two.
  func successor(of number: Int64) throws -> TransactionPosition?

  /// Returns the number of transactions before a number.
  func transactionCount(before number: Int64) throws -> Int64

  /// Returns the transaction with exactly this number, if there is one.
  func position(ofTransaction number: Int64) throws -> TransactionPosition?

  /// Returns the first transaction after a number, or with `offset` the n-th after that.
  func firstTransaction(after number: Int64, offset: Int64) throws -> TransactionPosition?

  /// Returns the last transaction before a number, or with `offset` the n-th before that.
  func lastTransaction(before number: Int64, offset: Int64) throws -> TransactionPosition?

  /// Returns the transaction with the lowest number among those saved at or after a moment.
  func firstTransaction(notBefore moment: StoreTimestamp) throws -> TransactionPosition?

  /// Whether one of the newest transactions has an author.
  func hasAuthors() throws -> Bool

  /// Checks that the transactions after a number can be read, without reading them.
  func checkPresence(after number: Int64) throws

  /// Returns a source of the selected transactions, in the order and up to the limit of the query.
  ///
  /// Unknown names select nothing; they were checked before.
  func transactions(_ query: HistoryQuery) throws -> any TransactionSource
}

extension ArchivedHistory {
  package func successor(of number: Int64) throws -> TransactionPosition? { nil }

  /// Whether one of the newest 200 transactions has an author.
  package func hasAuthors() throws -> Bool {
    let newest = try transactions(HistoryQuery(order: .descending, limit: 200))
    while let transaction = try newest.nextTransaction() {
      if transaction.author != nil { return true }
    }
    return false
  }

  package func checkPresence(after number: Int64) throws {}

  /// Returns the transactions up to and including a number, from the newest to the oldest, until the
  /// first gap.
  func newestTransactions(through number: Int64) throws -> any TransactionSource {
    let range = ranges.last { $0.lowerBound <= number }
    return try transactions(
      HistoryQuery(
        after: range.map { $0.lowerBound - 1 } ?? number, until: number, order: .descending))
  }
}

/// Reads transactions one after the other, each with its changes.
///
/// ``HistoryReader`` reads a store; an archive has its own source. Changes that were not read
/// before the next transaction are skipped.
package protocol TransactionSource: AnyObject {
  /// Goes to the next transaction and returns it without its changes; `nil` after the last one.
  func nextTransaction() throws -> HistoryTransaction?

  /// Goes to the next change of the current transaction; `nil` after the last one.
  func nextChange() throws -> HistoryChange?
}

extension HistoryReader: TransactionSource {}
