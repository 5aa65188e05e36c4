/// A rule that says from which transaction on history is kept.
///
/// Where several rules are given, a transaction goes only if every one of them lets it go.
public enum RetentionRule: Hashable, Sendable {
  /// Everything before a token's transaction goes, or everything that is earlier than a moment.
  case before(token: String)
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
    case .before: "before"
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
    case .keepWithin(let duration): "\(duration)"
    case .keepLast(let count): "\(count)"
    case .maxSize(let bytes): "\(bytes)B"
    case .all: nil
    }
  }
}
