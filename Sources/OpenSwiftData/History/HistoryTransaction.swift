import Foundation

/// What one save recorded.
public protocol HistoryTransaction: Hashable, Identifiable, Sendable {
  /// A place in the history.
  associatedtype TokenType: Comparable, Hashable, Identifiable, Sendable
  /// What tells transactions apart.
  associatedtype TransactionIdentifier: Comparable, Hashable, Sendable

  /// When it was saved.
  var timestamp: Date { get }
  /// What was done to each model, in recorded order.
  var changes: [HistoryChange] { get }
  /// The place behind this transaction.
  var token: TokenType { get }
  /// What tells it from others.
  var transactionIdentifier: TransactionIdentifier { get }
  /// The store.
  var storeIdentifier: String { get }
  /// Who saved, as the app set it.
  var author: String? { get }
}
