import PropertyLists
import StoreFormat

/// Why a property list is not an archived `NSPersistentHistoryToken`.
struct TokenArchiveError: Error, Hashable, CustomStringConvertible {
  let description: String
}

extension HistoryToken {
  private static let className = "_NSPersistentHistoryToken"
  private static let key = "NSPersistentHistoryTokenDictionary"

  /// Reads an archived `NSPersistentHistoryToken`, in a binary or an XML property list.
  ///
  /// The archive holds one object with a dictionary of store identifiers and numbers.
  init(archive bytes: [UInt8]) throws {
    let archive: KeyedArchive
    do {
      archive = try KeyedArchive(bytes: bytes)
    } catch {
      throw TokenArchiveError(description: "it is not an archived token: \(error)")
    }
    guard let root = try archive.root.flatMap({ try archive.object($0) }),
      let dictionary = try root.object(HistoryToken.key)
    else {
      throw TokenArchiveError(
        description: "it is an archive of something else than an NSPersistentHistoryToken")
    }
    var tokens: [String: Int64] = [:]
    for (identifier, value) in try archive.pairs(of: dictionary) {
      guard let number = try archive.resolve(value)?.integer, number >= 0 else {
        throw TokenArchiveError(description: "the number for store \(identifier) is not one")
      }
      tokens[identifier] = number
    }
    guard !tokens.isEmpty else { throw TokenArchiveError(description: "it names no store") }
    self.init(storeTokens: tokens)
  }

  /// The token as an XML property list of an archived `NSPersistentHistoryToken`, which
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
