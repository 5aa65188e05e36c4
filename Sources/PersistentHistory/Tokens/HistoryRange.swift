import StoreFormat

/// A part of a history between two positions: after the one, up to and including the other.
public struct HistoryRange: Hashable, Sendable {
  /// The lower position; the transaction with this number is not in the range.
  public let after: Int64
  /// The upper position; the transaction with this number is in the range.
  public let until: Int64
  /// Whether the positions were given the other way round.
  public let isReversed: Bool

  /// The range between two positions, in whichever order they are given.
  package init(from start: Int64, to end: Int64) {
    after = min(start, end)
    until = max(start, end)
    isReversed = end < start
  }
}

extension TokenResolver {
  /// The range between two tokens, which must work; without the second, up to the newest
  /// transaction.
  ///
  /// - Throws: Like ``resolveUsable(_:)``.
  public func range(from start: String, to end: String?) throws -> HistoryRange {
    let start = try position(start)
    guard let end else { return HistoryRange(from: start, to: max(start, try position("last"))) }
    return HistoryRange(from: start, to: try position(end))
  }

  private func position(_ text: String) throws -> Int64 {
    let token = try resolveUsable(text)
    guard let number = token.number else {
      throw HistoryError.unusableToken(try unusable(token))
    }
    return number
  }
}
