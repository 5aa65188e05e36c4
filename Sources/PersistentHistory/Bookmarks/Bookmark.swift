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
  public init(name: String, token: HistoryToken, timestamp: StoreTimestamp?) {
    self.name = name
    self.token = token
    self.timestamp = timestamp
  }

  /// Whether a text can be a bookmark's name.
  public static func isName(_ text: String) -> Bool {
    !text.isEmpty && text.utf8.count <= 128
      && text.utf8.allSatisfy { byte in
        byte.isDigit || (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20)
          || [UInt8(ascii: "."), UInt8(ascii: "_"), UInt8(ascii: "-")].contains(byte)
      }
  }
}
