import PersistentHistory

/// A place in the histories of one store or several: for each the number of a transaction.
///
/// As JSON it has the shape of SwiftData's own, `{"storeTokens":{"1D070E6D-…":57}}`.
///
/// The token of a transaction names its own store only, and places in different stores have no order:
/// the greatest token of several transactions says nothing of the other stores, and history after it
/// leaves theirs out. Gather the places with ``merging(_:)`` and compare them with ``covers(_:)``. `<` is
/// there because SwiftData has it: of tokens that name several stores, the one is smaller that has the
/// smaller number for the first store, by identifier, in which they differ; stores that only one of them
/// names do not count, so that neither of two tokens without a store in common is smaller.
public struct DefaultHistoryToken: HistoryToken, Codable {
  /// The transaction's number by the identifier of the store.
  public typealias TokenType = [String: Int64]

  private let token: PersistentHistory.HistoryToken

  init(_ storeTokens: [String: Int64]) {
    token = PersistentHistory.HistoryToken(storeTokens: storeTokens)
  }

  /// - Parameter storeKey: The identifier of the store in upper case.
  init(storeKey: String, number: Int64) {
    token = PersistentHistory.HistoryToken(canonical: [storeKey: number])
  }

  /// Tells tokens apart.
  public var id: Int { hashValue }
  /// The transaction's number by the identifier of the store.
  public var tokenValue: [String: Int64]? { token.storeTokens }
  /// The store; of several, the first by its identifier.
  public var storeIdentifier: String { token.storeTokens.keys.min() ?? "" }

  /// The stores that the token names; SwiftData itself does not tell them.
  public var storeIdentifiers: Set<String> { Set(token.storeTokens.keys) }

  /// Whether everything up to another token is also up to this one: this one names all its stores, and
  /// stands in none of them before it.
  ///
  /// Of two tokens neither needs to cover the other. SwiftData itself cannot compare stores one by one.
  public func covers(_ other: DefaultHistoryToken) -> Bool {
    other.token.storeTokens.allSatisfy { store, number in
      token.storeTokens[store].map { $0 >= number } ?? false
    }
  }

  /// The token that names the stores of both, and in each stands where the later one does.
  ///
  /// ```swift
  /// let place = transactions.reduce(last) { $0.merging($1.token) }
  /// ```
  ///
  /// SwiftData itself has no such token.
  public func merging(_ other: DefaultHistoryToken) -> DefaultHistoryToken {
    DefaultHistoryToken(
      token.storeTokens.merging(other.token.storeTokens, uniquingKeysWith: max))
  }

  /// The number for a store; nil where the token does not name it.
  func number(of storeIdentifier: String) -> Int64? { token.transaction(in: storeIdentifier) }

  /// Whether a token stands before another.
  public static func < (left: DefaultHistoryToken, right: DefaultHistoryToken) -> Bool {
    for (store, number) in left.token.storeTokens.sorted(by: { $0.key < $1.key }) {
      if let other = right.token.storeTokens[store], other != number { return number < other }
    }
    return false
  }

  /// Reads SwiftData's JSON shape.
  ///
  /// - Throws: `DecodingError`, also where a number is negative.
  public init(from decoder: any Decoder) throws {
    token = try PersistentHistory.HistoryToken(from: decoder)
  }

  /// Writes SwiftData's JSON shape.
  public func encode(to encoder: any Encoder) throws { try token.encode(to: encoder) }
}
