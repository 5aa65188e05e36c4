import PersistentHistory

/// A position in the histories of one or several stores: a transaction number for each.
///
/// Its JSON has the shape of SwiftData's, `{"storeTokens":{"1D070E6D-…":57}}`.
///
/// The token of a transaction names its own store only, and positions in different stores have no
/// order. History after the greatest of several tokens therefore omits the other stores. With
/// several stores, join tokens with ``merging(_:)`` and compare them with ``covers(_:)``. `<`
/// exists because SwiftData has it: it compares the first store, by identifier, that both tokens
/// name with different numbers. Of two tokens without a common store, neither is smaller.
public struct DefaultHistoryToken: HistoryToken, Codable {
  /// Transaction numbers by store identifier.
  public typealias TokenType = [String: Int64]
  /// The type of ``id``.
  public typealias ID = Int

  private let token: PersistentHistory.HistoryToken

  init(_ storeTokens: [String: Int64]) {
    token = PersistentHistory.HistoryToken(storeTokens: storeTokens)
  }

  /// - Parameter storeKey: The identifier of the store in upper case.
  init(storeKey: String, number: Int64) {
    token = PersistentHistory.HistoryToken(canonical: [storeKey: number])
  }

  /// Joins tokens; where several name a store, the lowest number counts.
  init?(joining tokens: [DefaultHistoryToken]) {
    guard !tokens.isEmpty else { return nil }
    self.init(
      Dictionary(tokens.flatMap { $0.token.storeTokens.map { ($0, $1) } }, uniquingKeysWith: min))
  }

  /// A value that identifies the token.
  public var id: Int { hashValue }
  /// The transaction numbers by store identifier.
  public var tokenValue: [String: Int64]? { token.storeTokens }
  /// The identifier of the store; of several, the first in alphabetical order.
  public var storeIdentifier: String { token.storeTokens.keys.min() ?? "" }
  /// The identifiers of all stores that the token names (not in SwiftData).
  public var storeIdentifiers: Set<String> { Set(token.storeTokens.keys) }

  /// Returns whether this token names every store of another one, each at the same position or
  /// after it (not in SwiftData).
  ///
  /// It can be that neither of two tokens covers the other.
  public func covers(_ other: DefaultHistoryToken) -> Bool {
    other.token.storeTokens.allSatisfy { store, number in
      token.storeTokens[store].map { $0 >= number } ?? false
    }
  }

  /// Returns a token that names the stores of both, each at the later position (not in SwiftData).
  ///
  /// ```swift
  /// let position = transactions.reduce(last) { $0.merging($1.token) }
  /// ```
  public func merging(_ other: DefaultHistoryToken) -> DefaultHistoryToken {
    DefaultHistoryToken(
      token.storeTokens.merging(other.token.storeTokens, uniquingKeysWith: max))
  }

  /// Returns the number for a store, or `nil` if the token does not name it.
  func number(of storeIdentifier: String) -> Int64? { token.transaction(in: storeIdentifier) }

  /// Returns whether a token comes before another one.
  public static func < (left: DefaultHistoryToken, right: DefaultHistoryToken) -> Bool {
    for (store, number) in left.token.storeTokens.sorted(by: { $0.key < $1.key }) {
      if let other = right.token.storeTokens[store], other != number { return number < other }
    }
    return false
  }

  /// Reads a token from the shape of SwiftData's JSON.
  ///
  /// - Throws: `DecodingError`, also for a negative number.
  public init(from decoder: any Decoder) throws {
    token = try PersistentHistory.HistoryToken(from: decoder)
  }

  /// Writes the token in the shape of SwiftData's JSON.
  public func encode(to encoder: any Encoder) throws { try token.encode(to: encoder) }
}

/// Whether history after a token can be fetched (not in SwiftData, which only throws).
public enum HistoryTokenState: Hashable, Sendable {
  /// History after the token can be fetched.
  case current
  /// The transaction of the token was deleted; fetching history after it throws
  /// ``SwiftDataError/historyTokenExpired``. `oldest` is the oldest token that works, or `nil` if
  /// the history is empty.
  case expired(oldest: DefaultHistoryToken?)
  /// The transaction of the token is not in this copy of the store: the token comes from a newer or
  /// another copy.
  case unknown
  /// The token names none of the stores.
  case foreign
}
