/// A rule that says from which transaction on history is kept.
///
/// Where several rules are given, a transaction goes only if every one of them lets it go.
public enum RetentionRule: Hashable, Sendable {
  /// Everything before a token's transaction goes, or everything that is earlier than a moment.
  case before(token: String)
  /// Every transaction with a lower number goes.
  case beforeTransaction(Int64)
  /// What was saved within this time, back from now, stays.
  case keepWithin(HistoryDuration)
  /// So many of the newest transactions stay.
  case keepLast(Int64)
  /// The newest transactions stay, as many as fit into so many bytes of the file's pages.
  case maxSize(bytes: Int64)
  /// Everything may go, even the newest transaction, which else stays in any case.
  case all
}

extension RetentionRule {
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

  /// What the rule was given.
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

  /// The shortest text that says exactly so many bytes, as people write sizes: 50M, 1.5G, 20MB.
  private static func text(ofBytes bytes: Int64) -> String {
    var shortest = "\(bytes)B"
    var (binary, decimal): (Int64, Int64) = (1, 1)
    for letter in ["K", "M", "G", "T", "P"] {
      binary *= 1024
      decimal *= 1000
      for (unit, name) in [(binary, letter), (decimal, letter + "B")] {
        let (thousandths, overflows) = (bytes % unit).multipliedReportingOverflow(by: 1000)
        guard bytes >= unit, !overflows, thousandths % unit == 0 else { continue }
        let digits = String(1000 + thousandths / unit).dropFirst()
        let decimals = digits.prefix(
          (digits.lastIndex { $0 != "0" }).map {
            digits.distance(from: digits.startIndex, to: $0) + 1
          } ?? 0)
        let text = "\(bytes / unit)" + (decimals.isEmpty ? "" : "." + decimals) + name
        if text.count < shortest.count { shortest = text }
      }
    }
    return shortest
  }
}
