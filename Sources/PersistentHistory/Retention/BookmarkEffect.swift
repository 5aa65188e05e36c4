import StoreFormat

/// How far a bookmark may fall behind before it no longer holds history.
public enum BookmarkAllowance: Hashable, Sendable, CustomStringConvertible {
  /// The maximum number of transactions that its consumer has not read.
  case transactions(Int64)
  /// The maximum time since the first transaction that its consumer has not read.
  case duration(HistoryDuration)

  /// Whether a position is further behind.
  func isExceeded(
    by number: Int64, in snapshot: StoreSnapshot, now: StoreTimestamp
  ) throws -> Bool {
    switch self {
    case .transactions(let count):
      return try snapshot.transactionCount(after: number) > count
    case .duration(let duration):
      guard let unread = try snapshot.firstTransaction(after: number)?.timestamp else {
        return false
      }
      return unread < duration.before(now)
    }
  }

  /// The allowance as it is written: `100000` or `30d`.
  public var description: String {
    switch self {
    case .transactions(let count): "\(count)"
    case .duration(let duration): "\(duration)"
    }
  }
}

/// The effect of pruning on a bookmark.
public struct BookmarkEffect: Hashable, Sendable {
  /// The effect on a bookmark.
  public enum Outcome: String, Hashable, Sendable {
    /// It works afterwards, and nothing is deleted that its consumer has not read.
    case kept
    /// It expires, because it is ignored or too far behind.
    case lost
    /// It does not work now: expired, ahead of the store, or of another store.
    case unusable
  }

  /// The bookmark.
  public let bookmark: Bookmark
  /// Its position in this store; `nil` if it is of another one.
  package let number: Int64?
  /// Its state now.
  package let state: TokenState
  /// Whether its consumer lags more than allowed, so that it holds no history.
  package let isTooFarBehind: Bool
  /// The effect on the bookmark.
  package internal(set) var outcome: Outcome

  init(
    _ bookmark: Bookmark, resolver: TokenResolver, snapshot: StoreSnapshot?,
    allowance: BookmarkAllowance?, now: StoreTimestamp
  ) throws {
    let token = try resolver.resolve(bookmark)
    self.bookmark = bookmark
    number = token.number
    state = token.state
    isTooFarBehind =
      if let number = token.number, let snapshot, let allowance {
        try allowance.isExceeded(by: number, in: snapshot, now: now)
      } else {
        false
      }
    outcome = Self.isUsable(token.state) ? .kept : .unusable
  }

  /// A bookmark of another copy still names a transaction of this one, and is kept to be safe.
  private static func isUsable(_ state: TokenState) -> Bool {
    switch state {
    case .valid, .diverged: true
    case .foreign, .ahead, .expired, .archived: false
    }
  }

  /// Returns the lowest position that bookmarks of a store need; `nil` if none of them works.
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

  /// Returns the guard of the bookmark; `nil` if it holds no history.
  func guardian(oldest: Int64) -> RetentionGuard? {
    guard outcome != .unusable, !isTooFarBehind, let number else { return nil }
    let reason =
      number == 0
      ? "its consumer has read nothing yet" : "its consumer goes on after transaction \(number)"
    return RetentionGuard(
      name: "@" + bookmark.name, verdict: .holds(from: max(number, oldest)), reason: reason)
  }

  /// Sets ``outcome`` for a cut.
  mutating func settle(_ cut: HistoryCut, oldest: Int64) {
    guard outcome != .unusable, let number else { return }
    // A consumer that has read nothing yet misses everything that is deleted, though 0 never expires.
    let isLost = number == 0 ? HistoryCut(before: oldest) < cut : cut.expires(number)
    outcome = isLost ? .lost : .kept
  }
}
