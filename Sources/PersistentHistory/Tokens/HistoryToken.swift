/// A position in the history of one store or of several: every transaction up to and including a
/// number.
///
/// The value is that of SwiftData's `DefaultHistoryToken` and of Core Data's
/// `NSPersistentHistoryToken`: store identifiers and transaction numbers. Encoded as JSON it has
/// SwiftData's shape, `{"storeTokens":{"1D070E6D-…":57}}`.
public struct HistoryToken: Hashable, Codable, Sendable {
  /// The transaction number for each store, by the store's identifier in upper case.
  public let storeTokens: [String: Int64]

  /// A position in several stores.
  public init(storeTokens: [String: Int64]) {
    self.storeTokens = Dictionary(
      storeTokens.map { ($0.key.uppercased(), $0.value) }, uniquingKeysWith: max)
  }

  /// A position in stores whose identifiers are in upper case already.
  public init(canonical storeTokens: [String: Int64]) { self.storeTokens = storeTokens }

  /// A position in one store.
  public init(storeIdentifier: String, transaction: Int64) {
    self.init(storeTokens: [storeIdentifier: transaction])
  }

  /// Reads SwiftData's JSON shape.
  ///
  /// - Throws: `DecodingError`, also where a number is negative.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    let tokens = try container.decode([String: Int64].self, forKey: .storeTokens)
    guard tokens.values.allSatisfy({ $0 >= 0 }) else {
      throw DecodingError.dataCorruptedError(
        forKey: .storeTokens, in: container,
        debugDescription: "a transaction number is not negative")
    }
    self.init(storeTokens: tokens)
  }

  /// The transaction number for a store; nil where the token does not name it.
  public func transaction(in storeIdentifier: String) -> Int64? {
    storeTokens[storeIdentifier.uppercased()]
  }
}

extension HistoryToken: CustomStringConvertible {
  /// The portable form: `1D070E6D-…:57`, several stores separated by commas.
  public var description: String {
    storeTokens.sorted { $0.key < $1.key }.map { "\($0.key):\($0.value)" }.joined(separator: ",")
  }

  /// Reads the portable form; nil where the text is not one.
  public init?(portable text: String) {
    var tokens: [String: Int64] = [:]
    for part in text.split(separator: ",", omittingEmptySubsequences: false) {
      guard let colon = part.lastIndex(of: ":"), HistoryToken.isIdentifier(part[..<colon]),
        let number = Int64(decimal: part[part.index(after: colon)...]),
        tokens.updateValue(number, forKey: part[..<colon].uppercased()) == nil
      else { return nil }
    }
    self.init(storeTokens: tokens)
  }

  /// Whether a text looks like a store identifier, a UUID.
  public static func isIdentifier(_ text: some StringProtocol) -> Bool {
    let groups = text.split(separator: "-", omittingEmptySubsequences: false)
    return groups.map(\.utf8.count) == [8, 4, 4, 4, 12]
      && groups.allSatisfy { $0.utf8.allSatisfy { Character(Unicode.Scalar($0)).isHexDigit } }
  }
}
