import StoreFormat

/// A token as one store understands it: a position in its history, and whether it works.
public struct ResolvedToken: Hashable, Sendable {
  /// The token as it was written.
  public let text: String
  /// The position, every transaction up to and including this number; nil for a foreign token.
  public let number: Int64?
  /// Whether it works with the store.
  public let state: TokenState
  /// The moment that was asked for, if it was one. A moment never expires.
  package let moment: Moment?
  /// When the transaction of exactly this number was saved; nil where it is not there.
  public let timestamp: StoreTimestamp?
  /// The token with its store or, of a foreign one, its stores; nil in a store without an identifier.
  public let token: HistoryToken?
}
