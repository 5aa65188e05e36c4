import Foundation

/// What one save recorded in a ``DefaultStore``.
public struct DefaultHistoryTransaction: HistoryTransaction {
  /// The transaction's number.
  public typealias TransactionIdentifier = Int64
  /// A place in the history.
  public typealias TokenType = DefaultHistoryToken

  /// When it was saved.
  public let timestamp: Date
  /// What was done to each model, in recorded order.
  public let changes: [HistoryChange]
  /// The place behind this transaction.
  public let token: DefaultHistoryToken
  /// The transaction's number, which grows with each save.
  public let transactionIdentifier: Int64
  /// The store.
  public let storeIdentifier: String
  /// The bundle of the program that saved; empty where it has none.
  public let bundleIdentifier: String
  /// The name of the process that saved; empty where none was recorded.
  public let processIdentifier: String
  /// Who saved, as the app set it.
  public let author: String?

  /// The transaction's number.
  public var id: Int64 { transactionIdentifier }

  /// Whether both are the same transaction of one store.
  public static func == (left: Self, right: Self) -> Bool {
    left.transactionIdentifier == right.transactionIdentifier
      && left.storeIdentifier == right.storeIdentifier && left.timestamp == right.timestamp
  }

  /// Feeds what tells transactions apart into a hasher.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(transactionIdentifier)
    hasher.combine(storeIdentifier)
  }
}
