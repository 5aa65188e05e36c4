import StoreFormat

/// Whether a token works with a store, and if not, why.
///
/// The states are tested in the order in which they stand here.
public enum TokenState: Hashable, Sendable {
  /// The token names other stores only.
  case foreign(identifiers: [String])
  /// The token names a number beyond the newest that the store ever issued.
  case ahead(highestIssued: Int64)
  /// No transaction with exactly this number is there: the frameworks' own rule for
  /// `historyTokenExpired` (`NSPersistentHistoryTokenExpiredError`, 134301).
  case expired
  /// The store has pruned the transaction, and an archive holds it and all after it up to the store.
  case archived
  /// The transaction is there, but it was saved at another time than the bookmark or the archive
  /// remembers: this is another copy of the store.
  case diverged(remembered: StoreTimestamp, found: StoreTimestamp?)
  /// History after the token can be fetched.
  case valid

  /// The state in a word.
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

  /// Whether history after the token can be had, from the store or from the archive that was given.
  public var isUsable: Bool { self == .valid || self == .archived }
}

/// A token that does not work with a store, with all that is needed to go on.
public struct UnusableToken: Hashable, Sendable {
  /// The token as it was written.
  public let text: String
  /// The transaction number for this store, where the token names one.
  public let number: Int64?
  /// Why it does not work.
  public let state: TokenState
  /// The path of the store.
  public let path: String
  /// The identifier of the store.
  public let storeIdentifier: String?
  /// The oldest transaction, whose token is the oldest that works; nil in an empty history.
  public let oldest: TransactionPosition?
  /// The newest transaction.
  public let newest: TransactionPosition?
  /// The archive that was asked as well; nil where none was.
  package var archive: Archive?

  /// What an archive holds of the store's history.
  package struct Archive: Hashable, Sendable {
    /// The path of the archive.
    package let path: String
    /// The numbers that it holds, without gaps each.
    package let ranges: [ClosedRange<Int64>]
    /// The places between its beginning and the store where transactions are missing.
    package let gaps: [HistoryGap]
  }

  /// The name of the error: what the frameworks call it, or the closest.
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

  /// What is wrong, with the reach of what is kept; times are in UTC.
  public var message: String { message(time: StoreTimestamp.text) }

  /// Returns what is wrong, with times as the caller writes them.
  package func message(time: (StoreTimestamp?) -> String) -> String {
    let reach = reach(time)
    return switch state {
    case .foreign(let identifiers):
      "token \(text) belongs to another store (\(identifiers.joined(separator: ", "))); "
        + "\(path) is \(storeIdentifier ?? "without an identifier"); \(reach)"
    case .ahead(let highest):
      "token \(text) is ahead of \(path): the newest number ever issued there is \(highest); "
        + reach
    case .expired:
      "token \(text) has expired in \(path): history after it is incomplete, because "
        + "\(missing); \(reach)"
    case .archived:
      "token \(text) has expired in \(path), and the archive \(archive?.path ?? "") has the history "
        + "after it"
    case .diverged(let remembered, let found):
      "token \(text) comes from another copy of \(path): it remembers transaction "
        + "\(number.map(String.init) ?? "") from \(time(remembered)), here it is from "
        + "\(time(found)); \(reach)"
    case .valid:
      "token \(text) works with \(path)"
    }
  }

  /// How to go on.
  public var remedy: String { remedy(option: "") }

  /// How to go on, for who gives a token behind some words, such as `--after`.
  package func remedy(option: String) -> String { remedy(wayOn: wayOn(option)) }

  /// How to go on, for who knows better what does without the token.
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

  /// What makes history after an expired token incomplete.
  private var missing: String {
    if let archive, let number, archive.ranges.contains(where: { $0.contains(number) }),
      let gap = archive.gaps.first(where: { $0.after >= number })
    {
      return gap.message
    }
    return "transaction \(number.map(String.init) ?? text) is gone"
  }

  private func wayOn(_ option: String) -> String {
    // After the oldest token that works, its own transaction would be lost.
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
  /// The most ranges that a message lists.
  private static let mostRanges = 3

  /// What it holds, in words.
  var reach: String {
    guard !ranges.isEmpty else { return "nothing of this store" }
    let shown = ranges.suffix(Self.mostRanges).map { "\($0.lowerBound) to \($0.upperBound)" }
    let hidden = ranges.count - shown.count
    return (hidden > 0 ? "\(hidden) earlier ranges, " : "") + shown.joined(separator: ", ")
  }
}

extension StoreTimestamp {
  /// A time as messages write it: UTC, to the second that has begun.
  static func text(_ timestamp: StoreTimestamp?) -> String {
    timestamp?.iso8601Second ?? "an unknown time"
  }
}
