import StoreFormat

/// The history of one store as it is kept outside the store.
///
/// Entities have the names and slots that they had when their transactions were put away, which need
/// not be those of the store's present model; what is the same is told by name.
package protocol ArchivedHistory: AnyObject {
  /// The path, for messages.
  var path: String { get }

  /// The identifier of the store whose history it is; nil where that has none.
  var storeIdentifier: String? { get }

  /// The numbers that it holds, in order; between two stretches there is a gap.
  ///
  /// Within a stretch numbers may be missing that the store never gave to a transaction.
  var stretches: [ClosedRange<Int64>] { get }

  /// The entities, those of the newest model first; one name occurs once for each model it was in.
  func entities() throws -> [HistoryEntity]

  /// The transaction that follows the last one, where that is known; without a time where only its
  /// number is.
  ///
  /// Numbers between the two were never given to a transaction.
  func successor() throws -> TransactionPosition?

  /// How many transactions there are before a number.
  func transactionCount(before number: Int64) throws -> Int64

  /// The transaction with exactly this number, if it is there.
  func position(ofTransaction number: Int64) throws -> TransactionPosition?

  /// The transaction that follows a number, or with `offset` the n-th behind that one.
  func firstTransaction(after number: Int64, offset: Int64) throws -> TransactionPosition?

  /// The transaction before a number, or with `offset` the n-th before that one.
  func lastTransaction(before number: Int64, offset: Int64) throws -> TransactionPosition?

  /// The transaction with the lowest number among those saved at a moment or after it.
  func firstTransaction(notBefore moment: StoreTimestamp) throws -> TransactionPosition?

  /// Whether any of its newest transactions has an author.
  func hasAuthors() throws -> Bool

  /// Sees that all that it holds behind a number is there to be read, without reading it.
  func checkPresence(after number: Int64) throws

  /// Reads the transactions that a query selects, in its order and up to its limit.
  ///
  /// Names that the query has and the history lacks select nothing; they have been checked before.
  func transactions(_ query: HistoryQuery) throws -> any TransactionSource
}

extension ArchivedHistory {
  /// Not known.
  package func successor() throws -> TransactionPosition? { nil }

  /// What is open is there.
  package func checkPresence(after number: Int64) throws {}
}
