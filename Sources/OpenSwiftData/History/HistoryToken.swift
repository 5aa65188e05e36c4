/// A place in a history: all transactions up to and including one.
public protocol HistoryToken: Comparable, Codable, Hashable, Identifiable, Sendable {
  /// What the token consists of.
  associatedtype TokenType: Codable, Hashable, Sendable

  /// What the token consists of.
  var tokenValue: TokenType? { get }
  /// The store whose history it is a place in.
  var storeIdentifier: String { get }
}
