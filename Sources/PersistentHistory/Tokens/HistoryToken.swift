import PropertyLists
import StoreFormat

/// A position in the history of one or more stores: every transaction up to and including a number.
///
/// It has the value of SwiftData's `DefaultHistoryToken` and Core Data's `NSPersistentHistoryToken`: a
/// transaction number for each store identifier. Its JSON has SwiftData's shape,
/// `{"storeTokens":{"1D070E6D-…":57}}`.
public struct HistoryToken: Hashable, Codable, Sendable {
  /// The transaction number of each store, by its identifier in upper case.
  public let storeTokens: [String: Int64]

  /// Creates a position in several stores.
  public init(storeTokens: [String: Int64]) {
    self.storeTokens = Dictionary(
      storeTokens.map { ($0.key.uppercased(), $0.value) }, uniquingKeysWith: max)
  }

  /// Creates a position in stores whose identifiers are in upper case.
  package init(canonical storeTokens: [String: Int64]) { self.storeTokens = storeTokens }

  /// Creates a position in one store.
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
        debugDescription: "a transaction number must not be negative")
    }
    self.init(storeTokens: tokens)
  }

  /// Returns the transaction number of a store, or `nil` if the token does not name it.
  public func transaction(in storeIdentifier: String) -> Int64? {
    storeTokens[storeIdentifier.uppercased()]
  }
}

extension HistoryToken: CustomStringConvertible {
  /// The portable form, `1D070E6D-…:57`, with stores separated by commas.
  public var description: String {
    storeTokens.sorted { $0.key < $1.key }.map { "\($0.key):\($0.value)" }.joined(separator: ",")
  }

  /// Reads the portable form, or returns `nil` for any other text.
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

  /// Returns whether a text has the form of a store identifier, a UUID.
  package static func isIdentifier(_ text: some StringProtocol) -> Bool {
    UUIDText.isUUID(text.utf8)
  }
}

extension HistoryToken {
  private static let className = "_NSPersistentHistoryToken"
  private static let key = "NSPersistentHistoryTokenDictionary"

  /// Reads an archived `NSPersistentHistoryToken`, in a binary or an XML property list.
  init(archive bytes: [UInt8]) throws(TokenContentError) {
    let value: PropertyListValue
    do {
      value = try PropertyListValue(propertyList: bytes)
    } catch {
      throw TokenContentError(description: "it is not an archived token: \(error)")
    }
    try self.init(archive: value)
  }

  /// Reads an archived `NSPersistentHistoryToken`.
  ///
  /// The archive holds one object with a dictionary of transaction numbers by store identifier.
  init(archive value: PropertyListValue) throws(TokenContentError) {
    var pairs: [(key: String, value: PropertyListValue?)]?
    do {
      let archive = try KeyedArchive(value)
      if let root = try archive.root.flatMap({ try archive.object($0) }),
        let dictionary = try root.object(HistoryToken.key)
      {
        pairs = try archive.pairs(of: dictionary).map { ($0.key, try archive.resolve($0.value)) }
      }
    } catch {
      throw TokenContentError(description: "it is not an archived token: \(error)")
    }
    guard let pairs else {
      throw TokenContentError(
        description: "it is an archive of another object than an NSPersistentHistoryToken")
    }
    try self.init(pairs)
  }

  /// Reads transaction numbers by store identifier.
  init(_ pairs: [(key: String, value: PropertyListValue?)]) throws(TokenContentError) {
    var tokens: [String: Int64] = [:]
    for (identifier, value) in pairs {
      guard let number = value?.integer, number >= 0 else {
        throw TokenContentError(
          description:
            "the value for store \(MomentError.quote(identifier)) is not a transaction number")
      }
      tokens[identifier] = number
    }
    guard !tokens.isEmpty else { throw TokenContentError(description: "it names no store") }
    self.init(storeTokens: tokens)
  }

  /// Returns the token as an archived `NSPersistentHistoryToken` in an XML property list, which
  /// `NSKeyedUnarchiver` reads.
  public func archivedPropertyList() throws -> [UInt8] {
    var writer = KeyedArchiveWriter()
    let tokens = storeTokens.sorted { $0.key < $1.key }
    let pairs = tokens.map {
      (key: writer.add(string: $0.key), value: writer.add(plain: .integer($0.value)))
    }
    let dictionary = writer.add(pairs: pairs, as: .dictionary)
    let root = writer.add(
      object: KeyedArchiveWriter.Class(
        HistoryToken.className, "NSPersistentHistoryToken", "NSObject"),
      fields: [HistoryToken.key: dictionary.value])
    return try XMLPropertyListWriter.bytes(of: writer.finish(top: ["root": root]))
  }
}
