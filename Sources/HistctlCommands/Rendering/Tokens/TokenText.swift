import PersistentHistory

/// Writes tokens: as a number, or with the identifier of their store.
struct TokenText {
  let isQualified: Bool
  let store: String?

  /// The token that stands behind a transaction.
  func text(_ number: Int64) -> String {
    guard isQualified, let store else { return "\(number)" }
    return HistoryToken(storeIdentifier: store, transaction: number).description
  }

  /// Where a bookmark stands: of one in another store, all of its token.
  func text(_ bookmark: Bookmark) -> String {
    store.flatMap { bookmark.token.transaction(in: $0) }.map(text) ?? bookmark.token.description
  }
}
