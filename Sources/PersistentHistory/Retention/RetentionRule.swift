import StoreFormat

/// A rule that says from which transaction on history is kept.
///
/// With several rules, a transaction is deleted only if every rule allows it.
public enum RetentionRule: Hashable, Sendable {
  /// Deletes everything before a token's transaction, or everything earlier than a moment.
  case before(token: String)
  /// Deletes every transaction with a lower number.
  case beforeTransaction(Int64)
  /// Keeps what was saved within this time before now.
  case keepWithin(HistoryDuration)
  /// Keeps this number of the newest transactions.
  case keepLast(Int64)
  /// Keeps as many of the newest transactions as fit into this number of bytes of the file's pages.
  case maxSize(bytes: Int64)
  /// Deletes everything, also the newest transaction, which every other rule keeps.
  case all

  /// The rule's name.
  public var name: String {
    switch self {
    case .before, .beforeTransaction: "before"
    case .keepWithin: "keep-within"
    case .keepLast: "keep-last"
    case .maxSize: "max-size"
    case .all: "all"
    }
  }

  /// The value that the rule was given.
  public var value: String? {
    switch self {
    case .before(let token): token
    case .beforeTransaction(let number): "\(number)"
    case .keepWithin(let duration): "\(duration)"
    case .keepLast(let count): "\(count)"
    case .maxSize(let bytes): Self.text(ofBytes: bytes)
    case .all: nil
    }
  }

  /// The shortest text for exactly this size, as people write it: 50M, 1.5G, 20MB.
  private static func text(ofBytes bytes: Int64) -> String {
    var shortest = "\(bytes)B"
    var (binary, decimal): (Int64, Int64) = (1, 1)
    for letter in ["K", "M", "G", "T", "P"] {
      binary *= 1024
      decimal *= 1000
      for (unit, name) in [(binary, letter), (decimal, letter + "B")] where bytes >= unit {
        let (thousandths, overflows) = (bytes % unit).multipliedReportingOverflow(by: 1000)
        guard !overflows, thousandths % unit == 0 else { continue }
        var decimals = String(1000 + thousandths / unit).dropFirst()
        while decimals.last == "0" { decimals.removeLast() }
        let text = "\(bytes / unit)" + (decimals.isEmpty ? "" : "." + decimals) + name
        if text.count < shortest.count { shortest = text }
      }
    }
    return shortest
  }
}

/// The place where a history is cut: everything before one transaction is deleted, and everything from
/// it on stays.
public struct HistoryCut: Hashable, Comparable, Sendable {
  /// The number of the first transaction that stays; `nil` if none does.
  public let firstKept: Int64?

  /// A cut before a transaction.
  package init(before number: Int64) { firstKept = number }

  /// A cut before a transaction; without one, after the newest.
  package init(before position: TransactionPosition?) { firstKept = position?.number }

  /// The cut after the newest transaction, which leaves nothing.
  package static let end = HistoryCut(before: nil as TransactionPosition?)

  /// Whether a token that works now does not work after the cut.
  package func expires(_ number: Int64) -> Bool {
    // Zero is the position before everything that is kept.
    number != 0 && firstKept.map { number < $0 } ?? true
  }

  /// Whether one cut leaves more of a history than another.
  public static func < (left: HistoryCut, right: HistoryCut) -> Bool {
    guard let left = left.firstKept else { return false }
    return right.firstKept.map { left < $0 } ?? true
  }
}

extension TokenResolver {
  /// Returns the cut of a rule about tokens, times or numbers, or `nil` for other rules.
  ///
  /// - Throws: Like ``cut(before:)``.
  func cut(of rule: RetentionRule) throws -> HistoryCut? {
    switch rule {
    case .before(let text): return try cut(before: text)
    case .beforeTransaction(let number):
      guard number > .min else { return HistoryCut(before: .min) }
      return HistoryCut(before: try timeline.firstTransaction(after: number - 1))
    case .keepWithin(let duration):
      return HistoryCut(before: try timeline.firstTransaction(notBefore: duration.before(now)))
    case .keepLast(let count):
      let first = try timeline.newestTransaction(offset: max(count, 1) - 1)
      return HistoryCut(before: try first ?? timeline.oldestTransaction())
    case .maxSize, .all: return nil
    }
  }

  /// Returns the cut before a token's transaction, or before a moment.
  ///
  /// If the transaction is gone, the cut is before the first one that is left.
  ///
  /// - Throws: ``HistoryError`` if the text is not a token, or one of another store, and
  ///   ``/StoreFormat/StoreError``.
  package func cut(before text: String) throws -> HistoryCut {
    let token = try resolve(text)
    if let moment = token.moment {
      return HistoryCut(before: try timeline.firstTransaction(notBefore: moment.timestamp))
    }
    switch token.state {
    case .valid, .expired, .archived: break
    case .foreign, .ahead, .diverged: throw HistoryError.unusableToken(try unusable(token))
    }
    guard let number = token.number, number > .min else { return HistoryCut(before: .min) }
    return HistoryCut(before: try timeline.firstTransaction(after: number - 1))
  }
}
