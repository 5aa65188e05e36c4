import StoreFormat

/// What becomes of a bookmark when history is pruned.
public struct BookmarkOutlook: Hashable, Sendable {
  /// What becomes of it.
  public enum Fate: String, Hashable, Sendable {
    /// It works afterwards, and nothing that its consumer has not read is gone.
    case kept
    /// It expires with this, because it was ignored or is too far behind.
    case lost
    /// It does not work now: expired, ahead of the store, or of another store.
    case unusable
  }

  /// The bookmark.
  public let bookmark: Bookmark
  /// Its position in this store; nil where it is of another one.
  package let number: Int64?
  /// Whether it works now.
  package let state: TokenState
  /// Whether it is farther behind than is allowed, so that it holds nothing back.
  package let isTooFarBehind: Bool
  /// What becomes of it.
  package internal(set) var fate: Fate

  init(
    _ bookmark: Bookmark, resolver: TokenResolver, snapshot: StoreSnapshot,
    allowance: BookmarkAllowance?, now: StoreTimestamp
  ) throws {
    let token = try resolver.resolve(bookmark)
    self.bookmark = bookmark
    number = token.number
    state = token.state
    isTooFarBehind =
      try token.number.map {
        try allowance?.isExceeded(by: $0, in: snapshot, now: now) ?? false
      } ?? false
    fate = Self.isUsable(token.state) ? .kept : .unusable
  }

  /// A bookmark of another copy still names a transaction of this one; it is kept to be safe.
  private static func isUsable(_ state: TokenState) -> Bool {
    switch state {
    case .valid, .diverged: true
    case .foreign, .ahead, .expired, .archived: false
    }
  }

  /// The lowest position that bookmarks of a store need; nil where none of them works.
  ///
  /// - Throws: ``HistoryError``, ``/StoreFormat/StoreError``.
  package static func lowestNeeded(
    by bookmarks: [Bookmark], in snapshot: StoreSnapshot
  ) throws -> Int64? {
    let resolver = TokenResolver(snapshot: snapshot)
    let tokens = try bookmarks.map { try resolver.resolve($0) }
    guard tokens.contains(where: { $0.state == .valid }) else { return nil }
    return tokens.compactMap { isUsable($0.state) ? $0.number : nil }.min()
  }

  /// The guard of the bookmark; nil where it holds nothing back.
  func heldBack(oldest: Int64) -> RetentionGuard? {
    guard fate != .unusable, !isTooFarBehind, let number else { return nil }
    let reason =
      number == 0
      ? "its consumer has read nothing yet" : "its consumer goes on after transaction \(number)"
    return RetentionGuard(
      name: "@" + bookmark.name, verdict: .holds(from: max(number, oldest)), reason: reason)
  }

  /// Finds out what a cut does to the bookmark.
  mutating func settle(_ cut: HistoryCut, oldest: Int64) {
    guard fate != .unusable, let number else { return }
    // Who has read nothing yet misses whatever goes, though the position itself never expires.
    let isLost = number == 0 ? HistoryCut(before: oldest) < cut : cut.expires(number)
    fate = isLost ? .lost : .kept
  }
}
