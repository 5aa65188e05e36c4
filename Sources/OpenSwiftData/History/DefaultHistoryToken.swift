import PersistentHistory

/// A place in the histories of one store or several: for each the number of a transaction.
///
/// As JSON it has the shape of SwiftData's own, `{"storeTokens":{"1D070E6D-…":57}}`. Of tokens that
/// name several stores, the one is smaller that has the smaller number for the first store, by
/// identifier, in which they differ; stores that only one of them names do not count, so that neither
/// of two tokens without a store in common is smaller.
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
