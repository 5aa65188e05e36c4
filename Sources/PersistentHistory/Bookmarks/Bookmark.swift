import StoreFormat

/// A token saved under a consumer's name.
///
/// It remembers when its transaction was saved, so that another copy of the store, in which the same
/// number is another save, is noticed.
public struct Bookmark: Hashable, Sendable {
  /// The consumer's name: letters, digits, `.`, `_` and `-`.
  public let name: String
  /// The position that the consumer has reached.
  public let token: HistoryToken
  /// When the transaction at that position was saved.
  public let timestamp: StoreTimestamp?

  /// A bookmark.
  package init(name: String, token: HistoryToken, timestamp: StoreTimestamp?) {
    self.name = name
    self.token = token
    self.timestamp = timestamp
  }

  /// A bookmark at a position in a store, which remembers when its transaction was saved.
  ///
  /// - Parameters:
  ///   - name: The consumer's name.
  ///   - token: The position.
  ///   - path: The path of the store, for messages.
  /// - Throws: ``HistoryError/malformedBookmarkName(_:)``, and ``HistoryError/unnamedStore(path:)``
  ///   where no token can name the store.
  package init(
    name: String, at token: ResolvedToken, inStoreAt path: String
  ) throws(HistoryError) {
    guard Bookmark.isName(name) else { throw .malformedBookmarkName(name) }
    guard let position = token.token else { throw .unnamedStore(path: path) }
    self.init(name: name, token: position, timestamp: token.timestamp)
  }

  /// Checks that its transaction is still there, which was so when it was made.
  ///
  /// - Throws: ``HistoryError/unusableToken(_:)``, ``/StoreFormat/StoreError``.
  package func checkNotExpired(in snapshot: StoreSnapshot) throws {
    let resolver = TokenResolver(snapshot: snapshot)
    let token = try resolver.resolve(token)
    guard token.state != .expired else {
      throw HistoryError.unusableToken(try resolver.unusable(token))
    }
  }

  /// Whether a text can be a bookmark's name: at most 128 letters, digits, `.`, `_` and `-`, of
  /// which the first is a letter, a digit or `_`.
  ///
  /// Such a name is safe as a part of a file's name, and is no option on a command line.
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
