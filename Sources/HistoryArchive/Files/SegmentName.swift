import PersistentHistory

/// How files are named by the transactions that they hold.
package enum SegmentName {
  /// How many digits a number has at least, so that names stand in the order of the transactions.
  package static let digitCount = 12
  /// What the name of a segment ends with.
  package static let segmentSuffix = ".jsonl.zst"
  /// What the name of a manifest ends with.
  package static let manifestSuffix = ".json"

  /// A range as names have it: `000000000001-000000000512`.
  package static func text(_ range: ClosedRange<Int64>) -> String {
    padded(range.lowerBound) + "-" + padded(range.upperBound)
  }

  /// A number of ``digitCount`` digits or more.
  package static func padded(_ number: Int64) -> String {
    let digits = String(number)
    return String(repeating: "0", count: max(0, digitCount - digits.count)) + digits
  }

  /// The range that a name begins with; nil where it is none that ``text(_:)`` gives.
  package static func range(of name: some StringProtocol) -> ClosedRange<Int64>? {
    let numbers = name.split(separator: "-", omittingEmptySubsequences: false)
    guard numbers.count == 2, let first = Int64(numbers[0]), let last = Int64(numbers[1]),
      first <= last, text(first...last) == name
    else { return nil }
    return first...last
  }

  /// Whether a store of this identifier can have a folder: it must be a UUID, for everything else
  /// could lead somewhere.
  package static func isStoreFolder(_ identifier: String) -> Bool {
    HistoryToken.isIdentifier(identifier)
  }
}
