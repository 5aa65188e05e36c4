import StoreFormat

/// How far behind a bookmark may be before it no longer holds history back.
public enum BookmarkAllowance: Hashable, Sendable {
  /// So many transactions that its consumer has not read.
  case transactions(Int64)
  /// So long since the first transaction that its consumer has not read was saved.
  case duration(HistoryDuration)

  /// Whether a position is farther behind.
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
}

extension BookmarkAllowance: CustomStringConvertible {
  /// The allowance as it is written.
  public var description: String {
    switch self {
    case .transactions(let count): "\(count)"
    case .duration(let duration): "\(duration)"
    }
  }
}
