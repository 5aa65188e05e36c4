import StoreFormat

/// Whether a token works with a store, and if not, why.
///
/// The states are tested in this order.
public enum TokenState: Hashable, Sendable {
  /// The token names only other stores.
  case foreign(identifiers: [String])
  /// The token names a higher number than the store ever issued.
  case ahead(highestIssued: Int64)
  /// No transaction with exactly this number exists: the frameworks' rule for `historyTokenExpired`
  /// (`NSPersistentHistoryTokenExpiredError`, 134301).
  case expired
  /// The transaction was deleted from the store, and an archive holds it and all transactions after it up to
  /// the store.
  case archived
  /// The transaction exists, but the bookmark or the archive remembers another time for it: this is another
  /// copy of the store.
  case diverged(remembered: StoreTimestamp, found: StoreTimestamp?)
  /// History after the token can be fetched.
  case valid

  /// The name of the state.
  public var name: String {
    switch self {
    case .foreign: "foreign"
    case .ahead: "ahead"
    case .expired: "expired"
    case .archived: "archived"
    case .diverged: "diverged"
    case .valid: "valid"
    }
  }

  /// Whether history after the token is complete, in the store or in the given archive.
  public var isUsable: Bool { self == .valid || self == .archived }
}

/// A token that does not work with a store, and what to do about it.
public struct UnusableToken: Hashable, Sendable {
  /// The token as it was written.
  public let text: String
  /// The transaction number for this store, if the token names one.
  public let number: Int64?
  /// The reason.
  public let state: TokenState
  package let path: String
  package let storeIdentifier: String?
  /// The oldest transaction, whose token is the oldest that works, or `nil` in an empty history.
  public let oldest: TransactionPosition?
  package let newest: TransactionPosition?
  /// The archive that was searched too, if any.
  package var archive: Archive?

  /// What an archive holds of the store's history.
  package struct Archive: Hashable, Sendable {
    package let path: String
    /// Ranges of consecutive transaction numbers.
    package let ranges: [ClosedRange<Int64>]
    /// The gaps between its beginning and the store.
    package let gaps: [HistoryGap]
  }

  /// The name of the error, as in the frameworks or similar.
  package var kind: String {
    switch state {
    case .foreign: "historyTokenForeign"
    case .ahead: "historyTokenAhead"
    case .expired: "historyTokenExpired"
    case .archived: "historyTokenArchived"
    case .diverged: "historyTokenDiverged"
    case .valid: "historyTokenValid"
    }
  }

  /// The problem, and the oldest token that works; times are in UTC.
  public var message: String { message(time: StoreTimestamp.text) }

  /// Returns ``message`` with times as the caller writes them.
  package func message(time: (StoreTimestamp?) -> String) -> String {
    let reach = reach(time)
    return switch state {
    case .foreign(let identifiers):
      "token \(shown) belongs to another store (\(Self.list(identifiers))); "
        + "\(path) is \(storeIdentifier ?? "without an identifier"); \(reach)"
    case .ahead(let highest):
      "token \(shown) is ahead of \(path): the newest number ever issued there is \(highest); "
        + reach
    case .expired:
      "token \(shown) has expired in \(path): history after it is incomplete, because "
        + "\(missing); \(reach)"
    case .archived:
      "token \(shown) has expired in \(path), and the archive \(archive?.path ?? "") has the history "
        + "after it"
    case .diverged(let remembered, let found):
      "token \(shown) comes from another copy of \(path): it remembers transaction "
        + "\(number.map(String.init) ?? "") from \(time(remembered)), here it is from "
        + "\(time(found)); \(reach)"
    case .valid:
      "token \(shown) works with \(path)"
    }
  }

  /// What to do about it.
  public var remedy: String { remedy(option: "") }

  /// Returns ``remedy`` for a token that was given with an option such as `--after`.
  package func remedy(option: String) -> String { remedy(wayOn: wayOn(option)) }

  /// Returns ``remedy`` with the caller's advice for expired and diverged tokens.
  package func remedy(wayOn: String) -> String {
    switch state {
    case .foreign: "give the store that the token came from"
    case .ahead where path == archive?.path:
      "the token is from a time after the last segment; archive what has come since"
    case .ahead:
      "the token is from a newer copy of the store, or its -wal is missing here; give that copy"
    case .expired, .diverged: wayOn
    case .archived: "read the store together with the archive"
    case .valid: "nothing"
    }
  }

  private var shown: String { HistoryError.shortened(text) }

  /// Lists the first of many identifiers.
  private static func list(_ identifiers: [String]) -> String {
    let limit = 4
    let hidden = identifiers.count - limit
    return identifiers.prefix(limit).map { HistoryError.shortened($0) }.joined(separator: ", ")
      + (hidden > 0 ? " and \(hidden) more" : "")
  }

  /// The missing part of the history after an expired token.
  private var missing: String {
    if let archive, let number, archive.ranges.contains(where: { $0.contains(number) }),
      let gap = archive.gaps.first(where: { $0.after >= number })
    {
      return gap.message
    }
    return "transaction \(number.map(String.init) ?? shown) is gone"
  }

  private func wayOn(_ option: String) -> String {
    // Continuing after the oldest token that works would skip its own transaction.
    let beginning = option.isEmpty ? "start again from 0" : "start again with \(option) 0"
    return oldest.map {
      beginning + ", which has all that is kept, from transaction \($0.number) on"
    }
      ?? beginning
  }

  private func reach(_ time: (StoreTimestamp?) -> String) -> String {
    let kept =
      oldest.map { "the oldest token that works is \($0.number), of \(time($0.timestamp))" }
      ?? "the history is empty"
    guard let archive, state == .expired else { return kept }
    return kept + "; the archive \(archive.path) holds " + archive.reach
  }
}

extension UnusableToken.Archive {
  private static let maxRanges = 3

  var reach: String {
    guard !ranges.isEmpty else { return "nothing of this store" }
    let shown = ranges.suffix(Self.maxRanges).map { "\($0.lowerBound) to \($0.upperBound)" }
    let hidden = ranges.count - shown.count
    return (hidden > 0 ? "\(hidden) earlier ranges, " : "") + shown.joined(separator: ", ")
  }
}

extension StoreTimestamp {
  /// Returns a time for messages: UTC, cut to the second.
  static func text(_ timestamp: StoreTimestamp?) -> String {
    timestamp?.iso8601Second ?? "an unknown time"
  }
}
