/// The place where a history is cut: everything before one transaction goes, it and all after it
/// stay.
public struct HistoryCut: Hashable, Sendable {
  /// The number of the first transaction that stays; nil where none does.
  public let firstKept: Int64?

  /// A cut before a transaction.
  package init(before number: Int64) { firstKept = number }

  private init() { firstKept = nil }

  /// The cut behind the newest transaction, which leaves nothing.
  package static let end = HistoryCut()

  /// Whether a token of this number, which works before the cut, does not work after it.
  package func expires(_ number: Int64) -> Bool {
    // Zero is the position before everything that is kept.
    number != 0 && firstKept.map { number < $0 } ?? true
  }
}

extension HistoryCut: Comparable {
  /// Whether the one leaves more of a history than the other.
  public static func < (left: HistoryCut, right: HistoryCut) -> Bool {
    switch (left.firstKept, right.firstKept) {
    case (let left?, let right?): left < right
    case (.some, nil): true
    case (nil, _): false
    }
  }
}
