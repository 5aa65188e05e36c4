import StoreFormat

/// A token saved under a consumer's name.
///
/// It remembers when its transaction was saved, because the same number may belong to another save
/// in another copy of the store.
public struct Bookmark: Hashable, Sendable {
  /// The consumer's name: letters, digits, `.`, `_` and `-`.
  public let name: String
  /// The position that the consumer has reached.
  public let token: HistoryToken
  /// When the transaction at that position was saved.
  public let timestamp: StoreTimestamp?
  /// The file of an export that did not move the bookmark yet; `nil` if there is none.
  package let pending: PendingFile?

  package init(
    name: String, token: HistoryToken, timestamp: StoreTimestamp?, pending: PendingFile? = nil
  ) {
    self.name = name
    self.token = token
    self.timestamp = timestamp
    self.pending = pending
  }

  /// Creates a bookmark at a position in a store.
  ///
  /// - Parameters:
  ///   - name: The consumer's name.
  ///   - token: The position.
  ///   - path: The path of the store, for messages.
  /// - Throws: ``HistoryError/malformedBookmarkName(_:)``, and ``HistoryError/unnamedStore(path:)``
  ///   if the store has no identifier.
  package init(
    name: String, at token: ResolvedToken, inStoreAt path: String
  ) throws(HistoryError) {
    guard Bookmark.isName(name) else { throw .malformedBookmarkName(name) }
    guard let position = token.token else { throw .unnamedStore(path: path) }
    self.init(name: name, token: position, timestamp: token.timestamp)
  }

  /// Checks that its transaction still exists.
  ///
  /// - Throws: ``HistoryError/unusableToken(_:)``, ``/StoreFormat/StoreError``.
  package func checkNotExpired(in snapshot: StoreSnapshot) throws {
    let resolver = TokenResolver(snapshot: snapshot)
    let token = try resolver.resolve(token)
    guard token.state != .expired else {
      throw HistoryError.unusableToken(try resolver.unusable(token))
    }
  }

  /// Whether a text can be a bookmark's name: up to 128 letters, digits, `.`, `_` and `-`, of which the
  /// first is a letter, a digit or `_`.
  ///
  /// Such a name is safe in a file's name, and cannot be taken for an option on a command line.
  package static func isName(_ text: String) -> Bool {
    guard let first = text.utf8.first, first != UInt8(ascii: "."), first != UInt8(ascii: "-")
    else { return false }
    return text.utf8.count <= 128
      && text.utf8.allSatisfy { byte in
        byte.isDigit || (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20)
          || [UInt8(ascii: "."), UInt8(ascii: "_"), UInt8(ascii: "-")].contains(byte)
      }
  }
}
