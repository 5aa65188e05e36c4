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
  /// Whether an archive or exported lines were read, without their store.
  let isWithoutStore: Bool
  let storeIdentifier: String?
  /// The oldest transaction, whose token is the oldest that works, or `nil` in an empty history.
  public let oldest: TransactionPosition?
  package let newest: TransactionPosition?
  /// The archive that was searched too, if any.
  package var archive: Archive?
  /// What is left of the history after an expired token; `nil` in every other state.
  package var remainder: Remainder?

  /// What a history still has after a token whose own transaction it lacks.
  package struct Remainder: Hashable, Sendable {
    /// The transactions after the token that are not there; `nil` if all are.
    package let missing: MissingTransactions?
    /// A token that works and is followed by all that is left after the expired one.
    package let resume: Int64
    /// Whether nothing but that follows it.
    let isExact: Bool
    /// The nearest transactions before and after the token.
    package let neighbors: [Int64]
    /// The first transaction after the token.
    let next: Int64?

    /// Whether no transaction after the token is missing.
    package var isComplete: Bool { missing == nil }
  }

  /// What an archive holds of the store's history.
  package struct Archive: Hashable, Sendable {
    package let path: String
    /// Ranges of consecutive transaction numbers.
    let ranges: [ClosedRange<Int64>]
    /// The gaps between its beginning and the store.
    let gaps: [HistoryGap]
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
    case .ahead(let highest) where isWithoutStore:
      "token \(shown) is ahead of \(path), which ends with transaction \(highest); \(reach)"
    case .ahead(let highest):
      "token \(shown) is ahead of \(path): the newest number ever issued there is \(highest); "
        + reach
    case .expired:
      "token \(shown) has expired in \(path): \(loss); \(reach)"
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
    case .ahead where isWithoutStore:
      "read the store, or archive or export what was saved since"
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

  /// What a history lacks of and after an expired token.
  private var loss: String {
    let name = "transaction \(number.map(String.init) ?? shown)"
    let isArchived = archive.map { archive in
      number.map { number in archive.ranges.contains { $0.contains(number) } } ?? false
    }
    guard let missing = remainder?.missing else {
      return oldest == nil
        ? "\(name) is gone, and none was saved after it"
        : "\(name) itself is gone, although none after it is missing"
    }
    return isArchived ?? false
      ? "after it \(missing.text)" : "\(name) is gone, and after it \(missing.text)"
  }

  private func wayOn(_ option: String) -> String {
    let place = option.isEmpty ? "from " : "with \(option) "
    // Continuing after the oldest token that works would skip its own transaction.
    let beginning = "start again \(place)0"
    guard let oldest else { return beginning }
    guard state == .expired, let remainder, remainder.isExact, let number else {
      return beginning + ", which has all that is kept, from transaction \(oldest.number) on"
    }
    let rest = remainder.next.map { ", from transaction \($0) on" } ?? ""
    if remainder.isComplete {
      return "continue \(place)\(remainder.resume), after which comes exactly what follows "
        + "\(number)\(rest)"
    }
    return remainder.resume == 0
      ? beginning + ", which has all that is kept\(rest)"
      : "continue \(place)\(remainder.resume), after which comes all that is kept after "
        + "\(number)\(rest)"
  }

  private func reach(_ time: (StoreTimestamp?) -> String) -> String {
    let kept =
      oldest.map { "the oldest token that works is \($0.number), of \(time($0.timestamp))" }
      ?? "the history is empty"
    guard let archive, state == .expired else { return kept }
    return kept + "; the archive \(archive.path) holds " + archive.reach
  }
}

/// The transaction numbers after a position that no transaction has, although they were issued.
package struct MissingTransactions: Hashable, Sendable {
  package let first: Int64
  package let last: Int64
  /// How many there are; fewer than the range has where some of it is there.
  package let count: Int64

  init?(first: Int64, last: Int64, count: Int64? = nil) {
    guard first >= 1, first <= last else { return nil }
    let span = last - first + (last - first < .max ? 1 : 0)
    self.first = first
    self.last = last
    self.count = min(max(count ?? span, 1), span)
  }

  /// Both ranges as one.
  func joined(with other: Self) -> Self {
    let (sum, overflows) = count.addingReportingOverflow(other.count)
    return Self(
      first: min(first, other.first), last: max(last, other.last), count: overflows ? .max : sum)
      ?? self
  }

  /// A statement that these are missing.
  package var text: String {
    if first == last { return "\(first) is missing" }
    if count == last - first + 1 { return "\(first) to \(last) are missing" }
    return "\(count) of the transactions \(first) to \(last) "
      + (count == 1 ? "is missing" : "are missing")
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
