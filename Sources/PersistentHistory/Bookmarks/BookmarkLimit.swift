import StoreFormat

/// How far a consumer may fall behind before its bookmark counts as lost.
public enum BookmarkLimit: Hashable, Sendable {
  /// So many transactions that it has not read.
  case transactions(Int64)
  /// So long since the oldest transaction that it has not read was saved.
  case duration(HistoryDuration)

  /// Reads `1000` or `30d`: a number of transactions, or a length of time with its unit.
  ///
  /// - Throws: ``MomentError``, also where it is zero: every bookmark that is not at the very end
  ///   would be lost.
  public init(parsing text: String) throws(MomentError) {
    if !text.isEmpty, text.utf8.allSatisfy(\.isDigit) {
      guard let number = Int64(text) else {
        throw MomentError(
          message: "\(MomentError.quote(text)) is more than there can be transactions",
          hint: Self.hint)
      }
      self = .transactions(number)
    } else {
      self = .duration(try HistoryDuration(parsing: text))
    }
    guard !isZero else {
      throw MomentError(
        message: "\(MomentError.quote(text)) leaves a consumer no room at all", hint: Self.hint)
    }
  }

  private static let hint =
    "write a number of transactions, such as 1000, or a duration, such as 30d"

  private var isZero: Bool {
    switch self {
    case .transactions(let number): number == 0
    case .duration(let duration): duration.isZero
    }
  }

  /// Whether a lag goes beyond the limit.
  func isExceeded(by lag: BookmarkLag, now: StoreTimestamp) -> Bool {
    switch self {
    case .transactions(let number): lag.transactions > number
    case .duration(let duration): lag.unreadSince.map { $0 < duration.before(now) } ?? false
    }
  }
}

extension BookmarkLimit: CustomStringConvertible {
  /// The limit in words.
  public var description: String {
    switch self {
    case .transactions(let number): "\(number) transaction\(number == 1 ? "" : "s")"
    case .duration(let duration): duration.description
    }
  }
}
